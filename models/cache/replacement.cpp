#include "cache/replacement.h"

#include <algorithm>
#include <bit>

namespace heddle::cache {

std::uint32_t Lru::victim(std::uint32_t set, std::span<const std::uint8_t> replaceable) const {
  const std::uint32_t first = set * ways_;
  return oldest(set, [&](std::uint32_t frame) { return replaceable[frame - first] != 0; }) - first;
}

void Lru::find_oldest(std::uint32_t set) const {
  Oldest& queue = oldest_[set];
  const std::uint64_t* const used = &used_at_[std::size_t{set} * ways_];
  std::uint32_t count = 0;
  for (std::uint32_t way = 0; way < ways_; ++way) {
    if (count == kQueued && used[way] >= used[queue.way[kQueued - 1]]) continue;
    std::uint32_t i = count < kQueued ? count++ : kQueued - 1;
    for (; i > 0 && used[queue.way[i - 1]] > used[way]; --i) queue.way[i] = queue.way[i - 1];
    queue.way[i] = static_cast<std::uint16_t>(way);
  }
  queue.found_at = uses_;
  queue.next = 0;
}

TreePlru::TreePlru(const ReplacementShape& shape)
    : ways_(shape.ways),
      leaves_(std::bit_ceil(shape.ways)),
      to_the_right_(std::size_t{shape.sets} * leaves_) {}

void TreePlru::used(std::uint32_t frame) {
  std::uint8_t* const tree = &to_the_right_[std::size_t{frame / ways_} * leaves_];
  for (std::uint32_t node = leaves_ + frame % ways_; node > 1; node /= 2)
    tree[node / 2] = node % 2 == 0 ? 1 : 0;
}

std::uint32_t TreePlru::victim(std::uint32_t set, std::span<const std::uint8_t> replaceable) const {
  const std::uint8_t* const tree = &to_the_right_[std::size_t{set} * leaves_];
  std::uint32_t node = 1, first = 0, width = leaves_;  // the ways below the node
  while (node < leaves_) {
    width /= 2;
    const auto any = [&](std::uint32_t from) {
      const std::uint32_t end = std::min(from + width, ways_);
      for (std::uint32_t way = from; way < end; ++way)
        if (replaceable[way] != 0) return true;
      return false;
    };
    const bool right = tree[node] != 0 ? any(first + width) : !any(first);
    node = 2 * node + (right ? 1 : 0);
    if (right) first += width;
  }
  return first;
}

std::uint32_t Srrip::victim(std::uint32_t set, std::span<const std::uint8_t> replaceable) const {
  const std::uint8_t* const interval = &interval_[std::size_t{set} * ways_];
  std::uint32_t found = kNone;
  for (std::uint32_t way = 0; way < ways_; ++way)
    if (replaceable[way] != 0 && (found == kNone || interval[way] > interval[found])) found = way;
  return found;
}

void Srrip::placed(std::uint32_t frame) {
  // The set ages until a line that may go is distant: by what the victim lacked.
  std::uint8_t* const set = &interval_[std::size_t{frame / ways_} * ways_];
  const auto lacked = static_cast<std::uint8_t>(kDistant - interval_[frame]);
  for (std::uint32_t way = 0; way < ways_ && lacked != 0; ++way)
    set[way] = std::min<std::uint8_t>(kDistant, static_cast<std::uint8_t>(set[way] + lacked));
  interval_[frame] = kDistant - 1;
}

namespace {
template <class Policy>
std::unique_ptr<ReplacementPolicy> make(const ReplacementShape& shape) {
  return std::make_unique<Policy>(shape);
}
}  // namespace

Replacement lru_replacement() { return {"lru", "least recently used", make<Lru>}; }
Replacement tree_plru_replacement() {
  return {"tree_plru", "a bit for each pair of halves of the set says which one was used last",
          make<TreePlru>};
}
Replacement srrip_replacement() {
  return {"srrip", "lines that have not been used since they came in leave first (RRIP with 2 bits)",
          make<Srrip>};
}

ReplacementChoice default_replacement() { return ReplacementChoice({lru_replacement()}); }

}  // namespace heddle::cache
