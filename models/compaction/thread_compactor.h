// The thread compactor ([TBC] §3.3.2, Fig 3.7): packs the threads of a mask into as few warps as possible
// without moving any to another lane. Per lane a buffer of S bits and a priority encoder: each clock every lane gives its
// thread of the lowest static warp, and clears its bit in the buffer.
#pragma once

#include <array>
#include <cstdint>

#include "compaction/block_mask.h"

namespace heddle::compaction {

/// A warp as the compactor puts it into the warp buffer: per static warp of the block the lanes that it gives.
struct CompactedWarp {
  struct Part {
    unsigned warp = 0;  ///< static warp in the block
    base::LaneMask lanes;
    bool operator==(const Part&) const = default;
  };
  std::array<Part, kMostWarps> parts;
  unsigned count = 0;

  [[nodiscard]] const Part* begin() const { return parts.data(); }
  [[nodiscard]] const Part* end() const { return parts.data() + count; }
  [[nodiscard]] base::LaneMask lanes() const {
    base::LaneMask all;
    for (const Part& part : *this) all |= part.lanes;
    return all;
  }
};

class ThreadCompactor {
 public:
  /// `compacts`: false: the Disable bit is set, warps stay as they are ([TBC] §3.3.2).
  explicit ThreadCompactor(bool compacts = true) : compacts_(compacts) {}

  /// Warps that it makes of a mask: the largest number of threads of one lane (WCnt).
  [[nodiscard]] std::uint32_t warps(const BlockMask& mask) const;
  void load(const BlockMask& mask) { buffer_ = mask; }
  [[nodiscard]] bool empty() const { return buffer_.none(); }
  [[nodiscard]] const BlockMask& buffer() const { return buffer_; }
  /// The next warp; there is one. A clock.
  CompactedWarp next();

 private:
  bool compacts_;
  BlockMask buffer_;
};

}  // namespace heddle::compaction
