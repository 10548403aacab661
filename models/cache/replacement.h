// Which line of a set a cache gives up: an interface, and the policies that Heddle has.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/choice.h"

namespace heddle::cache {

/// Of one array of `sets` x `ways` frames; frame = set * ways + way. TagArray calls it.
class ReplacementPolicy {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  virtual ~ReplacementPolicy() = default;
  /// A line has been placed in the frame.
  virtual void placed(std::uint32_t frame) = 0;
  /// The frame's line has been used.
  virtual void used(std::uint32_t frame) = 0;
  /// The frame's line is gone, and the frame is empty.
  virtual void removed(std::uint32_t frame) = 0;
  /// The way to replace in a set whose frames all hold lines. `replaceable`: by way, 0 if it must stay; some way is not 0.
  /// Asking changes nothing: a cache may ask again before it places a line, or not place it.
  [[nodiscard]] virtual std::uint32_t victim(std::uint32_t set,
                                             std::span<const std::uint8_t> replaceable) const = 0;
};

struct ReplacementShape {
  std::uint32_t sets = 0;
  std::uint32_t ways = 0;
};

struct Replacement {
  std::string name;  ///< value of the keys `replacement`
  std::string doc;
  std::function<std::unique_ptr<ReplacementPolicy>(const ReplacementShape&)> make;
};

/// Least recently used. TagArray knows it, and calls it without the interface.
class Lru final : public ReplacementPolicy {
 public:
  explicit Lru(const ReplacementShape& shape)
      : ways_(shape.ways),
        used_at_(std::size_t{shape.sets} * shape.ways),
        oldest_(shape.ways > kQueued ? shape.sets : 0) {}

  void placed(std::uint32_t frame) override { used_at_[frame] = ++uses_; }
  void used(std::uint32_t frame) override { used_at_[frame] = ++uses_; }
  void removed(std::uint32_t /*frame*/) override {}
  [[nodiscard]] std::uint32_t victim(std::uint32_t set,
                                     std::span<const std::uint8_t> replaceable) const override;
  /// The frame used longest ago of those of a set without an empty frame for which `replaceable(frame)` holds; kNone: it holds
  /// for none.
  template <class Replaceable>
  [[nodiscard]] std::uint32_t oldest(std::uint32_t set, const Replaceable& replaceable) const {
    if (ways_ > kQueued) {
      for (bool found_now : {false, true}) {
        if (found_now) find_oldest(set);
        const std::uint32_t frame = first_of_queue(set, replaceable);
        if (frame != kNone) return frame;
      }
    }
    std::uint32_t oldest = kNone;
    for (std::uint32_t frame = set * ways_; frame < (set + 1) * ways_; ++frame)
      if (replaceable(frame) && (oldest == kNone || used_at_[frame] < used_at_[oldest])) oldest = frame;
    return oldest;
  }
  void prefetch(std::uint32_t frame) const { __builtin_prefetch(&used_at_[frame]); }

 private:
  static constexpr std::uint32_t kQueued = 8;
  /// Of a set: the ways used longest ago when they were looked for, the oldest first. One that has been used since is as young as
  /// any that is not here, so a set of many ways is searched once for several victims.
  struct Oldest {
    std::uint64_t found_at = 0;
    std::array<std::uint16_t, kQueued> way{};
    std::uint16_t next = kQueued;  ///< those before it have been used since
  };
  void find_oldest(std::uint32_t set) const;
  template <class Replaceable>
  [[nodiscard]] std::uint32_t first_of_queue(std::uint32_t set, const Replaceable& replaceable) const {
    Oldest& queue = oldest_[set];
    const auto used_since = [&](std::uint32_t i) {
      return used_at_[set * ways_ + queue.way[i]] > queue.found_at;
    };
    while (queue.next < kQueued && used_since(queue.next)) ++queue.next;
    for (std::uint32_t i = queue.next; i < kQueued; ++i)
      if (const std::uint32_t frame = set * ways_ + queue.way[i]; !used_since(i) && replaceable(frame))
        return frame;
    return kNone;
  }

  std::uint32_t ways_;
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> used_at_;  ///< a number that grows with every use of the array
  mutable std::vector<Oldest> oldest_;  ///< by set, if it has many ways
};

/// A binary tree over the ways of a set, with a bit at each node that points to the half used less recently. Ways that
/// must stay, and those that a number of ways other than a power of two leaves out, are passed by.
class TreePlru final : public ReplacementPolicy {
 public:
  explicit TreePlru(const ReplacementShape& shape);

  void placed(std::uint32_t frame) override { used(frame); }
  void used(std::uint32_t frame) override;
  void removed(std::uint32_t /*frame*/) override {}
  [[nodiscard]] std::uint32_t victim(std::uint32_t set,
                                     std::span<const std::uint8_t> replaceable) const override;

 private:
  std::uint32_t ways_;
  std::uint32_t leaves_;  ///< ways, rounded up to a power of two
  std::vector<std::uint8_t>
      to_the_right_;  ///< by set and node: the root is 1, the children of n are 2n and 2n + 1
};

/// Static re-reference interval prediction with hit priority and 2 bits (Jaleel et al., High Performance Cache Replacement
/// Using Re-Reference Interval Prediction, ISCA 2010): a line comes in as one that will not be used soon, and its first
/// use makes it one that will. Lines that are used once leave before those that are used again, however many there are.
class Srrip final : public ReplacementPolicy {
 public:
  static constexpr std::uint8_t kDistant = 3;

  explicit Srrip(const ReplacementShape& shape)
      : ways_(shape.ways), interval_(std::size_t{shape.sets} * shape.ways, kDistant) {}

  void placed(std::uint32_t frame) override;
  void used(std::uint32_t frame) override { interval_[frame] = 0; }
  void removed(std::uint32_t frame) override { interval_[frame] = kDistant; }
  [[nodiscard]] std::uint32_t victim(std::uint32_t set,
                                     std::span<const std::uint8_t> replaceable) const override;

 private:
  std::uint32_t ways_;
  std::vector<std::uint8_t> interval_;  ///< predicted, by frame; of empty frames kDistant
};

[[nodiscard]] Replacement lru_replacement();
[[nodiscard]] Replacement tree_plru_replacement();
[[nodiscard]] Replacement srrip_replacement();

/// The policy of a cache. By itself it knows lru; platforms/gpu gives it all that are registered.
using ReplacementChoice = base::Choice<Replacement>;
inline constexpr const char* kReplacementDoc = "line that leaves a full set for another one";
[[nodiscard]] ReplacementChoice default_replacement();

}  // namespace heddle::cache
