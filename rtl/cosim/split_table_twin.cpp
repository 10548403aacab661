#include "VSplitTable1.h"
#include "VSplitTable2.h"
#include "VSplitTable32.h"
#include "VSplitTable4.h"
#include "VSplitTable6.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cosim/pin_twin.h"
#include "cosim/same_codes.h"
#include "cosim/split_table_codes.h"
#include "cosim/split_table_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim::split_table_twin {
namespace {

using ModelOp = simt::SplitTableRequest::Op;
using RtlOp = rtl::split_table::Op;
static_assert(same_codes<ModelOp, RtlOp, rtl::split_table::kOpCount>({
    {ModelOp::kReset, RtlOp::kReset},
    {ModelOp::kInsert, RtlOp::kInsert},
    {ModelOp::kRead, RtlOp::kRead},
    {ModelOp::kWrite, RtlOp::kWrite},
    {ModelOp::kFree, RtlOp::kFree},
    {ModelOp::kEvict, RtlOp::kEvict},
    {ModelOp::kFill, RtlOp::kFill},
    {ModelOp::kMatch, RtlOp::kMatch},
}));

using Request = simt::SplitTableRequest;
using Op = Request::Op;

/// Observers (traces, diagnoses, profiles) see a spilled entry as it was when it was evicted. The RTL does
/// not hold it then, so a copy is kept here, for inspect() alone.
template <class V>
class SplitTableTwin final : public sim::Twin<Request> {
 public:
  explicit SplitTableTwin(sim::TwinUse& use) : use_(use), rtl_(use) {}

  void serve(Request& request) override {
    check_frames(request);
    if (request.op == Op::kEvict) {
      Request leaving{.op = Op::kRead, .warp = request.warp, .id = request.id};
      rtl_.inspect(leaving);
      left(request) = leaving.split;
    }
    rtl_.serve(request);
    if (request.op == Op::kInsert && !request.ok) left(request) = request.split;
  }
  void inspect(Request& request) override {
    rtl_.inspect(request);
    if (request.valid && !request.ok) request.split = left(request);
  }

 private:
  simt::Split& left(const Request& of) { return left_[of.warp.value()][of.id.value()]; }

  void check_frames(const Request& request) const {
    if (request.op != Op::kInsert && request.op != Op::kWrite && request.op != Op::kMatch) return;
    const std::uint32_t frame = std::max(request.split.frame, request.split.rpc.frame);
    if (frame >> SplitTablePins::kFrameBits == 0) return;
    throw base::InputError(
        use_.path,
        fmt::format("the RTL of split_table is built for {} nested calls, this kernel has come to {}",
                    (1u << SplitTablePins::kFrameBits) - 1, frame),
        "Use impl: model, or build rtl/split_table/split_table.cmake with a wider FrameW (and kFrameBits in "
        "rtl/cosim/split_table_pins.h).");
  }

  sim::TwinUse& use_;
  PinTwin<V, SplitTablePins> rtl_;
  std::array<std::array<simt::Split, simt::kTableEntries>, kWarps> left_{};
};

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<simt::SplitTableBlock>([](const simt::SplitTableBlock::Shape& shape,
                                          sim::TwinUse& use) -> std::unique_ptr<sim::Twin<Request>> {
    check_warps("split_table", use.path, shape.warps);
    use.timing = shape.timing;
    switch (shape.physical) {
      case 1:
        return std::make_unique<SplitTableTwin<VSplitTable1>>(use);
      case 2:
        return std::make_unique<SplitTableTwin<VSplitTable2>>(use);
      case 4:
        return std::make_unique<SplitTableTwin<VSplitTable4>>(use);
      case 6:
        return std::make_unique<SplitTableTwin<VSplitTable6>>(use);
      case 32:
        return std::make_unique<SplitTableTwin<VSplitTable32>>(use);
      default:
        throw base::InputError(
            use.path,
            fmt::format("the RTL of split_table is built with 1, 2, 4, 6 and 32 entries per warp, this core "
                        "has {} (st_entries)",
                        shape.physical),
            "Use one of these or impl: model, or add a point to rtl/split_table/split_table.cmake and "
            "rtl/cosim/split_table_twin.cpp.");
    }
  });
}

}  // namespace heddle::cosim::split_table_twin
