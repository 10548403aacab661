#include "core/schedule/gto.h"

#include "core/schedule/greedy_by_age.h"
#include "core/schedule/pick_model.h"

namespace heddle::core {

void GtoConfig::visit(base::ConfigVisitor& v) {
  v.field("gto_rotation_cycles", rotation_cycles,
          {.unit = "core cycles",
           .doc = "gto: interval at which the oldest warp becomes the youngest. 0: never; then spinning "
                  "warps may starve the warp that they wait for ([DDOS/BOWS] §6.3.3)",
           .max = 1e9});
}

SchedulingPolicy gto_policy() {
  return {"gto",
          "the last issued until it stalls, else the oldest",
          {base::ConfigOption::fields<GtoConfig>("gto_rotation_cycles")},
          [](const SchedulerConfig& config, std::uint32_t warps) {
            return std::make_unique<GreedyByAge<false>>(warps, config.get<GtoConfig>().rotation_cycles);
          },
          [](const SchedulerConfig& config) {
            const Cycle rotation = config.get<GtoConfig>().rotation_cycles;
            return PickContract{std::make_unique<PickModel>(PickModel::Order::kGreedyOldest), rotation,
                                rotation == 0};
          }};
}

}  // namespace heddle::core
