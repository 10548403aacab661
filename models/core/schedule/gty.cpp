#include "core/schedule/gty.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace heddle::core {
namespace {

class GreedyThenYoungest final : public WarpSchedulingPolicy {
 public:
  /// `rotation`: cycles after which the youngest becomes the oldest; 0: never.
  GreedyThenYoungest(std::uint32_t warps, Cycle rotation)
      : period_(rotation), next_rotation_(rotation == 0 ? kNever : rotation), assigned_(warps, kNobody) {}
  void assign(WarpId warp, Cycle) override {
    assigned_[warp.value()] = ++youngest_;
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  void leave(WarpId warp) override { assigned_[warp.value()] = kNobody; }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now >= next_rotation_) rotate(now);
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    std::uint32_t youngest = *candidates.next(0);
    candidates.for_each([&](std::uint32_t warp) {
      if (assigned_[warp] > assigned_[youngest]) youngest = warp;
    });
    return WarpId{youngest};
  }
  void issued(WarpId warp, Cycle) override {
    last_ = warp.value();
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }
  [[nodiscard]] bool may_starve() const override { return period_ == 0; }
  [[nodiscard]] nlohmann::ordered_json show() const override {
    return {{"last", last_}, {"greedy", greedy_}, {"assigned", assigned_}};
  }

 private:
  /// Otherwise spinning warps could keep an older one, which they wait for, from ever issuing ([DDOS/BOWS] §6.3.3).
  void rotate(Cycle now) {
    next_rotation_ = (now / period_ + 1) * period_;
    std::size_t youngest = 0;
    for (std::size_t warp = 1; warp < assigned_.size(); ++warp)
      if (assigned_[warp] > assigned_[youngest]) youngest = warp;
    if (assigned_[youngest] != kNobody) assigned_[youngest] = --oldest_;
    greedy_ = false;
  }

  static constexpr std::int64_t kNobody = INT64_MIN;
  Cycle period_;
  Cycle next_rotation_;
  std::vector<std::int64_t> assigned_;  ///< by warp: the youngest has the highest number
  std::int64_t youngest_ = 0, oldest_ = 0;
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace

void GtyConfig::visit(base::ConfigVisitor& v) {
  v.field("gty_rotation_cycles", rotation_cycles,
          {.unit = "core cycles",
           .doc = "gty: interval at which the youngest warp becomes the oldest. 0: never; then spinning "
                  "warps may starve the warp that they wait for",
           .max = 1e9});
}

SchedulingPolicy gty_policy() {
  return {"gty",
          "the last issued until it stalls, else the youngest",
          {base::ConfigOption::fields<GtyConfig>("gty_rotation_cycles")},
          [](const SchedulerConfig& config, std::uint32_t warps) {
            return std::make_unique<GreedyThenYoungest>(warps, config.get<GtyConfig>().rotation_cycles);
          }};
}

}  // namespace heddle::core
