// The tags of a set-associative array, and who is replaced. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/divisor.h"
#include "cache/replacement.h"

namespace heddle::cache {

/// Frames are numbered set * ways + way; what else they hold (data, states) is kept by the cache, by the same numbers.
/// `number` of a line is what its set follows from: set = number mod sets. Its tag is unique within its set, and not kEmpty.
class TagArray {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  /// Any numbers of at least 1.
  TagArray(std::uint32_t sets, std::uint32_t ways, std::unique_ptr<ReplacementPolicy> policy)
      : ways_(ways), sets_(sets), tags_(std::size_t{sets} * ways, kEmpty), lru_({sets, ways}) {
    if (dynamic_cast<const Lru*>(policy.get()) == nullptr) other_ = std::move(policy);
  }

  [[nodiscard]] std::uint32_t frames() const { return static_cast<std::uint32_t>(tags_.size()); }
  [[nodiscard]] std::uint32_t ways() const { return ways_; }
  /// The first frame of the set.
  [[nodiscard]] std::uint32_t set_of(std::uint64_t number) const {
    return static_cast<std::uint32_t>(sets_.remainder(number)) * ways_;
  }
  [[nodiscard]] std::uint64_t tag(std::uint32_t frame) const { return tags_[frame]; }
  [[nodiscard]] bool empty(std::uint32_t frame) const { return tags_[frame] == kEmpty; }
  /// By frame.
  [[nodiscard]] const std::vector<std::uint64_t>& tags() const { return tags_; }

  /// The frame with that tag in the set of `number`; kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t number, std::uint64_t tag) const {
    const std::uint32_t first = set_of(number);
    for (std::uint32_t frame = first; frame < first + ways_; ++frame)
      if (tags_[frame] == tag) return frame;
    return kNone;
  }
  /// The frame for a line that is not here: an empty one, else the one that the policy gives up among those for which
  /// `replaceable(frame)` holds; kNone if it holds for none.
  template <class Replaceable>
  [[nodiscard]] std::uint32_t victim(std::uint64_t number, const Replaceable& replaceable) const {
    const std::uint32_t first = set_of(number);
    if (other_ != nullptr) return victim_of_policy(first, replaceable);
    std::uint32_t oldest = kNone;
    for (std::uint32_t frame = first; frame < first + ways_; ++frame) {
      if (tags_[frame] == kEmpty) return frame;
      if (replaceable(frame) && (oldest == kNone || lru_.used_at(frame) < lru_.used_at(oldest)))
        oldest = frame;
    }
    return oldest;
  }
  [[nodiscard]] std::uint32_t victim(std::uint64_t number) const {
    return victim(number, [](std::uint32_t) { return true; });
  }

  /// The frame holds the line from now on; what was there is gone.
  void place(std::uint32_t frame, std::uint64_t tag) {
    tags_[frame] = tag;
    if (other_ == nullptr)
      lru_.placed(frame);
    else
      other_->placed(frame);
  }
  void use(std::uint32_t frame) {
    if (other_ == nullptr)
      lru_.used(frame);
    else
      other_->used(frame);
  }
  /// The access that brought the line is served, later than it was placed. Nothing but LRU takes this for a use.
  void serve_miss(std::uint32_t frame) {
    if (other_ == nullptr) lru_.used(frame);
  }
  void remove(std::uint32_t frame) {
    tags_[frame] = kEmpty;
    if (other_ != nullptr) other_->removed(frame);
  }
  void clear() {
    for (std::uint32_t frame = 0; frame < tags_.size(); ++frame)
      if (tags_[frame] != kEmpty) remove(frame);
  }
  /// The line will soon be looked up: its set is read into the host's cache.
  void prefetch(std::uint64_t number) const {
    const std::uint32_t first = set_of(number);
    __builtin_prefetch(&tags_[first]);
    lru_.prefetch(first);
  }

 private:
  template <class Replaceable>
  [[nodiscard]] std::uint32_t victim_of_policy(std::uint32_t first, const Replaceable& replaceable) const {
    std::vector<std::uint8_t> ways(ways_);
    bool any = false;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      if (tags_[first + way] == kEmpty) return first + way;
      ways[way] = replaceable(first + way) ? 1 : 0;
      any |= ways[way] != 0;
    }
    return any ? first + other_->victim(first / ways_, ways) : kNone;
  }

  std::uint32_t ways_;
  base::Divisor sets_;
  std::vector<std::uint64_t> tags_;
  Lru lru_;                                   ///< inlined: the default is called for every access
  std::unique_ptr<ReplacementPolicy> other_;  ///< another policy; null: LRU
};

/// Of a cache whose keys are those of every cache: size_kib, line_bytes, ways, replacement. One that is switched off may
/// have no size.
template <class Config>
[[nodiscard]] TagArray tag_array_of(const Config& config) {
  const std::uint32_t sets = std::max(1u, config.size_kib * 1024 / config.line_bytes / config.ways);
  return {sets, config.ways, config.replacement.entry().make({sets, config.ways})};
}

}  // namespace heddle::cache
