// Attempts that take long ([KiloTM:E11]), and transactions that never end.
//
// What an attempt has read may never have been in memory together, and a loop over it never end. So after tm.validate_cycles
// what it has read so far is validated at the commit units, as a transaction that writes nothing and fails in any case. Lanes
// that were valid go on; the others are sent out of the attempt, function by function, and try again.
#include <fmt/format.h>

#include <algorithm>

#include "core/core_state.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {

using isa::Opcode;

void TransactionUnit::watch(Cycle cycle) {
  while (!attempts_.empty()) {
    const Look look = attempts_.front();
    const Warp& of = warp(look.warp);
    const bool same = of.attempts == look.number && of.phase == Phase::kRuns && of.attempt.any();
    if (same && look.due > cycle) break;
    attempts_.pop_front();
    if (same && !of.validates) validate(look.warp);
  }
  while (!transactions_.empty()) {
    const Look look = transactions_.front();
    const Warp& of = warp(look.warp);
    const bool same = of.transactions == look.number && of.phase != Phase::kIdle;
    if (same && look.due > cycle) break;
    transactions_.pop_front();
    if (same && !std::exchange(hang_told_, true) && shared_.on_hang) shared_.on_hang(story_of(look.warp));
  }
  if (sending_away_.empty()) return;
  for (const WarpId id : sending_away_) send_away(id);
  std::erase_if(sending_away_, [this](WarpId id) { return warp(id).doomed.none(); });
}

void TransactionUnit::validate(WarpId id) {
  Warp& of = warp(id);
  if ((of.attempt & of.readers).none() || of.doomed.any()) {
    attempts_.push_back({cycle_ + config_.validate_cycles, id, of.attempts});
    return;
  }
  ++stats_.validations;
  of.validates = true;
  validate_if_quiet(id);
}

/// Accesses that came later wait until the validation is over.
void TransactionUnit::validate_if_quiet(WarpId id) {
  Warp& of = warp(id);
  if (of.phase == Phase::kRuns && of.accesses == of.deferred.size()) ask_for_credits(id);
}

void TransactionUnit::validation_ends(WarpId id) {
  Warp& of = warp(id);
  of.validates = false;
  of.phase = Phase::kRuns;
  of.doomed = LaneMask::difference(of.commit.group().lanes, of.commit.valid()) & of.attempt;
  of.commit.begin({}, {}, {}, {}, false);
  attempts_.push_back({cycle_ + config_.validate_cycles, id, of.attempts});
  if (of.doomed.any()) sending_away_.push_back(id);
  start_deferred(id);
  resume(id, std::exchange(of.at_abort, LaneMask{}));
  if (apart_)
    drain_if_all_there(id);
  else
    recheck(false, id);
}

/// Lanes that could issue now return from their innermost function; the others when they can.
void TransactionUnit::send_away(WarpId id) {
  Warp& of = warp(id);
  if (of.phase != Phase::kRuns) of.doomed = LaneMask{};  // its commit finds out
  // Those that wait at the tx_commit loop no more.
  const LaneMask lanes = LaneMask::difference(of.doomed & of.attempt, of.arrived);
  if (lanes.none()) {
    of.doomed = LaneMask{};
    return;
  }
  std::array<Pc, base::kLanes> targets{};
  targets.fill(of.region->commit);
  lanes.for_each([&](unsigned lane) {
    if (!of.calls[lane].empty()) targets[lane] = of.calls[lane].back();
  });
  core::TransactionControl control;
  control.op = core::TransactionControl::Op::kLeave;
  control.warp = id;
  control.lanes = lanes;
  control.lane_target = targets.data();
  control_isock.call(control);
  LaneMask out;
  control.left.for_each([&](unsigned lane) {
    if (of.calls[lane].empty())
      out |= lane_bit(lane);
    else
      of.calls[lane].pop_back();
  });
  if (out.none()) return;
  ++of.conflicts;
  stats_.sent_away += out.count();
  stats_.aborted += out.count();
  stats_.aborted_cycles += (cycle_ - of.since) * out.count();
  leave_attempt(id, out);
}

/// Calls and returns within attempts.
void TransactionUnit::take_call(core::IssueTapRequest& request) {
  const Opcode op = request.instruction->op;
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    request.wanted = config_.validate_cycles != 0 && !request.launch->kernel->transactions.empty() &&
                     (op == Opcode::kCall || op == Opcode::kReturn);
    return;
  }
  Warp& of = warp(request.warp);
  if (!within(of, request.mask)) return;
  request.exec.for_each([&](unsigned lane) {
    if (op == Opcode::kCall)
      of.calls[lane].push_back(Pc{request.pc.value() + 1});
    else if (!of.calls[lane].empty())
      of.calls[lane].pop_back();
  });
}

/// What it has been at for most of its time.
hang::HangKind TransactionUnit::kind_of(const Warp& of) const {
  using hang::HangKind;
  const Cycle half = of.began_at + (cycle_ - of.began_at) / 2;
  const bool runs = of.phase == Phase::kRuns || of.phase == Phase::kDrains;
  if (of.failures == 0 || of.since <= half)
    return runs || of.in_commit_since > half ? HangKind::kTransactionLoops : HangKind::kTransactionWaits;
  if (of.conflicts == 0) return HangKind::kTransactionAborts;
  return shared_.committed != of.committed_before && shared_.committed_at > half
             ? HangKind::kTransactionStarves
             : HangKind::kTransactionLivelock;
}

core::MechanismHang TransactionUnit::story_of(WarpId id) const {
  using hang::HangKind;
  const Warp& of = warps_[id.value()];
  static constexpr const char* kDoes[] = {"is over",
                                          "executes",
                                          "waits for its accesses",
                                          "looks for conflicts within the warp",
                                          "waits for entries of the commit units",
                                          "waits for commit ids",
                                          "sends its logs",
                                          "waits for outcomes of the commit units",
                                          "has its outcomes"};
  core::MechanismHang hang;
  hang.kind = kind_of(of);
  hang.how = "timed, not proven";
  hang.why = fmt::format(
      "the transaction at {} of warp slot {} of core {} (warp {} of the grid) is not over after {} cycles: "
      "it {}; "
      "{} attempts have failed in a row, lanes {:#010x} are in the present one\n  {}",
      launch_->kernel->location(of.region->begin), id.value(), site_.core.value(), of.linear_warp,
      cycle_ - of.began_at, kDoes[static_cast<unsigned>(of.phase)], of.failures, of.attempt.bits(),
      launch_->kernel->source_line(of.region->begin));
  hang.why += fmt::format("\n  {} transactions of threads have committed meanwhile",
                          shared_.committed - of.committed_before);
  const std::string conflict =
      shared_.conflict_of ? shared_.conflict_of(site_.core.value(), id.value()) : std::string();
  hang.why +=
      conflict.empty() ? "\n  no conflict of it is known: it aborts by itself, or loops" : "\n  " + conflict;
  switch (*hang.kind) {
    case HangKind::kTransactionAborts:
      hang.remedy =
          "nobody commits what it waits for before its tx_abort; or that takes longer than tm.hang_cycles";
      break;
    case HangKind::kTransactionLoops:
      hang.remedy = "check the loops between tx_begin and tx_commit; or it takes longer than tm.hang_cycles";
      break;
    case HangKind::kTransactionWaits:
      hang.remedy = "commits take longer than tm.hang_cycles";
      break;
    default:
      hang.remedy =
          "the protocol promises that somebody commits, not who: make the transaction shorter, or let fewer "
          "compete "
          "(tm.concurrent_warps), or those that have failed wait (tm.backoff_cycles); tm.hang_cycles says "
          "how long "
          "that may take";
  }
  return hang;
}

}  // namespace heddle::tm
