#include "core/cta/cta_barriers.h"

#include "core/cta/barrier_arrival.h"
#include "core/issue/operands.h"

namespace heddle::core {

void CtaBarriers::cta_starts(CtaSlot slot, const CtaContext& cta) {
  const auto lanes = static_cast<std::uint32_t>(cta.warps.size()) * kLanes;
  unit_.launch(slot, counts_warps_ ? lanes : state_.launch->threads_per_cta());
}

void CtaBarriers::arrive(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  std::vector<BarrierRelease> released;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
    arrive(home, lanes, exec & lanes, exec, group, instruction, released);
  });
  if (instruction.barrier_kind == isa::BarrierKind::kSync)
    paths_.wait_at_barrier(id, group.mask);
  else
    paths_.advance(id);
  release(released);
}

void CtaBarriers::arrive(WarpId home, LaneMask lanes, LaneMask exec, LaneMask group_exec,
                         const IssueTable::Group& group, const isa::Instruction& instruction,
                         std::vector<BarrierRelease>& released) {
  const WarpContext& warp = state_.warp(home);
  const auto operand = [&](const isa::Operand& source) {
    if (!source.present) return std::uint32_t{0};
    // Of its own CTA, if it has lanes there: groups may have lanes of several.
    const unsigned lane = exec.any() ? exec.lowest() : group_exec.lowest();
    return static_cast<std::uint32_t>(lane_of(state_, group, source, lane));
  };
  BarrierRequest arrive =
      arrival_of(state_.kernel(), group.pc, operand(instruction.src[0]), operand(instruction.src[1]));
  arrive.cta = warp.cta;
  arrive.warp = home;
  arrive.waiting = arrive.lanes = lanes;
  arrive.released = &released;
  // With a guard that only some lanes pass, the lanes of the group arrive together, as PTX defines it for
  // hardware that counts warps (below sm_70).
  // An explicit count is in whole warps: lanes that never existed or have exited count with the last live
  // ones.
  const bool whole_warp = counts_warps_ || (arrive.expected != 0 && lanes == warp.live);
  arrive.threads = whole_warp ? kLanes : lanes.count();
  take_predicates(arrive, state_.constants, warp, exec);
  unit_.arrive(arrive);
}

void CtaBarriers::lanes_exited(const WarpContext& warp, LaneMask before) {
  std::vector<BarrierRelease> released;
  unit_.exit(warp.cta, share(before) - share(warp.live), released);
  release(released);
}

void CtaBarriers::release(const std::vector<BarrierRelease>& released) {
  if (released.empty()) return;
  state_.services.progress.lanes_released();
  for (const BarrierRelease& each : released) {
    if (each.instruction->dst[0].present)
      write_reduction(state_.warp(each.warp), each.instruction->dst[0], each.lanes, each.result);
    if (keeper_ == nullptr || !keeper_->keeps(each.warp, each.waiting)) go_on(each.warp, each.waiting);
  }
}

}  // namespace heddle::core
