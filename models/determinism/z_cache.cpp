#include "determinism/z_cache.h"

namespace heddle::determinism {

ZCache::ZCache(std::uint32_t sets, std::uint32_t ways)
    : tags_(sets, ways, cache::lru_replacement().make({sets, ways})),
      lines_(tags_.frames()),
      data_(lines_.size()),
      locked_in_set_(sets) {}

void ZCache::lock(std::uint32_t line) {
  tags_.use(line);
  locked(line);
}

void ZCache::allocate(std::uint32_t line, std::uint64_t chunk) {
  tags_.place(line, chunk);
  locked(line);
}

void ZCache::locked(std::uint32_t line) {
  lines_[line].state = State::kLocked;
  ++locked_in_set_[line / tags_.ways()];
}

void ZCache::unlock(std::uint32_t line, const DepthLine& depths, bool changed) {
  if (lines_[line].state == State::kLocked) --locked_in_set_[line / tags_.ways()];
  lines_[line].state = State::kValid;
  lines_[line].dirty |= changed;
  data_[line] = depths;
}

void ZCache::invalidate() {
  tags_.clear();
  for (Line& line : lines_) {
    line.state = State::kInvalid;
    line.dirty = false;
  }
}

}  // namespace heddle::determinism
