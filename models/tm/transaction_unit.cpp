#include "tm/transaction_unit.h"

#include <algorithm>

#include "core/state/core_state.h"

namespace heddle::tm {

using core::LsuRequest;

TransactionUnit::TransactionUnit(const sc_core::sc_module_name& name, const TmConfig& config,
                                 const core::CoreExtensionSite& site, const memory::AddressMap& map,
                                 TransactionShared& shared)
    : LsuInterposer(name),
      config_(config),
      site_(site),
      warps_(site.config.occupancy.max_warps),
      first_warp_(site.core.value() * std::uint64_t{warps_}),
      signals_(site.services.clock),
      tokens_(config.concurrent_warps, warps_),
      splits_(warps_),
      loads_(warps_, site.lanes_apart),
      ids_(warps_, shared),
      silent_(config.temporal.mode, warps_),
      log_port_(site.stats.child("transactions"), signals_),
      reads_("reads", site.memory_port, site.services.pool, site.config.l1d.line_bytes),
      commit_port_(site.memory_port, site.services.pool, shared, signals_),
      logged_(shared.ideal ? nullptr : std::make_unique<Logged>(*this, map, shared)),
      ideal_(shared.ideal == nullptr
                 ? nullptr
                 : std::make_unique<IdealTransactions>(config.ideal.writes, warps_, first_warp_,
                                                       site.config.l1d.line_bytes, site.services.pool, shared,
                                                       ids_, commit_port_, signals_)),
      log_(ideal_ ? static_cast<AccessLog&>(*ideal_) : logged_->log),
      commit_(ideal_ ? static_cast<CommitProtocol&>(*ideal_) : logged_->committer),
      accesses_(config.log, site, shared, log_, silent_, ids_, signals_, reads_, lsu_isock, completion_isock),
      attempts_(config, site, shared, {tokens_, splits_, loads_, accesses_, log_, commit_, signals_}),
      validation_(config.validate_cycles, warps_, attempts_, splits_, accesses_, log_, commit_, signals_),
      hang_watch_(config.hang_cycles, site.core.value(), warps_, attempts_, commit_, shared) {
  signals_.on_wake = [this] {
    core::LsuWake wake{0, lsu_full_ || accesses_.full()};
    wake_isock.call(wake);
  };
  accesses_.on_done = [this](WarpId id) { validation_.access_done(id); };
  commit_.on_resolved = [this](WarpId id) { attempts_.resolved(id); };
  commit_.on_validated = [this](WarpId id, LaneMask invalid) { validation_.ended(id, invalid); };
  attempts_.on_transaction = [this](WarpId id) { hang_watch_.begin(id); };
  attempts_.on_attempt = [this](WarpId id) { validation_.begin(id); };
  declare();
}

TransactionUnit::Logged::Logged(TransactionUnit& unit, const memory::AddressMap& map,
                                TransactionShared& shared)
    : log(unit.config_.log, unit.warps_, unit.first_warp_, unit.log_port_, unit.signals_),
      committer(unit.config_, unit.site_.core.value(), map, shared, log, unit.silent_, unit.ids_,
                unit.commit_port_, unit.signals_, unit.warps_) {}

void TransactionUnit::declare() {
  base::StatGroup& stats = site_.stats.child("transactions", "transactions of the core");
  const Attempts::Counters& a = attempts_.counters();
  stats.counter("begun", "transactions", "threads that began one", &a.begun);
  stats.counter("committed", "transactions", "that took place", &a.committed);
  stats.counter("aborted", "attempts", "of threads, that failed at a commit unit", &a.aborted);
  stats.counter("self_aborted", "attempts", "of threads, given up by tx_abort", &a.self_aborted);
  const CommitProtocol::Counters& c = commit_.counters();
  if (config_.protocol == Protocol::kWarp) {
    stats.counter("intra_warp_aborted", "attempts",
                  "of threads, that conflicted with a lower lane of their warp", &a.intra_warp_aborted);
    stats.counter("resolution_cycles", "core cycles", "steps of the resolution of those",
                  &c.resolution_steps);
  }
  stats.counter("read_lines", "lines", "of global memory read within transactions", &reads_.lines());
  if (config_.temporal.mode != Temporal::kOff) {
    stats.counter("silent", "transactions", "that have only read, committed by the core alone",
                  &silent_.counters().silent);
    stats.counter("time_conflicts", "attempts", "of threads, that have only read and could not",
                  &silent_.counters().conflicts);
  }
  if (config_.protocol == Protocol::kIdeal && config_.ideal.conflicts != IdealConflicts::kWords)
    stats.counter("false_conflicts", "attempts",
                  "of threads, that failed though nobody had written what they had read", &c.false_conflicts);
  stats.counter("read_only", "transactions", "committed without a write", &a.read_only);
  stats.counter("warps", "transactions", "of warps", &a.warps);
  stats.counter("retries", "attempts", "of warps, after the first", &a.retries);
  const Accesses::Counters& accesses = accesses_.counters();
  stats.counter("loads", "warp-instructions", "within transactions", &accesses.loads);
  stats.counter("stores", "warp-instructions", "within transactions", &accesses.stores);
  stats.counter("atomics", "warp-instructions", "within transactions", &accesses.atomics);
  AccessLog::Counters& log = log_.counters();
  stats.counter("walks", "warp-instructions", "loads that looked into the write log", &log.walks);
  stats.counter("walked_rows", "rows", "of write logs that they read", &log.walked_rows);
  stats.counter("read_rows", "rows", "appended to read logs", &log.read_rows);
  stats.counter("write_rows", "rows", "appended to write logs", &log.write_rows);
  stats.maximum("most_read_rows", "rows", "longest read log", &log.most_read_rows);
  stats.maximum("most_write_rows", "rows", "longest write log", &log.most_write_rows);
  stats.counter("credit_waits", "commits", "of warps, that waited for entries of the commit units",
                &c.credit_waits);
  const AttemptValidation::Counters& v = validation_.counters();
  stats.counter("validations", "attempts",
                "of warps, validated on their way because they took long ([KiloTM:E11])", &v.validations);
  stats.counter("sent_away", "attempts", "of threads, given up because that had failed", &v.sent_away);
  stats.counter("fence_waits", "fences", "that waited for commit units (tm.fence_waits)", &c.fence_waits);
  const std::vector<std::string> kinds{"commit_ids", "read_log", "write_log", "done_fill", "final", "resent"};
  const CommitPort::Counters& port = commit_port_.counters();
  stats.counters("messages", "packets", "to commit units, by kind", kinds, port.messages.data());
  stats.counters("message_bytes", "bytes", "of those, headers included", kinds, port.bytes.data());
  stats.counters("message_flits", "flits", "of those, on the links of the network", kinds, port.flits.data());
  base::StatGroup& time = stats.child("thread_cycles", "what threads in transactions do ([KiloTM] Fig 4.9)");
  time.counter("concurrency", "thread-cycles", "TC: waiting for a token", &tokens_.wait_cycles());
  time.counter("committing", "thread-cycles", "TO: from the tx_commit to the outcome", &a.commit_cycles);
  time.counter("waiting", "thread-cycles", "TW: committed, while others of the warp try again",
               &a.wait_cycles);
  time.counter("aborted", "thread-cycles", "TA: attempts that failed, up to their tx_commit",
               &a.aborted_cycles);
  time.counter("useful", "thread-cycles", "TU: attempts that committed, up to their tx_commit",
               &a.useful_cycles);
}

void TransactionUnit::set_log_base(std::uint64_t base, std::uint64_t all_warps) {
  if (logged_) logged_->log.set_base(base, all_warps);
}

// ---- The core's side

void TransactionUnit::begin_launch(const core::LaunchContext* launch) {
  accesses_.begin_launch(launch);
  attempts_.begin_launch(launch);
  hang_watch_.begin_launch(launch);
  has_transactions_ = !launch->kernel->transactions.empty();
}

void TransactionUnit::start_cta(const core::CtaContext& cta) {
  if (!has_transactions_) return;
  for (const WarpId id : cta.warps) {
    ids_.start(id);
    signals_.close(id);
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
  request.full = request.full || accesses_.full();
}

void TransactionUnit::issue(LsuRequest& request) {
  request.full = lsu_full_;
  const core::MemorySlice& slice = request.slices[0];
  const isa::Instruction& instruction = *request.instruction;
  const bool global =
      instruction.space == isa::StateSpace::kGlobal || instruction.space == isa::StateSpace::kGeneric;
  if (global && attempts_.within(slice.warp, slice.lanes)) return accesses_.issue(request);
  if (instruction.write_count != 0) loads_.issued(slice.warp, slice.lanes);
  lsu_isock.call(request);
}

void TransactionUnit::wake(core::LsuWake& wake) {
  lsu_full_ = wake.full;
  wake.full = wake.full || accesses_.full();
  wake_isock.call(wake);
}

void TransactionUnit::complete(core::LsuCompletion& done) {
  if (done.kind == core::LsuCompletion::Kind::kLineWritten) return completion_isock.call(done);
  // Tags are this unit's, but for those of asynchronous copies, which are the core's.
  if (done.tag != 0 &&
      done.instruction->op != isa::Opcode::kAsyncCopy) {  // lanes of an access in shared or local memory
    if (done.kind == core::LsuCompletion::Kind::kFinished) accesses_.others_done(done.tag);
    return;
  }
  const WarpId id = done.slices[0].warp;
  const LaneMask lanes = done.slices[0].lanes;
  const bool loaded = done.kind == core::LsuCompletion::Kind::kFinished && done.instruction->write_count != 0;
  completion_isock.call(done);
  if (loaded) attempts_.plain_load_ended(id, lanes);
}

void TransactionUnit::inspect(LsuRequest& request) {
  lsu_isock.inspect(request);
  core::LsuInspection& look = *request.look;
  if (look.ask == core::LsuInspection::Ask::kPendingLoads) accesses_.add_pending_loads(look);
}

// ---- A cycle

void TransactionUnit::tick(LsuRequest& request) {
  const Cycle cycle = request.cycle;
  signals_.begin_cycle();
  lsu_isock.call(request);
  lsu_full_ = request.full;
  signals_.recheck_gates();
  attempts_.tick(cycle);
  validation_.validate_what_is_due(cycle);
  hang_watch_.tick(cycle);
  validation_.send_away();
  accesses_.offer_others(cycle, lsu_full_);
  reads_.tick(cycle);
  commit_.tick(cycle);
  log_port_.tick(cycle);
  request.full = lsu_full_ || accesses_.full();
  request.next_due = std::min(request.next_due, due(cycle));
}

/// What is on its way brings its own cycles; what the load/store unit has got since its tick it does in the next.
Cycle TransactionUnit::due(Cycle now) const {
  if (signals_.wants_cycle() || log_port_.waits() || reads_.waiting() || accesses_.offers()) return now + 1;
  return std::min({attempts_.due(now), validation_.due(now), hang_watch_.due(now), commit_.due(now)});
}

}  // namespace heddle::tm
