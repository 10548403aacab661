#include "compaction/warp_lut.h"

namespace heddle::compaction {

using base::LaneMask;
using base::Pc;
using cache::TagArray;

WarpLut::Answer WarpLut::request(const Request& request) {
  const std::uint32_t frame = find(request.pc);
  if (frame == TagArray::kNone) return {kNoWarp, {}, request.lanes};
  tags_.use(frame);
  Entry& entry = entries_[frame];
  const LaneMask joins = LaneMask::difference(request.lanes, entry.occupancy);
  entry.occupancy |= joins;
  return {entry.warp, joins, LaneMask::difference(request.lanes, joins)};
}

void WarpLut::point(Pc pc, std::uint32_t warp, LaneMask lanes, bool& replaced) {
  std::uint32_t frame = find(pc);
  replaced = false;
  if (frame == TagArray::kNone) {
    frame = tags_.victim(pc.value());
    replaced = !tags_.empty(frame);
    tags_.place(frame, pc.value());
  } else {
    tags_.use(frame);
  }
  entries_[frame] = {lanes, warp};
}

void WarpLut::forget(Pc pc, std::uint32_t warp) {
  if (const std::uint32_t frame = find(pc); frame != TagArray::kNone && entries_[frame].warp == warp)
    tags_.remove(frame);
}

void WarpLut::clear() { tags_.clear(); }

}  // namespace heddle::compaction
