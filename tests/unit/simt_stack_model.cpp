// The stack tests' kinds of stacks: the model. And what only the model checks.
#include <array>
#include <stdexcept>

#include "simt/simt_stack.h"
#include "simt_stack_port.h"

namespace heddle::simt {

std::vector<StackKind> stack_kinds() {
  return {{"model", [](FirstSide first) {
             const auto stack = std::make_shared<SimtStack>(1, first);
             return StackPort(
                 WarpId{0}, [stack](BranchRequest& r) { stack->serve(r); },
                 [stack](BranchRequest& r) { stack->inspect(r); });
           }}};
}

namespace {

TEST(SimtStackModel, a_return_that_contradicts_the_call_is_a_bug_of_the_model) {
  SimtStack stack(1, FirstSide::kTaken);
  std::array<Pc, sim::kLanes> targets{};
  targets.fill(Pc{12});
  const auto serve = [&](BranchEvent event, Pc next) {
    BranchRequest r;
    r.event = event;
    r.mask = r.taken = mask("1111");
    r.next = next;
    r.target = Pc{100};
    if (event == BranchEvent::kReturn) r.lane_target = targets.data();
    stack.serve(r);
  };
  serve(BranchEvent::kLaunch, Pc{0});
  EXPECT_THROW(serve(BranchEvent::kReturn, Pc{1}), std::logic_error);  // outside of any call
  serve(BranchEvent::kLaunch, Pc{0});
  serve(BranchEvent::kCall, Pc{11});
  EXPECT_THROW(serve(BranchEvent::kReturn, Pc{105}), std::logic_error);  // to 12
}

}  // namespace
}  // namespace heddle::simt
