#include "core/schedule/glrr.h"

namespace heddle::core {
namespace {

class GreedyThenRoundRobin final : public WarpSchedulingPolicy {
 public:
  void assign(WarpId warp, Cycle) override {
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    return WarpId{*candidates.next_cyclic(last_)};
  }
  void issued(WarpId warp, Cycle) override {
    last_ = warp.value();
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }

 private:
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace

SchedulingPolicy glrr_policy() {
  return {"glrr",
          "the last issued until it stalls, else the next ready one in round robin ([AWARE] §5.6)",
          {},
          [](const SchedulerConfig& /*config*/, std::uint32_t /*warps*/) {
            return std::make_unique<GreedyThenRoundRobin>();
          }};
}

}  // namespace heddle::core
