// Transactions where lanes of a warp run apart (AWARE, Multi-Path): a split that comes to a tx_begin or tx_commit before its
// time waits there, as at a barrier, and executes it again later, so that other splits of the warp have their turn.
//
// A warp is in one transaction at a time, of the lanes that began it together. An attempt ends when all of its lanes are in
// front of the tx_commit, whether they have met there or not. Then each split returns from the frame, and comes to the
// tx_commit once more: outside of the attempt, from where lanes try again or go on. Lanes that were sent out of their attempt
// (tx_watchdog.cpp) come there, too, with any mechanism.
#include <nlohmann/json.hpp>

#include "core/core_state.h"
#include "tm/transaction_stack.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {

void TransactionUnit::resume(WarpId id, LaneMask lanes) {
  if (lanes.none()) return;
  core::TransactionControl control;
  control.op = core::TransactionControl::Op::kResume;
  control.warp = id;
  control.lanes = lanes;
  control_isock.call(control);
}

void TransactionUnit::begin_apart(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (!take_token(request.warp, request.lanes)) {
    of.at_begin |= request.lanes;
    request.waits = true;
    return;
  }
  of.at_begin = LaneMask::difference(of.at_begin, request.lanes);
  begin(request);
}

void TransactionUnit::drain_if_all_there(WarpId id) {
  Warp& of = warp(id);
  if (of.phase != Phase::kRuns || of.validates || of.attempt.none() || of.arrived != of.attempt) return;
  of.phase = Phase::kDrains;
  of.in_commit_since = site_.services.clock.cycle();
  drain(id);
}

/// The lanes are in the attempt.
void TransactionUnit::commit_apart(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (of.phase != Phase::kResolved) {
    of.arrived |= request.lanes;
    request.waits = true;
    return drain_if_all_there(request.warp);
  }
  if (!of.concluded) conclude(of, request.cycle);
  of.arrived = LaneMask::difference(of.arrived, request.lanes);
  of.attempt = LaneMask::difference(of.attempt, request.lanes);
  if (of.attempt.none()) attempt_is_empty(request.warp);
}

void TransactionUnit::abort_apart(core::TransactionRequest& request) {
  const Warp& of = warp(request.warp);
  stats_.self_aborted += request.lanes.count();
  stats_.aborted_cycles += (request.cycle - of.since) * request.lanes.count();
  leave_attempt(request.warp, request.lanes);
}

/// The lanes have returned from the attempt without an outcome, and try again.
void TransactionUnit::leave_attempt(WarpId id, LaneMask lanes) {
  Warp& of = warp(id);
  of.retry |= lanes;
  of.attempt = LaneMask::difference(of.attempt, lanes);
  of.arrived = LaneMask::difference(of.arrived, lanes);
  of.doomed = LaneMask::difference(of.doomed, lanes);
  if (of.attempt.none())
    attempt_is_empty(id);
  else if (apart_)
    drain_if_all_there(id);
}

/// Who waits outside goes on, if nothing of the attempt is under way.
void TransactionUnit::attempt_is_empty(WarpId id) {
  Warp& of = warp(id);
  if (of.accesses == 0) resume(id, of.outside);
}

/// The lanes have returned from their attempt, in front of the tx_commit.
void TransactionUnit::commit_outside(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (of.attempt.any() || of.accesses != 0) {
    of.outside |= request.lanes;
    request.waits = true;
    return;
  }
  of.outside = LaneMask::difference(of.outside, request.lanes);
  request.leaves = false;
  const LaneMask again = of.retry & request.lanes;
  if (again.any()) {
    ++of.failures;
    return next_attempt(request.warp, request, again);
  }
  of.began = LaneMask::difference(of.began, request.lanes);
  count_waiting(of, -std::int64_t{request.lanes.count()});
  if (of.began.none()) ends(request.warp);
}

/// For whoever looks at the tables of the mechanism.
void TransactionUnit::show(core::TransactionRequest& request) {
  const Warp& of = warp(request.warp);
  if (request.table == nullptr || of.phase == Phase::kIdle) return;
  LaneMask known = of.concluded ? of.attempt : LaneMask{};
  if (!of.validates && (of.phase == Phase::kTransfer || of.phase == Phase::kWaits))
    known = of.commit.finished();
  const LaneMask failed = of.concluded ? LaneMask{} : LaneMask::difference(known, of.commit.passed());
  show_transaction({of.region->begin, of.region->commit, LaneMask::difference(of.attempt, known),
                    of.retry | (failed & of.attempt)},
                   *request.table);
}

}  // namespace heddle::tm
