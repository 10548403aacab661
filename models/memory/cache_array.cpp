#include "memory/cache_array.h"

#include <algorithm>

namespace heddle::memory {
namespace {
constexpr std::uint64_t kNoLine = ~std::uint64_t{0};  // not a multiple of any line size
}

CacheArray::CacheArray(const L2Config& config, const L2Geometry& geometry)
    : geometry_(geometry),
      line_bytes_(config.line_bytes),
      ways_(config.ways),
      sets_(config.sets_per_bank()),
      lines_(static_cast<std::size_t>(config.sets_per_bank()) * ways_, kNoLine),
      frames_(lines_.size()),
      data_(lines_.size() * line_bytes_) {}

std::uint32_t CacheArray::find(std::uint64_t line) const {
  const std::uint32_t first = first_frame(line);
  for (std::uint32_t frame = first; frame < first + ways_; ++frame)
    if (lines_[frame] == line) return frame;
  return kNone;
}

std::uint32_t CacheArray::victim(std::uint64_t line) const {
  const std::uint32_t first = first_frame(line);
  std::uint32_t best = kNone;
  for (std::uint32_t frame = first; frame < first + ways_; ++frame) {
    if (lines_[frame] == kNoLine) return frame;
    if (frames_[frame].owner == kNoOwner && (best == kNone || frames_[frame].used < frames_[best].used))
      best = frame;
  }
  return best;
}

void CacheArray::assign(std::uint32_t frame, std::uint64_t line) {
  lines_[frame] = line;
  frames_[frame] = {.used = next_use()};
}

// The use counter has overflowed: renumber, keeping only the order within each set.
void CacheArray::renumber() {
  std::vector<std::uint32_t> order(ways_);
  for (std::size_t first = 0; first < frames_.size(); first += ways_) {
    for (std::uint32_t way = 0; way < ways_; ++way) order[way] = way;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return frames_[first + a].used < frames_[first + b].used;
    });
    for (std::uint32_t way = 0; way < ways_; ++way) frames_[first + order[way]].used = way;
  }
  uses_ = ways_;
}

}  // namespace heddle::memory
