#include "core/warp_scheduler.h"

#include <algorithm>

namespace heddle::core {

void WarpScheduler::pick(SchedulerRequest& request) {
  const auto warp = policy_->pick(*request.candidates, request.cycle);
  if (!warp) return;
  request.found = true;
  request.group = GroupId{warp->value()};
  policy_->issued(*warp, request.cycle);
}

void WarpScheduler::pick_split(SchedulerRequest& request) {
  candidates_.clear();
  request.candidates->for_each([this](std::uint32_t group) { candidates_.insert(group / groups_per_warp_); });
  const auto warp = policy_->pick(candidates_, request.cycle);
  if (!warp) return;
  const std::uint32_t first = warp->value() * groups_per_warp_;
  std::uint32_t& last = last_group_[warp->value()];
  auto group = request.candidates->next(std::max(first, last + 1));
  if (!group || *group >= first + groups_per_warp_) group = request.candidates->next(first);
  last = *group;
  request.found = true;
  request.group = GroupId{last};
  policy_->issued(*warp, request.cycle);
}

void WarpScheduler::serve(SchedulerRequest& request) {
  switch (request.op) {
    case SchedulerRequest::Op::kAssign:
      policy_->assign(request.warp, request.cycle);
      break;
    case SchedulerRequest::Op::kLeave:
      policy_->leave(request.warp);
      break;
    case SchedulerRequest::Op::kPick:
      if (groups_per_warp_ == 1)
        pick(request);
      else
        pick_split(request);
      break;
    case SchedulerRequest::Op::kBranch:
      policy_->branched(request.warp, request.path_instructions);
      break;
    case SchedulerRequest::Op::kLongLatency:
      policy_->long_latency(request.warp);
      break;
  }
}

}  // namespace heddle::core
