#include "core/schedule/lrr.h"

#include <nlohmann/json.hpp>

#include "core/schedule/pick_model.h"

namespace heddle::core {
namespace {

class LooseRoundRobin final : public WarpSchedulingPolicy {
 public:
  void assign(WarpId, Cycle) override {}
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    return WarpId{*candidates.next_cyclic(last_)};
  }
  void issued(WarpId warp, Cycle) override { last_ = warp.value(); }
  [[nodiscard]] nlohmann::ordered_json show() const override { return {{"last", last_}}; }

 private:
  std::uint32_t last_ = 0;
};

}  // namespace

SchedulingPolicy lrr_policy() {
  return {"lrr",
          "next ready warp in round robin",
          {},
          [](const SchedulerConfig& /*config*/, std::uint32_t /*warps*/) {
            return std::make_unique<LooseRoundRobin>();
          },
          [](const SchedulerConfig& /*config*/) {
            return PickContract{std::make_unique<PickModel>(PickModel::Order::kRoundRobin)};
          }};
}

}  // namespace heddle::core
