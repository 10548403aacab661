#include "core/issue/coded_issue.h"

#include <algorithm>

#include "core/issue/guards.h"
#include "core/issue/issue_stage.h"

namespace heddle::core {

void CodedIssue::begin_launch() {
  looks_.clear();
  next_look_ = kNever;
}

void CodedIssue::look(Cycle now) {
  next_look_ = kNever;
  std::vector<Look> looks;
  looks.swap(looks_);
  for (const Look& look : looks) {
    if (look.at > now) {
      looks_.push_back(look);
      next_look_ = std::min(next_look_, look.at);
      continue;
    }
    const GroupStatus status = state_.groups[look.group].status;
    if (status == stalled_ || status == GroupStatus::kScoreboardAlu ||
        status == GroupStatus::kScoreboardMemory || status == constant_)
      stage_.refresh(look.group);
  }
}

Hazard CodedIssue::hazard(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  const isa::Instruction& instruction = state_.instruction(group.pc);
  const LaneMask exec = guarded(state_, group, instruction);
  const Cycle earliest = began_ == state_.now ? state_.now + 1 : state_.now;
  Hazard worst = Hazard::kNone;
  Cycle due = kNever;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
    const ScoreboardRequest found = scoreboard_.check_codes(home, lanes, exec & lanes, instruction, earliest);
    due = std::min(due, found.due);
    if (found.hazard == Hazard::kNone || (worst == Hazard::kMemory && found.hazard != Hazard::kMemory))
      return;
    worst = found.hazard;
    group.waits_for = home;
  });
  if (worst == Hazard::kNone && immediates_ && instruction.codes.bank_word != 0) {
    due = operand_due(group.pc, earliest);
    if (due > earliest) worst = Hazard::kConstant;
  }
  if (worst != Hazard::kNone && due != kNever) look_again(id, due);
  return worst;
}

void CodedIssue::look_again(GroupId id, Cycle due) {
  looks_.push_back({due, id});
  next_look_ = std::min(next_look_, due);
}

Cycle CodedIssue::operand_due(Pc pc, Cycle cycle) {
  constexpr Cycle kAskAgain = 16;  // while its line comes from memory
  const std::vector<isa::BankWord>& words = state_.kernel().bank_words;
  const auto word = std::ranges::lower_bound(words, pc.value(), {}, &isa::BankWord::pc);
  return cycle + constants_.immediate(*word, cycle).value_or(kAskAgain);
}

void CodedIssue::issues(GroupId id, const isa::Instruction& instruction) {
  const IssueTable::Group& group = state_.groups[id];
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) {
    scoreboard_.issue(home, instruction, state_.now);
    // The warp's other splits share its stall count.
    for (const GroupId other : state_.groups_of_warp[home.value()])
      if (other != id && state_.groups[other].status == GroupStatus::kReady) stage_.refresh(other);
  });
}

}  // namespace heddle::core
