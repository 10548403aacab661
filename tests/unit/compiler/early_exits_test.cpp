// Where lanes that only have to end would wait for those that wait for them.
#include "compiler/early_exits.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/ptx/support.h"

namespace heddle::compiler::early_exits_test {
namespace {

using base::kNoPc;
using base::Pc;

enum class Machine : std::uint8_t { kTurns, kOneSideFirst, kWholeWarps };

/// The reconvergence point of the first branch, with PCs of the standard passes where nothing changes.
struct Points {
  Pc usual;
  Pc now;
};

Points first_branch(const std::string& body, Machine machine, const std::string& functions = {}) {
  isa::Kernel kernel = *ptx::testing::kernel("mov.u32 %r9, %tid.x; setp.eq.u32 %p1, %r9, 5;\n" + body,
                                             ".param .u64 out", functions);
  std::size_t at = 0;
  while (kernel.code[at].op != isa::Opcode::kBranch || !kernel.code[at].guard.present) ++at;
  const Pc usual = kernel.code[at].rpc;
  EarlyExits(machine == Machine::kTurns, machine != Machine::kWholeWarps).run(kernel);
  return {usual, kernel.code[at].rpc};
}

/// PC of the first instruction of this operation.
Pc first(isa::Opcode op, const std::string& body) {
  const auto kernel =
      ptx::testing::kernel("mov.u32 %r9, %tid.x; setp.eq.u32 %p1, %r9, 5;\n" + body, ".param .u64 out", "");
  std::uint32_t at = 0;
  while (kernel->code[at].op != op) ++at;
  return Pc(at);
}

// What -O0 makes of `if (i == 5) return; __syncthreads();`: both ways lead to one `ret`, one of them through a jump.
constexpr const char* kSharedReturn =
    "@!%p1 bra BODY; bra OUT;\n OUT: bra END;\n BODY: bar.sync 0; mov.u32 %r1, 1; bra END;\n END: ret;";

TEST(EarlyExits, NobodyWaitsInFrontOfASharedReturn) {
  EXPECT_EQ(first_branch(kSharedReturn, Machine::kTurns).usual, first(isa::Opcode::kExit, kSharedReturn));
  EXPECT_EQ(first_branch(kSharedReturn, Machine::kTurns).now, kNoPc);
  EXPECT_EQ(first_branch(kSharedReturn, Machine::kOneSideFirst).now,
            first(isa::Opcode::kBarrier, kSharedReturn));
}

TEST(EarlyExits, WhereWarpsArriveAsAWholeLanesMayWait) {
  const Points points = first_branch(kSharedReturn, Machine::kWholeWarps);
  EXPECT_EQ(points.now, points.usual);
  // But a .sync instruction names lanes.
  const std::string votes =
      "@%p1 bra END0;\n vote.sync.ballot.b32 %r1, 1, -1; bra END;\n END0: bra END;\n END: ret;";
  EXPECT_EQ(first_branch(votes, Machine::kWholeWarps).now, first(isa::Opcode::kWarpSync, votes));
}

TEST(EarlyExits, NorInFrontOfWorkThatEnds) {
  const std::string body =
      "@%p1 bra END;\n bar.sync 0;\n END: mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;";
  EXPECT_NE(first_branch(body, Machine::kTurns).usual, kNoPc);
  EXPECT_EQ(first_branch(body, Machine::kTurns).now, kNoPc);
  EXPECT_EQ(first_branch(body, Machine::kOneSideFirst).now, first(isa::Opcode::kBarrier, body));
}

TEST(EarlyExits, ALoopWithABarrierThatLanesLeaveForGood) {
  const std::string body =
      "LAP: add.u32 %r1, %r1, 1; bar.sync 0; setp.eq.u32 %p2, %r1, %r9; @!%p2 bra LAP;\n"
      "st.global.u32 [%rd1], %r1; ret;";
  EXPECT_EQ(first_branch(body, Machine::kOneSideFirst).now, Pc(2)) << "the loop's start";
  EXPECT_EQ(first_branch(body, Machine::kTurns).now, kNoPc);
}

TEST(EarlyExits, BothSidesWaitAndThenEnd) {
  const std::string alike = "@%p1 bra B;\n bar.sync 0; bra END;\n B: bar.sync 0;\n END: ret;";
  EXPECT_EQ(first_branch(alike, Machine::kTurns).now, first_branch(alike, Machine::kTurns).usual);
  const std::string body = "@%p1 bra B;\n bar.sync 0; bar.sync 0; bra END;\n B: bar.sync 0;\n END: ret;";
  EXPECT_NE(first_branch(body, Machine::kOneSideFirst).usual, kNoPc);
  EXPECT_EQ(first_branch(body, Machine::kOneSideFirst).now, kNoPc);
}

TEST(EarlyExits, ABarrierInALoopIsWaitedAtMoreThanOnce) {
  // Loops of one block and of two.
  for (const char* loop :
       {"LAP: add.u32 %r1, %r1, 1; bar.sync 0; setp.eq.u32 %p2, %r1, %r9; @!%p2 bra LAP; bra END;\n",
        "LAP: bar.sync 0; setp.eq.u32 %p2, %r1, %r9; @%p2 bra END; add.u32 %r1, %r1, 1; bra LAP;\n"}) {
    const std::string body = std::string("@%p1 bra B;\n") + loop + "B: bar.sync 0;\n END: ret;";
    EXPECT_NE(first_branch(body, Machine::kTurns).usual, kNoPc) << loop;
    EXPECT_EQ(first_branch(body, Machine::kTurns).now, kNoPc) << loop;
  }
}

/// Code behind which threads must stay together, or may wait for others.
class Kept : public ::testing::TestWithParam<const char*> {};

TEST_P(Kept, AsUsual) {
  const std::string function = ".func waits() { bar.sync 0; ret; }\n.func works(.param .b32 a) { ret; }\n";
  for (const Machine machine : {Machine::kTurns, Machine::kOneSideFirst, Machine::kWholeWarps}) {
    const Points points = first_branch(GetParam(), machine, function);
    EXPECT_EQ(points.now, points.usual);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Branches, Kept,
    ::testing::Values(
        // Nobody waits for anybody.
        "@%p1 bra END;\n mov.u32 %r1, 1;\n END: ret;",
        // The barrier lies before the branch, or behind the point.
        "bar.sync 0; @%p1 bra END;\n mov.u32 %r1, 1;\n END: mov.u32 %r2, 1; ret;",
        "@%p1 bra J;\n mov.u32 %r1, 1;\n J: bar.sync 0; ret;",
        // All threads decide alike.
        "ld.param.u32 %r1, [out]; setp.eq.u32 %p2, %r1, 0; @%p2 bra END;\n bar.sync 0;\n END: mov.u32 %r2, "
        "1; ret;",
        // What follows depends on who is there, or waits itself: for lanes, for other threads' words.
        "@%p1 bra END;\n bar.sync 0;\n END: activemask.b32 %r1; ret;",
        "@%p1 bra END;\n bar.sync 0;\n END: bar.warp.sync -1; ret;",
        "@%p1 bra END;\n bar.sync 0;\n END: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p2, %r1, 0; "
        "@%p2 bra "
        "END;\n ret;",
        "@%p1 bra END;\n bar.sync 0;\n END: call waits; ret;"));

TEST(EarlyExits, BarriersInFunctionsCount) {
  const std::string functions = ".func waits() { bar.sync 0; ret; }\n.func works() { ret; }\n";
  const std::string body = "@%p1 bra OUT;\n call waits; bra END;\n OUT: call works;\n END: ret;";
  EXPECT_NE(first_branch(body, Machine::kTurns, functions).usual, kNoPc);
  EXPECT_EQ(first_branch(body, Machine::kTurns, functions).now, kNoPc);
}

TEST(EarlyExits, AFunctionThatWaitsForWordsIsNotRunToItsEndFirst) {
  const std::string functions =
      ".global .u32 word;\n.func spins() { .reg .u32 %a; .reg .pred %q;\n"
      "W: ld.volatile.global.u32 %a, [word]; setp.eq.u32 %q, %a, 0; @%q bra W; ret; }\n";
  const std::string body = "@%p1 bra SPIN;\n bar.sync 0; bra END;\n SPIN: call spins;\n END: ret;";
  EXPECT_NE(first_branch(body, Machine::kOneSideFirst, functions).usual, kNoPc);
  EXPECT_EQ(first_branch(body, Machine::kOneSideFirst, functions).now, kNoPc);
}

TEST(EarlyExits, AnArmThatWaitsForWordsIsNotRunToItsEndFirst) {
  const std::string body =
      "@%p1 bra SPIN;\n bar.sync 0; bra END;\n"
      "SPIN: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n END: ret;";
  EXPECT_EQ(first_branch(body, Machine::kOneSideFirst).now, kNoPc);
}

}  // namespace
}  // namespace heddle::compiler::early_exits_test
