#include "tm/transaction_unit.h"

#include <algorithm>

#include "core/core_state.h"

namespace heddle::tm {

using core::LsuRequest;
using isa::Opcode;
using isa::TransactionOp;

namespace {

constexpr std::uint32_t kAddressBytes =
    warp_log::kDataBytes;  ///< of a row of a log, beside as many of values
constexpr std::uint32_t kMostBackoff = 16;

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
  for (std::uint32_t slot = 0; slot < kWindow; ++slot) window_free_.push_back(slot);
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
  stats.counter("validations", "attempts", "of warps, validated on their way because they took long (E11)",
                &s.validations);
  stats.counter("sent_away", "attempts", "of threads, given up because that had failed", &s.sent_away);
  stats.counter("fence_waits", "fences", "that waited for commit units (tm.fence_waits)", &s.fence_waits);
  const std::vector<std::string> kinds{"commit_ids", "read_log", "write_log", "done_fill", "final", "resent"};
  stats.counters("messages", "packets", "to commit units, by kind", kinds, s.messages.data());
  stats.counters("message_bytes", "bytes", "of those, headers included", kinds, s.message_bytes.data());
  base::StatGroup& time =
      stats.child("thread_cycles", "what threads in transactions do (tbc-and-kilotm §10.5)");
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
  for (const auto& held : held_)
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
  const auto recheck_now = std::exchange(to_recheck_, {});
  for (const auto& [token, id] : recheck_now) {
    core::GateControlRequest control;
    control.op = core::GateControlRequest::Op::kRecheck;
    control.gate = token ? token_gate_ : commit_gate_;
    control.warp = id;
    (token ? token_control_isock : commit_control_isock).call(control);
  }
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

// ---- Gates

void TransactionUnit::ask_token(core::IssueGateRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    token_gate_ = request.gate;
    request.closed =
        instruction.op == Opcode::kTransaction && instruction.transaction == TransactionOp::kBegin;
    return;
  }
  Warp& of = warp(request.warp);
  if (within(of, request.mask)) return;  // nested
  if (apart_) {  // a split waits for the token as at a barrier, but not for its registers
    request.mask.for_each(
        [&](unsigned lane) { request.closed = request.closed || of.lane_loads[lane] != 0; });
    return;
  }
  request.closed = true;
  if (of.phase != Phase::kIdle) return;  // another part of the warp is in a transaction
  if (of.loads != 0) return;             // registers are saved when they have got their values
  request.closed = !of.token && !take_token(request.warp, request.mask);
}

bool TransactionUnit::take_token(WarpId id, LaneMask lanes) {
  Warp& of = warp(id);
  const Cycle now = site_.services.clock.cycle();
  if (of.phase != Phase::kIdle || (config_.concurrent_warps != 0 && tokens_ >= config_.concurrent_warps)) {
    if (!of.waits_for_token) {
      of.waits_for_token = true;
      of.waits_since = now;
      token_queue_.push_back(id);
    }
    return false;
  }
  of.token = true;
  ++tokens_;
  if (of.waits_for_token) {
    stats_.token_cycles += (now - of.waits_since) * lanes.count();
    of.waits_since = now;
    if (LaneMask::difference(of.at_begin, lanes).any()) return true;  // others of the warp go on waiting
    of.waits_for_token = false;
    std::erase(token_queue_, id);
  }
  return true;
}

void TransactionUnit::release_token(Warp& of) {
  of.token = false;
  --tokens_;
  if (!apart_) {
    if (!token_queue_.empty()) recheck(true, token_queue_.front());
    return;
  }
  const auto next = std::ranges::find_if(
      token_queue_, [this](WarpId id) { return warp(id).phase == Phase::kIdle && !warp(id).token; });
  if (next != token_queue_.end()) resume(*next, warp(*next).at_begin);
}

void TransactionUnit::ask_commit(core::IssueGateRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  const bool transaction = instruction.op == Opcode::kTransaction;
  const auto behind_begin = [&] {
    if (config_.backoff_cycles == 0 || request.pc.value() == 0) return false;
    const isa::Instruction& before = launch_->kernel->code[request.pc.value() - 1];
    return before.op == Opcode::kTransaction && before.transaction == TransactionOp::kBegin;
  };
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    commit_gate_ = request.gate;
    request.closed = (transaction && instruction.transaction != TransactionOp::kBegin) || behind_begin() ||
                     (config_.fence_waits && instruction.op == Opcode::kFence);
    return;
  }
  Warp& of = warp(request.warp);
  if (!within(of, request.mask)) {
    if (config_.fence_waits && instruction.op == Opcode::kFence) request.closed = fence_waits(request);
    return;
  }
  if (instruction.op == Opcode::kFence || (apart_ && transaction)) return;
  if (!transaction) {
    request.closed = of.backoff_until > site_.services.clock.cycle();
  } else if (instruction.transaction == TransactionOp::kAbort) {
    request.closed = of.accesses != 0 || of.validates;
  } else if (request.pc == of.region->commit) {
    if (of.phase == Phase::kRuns && !of.validates) {
      of.phase = Phase::kDrains;
      of.in_commit_since = site_.services.clock.cycle();
      drain(request.warp);
    }
    request.closed = of.phase != Phase::kResolved;
  }
}

/// E8: older transactions that touch the same words may still have writes to do in other units.
bool TransactionUnit::fence_waits(const core::IssueGateRequest& request) {
  const Warp& of = warp(request.warp);
  Cid last = 0;
  request.mask.for_each([&](unsigned lane) { last = std::max(last, of.last_cid[lane]); });
  if (last < shared_.board.oldest()) return false;
  ++stats_.fence_waits;
  const WarpId id = request.warp;
  shared_.board.wait([this, id] { recheck(false, id); });
  return true;
}

// ---- Instructions

void TransactionUnit::execute(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (request.op == TransactionOp::kBegin) {
    request.nested = within(of, request.lanes);
    if (!request.nested) apart_ ? begin_apart(request) : begin(request);
    return;
  }
  request.begin = of.region->begin;
  request.commit = of.region->commit;
  if (request.op == TransactionOp::kAbort) return abort(request);
  request.nested = request.pc != of.region->commit;
  if (request.nested) return;
  if (!within(of, request.lanes)) return commit_outside(request);
  apart_ ? commit_apart(request) : commit(request);
}

void TransactionUnit::begin(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  const auto& regions = launch_->kernel->transactions;
  of.region = &*std::ranges::find(regions, request.pc, &isa::TransactionRegion::begin);
  of.checkpoint.take(*launch_->kernel, of.region->checkpoint, request.registers);
  of.linear_warp = request.linear_warp;
  of.retry = of.began = request.lanes;
  of.failures = 0;
  of.began_at = request.cycle;
  ++of.transactions;
  if (config_.hang_cycles != 0)
    transactions_.push_back({request.cycle + config_.hang_cycles, request.warp, of.transactions});
  stats_.begun += request.lanes.count();
  ++stats_.warps;
  next_attempt(request.warp, request, request.lanes);
}

void TransactionUnit::next_attempt(WarpId id, core::TransactionRequest& request, LaneMask lanes) {
  Warp& of = warp(id);
  request.retry = lanes;
  of.attempt = lanes;
  of.retry = LaneMask::difference(of.retry, lanes);
  of.phase = Phase::kRuns;
  of.concluded = false;
  of.arrived = of.doomed = LaneMask{};
  ++of.attempts;
  if (config_.validate_cycles != 0) {
    for (std::vector<Pc>& calls : of.calls) calls.clear();
    attempts_.push_back({request.cycle + config_.validate_cycles, id, of.attempts});
  }
  of.read_rows = of.write_rows = 0;
  of.write_bytes.clear();
  for (warp_log::BloomFilter& filter : of.filters) filter.clear();
  of.silent = LaneMask{};
  for (FirstRead& first : of.first_read) first.begin();
  of.readers = of.writers = of.faulted = of.trivial = of.losers = LaneMask{};
  of.fault = nullptr;
  of.since = request.cycle;
  if (shared_.ideal) begin_ideal(id);
  if (of.failures == 0) return;
  ++stats_.retries;
  of.checkpoint.restore(of.attempt, request.registers);
  if (config_.backoff_cycles == 0) return;
  of.backoff_until = request.cycle + config_.backoff_cycles * std::min(of.failures, kMostBackoff);
  backing_off_.push_back(id);
  wake_core();
}

void TransactionUnit::conclude(Warp& of, Cycle cycle) {
  const LaneMask passed = (of.commit.passed() | of.trivial) & of.attempt;
  const LaneMask failed = LaneMask::difference(of.attempt, passed);
  stats_.committed += passed.count();
  stats_.aborted += LaneMask::difference(failed, of.losers).count();
  stats_.intra_warp_aborted += of.losers.count();
  stats_.read_only += LaneMask::difference(passed, of.writers).count();
  stats_.useful_cycles += (of.in_commit_since - of.since) * passed.count();
  stats_.aborted_cycles += (of.in_commit_since - of.since) * failed.count();
  stats_.commit_cycles += (cycle - of.in_commit_since) * of.attempt.count();
  if (shared_.on_commit)
    of.trivial.for_each([&](unsigned lane) {
      const Cid behind = of.silent.test(lane) ? of.first_read[lane].behind() : of.last_cid[lane];
      shared_.on_commit({behind, of.linear_warp, lane, true, ++records_});
    });
  if (shared_.early_credits) {
    for (const auto& [end, count] : credits_out_) credits_used_ -= count;
    credits_out_.clear();
  }
  of.retry |= failed;
  of.concluded = true;
  count_waiting(of, passed.count());
}

void TransactionUnit::count_waiting(Warp& of, std::int64_t more) {
  const Cycle now = site_.services.clock.cycle();
  stats_.wait_cycles += (now - of.waiting_since) * of.waiting;
  of.waiting = static_cast<std::uint32_t>(of.waiting + more);
  of.waiting_since = now;
}

void TransactionUnit::commit(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  conclude(of, request.cycle);
  request.all_left = true;
  if (of.retry.any()) {
    ++of.failures;
    return next_attempt(request.warp, request, of.retry);
  }
  ends(request.warp);
}

/// All lanes go on behind the transaction.
void TransactionUnit::ends(WarpId id) {
  Warp& of = warp(id);
  count_waiting(of, -std::int64_t{of.waiting});
  of.phase = Phase::kIdle;
  of.attempt = of.began = LaneMask{};
  release_token(of);
}

void TransactionUnit::abort(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (of.validates) {  // since the gate was asked: what the attempt has read is on its way to the commit units
    of.at_abort |= request.lanes;
    request.waits = true;
    return;
  }
  if (apart_) return abort_apart(request);
  stats_.self_aborted += request.lanes.count();
  stats_.aborted_cycles += (request.cycle - of.since) * request.lanes.count();
  of.retry |= request.lanes;
  of.attempt = LaneMask::difference(of.attempt, request.lanes);
  if (of.attempt.any()) return;
  request.all_left = true;
  ++of.failures;
  next_attempt(request.warp, request, of.retry);
}

void TransactionUnit::resolved(WarpId id) {
  if (apart_)
    resume(id, warp(id).attempt);
  else
    recheck(false, id);
}

}  // namespace heddle::tm
