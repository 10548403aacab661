// DWF-WB: static warps stay together until they diverge, and are re-formed where their threads meet again.
#include "compaction/dwf.h"

namespace heddle::compaction {

using base::kNoPc;
using base::LaneMask;
using base::Pc;
using base::WarpId;
using simt::Slice;
using simt::Transfer;

std::span<const Slice> DynamicWarps::stop_at_warp_barriers(Pc pc, std::span<const Slice> threads) {
  if (!config_.warp_barrier) return threads;
  onward_.clear();
  for (const Slice& slice : threads) {
    WarpBarrier& barrier = barriers_[slice.home.value()];
    LaneMask stops;
    if (barrier.valid && barrier.pc == pc)
      slice.lanes.for_each([&](unsigned lane) {
        if (at(slice.home, lane).depth == barrier.depth) stops |= LaneMask(1u << lane);
      });
    if (const LaneMask goes_on = LaneMask::difference(slice.lanes, stops); goes_on.any())
      onward_.push_back({slice.home, goes_on});
    if (stops.none()) continue;
    barrier.arrived |= stops;
    stops.for_each([&](unsigned lane) {
      at(slice.home, lane).state = Thread::State::kAtWarpBarrier;
      at(slice.home, lane).pc = pc;
    });
    reform_if_complete(slice.home);
  }
  return onward_;
}

void DynamicWarps::reform_if_complete(WarpId home) {
  WarpBarrier& barrier = barriers_[home.value()];
  if (!barrier.valid || barrier.arrived != live_[home.value()] || barrier.arrived.none()) return;
  barrier.valid = false;
  ++reformed_;
  const Slice all{home, barrier.arrived};
  all.lanes.for_each([&](unsigned lane) { at(home, lane).state = Thread::State::kPooled; });
  place(pool_.make_static(barrier.pc, all));
}

Pc DynamicWarps::barrier_point(const Request& request) const {
  switch (request.transfer) {
    case Transfer::kJump:
      return request.rpc;
    case Transfer::kCall:
      return request.next;
    case Transfer::kReturn:
      return request.lane_target[request.taken.lowest()];
  }
  return kNoPc;
}

void DynamicWarps::leave_frames(const Request& request) {
  // A copy: what goes on enters the pool.
  const std::vector<Slice> threads(pool_[warp_in_slot_[request.group.value()]].all().begin(),
                                   pool_[warp_in_slot_[request.group.value()]].all().end());
  for (const Slice& slice : threads) {
    WarpBarrier& barrier = barriers_[slice.home.value()];
    const LaneMask leaves = slice.lanes & request.taken;
    if (!barrier.valid || leaves.none() || at(slice.home, leaves.lowest()).depth != barrier.depth) continue;
    const Slice waited{slice.home, barrier.arrived};
    const Pc from = barrier.pc;
    barrier.pc = request.lane_target[leaves.lowest()];
    --barrier.depth;
    barrier.arrived = {};
    if (waited.lanes.any()) look_up(from, {&waited, 1}, kNobody);
  }
}

}  // namespace heddle::compaction
