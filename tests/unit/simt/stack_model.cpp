// The model as a kind of stack for the stack tests, and tests of what only the model checks.
#include <array>
#include <stdexcept>

#include "blocks/simt/stack_port.h"
#include "simt/simt_stack.h"

namespace heddle::simt {

std::vector<StackKind> stack_kinds() {
  return {{"model", [](FirstSide first) {
             const auto stack = std::make_shared<SimtStack>(1, first);
             return StackPort(
                 WarpId{0}, [stack](ControlFlowRequest& r) { stack->serve(r); },
                 [stack](ControlFlowRequest& r) { stack->inspect(r); });
           }}};
}

namespace {

TEST(SimtStackModel, a_return_that_contradicts_the_call_is_a_bug_of_the_model) {
  SimtStack stack(1, FirstSide::kTaken);
  std::array<Pc, base::kLanes> targets{};
  targets.fill(Pc{12});
  const auto serve = [&](auto event, Pc next) {
    ControlFlowRequest r;
    r.set(event);
    r.mask = r.taken = mask("1111");
    r.next = next;
    r.target = Pc{100};
    if (r.is(Transfer::kReturn)) r.lane_target = targets.data();
    stack.serve(r);
  };
  serve(ControlFlowEvent::kLaunch, Pc{0});
  EXPECT_THROW(serve(Transfer::kReturn, Pc{1}), std::logic_error);  // outside of any call
  serve(ControlFlowEvent::kLaunch, Pc{0});
  serve(Transfer::kCall, Pc{11});
  EXPECT_THROW(serve(Transfer::kReturn, Pc{105}), std::logic_error);  // to 12
}

}  // namespace
}  // namespace heddle::simt
