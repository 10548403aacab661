#include "compaction/warp_pool.h"

#include <algorithm>

namespace heddle::compaction {

using base::LaneMask;
using base::Pc;

std::uint32_t WarpPool::make(Pc pc) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(warps_.size()));
    warps_.emplace_back();
  }
  const std::uint32_t warp = free_.back();
  free_.pop_back();
  PoolWarp& made = warps_[warp];
  made.pc = pc;
  made.count = 0;
  made.slot = WarpLut::kNoWarp;
  made.is_static = false;
  ++stats.made;
  stats.most = std::max<std::uint64_t>(stats.most, ++size_);
  return warp;
}

WarpPool::Entered WarpPool::enter(Pc pc, std::span<const simt::Slice> threads, bool joins) {
  LaneMask lanes;
  for (const simt::Slice& slice : threads) lanes |= slice.lanes;
  Entered entered;
  WarpLut::Answer found{WarpLut::kNoWarp, {}, lanes};
  if (joins) {
    found = lut_.request({pc, lanes});
    ++stats.look_ups;
  }
  if (found.joins.any()) {
    entered.joined = found.warp;
    stats.joined += found.joins.count();
    for (const simt::Slice& slice : threads)
      if (const LaneMask here = slice.lanes & found.joins; here.any())
        warps_[found.warp].add({slice.home, here});
  }
  if (found.rest.none()) return entered;
  entered.made = make(pc);
  for (const simt::Slice& slice : threads)
    if (const LaneMask here = slice.lanes & found.rest; here.any())
      warps_[entered.made].add({slice.home, here});
  if (joins) {
    bool replaced = false;
    lut_.point(pc, entered.made, found.rest, replaced);
    if (replaced) ++stats.replaced;
  }
  return entered;
}

std::uint32_t WarpPool::make_static(Pc pc, simt::Slice threads) {
  const std::uint32_t warp = make(pc);
  warps_[warp].add(threads);
  warps_[warp].is_static = true;
  return warp;
}

void WarpPool::remove(std::uint32_t warp) {
  close(warp);
  free_.push_back(warp);
  --size_;
}

void WarpPool::clear() {
  lut_.clear();
  warps_.clear();
  free_.clear();
  size_ = 0;
}

}  // namespace heddle::compaction
