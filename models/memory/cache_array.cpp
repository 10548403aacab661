#include "memory/cache_array.h"

namespace heddle::memory {
namespace {
constexpr std::uint64_t kNoLine = ~std::uint64_t{0};  // not a multiple of any line size
}

CacheArray::CacheArray(const L2Config& config, const L2Geometry& geometry)
    : geometry_(geometry),
      line_bytes_(config.line_bytes),
      ways_(config.ways),
      sets_(config.sets_per_bank()),
      lines_(static_cast<std::size_t>(sets_) * ways_, kNoLine),
      frames_(lines_.size()),
      data_(lines_.size() * line_bytes_) {}

std::uint32_t CacheArray::first_frame(std::uint64_t line) const {
  return static_cast<std::uint32_t>(geometry_.line_number(line) / geometry_.banks() % sets_) * ways_;
}

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
    if (frames_[frame].owner == kNone && (best == kNone || frames_[frame].used < frames_[best].used))
      best = frame;
  }
  return best;
}

void CacheArray::assign(std::uint32_t frame, std::uint64_t line) {
  lines_[frame] = line;
  frames_[frame] = {.used = ++uses_};
}

}  // namespace heddle::memory
