#include "tm/transaction_unit.h"

#include <algorithm>

#include "core/core_state.h"

namespace heddle::tm {

using core::LsuRequest;

namespace {

constexpr std::uint32_t kAddressBytes =
    warp_log::kDataBytes;  ///< of a row of a log, beside as many of values

}  // namespace

TransactionUnit::TransactionUnit(const sc_core::sc_module_name& name, const TmConfig& config,
                                 const core::CoreExtensionSite& site, const memory::AddressMap& map,
                                 TransactionShared& shared)
    : LsuInterposer(name),
      config_(config),
      site_(site),
      map_(map),
      shared_(shared),
      traffic_("traffic", site.stats.child("transactions").child("log_traffic", "accesses to logs")),
      reads_("reads", site.memory_port, site.services.pool, site.config.l1d.line_bytes),
      port_client_(site.memory_port.add_client("transactions")),
      resolver_(warp_log::kDataBytes, site.services.allocations),
      warps_(site.config.occupancy.max_warps),
      apart_(site.lanes_apart),
      most_held_(site.config.lsu.queue_entries) {
  traffic_.answer_isock.bind(log_answer_tsock_);
  reads_.answer_isock.bind(global_answer_tsock_);
  port_isock.bind(site.memory_port.request_tsock[static_cast<unsigned>(port_client_)]);
  site.memory_port.response_isock[static_cast<unsigned>(port_client_)].bind(response_tsock);
  const std::uint32_t bits = warp_log::BloomFilter::bits_of(config.log.filter_bits);
  for (Warp& of : warps_) of.filters.assign(base::kLanes, warp_log::BloomFilter(bits));
  for (std::uint32_t slot = 0; slot < kLaneWindow; ++slot) window_free_.push_back(slot);
  if (config.protocol == Protocol::kIdeal && config.ideal.writes == IdealWrites::kStores) {
    ideal_stores_.emplace(warps_.size(), site.config.l1d.line_bytes);
    shared.store_client = static_cast<std::uint8_t>(port_client_);
  }
  declare();
}

void TransactionUnit::declare() {
  base::StatGroup& stats = site_.stats.child("transactions", "transactions of the core");
  Statistics& s = stats_;
  stats.counter("begun", "transactions", "threads that began one", &s.begun);
  stats.counter("committed", "transactions", "that took place", &s.committed);
  stats.counter("aborted", "attempts", "of threads, that failed at a commit unit", &s.aborted);
  stats.counter("self_aborted", "attempts", "of threads, given up by tx_abort", &s.self_aborted);
  if (config_.protocol == Protocol::kWarp) {
    stats.counter("intra_warp_aborted", "attempts",
                  "of threads, that conflicted with a lower lane of their warp", &s.intra_warp_aborted);
    stats.counter("resolution_cycles", "core cycles", "steps of the resolution of those",
                  &s.resolution_cycles);
  }
  stats.counter("read_lines", "lines", "of global memory read within transactions", &reads_.lines());
  if (config_.temporal.mode != Temporal::kOff) {
    stats.counter("silent", "transactions", "that have only read, committed by the core alone", &s.silent);
    stats.counter("time_conflicts", "attempts", "of threads, that have only read and could not",
                  &s.time_conflicts);
  }
  if (config_.protocol == Protocol::kIdeal && config_.ideal.conflicts != IdealConflicts::kWords)
    stats.counter("false_conflicts", "attempts",
                  "of threads, that failed though nobody had written what they had read", &s.false_conflicts);
  stats.counter("read_only", "transactions", "committed without a write", &s.read_only);
  stats.counter("warps", "transactions", "of warps", &s.warps);
  stats.counter("retries", "attempts", "of warps, after the first", &s.retries);
  stats.counter("loads", "warp-instructions", "within transactions", &s.tx_loads);
  stats.counter("stores", "warp-instructions", "within transactions", &s.tx_stores);
  stats.counter("atomics", "warp-instructions", "within transactions", &s.tx_atomics);
  stats.counter("walks", "warp-instructions", "loads that looked into the write log", &s.walks);
  stats.counter("walked_rows", "rows", "of write logs that they read", &s.walked_rows);
  stats.counter("read_rows", "rows", "appended to read logs", &s.read_rows);
  stats.counter("write_rows", "rows", "appended to write logs", &s.write_rows);
  stats.maximum("most_read_rows", "rows", "longest read log", &s.most_read_rows);
  stats.maximum("most_write_rows", "rows", "longest write log", &s.most_write_rows);
  stats.counter("credit_waits", "commits", "of warps, that waited for entries of the commit units",
                &s.credit_waits);
  stats.counter("validations", "attempts",
                "of warps, validated on their way because they took long ([KiloTM:E11])", &s.validations);
  stats.counter("sent_away", "attempts", "of threads, given up because that had failed", &s.sent_away);
  stats.counter("fence_waits", "fences", "that waited for commit units (tm.fence_waits)", &s.fence_waits);
  const std::vector<std::string> kinds{"commit_ids", "read_log", "write_log", "done_fill", "final", "resent"};
  stats.counters("messages", "packets", "to commit units, by kind", kinds, s.messages.data());
  stats.counters("message_bytes", "bytes", "of those, headers included", kinds, s.message_bytes.data());
  stats.counters("message_flits", "flits", "of those, on the links of the network", kinds,
                 s.message_flits.data());
  base::StatGroup& time = stats.child("thread_cycles", "what threads in transactions do ([KiloTM] Fig 4.9)");
  time.counter("concurrency", "thread-cycles", "TC: waiting for a token", &s.token_cycles);
  time.counter("committing", "thread-cycles", "TO: from the tx_commit to the outcome", &s.commit_cycles);
  time.counter("waiting", "thread-cycles", "TW: committed, while others of the warp try again",
               &s.wait_cycles);
  time.counter("aborted", "thread-cycles", "TA: attempts that failed, up to their tx_commit",
               &s.aborted_cycles);
  time.counter("useful", "thread-cycles", "TU: attempts that committed, up to their tx_commit",
               &s.useful_cycles);
}

void TransactionUnit::add_clients(core::LoadStoreUnit& unit) { traffic_.bind_unit(unit, "transaction_logs"); }

std::uint64_t TransactionUnit::log_bytes(const TmConfig& config, std::uint64_t warps) {
  return warps * (warp_log::LogLayout::bytes_of_log(config.log.read_rows, kAddressBytes) +
                  warp_log::LogLayout::bytes_of_log(config.log.write_rows, kAddressBytes));
}

void TransactionUnit::set_log_base(std::uint64_t base, std::uint64_t all_warps) {
  const std::uint64_t first = site_.core.value() * std::uint64_t{warps_.size()};
  read_log_ = {base, config_.log.read_rows, kAddressBytes, first};
  write_log_ = {base + all_warps * warp_log::LogLayout::bytes_of_log(config_.log.read_rows, kAddressBytes),
                config_.log.write_rows, kAddressBytes, first};
}

// ---- The core's side

void TransactionUnit::begin_launch(const core::LaunchContext* launch) {
  launch_ = launch;
  resolver_.begin_launch(launch);
  has_transactions_ = !launch->kernel->transactions.empty();
}

void TransactionUnit::start_cta(const core::CtaContext& cta) {
  if (!has_transactions_) return;
  for (const WarpId id : cta.warps) {
    warp(id).last_cid.fill(0);
    for (const bool token : {true, false}) {
      core::GateControlRequest close;
      close.op = core::GateControlRequest::Op::kClose;
      close.gate = token ? token_gate_ : commit_gate_;
      close.warp = id;
      (token ? token_control_isock : commit_control_isock).call(close);
    }
  }
}

void TransactionUnit::serve(LsuRequest& request) {
  switch (request.op) {
    case LsuRequest::Op::kIssue:
      issue(request);
      break;
    case LsuRequest::Op::kTick:
      tick(request);
      return;
    case LsuRequest::Op::kBeginLaunch:
      lsu_isock.call(request);
      begin_launch(request.launch);
      break;
    case LsuRequest::Op::kStartCta:
      lsu_isock.call(request);
      start_cta(*request.cta);
      break;
    default:
      lsu_isock.call(request);
      break;
  }
  lsu_full_ = request.full;
  request.full = request.full || full();
}

void TransactionUnit::issue(LsuRequest& request) {
  request.full = lsu_full_;
  cycle_ = request.cycle;
  const WarpId id = request.slices[0].warp;
  Warp& of = warp(id);
  const isa::Instruction& instruction = *request.instruction;
  const bool global =
      instruction.space == isa::StateSpace::kGlobal || instruction.space == isa::StateSpace::kGeneric;
  if (global && within(of, request.slices[0].lanes)) {
    ++of.accesses;
    const std::uint32_t owner = hold(request);
    held_[owner]->transactional = true;
    if (of.atomics != 0 || of.validates) {
      of.deferred.push_back(owner);
      return;
    }
    return start(owner);
  }
  if (instruction.write_count != 0) {
    ++of.loads;
    if (apart_) request.slices[0].lanes.for_each([&](unsigned lane) { ++of.lane_loads[lane]; });
  }
  lsu_isock.call(request);
}

void TransactionUnit::wake(core::LsuWake& wake) {
  lsu_full_ = wake.full;
  wake.full = wake.full || full();
  wake_isock.call(wake);
}

void TransactionUnit::wake_core() {
  again_ = true;
  core::LsuWake wake{0, lsu_full_ || full()};
  wake_isock.call(wake);
}

void TransactionUnit::complete(core::LsuCompletion& done) {
  if (done.kind == core::LsuCompletion::Kind::kLineWritten) return completion_isock.call(done);
  if (done.tag != 0) {  // lanes of an access that are in shared or local memory
    if (done.kind == core::LsuCompletion::Kind::kFinished) piece_done(done.tag - 1);
    return;
  }
  const WarpId id = done.slices[0].warp;
  const LaneMask lanes = done.slices[0].lanes;
  const bool loaded = done.kind == core::LsuCompletion::Kind::kFinished && done.instruction->write_count != 0;
  completion_isock.call(done);
  if (!loaded) return;
  Warp& of = warp(id);
  if (apart_) lanes.for_each([&](unsigned lane) { --of.lane_loads[lane]; });
  if (--of.loads == 0 ? of.phase == Phase::kIdle || apart_ : apart_) recheck(true, id);
}

void TransactionUnit::inspect(LsuRequest& request) {
  lsu_isock.inspect(request);
  core::LsuInspection& look = *request.look;
  if (look.ask != core::LsuInspection::Ask::kPendingLoads) return;
  for (const auto& held : held_.items())
    if (held && held->operation.instruction().write_count != 0 && warp_of(*held) == look.warp)
      look.pending->push_back({&held->operation.instruction(), held->operation.slices()[0].lanes});
}

// ---- A cycle

void TransactionUnit::tick(LsuRequest& request) {
  cycle_ = request.cycle;
  again_ = false;
  lsu_isock.call(request);
  lsu_full_ = request.full;
  const Cycle cycle = request.cycle;
  // What is opened now is looked at by the schedulers in this cycle.
  rechecking_.swap(to_recheck_);
  for (const auto& [token, id] : rechecking_) {
    core::GateControlRequest control;
    control.op = core::GateControlRequest::Op::kRecheck;
    control.gate = token ? token_gate_ : commit_gate_;
    control.warp = id;
    (token ? token_control_isock : commit_control_isock).call(control);
  }
  rechecking_.clear();
  std::erase_if(backing_off_, [&](WarpId id) {
    if (warp(id).backoff_until > cycle) return false;
    recheck(false, id);
    return true;
  });
  watch(cycle);
  offer_others(cycle);
  reads_.tick(cycle);
  commit_cycle(cycle);
  offer_log_access(cycle);
  request.full = lsu_full_ || full();
  // What is on its way brings its own cycles; what the load/store unit has got since its tick it does in the next.
  if (again_ || !to_recheck_.empty() || !to_lsu_.empty() || reads_.waiting() || !to_pass_.empty() ||
      !to_port_.empty() || !walks_.empty())
    request.next_due = std::min(request.next_due, cycle + 1);
  if (resolving_) request.next_due = std::min(request.next_due, std::max(resolving_->second, cycle + 1));
  for (const WarpId id : backing_off_)
    request.next_due = std::min(request.next_due, std::max(warp(id).backoff_until, cycle + 1));
  for (const std::deque<Look>* const looks : {&attempts_, &transactions_})
    if (!looks->empty())
      request.next_due = std::min(request.next_due, std::max(looks->front().due, cycle + 1));
  if (!sending_away_.empty()) request.next_due = std::min(request.next_due, cycle + 1);
}

void TransactionUnit::recheck(bool token, WarpId id) {
  to_recheck_.emplace_back(token, id);
  wake_core();
}

}  // namespace heddle::tm
