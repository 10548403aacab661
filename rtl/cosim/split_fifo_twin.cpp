#include "VSplitFifo.h"
// verilated headers first: pin_driver.h
#include "cosim/pin_twin.h"
#include "cosim/same_codes.h"
#include "cosim/split_fifo_codes.h"
#include "cosim/split_fifo_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim::split_fifo_twin {
namespace {

using ModelOp = simt::SplitFifoRequest::Op;
using RtlOp = rtl::split_fifo::Op;
static_assert(same_codes<ModelOp, RtlOp, rtl::split_fifo::kOpCount>({
    {ModelOp::kReset, RtlOp::kReset},
    {ModelOp::kPush, RtlOp::kPush},
    {ModelOp::kPop, RtlOp::kPop},
    {ModelOp::kRotate, RtlOp::kRotate},
    {ModelOp::kBlock, RtlOp::kBlock},
    {ModelOp::kUnblock, RtlOp::kUnblock},
    {ModelOp::kSpilled, RtlOp::kSpilled},
    {ModelOp::kFilling, RtlOp::kFilling},
    {ModelOp::kResident, RtlOp::kResident},
    {ModelOp::kVictim, RtlOp::kVictim},
    {ModelOp::kRead, RtlOp::kRead},
    {ModelOp::kFilled, RtlOp::kFilled},
}));

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<simt::SplitFifoBlock>([](const simt::SplitFifoBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("split_fifo", use.path, shape.warps);
    use.timing = shape.timing;
    return std::make_unique<PinTwin<VSplitFifo, SplitFifoPins>>(use);
  });
}

}  // namespace heddle::cosim::split_fifo_twin
