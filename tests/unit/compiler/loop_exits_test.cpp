// core.convergence.loop_exits, and which loops with calls yield with core.convergence.yields=all. The cases have the forms of
// kernels of which ptxas 13.0 -O3 has made code for sm_90 (models/compiler/convergence/README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/convergence/place_convergence.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::loop_exits_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<unsigned>;

/// Seven lines: a loop with one way out by its latch, to line 8, and one to OUT.
const std::string kLoop =
    "mov.u32 %r3, %tid.x;\n"
    "LOOP: add.u32 %r1, %r1, %r3;\nsetp.gt.u32 %p1, %r1, 9;\n@%p1 bra OUT;\n"
    "add.u32 %r2, %r2, %r1;\nsetp.lt.u32 %p2, %r2, %r3;\n@%p2 bra LOOP;\n";
constexpr unsigned kLatchExit = 8;

std::string times(unsigned n, const std::string& line) {
  std::string text;
  for (unsigned i = 0; i < n; ++i) text += line + "\n";
  return text;
}
std::string stores(unsigned n) { return times(n, "st.shared.u32 [%rd1], %r1;"); }
std::string sums(unsigned n) { return times(n, "add.u32 %r4, %r4, %r1;"); }

isa::Kernel placed(const std::string& body, bool loop_exits, Yields yields) {
  isa::Kernel kernel = *ptx::testing::kernel(body, "", "");
  ConvergenceOptions options;
  options.delay = DelayedMeeting::kOff;
  options.yields = yields;
  options.allocation.spills = false;
  options.allocation.registers = 16;
  options.regions.loop_exits = loop_exits;
  place_convergence(kernel, options);
  return kernel;
}

/// Lines in front of which a placed instruction stands; lines of the body count from 1.
Lines in_front_of(const isa::Kernel& kernel, isa::ConvergenceOp op) {
  constexpr unsigned kBodyLine = 6;
  Lines lines;
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    if (kernel.code[pc].op != isa::Opcode::kConvergence || kernel.code[pc].convergence != op) continue;
    std::size_t next = pc;
    while (kernel.code[next].op == isa::Opcode::kConvergence) ++next;
    lines.push_back(kernel.code[next].where.line - kBodyLine + 1);
  }
  return lines;
}
Lines meetings(const std::string& body, bool loop_exits = true) {
  return in_front_of(placed(body, loop_exits, Yields::kOff), isa::ConvergenceOp::kSync);
}
Lines yields(const std::string& body, Yields which = Yields::kAll) {
  return in_front_of(placed(body, false, which), isa::ConvergenceOp::kYield);
}

TEST(LoopExits, LanesMeetBehindTheLatchesWayOutBeforeAllMeet) {
  const std::string both =
      kLoop + stores(4) + "bra.uni MEET;\nOUT:\n" + stores(4) + "MEET: " + stores(1) + "ret;";
  constexpr unsigned kMeet = kLatchExit + 4 + 2 + 4;
  EXPECT_THAT(meetings(both), ElementsAre(kLatchExit, kMeet));
  EXPECT_THAT(meetings(both, false), ElementsAre(kMeet));
}

TEST(LoopExits, NotForLittleWork) {
  const auto with = [](const std::string& behind_latch) {
    return meetings(kLoop + behind_latch + "bra.uni MEET;\nOUT: " + stores(4) + "MEET: " + stores(1) + "ret;")
        .size();
  };
  EXPECT_EQ(with(sums(10)), 1u);
  EXPECT_EQ(with(sums(12)), 2u);
  EXPECT_EQ(with(sums(4) + stores(1)), 1u);
  EXPECT_EQ(with(sums(4) + stores(3)), 2u);
}

TEST(LoopExits, AStoreIsEnoughWhereTheOthersGoOn) {
  const auto with = [](const std::string& behind_latch) {
    return meetings(kLoop + behind_latch + "OUT: " + stores(1) + "ret;").size();
  };
  EXPECT_EQ(with(sums(6)), 1u);
  EXPECT_EQ(with(sums(12)), 2u);
  EXPECT_EQ(with(stores(1)), 2u);
}

TEST(LoopExits, WhereAllWaysEndTheFirstOrTheLatchesWithMore) {
  const auto with = [](unsigned behind_latch, unsigned at_out) {
    return meetings(kLoop + stores(behind_latch) + "bra.uni END;\nOUT: " + stores(at_out) + "END: ret;");
  };
  EXPECT_THAT(with(4, 4), ElementsAre(kLatchExit + 4 + 1));
  EXPECT_THAT(with(5, 4), ElementsAre(kLatchExit));
  EXPECT_THAT(with(4, 8), ElementsAre(kLatchExit + 4 + 1));
  EXPECT_THAT(meetings(kLoop + stores(1) + "OUT: ret;"), ElementsAre(kLatchExit)) << "an early return";
}

TEST(LoopExits, NoneWhereLanesDoNotPart) {
  const std::string uniform =
      "LOOP: add.u32 %r1, %r1, 3;\nsetp.gt.u32 %p1, %r1, 9;\n@%p1 bra OUT;\n"
      "add.u32 %r2, %r2, %r1;\nsetp.lt.u32 %p2, %r2, 70;\n@%p2 bra LOOP;\n";
  EXPECT_THAT(
      meetings(uniform + stores(4) + "bra.uni MEET;\nOUT: " + stores(4) + "MEET: " + stores(1) + "ret;"),
      IsEmpty());
}

// To ptxas it is one loop, and its lanes meet at its end: in front of the jump that the two back edges have become.
TEST(LoopExits, TwoLoopsWithOneHeaderAreOne) {
  const std::string body = kLoop + stores(4) + "setp.lt.u32 %p3, %r1, %r2;\n@%p3 bra LOOP;\n" + stores(4) +
                           "bra.uni MEET;\nOUT: " + stores(4) + "MEET: " + stores(1) + "ret;";
  EXPECT_EQ(meetings(body, false).size(), 1u);
  EXPECT_EQ(meetings(body).size(), 2u);
}

const std::string kAtom = "atom.global.add.u32 %r4, [%rd2], 1;\n";
const std::string kDiv = "div.rn.f32 %f1, %f2, %f3;\nst.shared.f32 [%rd1], %f1;\n";
/// `n` rounds, of lanes that are together if it is no register that differs.
std::string counted(const std::string& body, const std::string& n) {
  return "mov.u32 %r1, 0;\nLOOP:\n" + body + "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, " + n +
         ";\n@%p1 bra LOOP;\n";
}
constexpr unsigned kHeader = 4;  ///< of counted() behind one line

TEST(YieldsOfLoopsWithCalls, AnAtomicOrAVolatileLoadAndACall) {
  const std::string tid = "mov.u32 %r3, %tid.x;\n";
  EXPECT_THAT(yields(tid + counted(kAtom + kDiv, "%r3") + "ret;"), ElementsAre(kHeader));
  EXPECT_THAT(yields(tid + counted("red.global.add.u32 [%rd2], 1;\n" + kDiv, "%r3") + "ret;"),
              ElementsAre(kHeader));
  EXPECT_THAT(yields(tid + counted("ld.volatile.global.u32 %r4, [%rd2];\n" + kDiv, "%r3") + "ret;"),
              ElementsAre(kHeader));
  EXPECT_THAT(yields(tid + counted("ld.global.u32 %r4, [%rd2];\n" + kDiv, "%r3") + "ret;"), IsEmpty());
  EXPECT_THAT(yields(tid + counted("st.volatile.global.u32 [%rd2], %r4;\n" + kDiv, "%r3") + "ret;"),
              IsEmpty());
  EXPECT_THAT(yields(tid + counted(kAtom, "%r3") + "ret;"), IsEmpty());
  EXPECT_THAT(yields(tid + counted(kDiv, "%r3") + "ret;"), IsEmpty());
  EXPECT_THAT(yields(tid + counted(kAtom + "div.u32 %r5, %r4, %r3;\n", "%r3") + "ret;"), IsEmpty());
  EXPECT_THAT(yields(tid + counted(kAtom + "rem.u64 %rd3, %rd4, %rd5;\n", "%r3") + "ret;"),
              ElementsAre(kHeader));
  EXPECT_THAT(yields(tid + counted(kAtom + "sqrt.rn.f64 %fd1, %fd2;\n", "%r3") + "ret;"),
              ElementsAre(kHeader));
  EXPECT_THAT(yields(tid + counted(kAtom + kDiv, "%r3") + "ret;", Yields::kNeeded), IsEmpty());
}

TEST(YieldsOfLoopsWithCalls, OnlyWhereLanesAreApart) {
  const std::string parts = "mov.u32 %r3, %tid.x;\nsetp.lt.u32 %p2, %r3, 5;\n";
  EXPECT_THAT(yields(parts + counted(kAtom + kDiv, "16") + "ret;"), IsEmpty());
  EXPECT_THAT(yields(parts + "@%p2 bra OTHER;\n" + counted(kAtom + kDiv, "16") +
                     "bra.uni MEET;\nOTHER: " + stores(4) + "MEET: " + stores(1) + "ret;"),
              ElementsAre(kHeader + 2));
  EXPECT_THAT(
      yields(parts + "@%p2 bra MEET;\n" + stores(2) + "MEET:\n" + counted(kAtom + kDiv, "16") + "ret;"),
      IsEmpty())
      << "they have met";
  EXPECT_THAT(yields(parts + "@%p2 exit;\n" + counted(kAtom + kDiv, "16") + "ret;"), IsEmpty())
      << "the others have ended";
}

TEST(YieldsOfLoopsWithCalls, AnInnerLoopCountsByItself) {
  const std::string inner =
      "mov.u32 %r6, 0;\nIN:\n" + kAtom + "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, %r3;\n@%p3 bra IN;\n";
  EXPECT_THAT(yields("mov.u32 %r3, %tid.x;\n" + counted(kDiv + inner, "%r3") + "ret;"), IsEmpty());
}

}  // namespace
}  // namespace heddle::compiler::loop_exits_test
