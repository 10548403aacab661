#include "tm/attempt_validation.h"

#include <algorithm>

#include "core/state/core_state.h"

namespace heddle::tm {

using isa::Opcode;
using Phase = Attempts::Phase;

AttemptValidation::AttemptValidation(std::uint64_t validate_cycles, std::size_t warps, Attempts& attempts,
                                     Splits& splits, Accesses& accesses, AccessLog& log,
                                     CommitProtocol& commit, CoreSignals& signals)
    : validate_cycles_(validate_cycles),
      attempts_(attempts),
      splits_(splits),
      accesses_(accesses),
      log_(log),
      commit_(commit),
      signals_(signals),
      warps_(warps) {}

void AttemptValidation::begin(WarpId id) {
  Warp& of = warps_[id.value()];
  of.doomed = LaneMask{};
  if (validate_cycles_ == 0) return;
  for (std::vector<Pc>& calls : of.calls) calls.clear();
  look_later(id);
}

void AttemptValidation::look_later(WarpId id) {
  looks_.add(signals_.now() + validate_cycles_, id, attempts_.progress(id).attempts);
}

void AttemptValidation::look(Cycle cycle) {
  const auto same = [this](WarpId id, std::uint64_t number) {
    const Attempts::Progress& of = attempts_.progress(id);
    return of.attempts == number && of.phase == Phase::kRuns && of.attempt.any();
  };
  while (const auto due = looks_.take_due(cycle, same)) validate(*due);
}

void AttemptValidation::validate(WarpId id) {
  const LaneMask attempt = attempts_.progress(id).attempt;
  if ((attempt & log_.readers(id)).none() || (attempt & warps_[id.value()].doomed).any())
    return look_later(id);
  ++counters_.validations;
  attempts_.validation_begins(id);
  accesses_.pause(id);
  validate_if_quiet(id);
}

void AttemptValidation::validate_if_quiet(WarpId id) {
  if (accesses_.quiet(id)) commit_.validate(attempts_.as_it_stands(id));
}

void AttemptValidation::access_done(WarpId id) {
  if (attempts_.progress(id).phase == Phase::kValidates)
    validate_if_quiet(id);
  else if (!accesses_.any(id))
    attempts_.drained(id);
}

void AttemptValidation::ended(WarpId id, LaneMask invalid) {
  Warp& of = warps_[id.value()];
  attempts_.validation_ends(id);
  of.doomed = invalid & attempts_.progress(id).attempt;
  look_later(id);
  if (of.doomed.any()) sending_away_.push_back(id);
  accesses_.go_on(id);
  attempts_.go_on(id);
}

void AttemptValidation::send_on() {
  for (const WarpId id : sending_away_) send_away(id);
  std::erase_if(sending_away_, [this](WarpId id) { return warps_[id.value()].doomed.none(); });
}

void AttemptValidation::send_away(WarpId id) {
  Warp& of = warps_[id.value()];
  const Attempts::Progress& attempt = attempts_.progress(id);
  if (attempt.phase != Phase::kRuns) of.doomed = LaneMask{};  // its commit finds out
  // Those that wait at the tx_commit loop no more.
  const LaneMask lanes =
      LaneMask::difference(of.doomed & attempt.attempt, splits_.waiting(id, Splits::Place::kCommit));
  if (lanes.none()) {
    of.doomed = LaneMask{};
    return;
  }
  std::array<Pc, base::kLanes> targets{};
  targets.fill(attempt.region->commit);
  lanes.for_each([&](unsigned lane) {
    if (!of.calls[lane].empty()) targets[lane] = of.calls[lane].back();
  });
  LaneMask out;
  signals_.send_out(id, lanes, targets.data()).for_each([&](unsigned lane) {
    if (of.calls[lane].empty())
      out |= LaneMask(1u << lane);
    else
      of.calls[lane].pop_back();
  });
  if (out.none()) return;
  counters_.sent_away += out.count();
  of.doomed = LaneMask::difference(of.doomed, out);
  attempts_.give_up(id, out);
}

void AttemptValidation::take_call(core::IssueTapRequest& request) {
  const Opcode op = request.instruction->op;
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    request.wanted = validate_cycles_ != 0 && !request.launch->kernel->transactions.empty() &&
                     (op == Opcode::kCall || op == Opcode::kReturn);
    return;
  }
  if (!attempts_.within(request.warp, request.mask)) return;
  Warp& of = warps_[request.warp.value()];
  request.exec.for_each([&](unsigned lane) {
    if (op == Opcode::kCall)
      of.calls[lane].push_back(Pc{request.pc.value() + 1});
    else if (!of.calls[lane].empty())
      of.calls[lane].pop_back();
  });
}

Cycle AttemptValidation::due(Cycle now) const {
  return sending_away_.empty() ? std::max(looks_.due(), now + 1) : now + 1;
}

}  // namespace heddle::tm
