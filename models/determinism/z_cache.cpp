#include "determinism/z_cache.h"

namespace heddle::determinism {

ZCache::ZCache(std::uint32_t sets, std::uint32_t ways)
    : sets_(sets),
      ways_(ways),
      lines_(std::size_t{sets} * ways),
      data_(lines_.size()),
      locked_in_set_(sets) {}

std::uint32_t ZCache::find(std::uint64_t chunk) const {
  const std::uint32_t first = set_of(chunk) * ways_;
  for (std::uint32_t line = first; line != first + ways_; ++line)
    if (lines_[line].state != State::kInvalid && lines_[line].chunk == chunk) return line;
  return kNone;
}

std::uint32_t ZCache::victim(std::uint64_t chunk) const {
  const std::uint32_t first = set_of(chunk) * ways_;
  std::uint32_t oldest = kNone;
  for (std::uint32_t line = first; line != first + ways_; ++line) {
    if (lines_[line].state == State::kInvalid) return line;
    if (lines_[line].state == State::kLocked) continue;
    if (oldest == kNone || lines_[line].used < lines_[oldest].used) oldest = line;
  }
  return oldest;
}

void ZCache::lock(std::uint32_t line) {
  lines_[line].state = State::kLocked;
  lines_[line].used = ++uses_;
  ++locked_in_set_[line / ways_];
}

void ZCache::allocate(std::uint32_t line, std::uint64_t chunk) {
  lines_[line].chunk = chunk;
  lock(line);
}

void ZCache::unlock(std::uint32_t line, const DepthLine& depths, bool changed) {
  if (lines_[line].state == State::kLocked) --locked_in_set_[line / ways_];
  lines_[line].state = State::kValid;
  lines_[line].dirty |= changed;
  data_[line] = depths;
}

void ZCache::invalidate() {
  for (Line& line : lines_) {
    line.state = State::kInvalid;
    line.dirty = false;
  }
}

}  // namespace heddle::determinism
