// What a proof and a name cost: lanes that do the same are explored once, those that do not each, and a hang is named after as
// many CTAs as that takes.
#include <gtest/gtest.h>

#include "unit/hang/support.h"

namespace heddle::hang::size_test {
namespace {

using testing::FakeMemory;
using testing::Scene;

constexpr std::uint64_t kFlag = FakeMemory::kData;
constexpr unsigned kWarps = 720;  ///< of a full GTX 480
constexpr unsigned kCtas = 90;

/// What follows the loop is different for each lane.
const std::string kSpin = R"(SPIN: ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p1, %r3, 0;
@%p1 bra SPIN;
mov.u32 %r5, %tid.x;
st.volatile.global.u32 [%rd2], %r5;
st.volatile.global.u32 [%rd1+4], %r4;
exit;
)";

/// All warps spin, each with values of its own in registers that only what follows the loop reads.
Scene spinning(unsigned warps, unsigned ctas, const std::string& body = kSpin) {
  Scene scene(body, warps);
  scene.spread(ctas);
  for (unsigned w = 0; w < warps; ++w) {
    scene.run(w, LaneMask::all(), 1);
    scene.set(w, "%r4", w);
    scene.set(w, "%rd2", FakeMemory::kData + 64 + 4 * w);
  }
  return scene;
}

WhatIf of_a_watchdog() {
  WhatIf question;
  question.stop_at_first = true;
  question.try_harder = true;
  return question;
}

/// Instructions that the proof explores.
std::uint64_t steps_of(Scene scene) {
  EXPECT_TRUE(scene.hangs());
  HangProof proof(scene.snapshot);
  EXPECT_TRUE(proof.explore(of_a_watchdog()).nobody_leaves());
  return proof.steps();
}

TEST(HangSize, AProofDoesNotGrowWithLanesThatDoTheSame) {
  const std::uint64_t few = steps_of(spinning(1, 1));
  EXPECT_EQ(steps_of(spinning(kWarps, kCtas)), few);
  EXPECT_LT(few, 100u);
}

// Each has counted to a number of its own, which decides nothing within the loop.
TEST(HangSize, AProofDoesNotGrowWithCounters) {
  const std::string counting = "SPIN: add.u32 %r4, %r4, 3;\n" + kSpin.substr(kSpin.find("ld."));
  EXPECT_EQ(steps_of(spinning(kWarps, kCtas, counting)), steps_of(spinning(1, 1, counting)));
}

// Of a lock, too, whose word the lanes write.
TEST(HangSize, AProofDoesNotGrowWithLanesThatWriteTheSame) {
  const std::string lock = R"(TRY: atom.global.cas.b32 %r3, [%rd1], 1, 1;
atom.global.exch.b32 %r6, [%rd1+8], 5;
setp.ne.u32 %p1, %r3, 0;
@%p1 bra TRY;
exit;
)";
  const auto scene = [&](unsigned warps, unsigned ctas) {
    Scene made = spinning(warps, ctas, lock);
    made.memory.now[kFlag] = 1;
    return made;
  };
  const std::uint64_t few = steps_of(scene(1, 1));
  EXPECT_LE(steps_of(scene(kWarps, kCtas)), few);
}

TEST(HangSize, ANameDoesNotGrowWithCtasThatDoTheSame) {
  const auto steps = [](unsigned warps, unsigned ctas) {
    const HangReport report = spinning(warps, ctas).classified();
    EXPECT_EQ(report.kind, HangKind::kNobodyWrites);
    return report.steps;
  };
  // With one kind of CTA it is looked at for 1, 4, 16, 64 and all CTAs.
  const std::uint64_t few = steps(1, 1);
  EXPECT_LE(steps(kWarps, kCtas), 5 * few);
}

// Each CTA has a word of its own, which a lane would set that is held back: one of them says what kind of hang it is.
TEST(HangSize, ANameOfManyWordsIsThatOfAFewCtas) {
  const auto report = [](unsigned ctas) {
    Scene scene(kSpin + "SIGNAL: st.volatile.global.u32 [%rd1], 1;\nexit;\n", ctas);
    scene.spread(ctas);
    for (unsigned w = 0; w < ctas; ++w) {
      scene.run(w, LaneMask(0xffff'fffe), 1);
      scene.hold(w, LaneMask(1), 8, 7);
      scene.set(w, "%rd1", FakeMemory::kData + 8 * w);
      scene.set(w, "%rd2", FakeMemory::kData + 2048 + 4 * w);
    }
    return scene.classified();
  };
  const HangReport one = report(1);
  const HangReport many = report(200);
  EXPECT_EQ(one.kind, HangKind::kSimtInduced);
  EXPECT_EQ(many.kind, HangKind::kSimtInduced);
  EXPECT_EQ(many.steps, one.steps);
}

// ---- Lanes that differ are not taken for each other.

TEST(HangSize, OneLaneWithAWordOfItsOwn) {
  Scene scene = spinning(kWarps, kCtas);
  scene.memory.now[kFlag + 32] = 1;
  EXPECT_TRUE(scene.hangs());
  scene.set(500, "%rd1", kFlag + 32);
  EXPECT_FALSE(scene.hangs());
}

TEST(HangSize, OneLaneWithANumberOfItsOwn) {
  Scene scene =
      spinning(64, 8, "SPIN: mov.u32 %r5, %tid.x;\nsetp.ne.u32 %p1, %r5, 2000;\n@%p1 bra SPIN;\nexit;\n");
  EXPECT_FALSE(scene.hangs());
  Scene none =
      spinning(64, 8, "SPIN: mov.u32 %r5, %tid.x;\nsetp.ne.u32 %p1, %r5, 3000;\n@%p1 bra SPIN;\nexit;\n");
  EXPECT_TRUE(none.hangs());
}

TEST(HangSize, OneCoreWithAValueInL1) {
  Scene scene = spinning(kWarps, kCtas);
  scene.memory.in_l1[{77, kFlag}] = 1;
  EXPECT_TRUE(scene.hangs());  // volatile loads do not look there
  scene.snapshot.through_l1.assign(scene.snapshot.through_l1.size(), true);
  EXPECT_FALSE(scene.hangs());
}

TEST(HangSize, OneRegisterOnItsWay) {
  Scene scene = spinning(kWarps, kCtas, "SPIN: setp.eq.u32 %p1, %r3, 0;\n@%p1 bra SPIN;\nexit;\n");
  EXPECT_TRUE(scene.hangs());
  const auto& names = scene.snapshot.kernel->register_names;
  for (isa::RegId r = 0; r < names.size(); ++r)
    if (names[r] == "%r3") scene.snapshot.warps[kWarps - 1].unknown.push_back({r, LaneMask(2)});
  EXPECT_FALSE(scene.hangs());
}

// The lanes of a CTA that has lost a warp come to a barrier that waits for it; those of the others pass.
TEST(HangSize, OneCtaWhoseBarrierOpens) {
  const std::string body = "SPIN: bar.sync 0;\n@%p1 bra SPIN;\nexit;\n";
  Scene stuck(body, 16);
  stuck.spread(8);
  for (unsigned w = 0; w < 16; w += 2) stuck.run(w, LaneMask::all(), 1);
  // One warp of each CTA is at another barrier.
  for (unsigned w = 1; w < 16; w += 2) {
    stuck.snapshot.warps[w].waiting.push_back({LaneMask::all(), stuck.pc_of(2), 5, false});
    stuck.snapshot.ctas[w / 2].arrived[5] = kLanes;
  }
  EXPECT_TRUE(stuck.hangs());
  // In one CTA it comes to this one.
  stuck.snapshot.warps[13].waiting.clear();
  stuck.snapshot.ctas[6].arrived[5] = 0;
  stuck.run(13, LaneMask::all(), 1);
  EXPECT_FALSE(stuck.hangs());
}

// A later round finds more in memory than an earlier one.
TEST(HangSize, ALaneThatLooksAgain) {
  Scene scene(kSpin + "SIGNAL: st.volatile.global.u32 [%rd1], 1;\nDONE: bra DONE;\n", kWarps);
  scene.spread(kCtas);
  for (unsigned w = 0; w < kWarps; ++w) scene.run(w, LaneMask::all(), w == kWarps - 1 ? 8 : 1);
  EXPECT_FALSE(scene.hangs());
}

// ---- Limits

TEST(HangSize, AnExplorationThatIsCutShortProvesNothing) {
  Scene scene(kSpin, 64);
  for (unsigned w = 0; w < 64; ++w) {
    scene.run(w, LaneMask::all(), 1);
    scene.set(w, "%rd1", kFlag + 4 * w);
  }
  ASSERT_TRUE(scene.hangs());
  HangProof proof(scene.snapshot);
  WhatIf question = of_a_watchdog();
  question.most_steps = 100;
  const Exploration explored = proof.explore(question);
  EXPECT_TRUE(explored.cut);
  EXPECT_FALSE(explored.nobody_leaves());
  EXPECT_LT(proof.steps(), 200u);
}

// Where paths meet, the values of all registers are compared. Kernels of thousands of instructions from PTX have thousands.
TEST(HangSize, ManyRegistersCountAtJoins) {
  std::string wide = kSpin + ".reg .u32 %w<2560>;\n";
  for (unsigned r = 0; r < 2560; ++r) wide += "mov.u32 %w" + std::to_string(r) + ", 1;\n";
  EXPECT_GT(steps_of(spinning(1, 1, wide + "exit;\n")), steps_of(spinning(1, 1)) + 20);
}

TEST(HangSize, ANameThatWouldTakeTooLongSaysSo) {
  // Each lane counts far in a loop of its own.
  const std::string body = R"(SPIN: mov.u32 %r5, %tid.x;
mov.u32 %r6, 0;
COUNT: add.u32 %r6, %r6, 1;
rem.u32 %r7, %r6, 37;
rem.u32 %r8, %r6, 41;
add.u32 %r9, %r7, %r5;
setp.lt.u32 %p2, %r6, 60;
@%p2 bra COUNT;
ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p1, %r3, 0;
@%p1 bra SPIN;
exit;
)";
  Scene scene = spinning(kWarps, kCtas, body);
  const HangReport report = scene.classified(20'000);
  EXPECT_LE(report.steps, 20'000u);
  ASSERT_FALSE(report.details.empty());
  EXPECT_NE(report.details.back().find("of 90 CTAs"), std::string::npos) << report.details.back();
}

}  // namespace
}  // namespace heddle::hang::size_test
