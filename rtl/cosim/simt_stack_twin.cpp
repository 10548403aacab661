#include "VSimtStack.h"
// verilated headers first: pin_driver.h
#include "cosim/simt_stack_pins.h"
#include "cosim/twins.h"
#include "simt/lockstep.h"
#include "simt/simt_stack.h"
#include "simt/stack_front.h"

namespace heddle::cosim::simt_stack_twin {

namespace {

using simt::ControlFlowEvent;
using simt::ControlFlowRequest;
using simt::StackAnswer;

/// RTL in the place of a stack that answers at once: it is clocked until it has answered, a request of the first requester's.
class SteppedSimtStack final : public simt::ControlFlow {
 public:
  SteppedSimtStack(const simt::SimtStackBlock::Shape& shape, sim::TwinUse& use)
      : unit_(use, shape.first_side), front_(shape.warps, shape.first_side, use.path), use_(use) {}

  [[nodiscard]] const char* name() const override { return simt::SimtStack::kName; }
  void register_stats(base::StatGroup& stats) override { front_.register_stats(stats); }
  void inspect(ControlFlowRequest& request) const override {
    const simt::StackContents stack = unit_.read(request.warp);
    simt::inspect_stack(stack.entries, stack.at_barrier, request);
  }

 protected:
  void handle(ControlFlowRequest& request) override {
    if (request.event == ControlFlowEvent::kBeginLaunch) return;
    if (!simt::StackRequests::serves(request)) refuse(request);
    const simt::StackRequests requests = front_.ask(request);
    StackAnswer last;
    std::uint64_t clocks = 0;
    for (const simt::StackRequest& each : requests.requests()) {
      simt::StackPins pins;
      pins.requests[0] = each;
      do {
        unit_.edge(pins, 0);
        pins = {};
        if (++clocks > kMostClocks) throw std::logic_error("simt_stack: the RTL does not answer a request");
        last = unit_.answer();
      } while (!last.valid);
      front_.check(last);
    }
    use_.count(clocks);
    answer(front_.answered(request.event, last));
  }

 private:
  static constexpr std::uint64_t kMostClocks = 1u << 20;
  StackRtl<VSimtStack> unit_;
  simt::StackFront front_;
  sim::TwinUse& use_;
};

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<simt::SimtStackBlock>([](const simt::SimtStackBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("simt_stack", use.path, shape.warps);
    return std::make_unique<SteppedSimtStack>(shape, use);
  });
  twins.provide<simt::ClockedSimtStackBlock>(
      [](const simt::ClockedSimtStackBlock::Shape& shape, sim::TwinUse& use) {
        check_warps("simt_stack", use.path, shape.warps);
        use.block = simt::SimtStackBlock::kName;
        use.timing = sim::Timing::kContract;
        return std::make_unique<StackRtl<VSimtStack>>(use, shape.first_side);
      });
}

}  // namespace heddle::cosim::simt_stack_twin
