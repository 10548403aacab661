#include "VReconvergenceTable1.h"
#include "VReconvergenceTable2.h"
#include "VReconvergenceTable32.h"
#include "VReconvergenceTable4.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include "cosim/pin_twin.h"
#include "cosim/reconvergence_table_codes.h"
#include "cosim/reconvergence_table_pins.h"
#include "cosim/same_codes.h"
#include "cosim/twins.h"

namespace heddle::cosim::reconvergence_table_twin {
namespace {

using ModelOp = simt::ReconvergenceTableRequest::Op;
using RtlOp = rtl::reconvergence_table::Op;
static_assert(same_codes<ModelOp, RtlOp, rtl::reconvergence_table::kOpCount>({
    {ModelOp::kReset, RtlOp::kReset},
    {ModelOp::kInsert, RtlOp::kInsert},
    {ModelOp::kRead, RtlOp::kRead},
    {ModelOp::kWrite, RtlOp::kWrite},
    {ModelOp::kArrive, RtlOp::kArrive},
    {ModelOp::kLeave, RtlOp::kLeave},
    {ModelOp::kGoAlone, RtlOp::kGoAlone},
    {ModelOp::kFree, RtlOp::kFree},
    {ModelOp::kEvict, RtlOp::kEvict},
    {ModelOp::kFill, RtlOp::kFill},
    {ModelOp::kFired, RtlOp::kFired},
    {ModelOp::kHasFired, RtlOp::kHasFired},
}));

using Block = simt::ReconvergenceTableBlock;

template <class V>
std::unique_ptr<Block::Interface> make(const Block::Shape& shape, sim::TwinUse& use) {
  return std::make_unique<PinTwin<V, ReconvergenceTablePins>>(use, ReconvergenceTablePins(shape.config));
}

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<Block>([](const Block::Shape& shape, sim::TwinUse& use) {
    check_warps("reconvergence_table", use.path, shape.warps);
    use.timing = shape.timing;
    switch (shape.config.physical) {
      case 1:
        return make<VReconvergenceTable1>(shape, use);
      case 2:
        return make<VReconvergenceTable2>(shape, use);
      case 4:
        return make<VReconvergenceTable4>(shape, use);
      case simt::kTableEntries:
        return make<VReconvergenceTable32>(shape, use);
      default:
        throw base::InputError(
            use.path,
            fmt::format(
                "the RTL of reconvergence_table is built for 1, 2, 4 or 32 entries per warp, this core "
                "has {}",
                shape.config.physical),
            "Use rt_entries 1, 2, 4 or 32, or impl: model, or add a point to "
            "rtl/reconvergence_table/reconvergence_table.cmake and a case to "
            "rtl/cosim/reconvergence_table_twin.cpp.");
    }
  });
}

}  // namespace heddle::cosim::reconvergence_table_twin
