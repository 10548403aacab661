#include "tm/attempts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/state/core_state.h"
#include "tm/transaction_stack.h"

namespace heddle::tm {

using isa::Opcode;
using isa::TransactionOp;

namespace {

constexpr std::uint32_t kMostBackoff = 16;  ///< attempts in a row that make it longer

}  // namespace

Attempts::Attempts(const TmConfig& config, const core::CoreExtensionSite& site, TransactionShared& shared,
                   const Parts& parts)
    : config_(config),
      shared_(shared),
      with_(parts),
      apart_(site.lanes_apart),
      warps_(site.config.occupancy.max_warps) {}

// ---- Gates

void Attempts::ask_token(core::IssueGateRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    with_.signals.number(CoreSignals::Gate::kToken, request.gate);
    request.closed =
        instruction.op == Opcode::kTransaction && instruction.transaction == TransactionOp::kBegin;
    return;
  }
  const WarpId id = request.warp;
  if (within(id, request.mask)) return;  // nested
  if (apart_) {  // a split waits for the token as at a barrier, but not for its registers
    request.closed = request.closed || with_.loads.any(id, request.mask);
    return;
  }
  request.closed = true;
  if (progress(id).phase != Phase::kIdle) return;  // another part of the warp is in a transaction
  if (with_.loads.any(id)) return;
  request.closed = !with_.tokens.has(id) && !take_token(id, request.mask);
}

bool Attempts::take_token(WarpId id, LaneMask lanes) {
  return with_.tokens.take(id, lanes, with_.splits.waiting(id, Place::kBegin),
                           progress(id).phase == Phase::kIdle, with_.signals.now());
}

void Attempts::plain_load_ended(WarpId id, LaneMask lanes) {
  with_.loads.ended(id, lanes);
  if (apart_ || (!with_.loads.any(id) && progress(id).phase == Phase::kIdle))
    with_.signals.recheck(CoreSignals::Gate::kToken, id);
}

void Attempts::ask_commit(core::IssueGateRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  const bool transaction = instruction.op == Opcode::kTransaction;
  const auto behind_begin = [&] {
    if (config_.backoff_cycles == 0 || request.pc.value() == 0) return false;
    const isa::Instruction& before = launch_->kernel->code[request.pc.value() - 1];
    return before.op == Opcode::kTransaction && before.transaction == TransactionOp::kBegin;
  };
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    with_.signals.number(CoreSignals::Gate::kCommit, request.gate);
    request.closed = (transaction && instruction.transaction != TransactionOp::kBegin) || behind_begin() ||
                     (with_.commit.holds_fences() && instruction.op == Opcode::kFence);
    return;
  }
  const WarpId id = request.warp;
  if (!within(id, request.mask)) {
    if (instruction.op == Opcode::kFence) request.closed = with_.commit.holds_fence(id, request.mask);
    return;
  }
  if (instruction.op == Opcode::kFence || (apart_ && transaction)) return;
  const Warp& of = warp(id);
  if (!transaction) {
    request.closed = of.backoff_until > with_.signals.now();
  } else if (instruction.transaction == TransactionOp::kAbort) {
    request.closed = with_.accesses.any(id) || of.now.phase == Phase::kValidates;
  } else if (request.pc == of.now.region->commit) {
    if (of.now.phase == Phase::kRuns) drain(id);
    request.closed = of.now.phase != Phase::kResolved;
  }
}

// ---- Instructions

void Attempts::execute(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  if (request.op == TransactionOp::kBegin) {
    request.nested = within(id, request.lanes);
    if (!request.nested) begin(request);
    return;
  }
  const isa::TransactionRegion& region = *progress(id).region;
  request.begin = region.begin;
  request.commit = region.commit;
  if (request.op == TransactionOp::kAbort) return abort(request);
  request.nested = request.pc != region.commit;
  if (request.nested) return;
  if (!within(id, request.lanes)) return commit_outside(request);
  apart_ ? commit_apart(request) : commit(request);
}

void Attempts::begin(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  if (apart_) {
    if (!take_token(id, request.lanes)) {
      with_.splits.wait(id, Place::kBegin, request.lanes);
      request.waits = true;
      return;
    }
    with_.splits.leave(id, Place::kBegin, request.lanes);
  }
  Warp& of = warp(id);
  Progress& now = of.now;
  now.region = &*std::ranges::find(launch_->kernel->transactions, request.pc, &isa::TransactionRegion::begin);
  of.checkpoint.take(*launch_->kernel, now.region->checkpoint, request.registers);
  now.grid_warp = request.linear_warp;
  of.retry = of.began = request.lanes;
  now.failures = 0;
  now.conflicts = 0;
  now.began_at = request.cycle;
  ++now.transactions;
  on_transaction(id);
  counters_.begun += request.lanes.count();
  ++counters_.warps;
  next_attempt(request, request.lanes);
}

void Attempts::next_attempt(core::TransactionRequest& request, LaneMask lanes) {
  const WarpId id = request.warp;
  Warp& of = warp(id);
  request.retry = lanes;
  of.now.attempt = lanes;
  of.retry = LaneMask::difference(of.retry, lanes);
  of.now.phase = Phase::kRuns;
  of.concluded = false;
  with_.splits.leave_all(id, Place::kCommit);
  ++of.now.attempts;
  of.now.since = request.cycle;
  with_.accesses.begin(id, of.now.grid_warp, of.now.attempts);
  with_.log.begin(id, lanes);
  on_attempt(id);
  if (of.now.failures == 0) return;
  ++counters_.retries;
  of.checkpoint.restore(lanes, request.registers);
  if (config_.backoff_cycles == 0) return;
  of.backoff_until = request.cycle + config_.backoff_cycles * std::min(of.now.failures, kMostBackoff);
  backing_off_.push_back(id);
  with_.signals.wake();
}

void Attempts::commit(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  Warp& of = warp(id);
  conclude(id, request.cycle);
  request.all_left = true;
  if (of.retry.none()) return ends(id);
  ++of.now.failures;
  next_attempt(request, of.retry);
}

/// The lanes are in the attempt.
void Attempts::commit_apart(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  Warp& of = warp(id);
  if (of.now.phase != Phase::kResolved) {
    with_.splits.wait(id, Place::kCommit, request.lanes);
    request.waits = true;
    return drain_if_all_there(id);
  }
  if (!of.concluded) conclude(id, request.cycle);
  with_.splits.leave(id, Place::kCommit, request.lanes);
  of.now.attempt = LaneMask::difference(of.now.attempt, request.lanes);
  if (of.now.attempt.none()) attempt_is_empty(id);
}

/// The lanes have returned from their attempt, in front of the tx_commit.
void Attempts::commit_outside(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  Warp& of = warp(id);
  if (of.now.attempt.any() || with_.accesses.any(id)) {
    with_.splits.wait(id, Place::kOutside, request.lanes);
    request.waits = true;
    return;
  }
  with_.splits.leave(id, Place::kOutside, request.lanes);
  request.leaves = false;
  const LaneMask again = of.retry & request.lanes;
  if (again.any()) {
    ++of.now.failures;
    return next_attempt(request, again);
  }
  of.began = LaneMask::difference(of.began, request.lanes);
  count_waiting(of, -std::int64_t{request.lanes.count()});
  if (of.began.none()) ends(id);
}

void Attempts::abort(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  Warp& of = warp(id);
  // Since the gate was asked: what the attempt has read is on its way to the commit units.
  if (of.now.phase == Phase::kValidates) {
    with_.splits.wait(id, Place::kAbort, request.lanes);
    request.waits = true;
    return;
  }
  counters_.self_aborted += request.lanes.count();
  counters_.aborted_cycles += (request.cycle - of.now.since) * request.lanes.count();
  if (apart_) return leave_attempt(id, request.lanes);
  of.retry |= request.lanes;
  of.now.attempt = LaneMask::difference(of.now.attempt, request.lanes);
  if (of.now.attempt.any()) return;
  request.all_left = true;
  ++of.now.failures;
  next_attempt(request, of.retry);
}

// ---- Commits

void Attempts::drain(WarpId id) {
  Progress& of = warp(id).now;
  of.phase = Phase::kDrains;
  of.in_commit_since = with_.signals.now();
  if (!with_.accesses.any(id)) begin_commit(id);
}

void Attempts::drain_if_all_there(WarpId id) {
  const Progress& of = progress(id);
  if (of.phase != Phase::kRuns || of.attempt.none() || with_.splits.waiting(id, Place::kCommit) != of.attempt)
    return;
  drain(id);
}

CommitProtocol::Attempt Attempts::as_it_stands(WarpId id) const {
  const Progress& of = progress(id);
  return {id, of.attempt, with_.accesses.faulted(id), with_.accesses.fault(id), of.grid_warp};
}

void Attempts::begin_commit(WarpId id) {
  const CommitProtocol::Attempt attempt = as_it_stands(id);
  // What had read nothing would do the same again.
  if (LaneMask::difference(attempt.faulted & attempt.lanes, with_.log.readers(id)).any())
    std::rethrow_exception(attempt.fault);
  warp(id).now.phase = Phase::kCommits;
  with_.commit.commit(attempt);
}

void Attempts::resolved(WarpId id) {
  Progress& of = warp(id).now;
  of.phase = Phase::kResolved;
  if (apart_)
    with_.signals.resume(id, of.attempt);
  else
    with_.signals.recheck(CoreSignals::Gate::kCommit, id);
}

void Attempts::drained(WarpId id) {
  const Progress& of = progress(id);
  if (of.phase == Phase::kDrains)
    begin_commit(id);
  else if (of.attempt.none())
    attempt_is_empty(id);
  else if (!apart_)
    with_.signals.recheck(CoreSignals::Gate::kCommit, id);  // a tx_abort may wait
}

void Attempts::conclude(WarpId id, Cycle cycle) {
  Warp& of = warp(id);
  const Progress& now = of.now;
  const CommitProtocol::Conclusion end = with_.commit.conclude(id);
  const LaneMask failed = LaneMask::difference(now.attempt, end.passed);
  shared_.committed += end.passed.count();
  if (end.passed.any()) shared_.committed_at = cycle;
  of.now.conflicts += failed.any() ? 1 : 0;
  counters_.committed += end.passed.count();
  counters_.aborted += LaneMask::difference(failed, end.losers).count();
  counters_.intra_warp_aborted += end.losers.count();
  counters_.read_only += LaneMask::difference(end.passed, with_.log.writers(id)).count();
  counters_.useful_cycles += (now.in_commit_since - now.since) * end.passed.count();
  counters_.aborted_cycles += (now.in_commit_since - now.since) * failed.count();
  counters_.commit_cycles += (cycle - now.in_commit_since) * now.attempt.count();
  of.retry |= failed;
  of.concluded = true;
  count_waiting(of, end.passed.count());
}

// ---- The end of attempts and transactions

void Attempts::leave_attempt(WarpId id, LaneMask lanes) {
  Warp& of = warp(id);
  of.retry |= lanes;
  of.now.attempt = LaneMask::difference(of.now.attempt, lanes);
  with_.splits.leave(id, Place::kCommit, lanes);
  if (of.now.attempt.none())
    attempt_is_empty(id);
  else if (apart_)
    drain_if_all_there(id);
}

void Attempts::attempt_is_empty(WarpId id) {
  if (!with_.accesses.any(id)) with_.signals.resume(id, with_.splits.waiting(id, Place::kOutside));
}

void Attempts::give_up(WarpId id, LaneMask lanes) {
  Progress& of = warp(id).now;
  ++of.conflicts;
  counters_.aborted += lanes.count();
  counters_.aborted_cycles += (with_.signals.now() - of.since) * lanes.count();
  leave_attempt(id, lanes);
}

void Attempts::go_on(WarpId id) {
  with_.signals.resume(id, with_.splits.leave_all(id, Place::kAbort));
  if (apart_)
    drain_if_all_there(id);
  else
    with_.signals.recheck(CoreSignals::Gate::kCommit, id);
}

void Attempts::ends(WarpId id) {
  Warp& of = warp(id);
  count_waiting(of, -std::int64_t{of.waiting});
  of.now.phase = Phase::kIdle;
  of.now.attempt = of.began = LaneMask{};
  with_.tokens.give_back(id);
  const auto next = with_.tokens.next([this](WarpId other) { return progress(other).phase == Phase::kIdle; });
  if (!next) return;
  if (apart_)
    with_.signals.resume(*next, with_.splits.waiting(*next, Place::kBegin));
  else
    with_.signals.recheck(CoreSignals::Gate::kToken, *next);
}

void Attempts::count_waiting(Warp& of, std::int64_t more) {
  const Cycle now = with_.signals.now();
  counters_.wait_cycles += (now - of.waiting_since) * of.waiting;
  of.waiting = static_cast<std::uint32_t>(of.waiting + more);
  of.waiting_since = now;
}

// ---- A cycle

void Attempts::end_backoffs(Cycle cycle) {
  std::erase_if(backing_off_, [&](WarpId id) {
    if (warp(id).backoff_until > cycle) return false;
    with_.signals.recheck(CoreSignals::Gate::kCommit, id);
    return true;
  });
}

Cycle Attempts::due(Cycle now) const {
  Cycle first = base::kNever;
  for (const WarpId id : backing_off_)
    first = std::min(first, std::max(warps_[id.value()].backoff_until, now + 1));
  return first;
}

/// For readers of the mechanism's tables.
void Attempts::show(core::TransactionRequest& request) {
  const WarpId id = request.warp;
  const Warp& of = warp(id);
  if (request.table == nullptr || of.now.phase == Phase::kIdle) return;
  const CommitProtocol::Outcome outcome = with_.commit.outcome(id);
  const LaneMask known = of.concluded ? of.now.attempt : outcome.finished;
  const LaneMask failed = of.concluded ? LaneMask{} : LaneMask::difference(known, outcome.passed);
  show_transaction({of.now.region->begin, of.now.region->commit, LaneMask::difference(of.now.attempt, known),
                    of.retry | (failed & of.now.attempt)},
                   *request.table);
}

}  // namespace heddle::tm
