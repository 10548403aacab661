#include "least_progress.h"

#include <vector>

namespace own {
namespace {

using namespace heddle;

/// Key core.scheduler.progress_step
struct LeastProgressConfig {
  std::uint32_t step = 16;
  void visit(base::ConfigVisitor& v) {
    v.field(
        "progress_step", step,
        {.unit = "instructions",
         .doc = "least_progress: warps are equal within a step of this many; ties go to the lowest number",
         .min = 1,
         .max = 1 << 20});
  }
};

class LeastProgress final : public core::WarpSchedulingPolicy {
 public:
  LeastProgress(std::uint32_t warps, std::uint32_t step) : issued_(warps), step_(step) {}

  void assign(WarpId warp, Cycle) override { issued_[warp.value()] = 0; }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    std::uint32_t best = *candidates.next(0);
    candidates.for_each([&](std::uint32_t warp) {
      if (issued_[warp] / step_ < issued_[best] / step_) best = warp;
    });
    return WarpId{best};
  }
  void issued(WarpId warp, Cycle) override { ++issued_[warp.value()]; }

 private:
  std::vector<std::uint64_t> issued_;
  std::uint32_t step_;
};

}  // namespace

core::SchedulingPolicy least_progress_policy() {
  return {"least_progress",
          "the warp that has issued least",
          {base::ConfigOption::fields<LeastProgressConfig>("progress_step")},
          [](const core::SchedulerConfig& config, std::uint32_t warps) {
            return std::make_unique<LeastProgress>(warps, config.get<LeastProgressConfig>().step);
          }};
}

}  // namespace own
