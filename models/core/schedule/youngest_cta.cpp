#include "core/schedule/youngest_cta.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace heddle::core {
namespace {

class YoungestCta final : public WarpSchedulingPolicy {
 public:
  /// `rotation`: cycles after which the youngest CTA becomes the oldest; 0: never.
  YoungestCta(std::uint32_t warps, Cycle rotation)
      : period_(rotation), next_rotation_(rotation == 0 ? kNever : rotation), youth_(warps, kNobody) {}
  void belongs_to(WarpId warp, std::uint64_t cta) override {
    youth_[warp.value()] = static_cast<std::int64_t>(cta);
  }
  void assign(WarpId warp, Cycle) override {
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  void leave(WarpId warp) override { youth_[warp.value()] = kNobody; }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now >= next_rotation_) rotate(now);
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    // Of the youngest CTA's candidates the first behind the last issued one, else the first.
    std::uint32_t chosen = *candidates.next(0);
    candidates.for_each([&](std::uint32_t warp) {
      if (youth_[warp] > youth_[chosen] ||
          (youth_[warp] == youth_[chosen] && chosen <= last_ && warp > last_))
        chosen = warp;
    });
    return WarpId{chosen};
  }
  void issued(WarpId warp, Cycle) override {
    last_ = warp.value();
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }
  /// Warps that wait to load or store share the queue: the last issued one may wait as well.
  [[nodiscard]] bool hears_of_memory_room() const override { return true; }
  void memory_room() override { greedy_ = false; }
  [[nodiscard]] bool may_starve() const override { return period_ == 0; }
  [[nodiscard]] nlohmann::ordered_json show() const override {
    return {{"last", last_}, {"greedy", greedy_}, {"youth", youth_}};
  }

 private:
  /// Otherwise warps that spin could keep the one they wait for from ever issuing ([DDOS/BOWS] §6.3.3).
  void rotate(Cycle now) {
    next_rotation_ = (now / period_ + 1) * period_;
    const std::int64_t youngest = *std::max_element(youth_.begin(), youth_.end());
    if (youngest != kNobody) std::replace(youth_.begin(), youth_.end(), youngest, oldest_--);
    greedy_ = false;
  }

  static constexpr std::int64_t kNobody = std::numeric_limits<std::int64_t>::min();
  Cycle period_;
  Cycle next_rotation_;
  std::vector<std::int64_t> youth_;  ///< by warp slot: the larger, the younger its CTA
  std::int64_t oldest_ = -1;         ///< of the next CTA that becomes the oldest
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace

void YoungestCtaConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "youngest_cta_rotation_cycles", rotation_cycles,
      {.unit = "core cycles",
       .doc = "youngest_cta: interval at which the youngest CTA becomes the oldest. 0: never; then spinning "
              "warps may starve the warp that they wait for",
       .max = 1e9});
}

SchedulingPolicy youngest_cta_policy() {
  return {
      "youngest_cta",
      "the last issued until it stalls or a full memory queue has room, else of the youngest CTA the next "
      "ready one in round robin",
      {base::ConfigOption::fields<YoungestCtaConfig>("youngest_cta_rotation_cycles")},
      [](const SchedulerConfig& config, std::uint32_t warps) {
        return std::make_unique<YoungestCta>(warps, config.get<YoungestCtaConfig>().rotation_cycles);
      }};
}

}  // namespace heddle::core
