// The exploration: loops that can end are never reported as hangs, whatever condition ends them; those that
// cannot end are.
#include <gtest/gtest.h>

#include "isa/convergence.h"
#include "unit/hang/support.h"

namespace heddle::hang::exploration_test {
namespace {

using testing::FakeMemory;
using testing::Scene;

constexpr std::uint64_t kFlag = FakeMemory::kData;

const std::string kSpin = R"(SPIN: ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p1, %r3, 0;
@%p1 bra SPIN;
exit;
)";

TEST(HangExploration, SpinOnAFlagThatNobodySets) {
  Scene scene(kSpin);
  scene.run(0, LaneMask::all(), 1);
  EXPECT_TRUE(scene.hangs());
}

TEST(HangExploration, SpinOnAFlagThatIsSet) {
  Scene scene(kSpin);
  scene.run(0, LaneMask::all(), 1);
  scene.memory.now[kFlag] = 1;
  EXPECT_FALSE(scene.hangs());
}

// A load may have returned any value of the window.
TEST(HangExploration, SpinOnAFlagThatWasSetMeanwhile) {
  Scene scene(kSpin);
  scene.run(0, LaneMask::all(), 1);
  scene.memory.earlier[kFlag] = {1};
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, SpinOnALineThatIsOnItsWayToL1) {
  Scene scene(kSpin);
  scene.run(0, LaneMask::all(), 1);
  scene.memory.fetched = kFlag;
  EXPECT_TRUE(scene.hangs());  // volatile loads bypass L1
  scene.snapshot.through_l1.assign(scene.snapshot.through_l1.size(), true);
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, SpinOnARegisterWhoseLoadIsOnItsWay) {
  Scene scene("SPIN: setp.eq.u32 %p1, %r3, 0;\n@%p1 bra SPIN;\nexit;\n");
  scene.run(0, LaneMask::all(), 1);
  EXPECT_TRUE(scene.hangs());
  const auto& names = scene.snapshot.kernel->register_names;
  for (isa::RegId r = 0; r < names.size(); ++r)
    if (names[r] == "%r3") scene.snapshot.warps[0].unknown.push_back({r, LaneMask(2)});
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, AnotherWarpWillSetTheFlag) {
  Scene scene(kSpin + R"(LATER: st.volatile.global.u32 [%rd1], 1;
DONE: bra DONE;
)",
              2);
  scene.run(0, LaneMask::all(), 1);
  EXPECT_TRUE(scene.hangs());
  scene.run(1, LaneMask::all(), 5);
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, HeldLanesCountOnlyIfSomebodyComesForThem) {
  const std::string body = kSpin + R"(HELD: st.volatile.global.u32 [%rd1], 1;
exit;
)";
  Scene scene(body);
  scene.run(0, LaneMask(0xffff'fffe), 1);
  scene.hold(0, LaneMask(1), 5, 4);  // until the spinning lanes have left the loop
  EXPECT_TRUE(scene.hangs());
  Scene let_go(body);
  let_go.run(0, LaneMask(0xffff'fffe), 1);
  let_go.hold(0, LaneMask(1), 5, 2);  // they pass that PC
  EXPECT_FALSE(let_go.hangs());
}

// A mechanism that runs the least PC: a lane that waits runs once no other is in front of it.
TEST(HangExploration, HeldLanesMayWaitForOthersToBeBehindThem) {
  const std::string spins_in_front = kSpin + R"(HELD: st.volatile.global.u32 [%rd1], 1;
exit;
)";
  Scene in_front(spins_in_front);
  in_front.run(0, LaneMask(0xffff'fffe), 1);
  in_front.hold(0, LaneMask(1), 5, 5);
  in_front.snapshot.warps[0].held[0].until_behind = true;
  EXPECT_TRUE(in_front.hangs());

  const std::string jumps_over = R"(SPIN: ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p1, %r3, 0;
@%p1 bra PAST;
HELD: st.volatile.global.u32 [%rd1], 1;
exit;
PAST: bra SPIN;
)";
  Scene past(jumps_over);
  past.run(0, LaneMask(0xffff'fffe), 1);
  past.hold(0, LaneMask(1), 4, 4);
  EXPECT_TRUE(past.hangs());  // they never come to the PC itself
  past.snapshot.warps[0].held[0].until_behind = true;
  EXPECT_FALSE(past.hangs());
}

// Lanes that are released may release further ones at the same time: those that wait for a return.
TEST(HangExploration, HeldLanesLetEachOtherGo) {
  Scene scene(kSpin + R"(HELD: bra SPIN;
LAST: exit;
)");
  scene.run(0, LaneMask(4), 1);
  scene.hold(0, LaneMask(1), 5, 2);
  scene.hold(0, LaneMask(2), 6, 5);
  scene.snapshot.warps[0].held[1].until.push_back(kNoPc);
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, BarriersOpenWhenEnoughThreadsMayArrive) {
  const std::string body = R"(LOOP: ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p1, %r3, 0;
@%p1 bra LOOP;
bar.sync 0;
exit;
)";
  Scene scene(body, 2);
  scene.run(0, LaneMask::all(), 1);
  scene.wait_at_barrier(1, LaneMask::all(), 5);
  EXPECT_TRUE(scene.hangs());
  scene.memory.now[kFlag] = 1;
  EXPECT_FALSE(scene.hangs());
}

// A lane that was observed before a barrier that has opened since is not held by that barrier.
TEST(HangExploration, LanesThatHavePassedABarrierAreNotStoppedByIt) {
  const std::string body = "bar.sync 0;\nexit;\nLOOP: bra LOOP;\n";
  Scene scene(body, 2);
  scene.run(0, LaneMask::all(), 1);
  scene.run(1, LaneMask::all(), 3);
  EXPECT_TRUE(scene.hangs());
  scene.snapshot.warps[0].passed = true;
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, CountersGoRoundTheirWholeRange) {
  // The loop tests the count for equality, which it reaches eventually.
  Scene ends("LOOP: add.u32 %r1, %r1, 3;\nsetp.ne.u32 %p1, %r1, 100;\n@%p1 bra LOOP;\nexit;\n");
  ends.run(0, LaneMask::all(), 1);
  EXPECT_FALSE(ends.hangs());
  // Two registers that are swapped never become equal: states are kept apart.
  Scene never(R"(LOOP: mov.u32 %r3, %r1;
mov.u32 %r1, %r2;
mov.u32 %r2, %r3;
setp.ne.u32 %p1, %r1, %r2;
@%p1 bra LOOP;
exit;
)");
  never.set(0, "%r1", 1);
  never.set(0, "%r2", 2);
  never.run(0, LaneMask::all(), 1);
  EXPECT_TRUE(never.hangs());
}

TEST(HangExploration, WhatIsNotFollowedIsNoHang) {
  // An address that depends on a clock.
  Scene scene(
      "LOOP: mov.u32 %r1, %clock;\nst.global.u32 [%rd1], %r1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, "
      "%rd1, "
      "%rd2;\nst.global.u32 [%rd3], %r1;\nbra LOOP;\n");
  scene.run(0, LaneMask::all(), 1);
  EXPECT_FALSE(scene.hangs());
}

// Hanoi's profile P without checks sends lanes that have met to where the BSSY says, not behind their BSYNC.
TEST(HangExploration, ABssyThatPointsBackwardsMakesALoop) {
  for (const bool misroutes : {false, true}) {
    Scene scene("LOOP: add.u32 %r1, %r1, 3;\npmevent 0;\npmevent 0;\nexit;\n");
    scene.put(2, isa::bssy(0, scene.pc_of(1)));
    scene.put(3, isa::bsync(0));
    scene.snapshot.may_misroute = misroutes;
    scene.run(0, LaneMask::all(), 1);
    EXPECT_EQ(scene.hangs(), misroutes);
  }
}

// A lane that its guard keeps from waiting goes on behind the BSYNC.
TEST(HangExploration, LanesThatDoNotMeetAreNotMisrouted) {
  Scene scene("LOOP: setp.eq.u32 %p1, %r1, 0;\npmevent 0;\npmevent 0;\nexit;\n");
  scene.put(2, isa::bssy(0, scene.pc_of(1)));
  isa::Instruction sync = isa::bsync(0);
  sync.guard = scene.snapshot.kernel->code[scene.pc_of(1).value()].dst[0];
  sync.guard.negated = true;
  scene.put(3, sync);
  scene.snapshot.may_misroute = true;
  scene.run(0, LaneMask::all(), 1);
  EXPECT_FALSE(scene.hangs());
}

TEST(HangExploration, AccessesThatFaultEndTheKernel) {
  Scene scene("LOOP: ld.global.u32 %r1, [%rd1+4096];\nbra LOOP;\n");
  scene.run(0, LaneMask::all(), 1);
  EXPECT_FALSE(scene.hangs());
}

}  // namespace
}  // namespace heddle::hang::exploration_test
