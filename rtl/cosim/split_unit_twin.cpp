#include "VSplitUnit.h"
// verilated headers first: pin_driver.h
#include "cosim/split_unit_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim::split_unit_twin {

void provide(sim::Twins& twins) {
  twins.provide<simt::SplitUnitBlock>([](const simt::SplitUnitBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("split_unit", use.path, shape.warps);
    use.timing = sim::Timing::kContract;
    return std::make_unique<SplitUnitRtl<VSplitUnit>>(use, shape.rotates);
  });
}

}  // namespace heddle::cosim::split_unit_twin
