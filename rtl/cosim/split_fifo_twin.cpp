#include "VSplitFifo.h"
// verilated headers first: pin_driver.h
#include "cosim/pin_twin.h"
#include "cosim/split_fifo_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim {

void provide_split_fifo(sim::Twins& twins) {
  twins.provide<simt::SplitFifoBlock>([](const simt::SplitFifoBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("split_fifo", use.path, shape.warps);
    return std::make_unique<PinTwin<VSplitFifo, SplitFifoPins>>(use);
  });
}

}  // namespace heddle::cosim
