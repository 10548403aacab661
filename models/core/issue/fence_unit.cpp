#include "core/issue/fence_unit.h"

#include "core/issue/path_control.h"

namespace heddle::core {

FenceUnit::FenceUnit(CoreState& state, IssueStage& issue, PathControl& paths)
    : state_(state),
      issue_(issue),
      paths_(paths),
      gate_(issue.add_gate(*this)),
      fences_(state.warps.size()) {}

void FenceUnit::serve(IssueGateRequest& request) {
  if (request.op == IssueGateRequest::Op::kInterest) {
    request.closed = request.instruction->unit == isa::Unit::kMemory;
    return;
  }
  state_.for_each_slice(state_.groups[request.group], request.mask, [&](WarpId home, LaneMask) {
    request.closed = request.closed || !fences_[home.value()].empty();
  });
}

bool FenceUnit::satisfied(const IssueTable::Group& group, isa::FenceScope scope) const {
  bool all = true;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) {
    const WarpContext& of = state_.warp(home);
    // Within the CTA: all threads use this core's memory port in order, so what has left the core is ordered.
    all = all && (scope == isa::FenceScope::kCta ? of.order_outstanding : of.memory_outstanding) == 0;
  });
  return all;
}

void FenceUnit::issue(GroupId id, const isa::Instruction& fence) {
  IssueTable::Group& group = state_.groups[id];
  if (satisfied(group, fence.fence_scope)) {
    paths_.advance(id);
    return;
  }
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) {
    fences_[home.value()].push_back({id, group.epoch, fence.fence_scope});
    issue_.gates().close(gate_, home);
  });
  group.head_valid = false;
  issue_.set_long_latency(id, gate_status(gate_));
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) { issue_.refresh_ready(home); });
}

void FenceUnit::lift(WarpId warp) {
  auto& fences = fences_[warp.value()];
  // Lifting one may let the control-flow mechanism move the groups of others: what waits no longer is void then.
  std::vector<Fence> lifted;
  std::erase_if(fences, [&](const Fence& fence) {
    const IssueTable::Group& group = state_.groups[fence.group];
    if (group.epoch != fence.epoch) return true;
    if (!satisfied(group, fence.scope)) return false;
    lifted.push_back(fence);
    return true;
  });
  if (fences.empty()) issue_.gates().open(gate_, warp);
  for (const Fence& fence : lifted) {
    const IssueTable::Group& group = state_.groups[fence.group];
    if (group.epoch != fence.epoch) continue;
    forget(fence, warp);
    paths_.advance(fence.group);
  }
  if (fences.empty()) issue_.recheck_gate(gate_, warp);
}

void FenceUnit::forget(const Fence& fence, WarpId but) {
  const IssueTable::Group& group = state_.groups[fence.group];
  if (state_.is_static(group)) [[likely]]
    return;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) {
    if (home == but) return;
    auto& there = fences_[home.value()];
    std::erase_if(there,
                  [&](const Fence& each) { return each.group == fence.group && each.epoch == fence.epoch; });
    if (!there.empty()) return;
    issue_.gates().open(gate_, home);
    issue_.recheck_gate(gate_, home);
  });
}

}  // namespace heddle::core
