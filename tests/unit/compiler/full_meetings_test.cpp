// Where lanes that YIELDs may have left apart meet, if all loops that wait yield (core.convergence.yields=all).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/convergence/place_convergence.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::full_meetings_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<unsigned>;

/// A lane that waits for a word of memory.
const std::string kSpin =
    "SPIN: ld.volatile.shared.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n";
constexpr unsigned kSpinLines = 3;

/// Lines of the body's instructions behind a WARPSYNC; lines of the body count from 1.
Lines meetings(const std::string& body, Yields yields = Yields::kAll) {
  isa::Kernel kernel = *ptx::testing::kernel("st.volatile.shared.u32 [%rd2], 1;\n" + body, "", "");
  ConvergenceOptions options;
  options.delay = DelayedMeeting::kOff;
  options.yields = yields;
  options.allocation.spills = false;
  options.allocation.registers = 16;
  place_convergence(kernel, options);
  constexpr unsigned kBodyLine = 7;
  Lines lines;
  for (std::size_t pc = 0; pc + 1 < kernel.code.size(); ++pc) {
    const isa::Instruction& instruction = kernel.code[pc];
    if (instruction.op != isa::Opcode::kConvergence ||
        instruction.convergence != isa::ConvergenceOp::kWarpSync)
      continue;
    EXPECT_EQ(instruction.guard.present, kernel.code[pc + 1].guard.present);
    lines.push_back(kernel.code[pc + 1].where.line - kBodyLine + 1);
  }
  return lines;
}

TEST(FullMeetings, OnlyTheFirstBarrierBehindALoopThatYields) {
  EXPECT_THAT(meetings("bar.sync 0;\n" + kSpin + "bar.sync 0;\nbar.sync 0;\nret;"),
              ElementsAre(kSpinLines + 2));
  EXPECT_THAT(meetings("bar.sync 0;\n" + kSpin + "bar.sync 0;\nbar.sync 0;\nret;", Yields::kNeeded),
              IsEmpty());
  EXPECT_THAT(meetings("bar.sync 0;\nbar.sync 0;\nret;"), IsEmpty());
}

TEST(FullMeetings, SyncInstructionsOfAllLanesOnly) {
  EXPECT_THAT(meetings(kSpin + "bar.warp.sync 0xff;\nbar.warp.sync -1;\nbar.warp.sync -1;\nret;"),
              ElementsAre(kSpinLines + 2));
  EXPECT_THAT(meetings(kSpin + "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nbar.sync 0;\nret;"),
              ElementsAre(kSpinLines + 1));
  EXPECT_THAT(meetings(kSpin + "bar.sync 0, 64;\nret;"), IsEmpty());
}

// Those that a guard keeps away go on, and are apart.
TEST(FullMeetings, AGuardedOneIsNoEnd) {
  EXPECT_THAT(meetings(kSpin + "@%p2 bar.warp.sync -1;\nbar.sync 0;\nbar.sync 0;\nret;"),
              ElementsAre(kSpinLines + 1, kSpinLines + 2));
}

TEST(FullMeetings, AroundALoop) {
  EXPECT_THAT(meetings("HEAD: bar.sync 0;\nbar.sync 0;\n" + kSpin + "@%p2 bra HEAD;\nret;"), ElementsAre(1));
}

// Lanes of a warp may come to one of two places each: if those at the one waited for all, the others would not come.
TEST(FullMeetings, WithPlacesThatOthersComeToInstead) {
  EXPECT_THAT(
      meetings("@%p2 bra ELSE;\n" + kSpin +
               "bar.warp.sync -1;\nbra JOIN;\nELSE: bar.warp.sync -1;\nJOIN: bar.warp.sync -1;\nret;"),
      ElementsAre(kSpinLines + 2, kSpinLines + 4));
}

}  // namespace
}  // namespace heddle::compiler::full_meetings_test
