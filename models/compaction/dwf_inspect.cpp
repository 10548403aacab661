// What is shown of the warp pool: for traces and for diagnosis.
#include <map>
#include <nlohmann/json.hpp>

#include "compaction/dwf.h"

namespace heddle::compaction {

using base::kLanes;
using base::LaneMask;
using base::Pc;
using simt::Slice;

void DynamicWarps::inspect(Request& request) const {
  std::map<Pc, LaneMask> runs, waits, arrived;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Thread& thread = at(request.warp, lane);
    const LaneMask bit(1u << lane);
    if (thread.state == Thread::State::kWaits) waits[thread.pc] |= bit;
    if (thread.state == Thread::State::kAtWarpBarrier) arrived[thread.pc] |= bit;
  }
  // By warp of the pool: what a group has of this home warp runs together.
  for (std::uint32_t slot = 0; slot < warp_in_slot_.size(); ++slot) {
    if (warp_in_slot_[slot] == kNobody) continue;
    const PoolWarp& warp = pool_[warp_in_slot_[slot]];
    for (const Slice& slice : warp.all())
      if (slice.home == request.warp && request.runnable != nullptr)
        request.runnable->push_back({warp.pc, slice.lanes});
  }
  for (const std::uint32_t queued : queue_)
    for (const Slice& slice : pool_[queued].all())
      if (slice.home == request.warp && request.runnable != nullptr)
        request.runnable->push_back({pool_[queued].pc, slice.lanes});
  for (const Update& update : updates_for_lut_)
    for (const Slice& slice : update.threads)
      if (slice.home == request.warp && request.runnable != nullptr)
        request.runnable->push_back({update.pc, slice.lanes});
  if (request.suspended != nullptr) {
    for (const auto& [pc, lanes] : waits)
      request.suspended->push_back({lanes, pc, simt::Suspension::kBarrier, {}, false});
    for (const auto& [pc, lanes] : arrived)
      request.suspended->push_back({lanes, pc, simt::Suspension::kReconverging, {pc}});
  }
  if (request.table != nullptr) {
    auto rows = nlohmann::ordered_json::array();
    for (std::uint32_t slot = 0; slot < warp_in_slot_.size(); ++slot) {
      if (warp_in_slot_[slot] == kNobody) continue;
      const PoolWarp& warp = pool_[warp_in_slot_[slot]];
      auto& row = rows.emplace_back();
      row["slot"] = slot;
      row["pc"] = warp.pc.value();
      for (const Slice& slice : warp.all())
        row["threads"].push_back({{"warp", slice.home.value()}, {"lanes", slice.lanes.to_string()}});
    }
    *request.table = {{"pool", rows}, {"queued", queue_.size()}};
    if (contract()) (*request.table)["waiting_for_lut"] = updates_for_lut_.size();
  }
  request.digest = ++digest_;  // the threads that run together are never the same again
}

}  // namespace heddle::compaction
