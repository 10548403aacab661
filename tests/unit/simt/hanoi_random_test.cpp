// Random programs on Hanoi against threads that run alone: conforming code on P and X, garbage on X, WARPSYNCs,
// and what each completion of the paper is good for.
#include <gtest/gtest.h>

#include <random>

#include "unit/simt/hanoi_walk.h"

namespace heddle::simt::hanoi_walk::hanoi_random_test {
namespace {

TEST(HanoiRandom, ConformingCodeRunsRightAndTheSameInBothProfiles) {
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    const Structured code(seed);
    const Walked p = run(code.program, seed, of(HanoiProfile::kP), seed % 2 == 0 ? 32 : 8);
    const Walked x = run(code.program, seed, of(HanoiProfile::kX), seed % 2 == 0 ? 32 : 8);
    ASSERT_EQ(p.outcome, Outcome::kRight) << seed;
    ASSERT_EQ(x.outcome, Outcome::kRight) << seed;
    ASSERT_EQ(p.issued, x.issued) << seed;
    ASSERT_EQ(x.stall_breaks, 0u) << seed;
  }
}

/// Any code: branches to anywhere, convergence instructions anywhere.
Program garbage(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<std::uint32_t>(10 + random() % 60);
  Program program;
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    constexpr Kind kKinds[] = {Kind::kWork,  Kind::kBranch, Kind::kBranch, Kind::kBssy,
                               Kind::kBsync, Kind::kBssy,   Kind::kBsync,  Kind::kBreak,
                               Kind::kRead,  Kind::kWrite,  Kind::kYield,  Kind::kExit};
    Code code{kKinds[random() % std::size(kKinds)], static_cast<std::uint32_t>(random() % 4), 0};
    code.target = static_cast<std::uint32_t>(random() % (size + 1));
    // Half of the regions end at a BSYNC.
    if (code.kind == Kind::kBssy && random() % 2 == 0)
      for (std::uint32_t i = 0; i < pc; ++i)
        if (program[i].kind == Kind::kBsync) code.target = i + 1, code.barrier = program[i].barrier;
    program.push_back(code);
  }
  program.push_back({Kind::kEnd});
  return program;
}

TEST(HanoiRandom, GarbageRunsRightInX) {
  std::uint64_t breaks = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    HanoiConfig config = of(HanoiProfile::kX);
    if (seed % 3 == 1) config.yield_releases = 1 + seed % 4;
    if (seed % 5 == 0) config.bsync_skip = 3;
    config.yield = static_cast<HanoiYield>(seed % 4);
    config.reconvergence_entries = seed % 7 == 0 ? 2 : 31;
    const Walked x = run(garbage(seed), seed, config, seed % 2 == 0 ? 32 : 4);
    ASSERT_EQ(x.outcome, Outcome::kRight) << seed;
    breaks += x.stall_breaks;
  }
  EXPECT_GT(breaks, 100u);
}

TEST(HanoiRandom, GarbageRunsRightWithBarriersAlone) {
  std::uint64_t breaks = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    const Walked walked = run(garbage(seed), seed, of(HanoiProfile::kBarriers), seed % 2 == 0 ? 32 : 4);
    ASSERT_EQ(walked.outcome, Outcome::kRight) << seed;
    breaks += walked.stall_breaks;
  }
  EXPECT_GT(breaks, 50u);
}

TEST(HanoiRandom, ConformingCodeNeverStallsWithBarriersAlone) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Structured code(seed);
    const Walked walked = run(code.program, seed, of(HanoiProfile::kBarriers), seed % 2 == 0 ? 32 : 8);
    ASSERT_EQ(walked.outcome, Outcome::kRight) << seed;
    ASSERT_EQ(walked.stall_breaks, 0u) << seed;
  }
}

// ---- WARPSYNC: nobody passes it before all that its mask names, and lives, have come

struct Synced {
  int right = 0;
  int wrong = 0;  ///< a lane went astray, passed a WARPSYNC, or waits for ever
  int faults = 0;
};
Synced synced(HanoiConfig config, const Structured::Options& options, int programs, bool same_in_x = false) {
  Synced count;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(programs); ++seed) {
    const Structured code(seed, options);
    const unsigned lanes = seed % 2 == 0 ? 32 : 8;
    const Walked walked = run(code.program, seed, config, lanes);
    (walked.outcome == Outcome::kRight   ? count.right
     : walked.outcome == Outcome::kFault ? count.faults
                                         : count.wrong) += 1;
    if (!same_in_x) continue;
    HanoiConfig x = config;
    x.profile = HanoiProfile::kX;
    EXPECT_EQ(run(code.program, seed, x, lanes).issued, walked.issued) << seed;
  }
  return count;
}

TEST(HanoiWarpsync, StructuredCodeMeetsInBothProfiles) {
  constexpr int kPrograms = 3000;
  HanoiConfig config = of(HanoiProfile::kP);
  config.private_registers = 4;
  const Synced p = synced(config, {.syncs = 5}, kPrograms, true);
  EXPECT_EQ(p.right, kPrograms);
}

// [Hanoi:K5]: where WARPSYNCs are reached in pieces, P goes wrong now and then.
TEST(HanoiWarpsync, ReachedInPiecesNeedsX) {
  constexpr int kPrograms = 3000;
  for (const bool places : {false, true}) {
    HanoiConfig p = of(HanoiProfile::kP);
    p.private_registers = 4;
    p.checks_contract = false;
    const Structured::Options options{.drops = true, .syncs = 5, .places = places};
    const Synced in_p = synced(p, options, kPrograms);
    EXPECT_GT(in_p.wrong, 0) << places;
    HanoiConfig x = of(HanoiProfile::kX);
    x.private_registers = 4;
    const Synced in_x = synced(x, options, kPrograms);
    EXPECT_EQ(in_x.right, kPrograms) << places;
    RecordProperty(places ? "wrong_in_p_several_places" : "wrong_in_p", in_p.wrong);
  }
}

// Lanes that have yielded are waited for there.
TEST(HanoiWarpsync, NobodyPassesItWithBarriersAlone) {
  constexpr int kPrograms = 3000;
  HanoiConfig config = of(HanoiProfile::kBarriers);
  for (const bool places : {false, true})
    EXPECT_EQ(synced(config, {.drops = true, .syncs = 5, .places = places}, kPrograms).right, kPrograms)
        << places;
}

// ---- Ablations

struct Failures {
  int wrong = 0;
  int stuck = 0;
  int faults = 0;
};
Failures failures(const HanoiConfig& config, bool breaks = true) {
  Failures count;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const Structured code(seed, Structured::Options{.breaks = breaks});
    const Outcome outcome = run(code.program, seed, config, 32).outcome;
    count.wrong += outcome == Outcome::kWrong ? 1 : 0;
    count.stuck += outcome == Outcome::kStuck ? 1 : 0;
    count.faults += outcome == Outcome::kFault ? 1 : 0;
  }
  return count;
}

TEST(HanoiAblation, WithoutTheEmptyPopKernelsDeadlock) {
  HanoiConfig config = of(HanoiProfile::kP);
  config.pops_empty = false;
  EXPECT_GT(failures(config).stuck, 0);
}

TEST(HanoiAblation, WithTheTopsWaitingMaskKernelsDeadlock) {
  HanoiConfig config = of(HanoiProfile::kP);
  config.waiting = HanoiWaiting::kTop;
  EXPECT_GT(failures(config).stuck, 0);
}

TEST(HanoiAblation, WithoutBreakPFailsAndXDoesNot) {
  HanoiConfig config = of(HanoiProfile::kP);
  EXPECT_GT(failures(config, false).faults, 0) << "the contract is checked";
  config.checks_contract = false;
  const Failures p = failures(config, false);
  EXPECT_GT(p.wrong + p.stuck, 0);
  const Failures x = failures(of(HanoiProfile::kX), false);
  EXPECT_EQ(x.wrong + x.stuck + x.faults, 0);
}

}  // namespace
}  // namespace heddle::simt::hanoi_walk::hanoi_random_test
