#include "core/issue/fence_unit.h"

#include "core/issue/path_control.h"

namespace heddle::core {

FenceUnit::FenceUnit(CoreState& state, IssueStage& issue, PathControl& paths)
    : state_(state), issue_(issue), paths_(paths), gate_(issue.add_gate(*this)), fences_(state.warps.size()) {}

void FenceUnit::serve(IssueGateRequest& request) {
  request.closed = request.op == IssueGateRequest::Op::kInterest
                       ? request.instruction->unit == isa::Unit::kMemory
                       : !fences_[request.warp.value()].empty();
}

bool FenceUnit::satisfied(WarpId warp, isa::FenceScope scope) const {
  const WarpContext& of = state_.warp(warp);
  // Within the CTA: all threads use this core's memory port in order, so what has left the core is ordered.
  return (scope == isa::FenceScope::kCta ? of.order_outstanding : of.memory_outstanding) == 0;
}

void FenceUnit::issue(GroupId id, const isa::Instruction& fence) {
  IssueTable::Group& group = state_.groups[id];
  const WarpId warp = group.warp;
  if (satisfied(warp, fence.fence_scope)) {
    paths_.advance(id, fence);
    return;
  }
  fences_[warp.value()].push_back({id, group.epoch, fence.fence_scope});
  issue_.gates().close(gate_, warp);
  group.head_valid = false;
  issue_.set_long_latency(id, gate_status(gate_));
  issue_.refresh_ready(warp);
}

void FenceUnit::lift(WarpId warp) {
  auto& fences = fences_[warp.value()];
  // Lifting one may let the control-flow mechanism move the groups of others: what waits no longer is void then.
  std::vector<Fence> lifted;
  std::erase_if(fences, [&](const Fence& fence) {
    if (state_.groups[fence.group].epoch != fence.epoch) return true;
    if (!satisfied(warp, fence.scope)) return false;
    lifted.push_back(fence);
    return true;
  });
  if (fences.empty()) issue_.gates().open(gate_, warp);
  for (const Fence& fence : lifted)
    if (const IssueTable::Group& group = state_.groups[fence.group]; group.epoch == fence.epoch)
      paths_.advance(fence.group, state_.instruction(group.pc));
  if (fences.empty()) issue_.recheck_gate(gate_, warp);
}

}  // namespace heddle::core
