#include "compaction/warp_lut.h"

#include <algorithm>

namespace heddle::compaction {

using base::LaneMask;
using base::Pc;

WarpLut::Entry* WarpLut::find(Pc pc) {
  Entry* const set = set_of(pc);
  Entry* const found =
      std::find_if(set, set + ways_, [&](const Entry& entry) { return entry.valid && entry.pc == pc; });
  return found == set + ways_ ? nullptr : found;
}

WarpLut::Answer WarpLut::request(const Request& request) {
  Entry* const entry = find(request.pc);
  if (entry == nullptr) return {kNoWarp, {}, request.lanes};
  entry->used = ++uses_;
  const LaneMask joins = LaneMask::difference(request.lanes, entry->occupancy);
  entry->occupancy |= joins;
  return {entry->warp, joins, LaneMask::difference(request.lanes, joins)};
}

void WarpLut::point(Pc pc, std::uint32_t warp, LaneMask lanes, bool& replaced) {
  Entry* entry = find(pc);
  replaced = false;
  if (entry == nullptr) {
    Entry* const set = set_of(pc);
    entry = std::min_element(set, set + ways_, [](const Entry& a, const Entry& b) {
      return a.valid != b.valid ? !a.valid : a.used < b.used;
    });
    replaced = entry->valid;
  }
  *entry = {true, pc, lanes, warp, ++uses_};
}

void WarpLut::forget(Pc pc, std::uint32_t warp) {
  if (Entry* const entry = find(pc); entry != nullptr && entry->warp == warp) entry->valid = false;
}

void WarpLut::clear() {
  for (Entry& entry : entries_) entry = {};
}

}  // namespace heddle::compaction
