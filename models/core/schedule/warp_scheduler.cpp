#include "core/schedule/warp_scheduler.h"

namespace heddle::core {

std::optional<WarpId> WarpScheduler::choose_specially(const SchedulerRequest& request,
                                                      const base::IndexSet& candidates) {
  if (policy_->looks()) policy_->look(*request.groups);
  return perturbation_.on() ? random_turn(candidates, request.cycle)
                            : policy_->pick(candidates, request.cycle);
}

std::optional<WarpId> WarpScheduler::random_turn(const base::IndexSet& candidates, Cycle now) {
  const auto chosen = policy_->pick(candidates, now);
  if (!chosen || perturbation_.below(kPicksPerRandomTurn) != 0) return chosen;
  return WarpId{*candidates.next_cyclic(perturbation_.below(warps_))};
}

void WarpScheduler::pick(SchedulerRequest& request) {
  const auto warp = choose(request, *request.candidates);
  if (!warp) return none(request, *request.candidates);
  request.found = true;
  request.group = GroupId{warp->value()};
  policy_->issued(*warp, request.cycle);
}

void WarpScheduler::pick_split(SchedulerRequest& request) {
  if (!request.candidates->contains(last_group_)) {
    if (clocked_ != nullptr) clocked_->advance(request.cycle);
    policy_->stalled();
  }
  candidates_.clear();
  request.candidates->for_each([this](std::uint32_t group) { candidates_.insert(group / groups_per_warp_); });
  const auto warp = choose(request, candidates_);
  if (!warp) return none(request, candidates_);
  const std::uint32_t first = warp->value() * groups_per_warp_;
  std::uint32_t longest = first;
  std::uint64_t oldest = ~std::uint64_t{0};
  for (auto group = request.candidates->next(first); group && *group < first + groups_per_warp_;
       group = request.candidates->next(*group + 1)) {
    if (issued_at_[*group] >= oldest) continue;
    longest = *group;
    oldest = issued_at_[*group];
  }
  issued_at_[longest] = ++issues_;
  last_group_ = longest;
  request.found = true;
  request.group = GroupId{longest};
  policy_->issued(*warp, request.cycle);
}

void WarpScheduler::serve(SchedulerRequest& request) {
  if (request.op != SchedulerRequest::Op::kPick) return follow(request);
  return groups_per_warp_ == 1 ? pick(request) : pick_split(request);
}

void WarpScheduler::interest(IssueTapRequest& request) {
  if (request.pc == Pc{0}) policy_->begin(*request.launch->kernel);
  request.wanted = policy_->taps(*request.instruction);
}

void WarpScheduler::follow(SchedulerRequest& request) {
  switch (request.op) {
    case SchedulerRequest::Op::kAssign:
      policy_->belongs_to(request.warp, request.cta);
      policy_->assign(request.warp, request.cycle);
      break;
    case SchedulerRequest::Op::kJoin:
      issued_at_[request.group.value()] = ++issues_;
      break;
    case SchedulerRequest::Op::kLeave:
      if (clocked_ != nullptr) clocked_->advance(request.cycle);
      policy_->leave(request.warp);
      break;
    case SchedulerRequest::Op::kPick:
      break;
    case SchedulerRequest::Op::kLongLatency:
      policy_->long_latency(request.warp);
      break;
    case SchedulerRequest::Op::kMemoryRoom:
      policy_->memory_room();
      break;
    case SchedulerRequest::Op::kIssued:
      clocked_->commit(request.warp, request.cycle);
      break;
  }
}

}  // namespace heddle::core
