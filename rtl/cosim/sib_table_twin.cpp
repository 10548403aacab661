#include "VSibTable16.h"
#include "VSibTable2.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include "cosim/sib_table_pins.h"
#include "cosim/twins.h"
#include "spin/sib_table.h"

namespace heddle::cosim::sib_table_twin {
namespace {

/// The parameter points of rtl/sib_table/sib_table.cmake.
std::unique_ptr<spin::SibUnit> make(std::uint32_t entries, std::uint32_t threshold, sim::TwinUse& use) {
  if (entries == 16 && threshold == 4) return std::make_unique<SibTableRtl<VSibTable16, 16>>(use);
  if (entries == 2 && threshold == 1) return std::make_unique<SibTableRtl<VSibTable2, 2>>(use);
  throw base::InputError(
      use.path,
      fmt::format("the RTL of sib_table is built with 16 entries for threshold 4 and with 2 for threshold 1, "
                  "this core has {} for threshold {}",
                  entries, threshold),
      "Use impl: model, or build rtl/sib_table/sib_table.cmake with that point too (and list it in "
      "rtl/cosim/sib_table_twin.cpp).");
}

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<spin::SibTableBlock>([](const spin::SibTableBlock::Shape& shape, sim::TwinUse& use) {
    return std::make_unique<SteppedSibTable>(make(shape.entries, shape.threshold, use));
  });
  twins.provide<spin::ClockedSibTableBlock>(
      [](const spin::ClockedSibTableBlock::Shape& shape, sim::TwinUse& use) {
        use.block = spin::SibTableBlock::kName;
        use.timing = sim::Timing::kContract;
        return make(shape.entries, shape.threshold, use);
      });
}

}  // namespace heddle::cosim::sib_table_twin
