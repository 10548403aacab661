#include "core/schedule/gty.h"

#include "core/schedule/greedy_by_age.h"

namespace heddle::core {

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
            return std::make_unique<GreedyByAge<true>>(warps, config.get<GtyConfig>().rotation_cycles);
          }};
}

}  // namespace heddle::core
