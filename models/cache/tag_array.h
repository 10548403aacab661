// The tags of a set-associative array, and who is replaced. Plain C++.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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
      : ways_(ways),
        sets_(sets),
        tags_(std::size_t{sets} * ways, kEmpty),
        marks_(tags_.size() + kEight),
        lru_({sets, ways}) {
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
    if (ways_ <= kFew) {
      for (std::uint32_t frame = first; frame < first + ways_; ++frame)
        if (tags_[frame] == tag) return frame;
      return kNone;
    }
    const std::uint64_t mark = kOnes * mark_of(tag);
    for (std::uint32_t way = 0; way < ways_; way += kEight) {
      for (std::uint64_t zeros = zero_bytes(marks(first + way) ^ mark); zeros != 0; zeros &= zeros - 1) {
        const std::uint32_t found = way + lowest_byte(zeros);
        if (found < ways_ && tags_[first + found] == tag) return first + found;
      }
    }
    return kNone;
  }
  /// The frame for a line that is not here: an empty one, else the one that the policy gives up among those for which
  /// `replaceable(frame)` holds; kNone if it holds for none.
  template <class Replaceable>
  [[nodiscard]] std::uint32_t victim(std::uint64_t number, const Replaceable& replaceable) const {
    const auto set = static_cast<std::uint32_t>(sets_.remainder(number));
    const std::uint32_t first = set * ways_;
    for (std::uint32_t way = 0; way < ways_; way += kEight)
      if (const std::uint64_t zeros = zero_bytes(marks(first + way)); zeros != 0) {
        const std::uint32_t empty = way + lowest_byte(zeros);
        if (empty >= ways_) break;
        return first + empty;
      }
    return other_ != nullptr ? victim_of_policy(set, replaceable) : lru_.oldest(set, replaceable);
  }
  [[nodiscard]] std::uint32_t victim(std::uint64_t number) const {
    return victim(number, [](std::uint32_t) { return true; });
  }

  /// The frame holds the line from now on; what was there is gone.
  void place(std::uint32_t frame, std::uint64_t tag) {
    tags_[frame] = tag;
    marks_[frame] = mark_of(tag);
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
    marks_[frame] = kNoLine;
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
    __builtin_prefetch(&marks_[first]);
    lru_.prefetch(first);
  }

 private:
  /// Sets of so few ways are searched by tag.
  static constexpr std::uint32_t kFew = 4;
  // A byte of each frame's tag: eight frames are compared at a time.
  static constexpr std::uint8_t kNoLine = 0;
  static constexpr std::uint32_t kEight = 8;
  static constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101u;
  [[nodiscard]] static std::uint8_t mark_of(std::uint64_t tag) {
    return static_cast<std::uint8_t>(tag * 0x9e37'79b9'7f4a'7c15u >> 56u | 1u);
  }
  [[nodiscard]] std::uint64_t marks(std::uint32_t frame) const {
    static_assert(std::endian::native == std::endian::little, "the first frame is the lowest byte");
    std::uint64_t eight;
    std::memcpy(&eight, &marks_[frame], sizeof(eight));
    return eight;
  }
  /// The highest bits of bytes that are 0; above the lowest of them, also of some that are 1.
  [[nodiscard]] static std::uint64_t zero_bytes(std::uint64_t eight) {
    return (eight - kOnes) & ~eight & (kOnes << 7u);
  }
  [[nodiscard]] static std::uint32_t lowest_byte(std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::countr_zero(bits)) / 8;
  }
  /// Of a set without an empty frame.
  template <class Replaceable>
  [[nodiscard]] std::uint32_t victim_of_policy(std::uint32_t set, const Replaceable& replaceable) const {
    const std::uint32_t first = set * ways_;
    std::vector<std::uint8_t> ways(ways_);
    bool any = false;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      ways[way] = replaceable(first + way) ? 1 : 0;
      any |= ways[way] != 0;
    }
    return any ? first + other_->victim(set, ways) : kNone;
  }

  std::uint32_t ways_;
  base::Divisor sets_;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint8_t> marks_;           ///< by frame, and eight more
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
