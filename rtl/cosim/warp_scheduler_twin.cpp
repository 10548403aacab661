#include "VWarpSchedulerGto.h"
#include "VWarpSchedulerLrr.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include "core/schedule/scheduling_policy.h"
#include "cosim/twins.h"
#include "cosim/warp_scheduler_pins.h"

namespace heddle::cosim::warp_scheduler_twin {

void provide(sim::Twins& twins) {
  using Made = std::unique_ptr<core::PickUnit>;
  twins.provide<core::WarpSchedulerBlock>([](const core::WarpSchedulerBlock::Shape& shape,
                                             sim::TwinUse& use) -> Made {
    check_warps("warp_scheduler", use.path, shape.warps);
    use.timing = shape.config.timing;
    if (shape.config.policy == "lrr") return std::make_unique<PickRtl<VWarpSchedulerLrr>>(use, PickShown{});
    if (shape.config.policy == "gto")
      return std::make_unique<PickRtl<VWarpSchedulerGto>>(use, PickShown{.greedy = true, .ages = true});
    throw base::InputError(use.path,
                           fmt::format("the policies lrr and gto have RTL, {} has not", shape.config.policy),
                           "Use impl: model, or policy: lrr or gto.");
  });
}

}  // namespace heddle::cosim::warp_scheduler_twin
