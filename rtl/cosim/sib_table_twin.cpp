#include "VSibTable16.h"
#include "VSibTable2.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include "cosim/pin_twin.h"
#include "cosim/same_codes.h"
#include "cosim/sib_table_codes.h"
#include "cosim/sib_table_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim::sib_table_twin {
namespace {

using ModelOp = spin::SibRequest::Op;
using RtlOp = rtl::sib_table::Op;
static_assert(same_codes<ModelOp, RtlOp, rtl::sib_table::kOpCount>({
    {ModelOp::kLookUp, RtlOp::kLookUp},
    {ModelOp::kFlush, RtlOp::kFlush},
    {ModelOp::kRead, RtlOp::kRead},
}));

template <class V>
std::unique_ptr<sim::Twin<spin::SibRequest>> make(std::uint32_t entries, sim::TwinUse& use) {
  return std::make_unique<PinTwin<V, SibTablePins>>(use, SibTablePins{entries});
}

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<spin::SibTableBlock>([](const spin::SibTableBlock::Shape& shape, sim::TwinUse& use) {
    // The parameter points of rtl/sib_table/sib_table.cmake.
    if (shape.entries == 16 && shape.threshold == 4) return make<VSibTable16>(16, use);
    if (shape.entries == 2 && shape.threshold == 1) return make<VSibTable2>(2, use);
    throw base::InputError(
        use.path,
        fmt::format(
            "the RTL of sib_table is built with 16 entries for threshold 4 and with 2 for threshold 1, "
            "this core has {} for threshold {}",
            shape.entries, shape.threshold),
        "Use impl: model, or build rtl/sib_table/sib_table.cmake with that point too (and list it in "
        "rtl/cosim/sib_table_twin.cpp).");
  });
}

}  // namespace heddle::cosim::sib_table_twin
