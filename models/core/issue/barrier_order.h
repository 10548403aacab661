// Where sub-cores have queues of their own in front of the load/store unit (core.lsu.local_queue_entries), a memory instruction may
// wait in one while those of other sub-cores pass. bar.sync orders the memory accesses of a CTA (PTX ISA), so a warp's barrier
// instructions wait until its older memory instructions have left the queue of its sub-core: the unit executes what it has taken
// in order. That hardware has the order because both go the same way is inferred. Without such queues the unit takes instructions as they
// issue, and there is no such gate.
#pragma once

#include <vector>

#include "core/issue/issue_stage.h"

namespace heddle::core {

class BarrierOrder final : public IssueGate {
 public:
  BarrierOrder(CoreState& state, IssueStage& issue)
      : state_(state), issue_(issue), gate_(issue.add_gate(*this, "barrier_order")) {
    for (std::uint32_t w = 0; w < state.warps.size(); ++w) issue.gates().close(gate_, WarpId{w});
  }

  void serve(IssueGateRequest& request) override {
    if (request.op == IssueGateRequest::Op::kInterest) {
      request.closed = request.instruction->op == isa::Opcode::kBarrier;
      return;
    }
    state_.for_each_slice(state_.groups[request.group], request.mask, [&](WarpId home, LaneMask) {
      if (state_.warp(home).queued == 0) return;
      request.closed = true;
      waiting_.push_back(home);
    });
  }
  /// The load/store unit has had a cycle.
  void memory_done() {
    if (waiting_.empty()) return;
    std::vector<WarpId> waited;
    waited.swap(waiting_);
    for (const WarpId warp : waited)
      if (state_.warp(warp).queued == 0)
        issue_.recheck_gate(gate_, warp);
      else
        waiting_.push_back(warp);
  }

 private:
  CoreState& state_;
  IssueStage& issue_;
  const std::uint32_t gate_;
  std::vector<WarpId> waiting_;  ///< home warps that have something in a queue, and a barrier at a head
};

}  // namespace heddle::core
