#include "compaction/thread_compactor.h"

namespace heddle::compaction {

using base::LaneMask;

std::uint32_t ThreadCompactor::warps(const BlockMask& mask) const {
  if (!compacts_) return mask.static_warps();
  // Per lane a counter, kept as bits across the lanes.
  std::array<std::uint32_t, 6> counter{};
  for (unsigned warp = 0; warp < kMostWarps; ++warp) {
    std::uint32_t carry = mask[warp].bits();
    for (std::uint32_t& bit : counter) {
      const std::uint32_t both = bit & carry;
      bit ^= carry;
      carry = both;
    }
  }
  // The largest counter: from the highest bit down, only lanes that are equal so far matter.
  std::uint32_t candidates = ~0u, most = 0;
  for (unsigned i = counter.size(); i-- != 0;)
    if (const std::uint32_t set = counter[i] & candidates; set != 0) {
      candidates = set;
      most |= 1u << i;
    }
  return most;
}

CompactedWarp ThreadCompactor::next() {
  CompactedWarp made;
  LaneMask taken;
  for (unsigned warp = 0; warp < kMostWarps && taken != LaneMask::all(); ++warp) {
    const LaneMask gives = LaneMask::difference(buffer_[warp], taken);
    if (gives.none()) continue;
    made.parts[made.count++] = {warp, gives};
    buffer_[warp] = LaneMask::difference(buffer_[warp], gives);
    taken |= gives;
    if (!compacts_) break;
  }
  return made;
}

}  // namespace heddle::compaction
