// Names of hangs that whole kernels show only after a long time, or only in combination with others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "hang/hang_class.h"
#include "isa/convergence.h"
#include "unit/hang/support.h"

namespace heddle::hang::class_test {
namespace {

using testing::FakeMemory;
using testing::Scene;

const std::string kSpinAndSignal = R"(SPIN: ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p1, %r3, 0;
@%p1 bra SPIN;
exit;
SIGNAL: st.volatile.global.u32 [%rd1], 1;
exit;
)";

TEST(HangClass, StarvedLanesThatWouldHelp) {
  Scene scene(kSpinAndSignal, 2);
  scene.run(0, LaneMask::all(), 1);
  scene.run(1, LaneMask::all(), 5, /*starved=*/true);
  ASSERT_TRUE(scene.hangs());
  EXPECT_EQ(scene.classified().kind, HangKind::kStarvation);
}

TEST(HangClass, StarvedLanesThatWouldNot) {
  Scene scene(kSpinAndSignal, 2);
  scene.run(0, LaneMask::all(), 1);
  scene.run(1, LaneMask::all(), 1, /*starved=*/true);
  EXPECT_EQ(scene.classified().kind, HangKind::kNobodyWrites);
}

TEST(HangClass, HeldLanesMakeADifferenceOrNot) {
  Scene helps(kSpinAndSignal);
  helps.run(0, LaneMask(0xffff'fffe), 1);
  helps.hold(0, LaneMask(1), 5, 4);
  EXPECT_EQ(helps.classified().kind, HangKind::kSimtInduced);
  Scene does_not(kSpinAndSignal);
  does_not.run(0, LaneMask(0xffff'fffe), 1);
  does_not.hold(0, LaneMask(1), 4, 4);
  EXPECT_EQ(does_not.classified().kind, HangKind::kNobodyWrites);
}

// Where the program says who meets and who has a turn, it can be told what it lacks.
TEST(HangClass, OnHanoiTheRemedyIsInTheProgram) {
  using ::testing::HasSubstr;
  const std::string spin = "pmevent 0;\n" + kSpinAndSignal;
  const auto scene_of = [&](const char* hint) {
    auto scene = std::make_unique<Scene>(spin);
    scene->snapshot.serves_convergence = true;
    scene->run(0, LaneMask(0xffff'fffe), 2);
    scene->hold(0, LaneMask(1), 6, 5);
    scene->snapshot.warps[0].held[0].hint = hint;
    return scene;
  };
  EXPECT_THAT(
      scene_of(nullptr)->classified().remedy,
      ::testing::AllOf(HasSubstr("no BSSY, BSYNC or YIELD"), HasSubstr("core.convergence.placement=auto")));
  const auto placed = scene_of(nullptr);
  placed->put(1, isa::bsync(0));
  EXPECT_THAT(placed->classified().remedy, HasSubstr("Write YIELD into the loop"));
  placed->put(1, isa::yield());
  EXPECT_THAT(placed->classified().remedy, HasSubstr("Let the loop's region end behind"));
  const auto hinted = scene_of("set this.key=1");
  hinted->put(1, isa::bsync(0));
  EXPECT_THAT(hinted->classified().remedy, HasSubstr("Or set this.key=1"));
  const auto stack = scene_of(nullptr);
  stack->snapshot.serves_convergence = false;
  EXPECT_THAT(stack->classified().remedy, HasSubstr("SIMT-safe form"));
}

TEST(HangClass, LanesThatOnlyWaitAtConvergenceBarriersAreNoBarrierMismatch) {
  Scene scene(kSpinAndSignal);
  scene.hold(0, LaneMask::all(), 4, 1);
  EXPECT_EQ(scene.classified().kind, HangKind::kBarrierMismatch) << "as any other mechanism";
  scene.snapshot.serves_convergence = true;
  EXPECT_EQ(scene.classified().kind, HangKind::kConvergence);
  scene.snapshot.warps[0].held[0].hint = "set this.key=1";
  EXPECT_EQ(scene.classified().remedy, "set this.key=1");
  Scene barrier(kSpinAndSignal, 2);
  barrier.snapshot.serves_convergence = true;
  barrier.wait_at_barrier(0, LaneMask::all(), 1);
  EXPECT_EQ(barrier.classified().kind, HangKind::kBarrierMismatch);
}

TEST(HangClass, LockOrderNeedsARing) {
  const std::string body = R"(SPIN: ld.volatile.global.u32 %r3, [%rd1];
setp.ne.u32 %p1, %r3, 0;
@%p1 bra SPIN;
exit;
)";
  const auto word = [](std::uint64_t offset) {
    return Word{Word::Space::kDevice, 0, FakeMemory::kData + offset};
  };
  Scene scene(body, 2);
  scene.memory.now = {{word(0).address, 1}, {word(64).address, 1}};
  scene.run(0, LaneMask(1), 1);
  scene.run(1, LaneMask(1), 1);
  scene.set(1, "%rd1", word(64).address);
  scene.snapshot.holder = [&](const Word& of) -> Holder {
    return {true, of == word(0) ? std::uint64_t{1} : std::uint64_t{0}, 0};
  };
  const HangReport ring = scene.classified();
  EXPECT_EQ(ring.kind, HangKind::kLockOrder);
  ASSERT_EQ(ring.details.size(), 2u);
  EXPECT_EQ(
      ring.details[0],
      "thread (0,0,0) of CTA (0,0,0) waits for data + 0, which thread (32,0,0) of CTA (0,0,0) has taken");
  // The holder has ended.
  scene.snapshot.holder = [](const Word&) { return Holder{true, 7, 0}; };
  EXPECT_EQ(scene.classified().kind, HangKind::kNobodyWrites);
}

}  // namespace
}  // namespace heddle::hang::class_test
