#include "core/schedule/glri.h"

#include <vector>

namespace heddle::core {
namespace {

class GreedyThenLeastRecent final : public WarpSchedulingPolicy {
 public:
  explicit GreedyThenLeastRecent(std::uint32_t warps) : issued_at_(warps, 0) {}
  void assign(WarpId warp, Cycle) override {
    issued_at_[warp.value()] = 0;
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    std::uint32_t best = *candidates.next(0);
    candidates.for_each([&](std::uint32_t warp) {
      if (issued_at_[warp] < issued_at_[best]) best = warp;
    });
    return WarpId{best};
  }
  void issued(WarpId warp, Cycle now) override {
    last_ = warp.value();
    issued_at_[last_] = now;
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }

 private:
  std::vector<Cycle> issued_at_;  ///< by warp; 0: not yet
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace

SchedulingPolicy glri_policy() {
  return {"glri",
          "the last issued until it stalls, else the one that issued longest ago",
          {},
          [](const SchedulerConfig& /*config*/, std::uint32_t warps) {
            return std::make_unique<GreedyThenLeastRecent>(warps);
          }};
}

}  // namespace heddle::core
