// Greedy, then by age: the last issued until it stalls, else the oldest (gto) or the youngest (gty).
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

/// `youngest`: which end of the order of age is taken.
template <bool youngest>
class GreedyByAge final : public WarpSchedulingPolicy {
 public:
  /// `rotation`: cycles after which the ages rotate; 0: never.
  GreedyByAge(std::uint32_t warps, Cycle rotation)
      : period_(rotation), next_rotation_(rotation == 0 ? kNever : rotation), rank_(warps, kNoRank) {}
  void assign(WarpId warp, Cycle) override {
    leave(warp);
    rank_[warp.value()] = static_cast<std::uint32_t>(by_age_.size());
    by_age_.push_back(warp.value());
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  void leave(WarpId warp) override {
    std::erase(by_age_, warp.value());
    rank_[warp.value()] = kNoRank;
    set_ranks();
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now >= next_rotation_) rotate(now);
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    std::uint32_t best = *candidates.next(0);  // of no known age
    std::uint32_t least = kNoRank;
    candidates.for_each([&](std::uint32_t warp) {
      const std::uint32_t rank = rank_[warp];
      const std::uint32_t key = youngest && rank != kNoRank ? kNoRank - 1 - rank : rank;
      best = key < least ? warp : best;
      least = std::min(least, key);
    });
    return WarpId{best};
  }
  void issued(WarpId warp, Cycle) override {
    last_ = warp.value();
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }
  [[nodiscard]] bool may_starve() const override { return period_ == 0; }
  [[nodiscard]] nlohmann::ordered_json show() const override {
    return {{"last", last_}, {"greedy", greedy_}, {"oldest_first", by_age_}};
  }

 private:
  /// The warp that is preferred becomes the last one: otherwise spinning warps could keep the one they wait for from ever
  /// issuing ([DDOS/BOWS] §6.3.3).
  void rotate(Cycle now) {
    next_rotation_ = (now / period_ + 1) * period_;
    if (!by_age_.empty())
      std::rotate(by_age_.begin(), youngest ? by_age_.end() - 1 : by_age_.begin() + 1, by_age_.end());
    set_ranks();
    greedy_ = false;
  }

  void set_ranks() {
    for (std::uint32_t rank = 0; rank < by_age_.size(); ++rank) rank_[by_age_[rank]] = rank;
  }

  static constexpr std::uint32_t kNoRank = ~0u;
  Cycle period_;
  Cycle next_rotation_;
  std::vector<std::uint32_t> by_age_;  ///< warps that are there, the one assigned first in front
  std::vector<std::uint32_t> rank_;    ///< by warp: its index there
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace heddle::core
