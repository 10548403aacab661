#include "simt/stack_requests.h"

#include <stdexcept>

namespace heddle::simt {

using Op = StackOp;

std::optional<Op> StackRequests::op_of(const ControlFlowRequest& event) {
  switch (event.event) {
    case ControlFlowEvent::kLaunch:
      return Op::kLaunch;
    case ControlFlowEvent::kAdvance:
      return Op::kAdvance;
    case ControlFlowEvent::kTransfer:
      return event.transfer == Transfer::kJump   ? Op::kBranch
             : event.transfer == Transfer::kCall ? Op::kCall
                                                 : Op::kReturn;
    case ControlFlowEvent::kExit:
      return Op::kExit;
    case ControlFlowEvent::kBarrierArrive:
      return Op::kArrive;
    case ControlFlowEvent::kBarrierRelease:
      return Op::kRelease;
    default:
      return std::nullopt;
  }
}

StackRequests::StackRequests(const ControlFlowRequest& event, LaneMask mask, FirstSide first_side) {
  first_.warp = event.warp;
  first_.lanes = event.taken;
  first_.target = event.target;
  first_.next = event.next;
  first_.rpc = event.rpc;
  const std::optional<Op> op = op_of(event);
  if (!op) throw std::logic_error("simt_stack: has neither timers nor spilled tables");
  switch (*op) {
    case Op::kLaunch:
    case Op::kExit:
      add(*op).lanes = event.mask;
      break;
    case Op::kBranch: {
      if (event.lane_target == nullptr) {
        add(*op);
        break;
      }
      const auto sides = StackSides::of_branch(event, mask, first_side);
      if (sides.count() == 1) {
        StackRequest& all = add(*op);
        all.lanes = mask;
        all.target = sides.begin()->pc;
      } else {
        add(Op::kSplit);
        add_sides(sides);
      }
      break;
    }
    case Op::kCall: {
      const auto sides = StackSides::of_call(event, mask & event.taken);
      StackRequest& call = add(*op);
      if (sides.count() != 0) call.target = sides.begin()->pc;
      if (sides.count() > 1) add_sides(sides);
      break;
    }
    default:
      add(*op);
  }
}

void StackRequests::add_sides(const StackSides& sides) {
  for (const StackSides::Side& side : sides) {
    StackRequest& request = add(Op::kSide);
    request.lanes = side.lanes;
    request.target = side.pc;
  }
}

}  // namespace heddle::simt
