#include "core/warp_scheduler.h"

namespace heddle::core {

void WarpScheduler::serve(SchedulerRequest& request) {
  switch (request.op) {
    case SchedulerRequest::Op::kAssign:
      policy_->assign(request.group, request.cycle);
      break;
    case SchedulerRequest::Op::kLeave:
      policy_->leave(request.group);
      break;
    case SchedulerRequest::Op::kPick:
      if (const auto group = policy_->pick(*request.candidates, request.cycle)) {
        request.found = true;
        request.group = *group;
        policy_->issued(*group, request.cycle);
      }
      break;
    case SchedulerRequest::Op::kBranch:
      policy_->branched(request.group, request.path_instructions);
      break;
    case SchedulerRequest::Op::kLongLatency:
      policy_->long_latency(request.group);
      break;
  }
}

}  // namespace heddle::core
