// Parts of the quantum unit and the sequencer, each by itself: turns in serial mode, digests of quanta, what must hold, CTA slots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "determinism/gpu_cta_slots.h"
#include "determinism/quantum_digests.h"
#include "determinism/quantum_watch.h"
#include "determinism/serial_turns.h"

namespace heddle::determinism::quantum_parts_test {
namespace {

using base::LaneMask;
using base::WarpId;
using ::testing::HasSubstr;

// ---- Turns

TEST(SerialTurns, ComeInOrderOneAfterTheOther) {
  SerialTurns turns;
  turns.begin({WarpId{3}, WarpId{1}});
  EXPECT_FALSE(turns.open());
  EXPECT_EQ(turns.last(), std::nullopt);
  EXPECT_EQ(turns.next(), WarpId{3});
  EXPECT_TRUE(turns.open());
  EXPECT_TRUE(turns.is_of(WarpId{3}));
  EXPECT_FALSE(turns.is_of(WarpId{1}));
  turns.used(false);
  EXPECT_FALSE(turns.is_of(WarpId{3}));
  EXPECT_EQ(turns.waits_for(), std::nullopt);
  EXPECT_EQ(turns.next(), WarpId{1});
  turns.used(true);
  EXPECT_EQ(turns.waits_for(), WarpId{1});
  EXPECT_EQ(turns.next(), std::nullopt);
  EXPECT_FALSE(turns.open());
  turns.begin({});
  EXPECT_EQ(turns.waits_for(), std::nullopt);
  EXPECT_EQ(turns.next(), std::nullopt);
}

// ---- Digests

/// Groups whose states are numbers.
struct Groups final : core::GroupView {
  void groups(WarpId /*warp*/, std::vector<core::GroupState>& of) const override { of.clear(); }
  [[nodiscard]] bool releases_pending(WarpId /*warp*/) const override { return false; }
  [[nodiscard]] std::uint64_t digest(WarpId warp) const override { return states[warp.value()]; }
  std::vector<std::uint64_t> states{11, 12};
};
QuantumDigests::End at_end(EndReason reason) {
  return {.runs = true,
          .reason = reason,
          .count = 5,
          .live = LaneMask::first_lanes(4),
          .kept = {},
          .turn = base::GroupId{1}};
}
struct Digests {
  Groups groups;
  QuantumDigests of{groups, 2};
  isa::Instruction add;
  void issue(std::uint32_t pc, LaneMask exec) {
    core::IssueTapRequest request;
    request.instruction = &add;
    request.pc = base::Pc{pc};
    request.warp = WarpId{1};
    request.exec = exec;
    of.issued(request);
  }
};

TEST(QuantumDigests, SeeStatesAndTheInstructionsOnTheWay) {
  Digests a, b;
  const std::vector ends{at_end(EndReason::kCount), at_end(EndReason::kBarrier)};
  EXPECT_EQ(a.of.states(ends), b.of.states(ends));
  EXPECT_EQ(a.of.paths(ends), b.of.paths(ends));
  a.issue(1, LaneMask(3));
  EXPECT_EQ(a.of.states(ends), b.of.states(ends)) << "it has written nothing";
  EXPECT_NE(a.of.paths(ends), b.of.paths(ends));
  b.issue(1, LaneMask(2));
  EXPECT_NE(a.of.paths(ends), b.of.paths(ends)) << "of other lanes";
  a.of.begin();
  b.of.begin();
  EXPECT_EQ(a.of.paths(ends), b.of.paths(ends));
  b.groups.states[1] = 13;
  EXPECT_NE(a.of.states(ends), b.of.states(ends));
  EXPECT_NE(a.of.paths(ends), b.of.paths(ends));
}

TEST(QuantumDigests, LeaveOutWhatTheTimeOfFencesDecides) {
  Digests a, b;
  const std::vector ends{at_end(EndReason::kCount), at_end(EndReason::kFence)};
  b.groups.states[1] = 13;
  EXPECT_NE(a.of.states(ends), b.of.states(ends));
  EXPECT_EQ(a.of.paths(ends), b.of.paths(ends));
}

TEST(QuantumDigests, DoNotSeeWhoDoesNotRun) {
  Digests a, b;
  std::vector ends{at_end(EndReason::kCount), at_end(EndReason::kExit)};
  ends[1].runs = false;
  b.groups.states[1] = 13;
  EXPECT_EQ(a.of.states(ends), b.of.states(ends));
  EXPECT_EQ(a.of.paths(ends), b.of.paths(ends));
}

// ---- What must hold

struct Watch {
  sim::ClockManager clocks{"clocks"};
  sim::FaultLatch faults{clocks};
  Preconditions preconditions{true, faults};
  QuantumWatch of{preconditions, base::CoreId{2}};
  /// What ends the run.
  std::string named() {
    try {
      faults.rethrow();
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST(QuantumWatch, NamesWhoIsNotDrained) {
  Watch watch;
  watch.of.check_drained(WarpId{3}, true);
  EXPECT_EQ(watch.named(), "");
  watch.of.check_drained(WarpId{3}, false);
  EXPECT_THAT(watch.named(),
              HasSubstr("core 2, warp slot 3: rule [GPUDet:D3] of deterministic execution does not hold"));
}

TEST(QuantumWatch, NamesAnEndThatDoesNotHold) {
  Watch watch;
  watch.of.check_end(WarpId{3}, EndReason::kCount, 7, true);
  EXPECT_EQ(watch.named(), "");
  watch.of.check_end(WarpId{3}, EndReason::kCount, 7, false);
  EXPECT_THAT(
      watch.named(),
      HasSubstr("rule [GPUDet:D12] of deterministic execution does not hold: its parallel mode ends after "
                "7 instructions by 'count', which does not hold"));
}

TEST(QuantumWatch, LooksAtNothingUnlessTheRulesAreWatched) {
  Watch watch;
  Preconditions nobody{false, watch.faults};
  QuantumWatch of{nobody, base::CoreId{2}};
  of.check_drained(WarpId{3}, false);
  of.check_end(WarpId{3}, EndReason::kCount, 7, false);
  EXPECT_EQ(watch.named(), "");
}

// ---- CTA slots

/// Two cores with two slots each; ordinals are 0: core 0 slot 0, 1: core 1 slot 0, 2: core 0 slot 1, 3: core 1 slot 1.
struct Slots {
  GpuCtaSlots of;
  std::vector<std::uint32_t> room{2, 2};
  explicit Slots(std::uint64_t ctas) {
    of.begin_launch(ctas, 2);
    of.make({}, 2);
  }
  /// "core.slot=cta" of those that start.
  std::string start(bool parallel) {
    std::string text;
    while (const auto choice = of.start(room, parallel)) {
      text += (text.empty() ? "" : " ") + std::to_string(choice->core) + '.' +
              std::to_string(choice->slot->value()) + '=' + std::to_string(choice->cta);
      --room[choice->core];
    }
    return text;
  }
  void exit(std::uint32_t core, std::uint32_t slot) {
    of.exited({core, slot});
    ++room[core];
  }
  std::string refill(bool below_quota) {
    std::string text;
    of.refill({.below_quota = [below_quota](const SlotDealer::Place&) { return below_quota; },
               .refilled =
                   [&text](const SlotDealer::Place& at, std::uint64_t cta, bool in_share) {
                     EXPECT_TRUE(in_share);
                     text +=
                         std::to_string(at.core) + '.' + std::to_string(at.slot) + '=' + std::to_string(cta);
                   }});
    return text;
  }
};

TEST(GpuCtaSlots, AParallelModeIsOverWhenAllOfThemHaveEnded) {
  Slots slots(3);
  EXPECT_TRUE(slots.of.some_start());
  EXPECT_EQ(slots.start(false), "0.0=0 1.0=1 0.1=2");
  EXPECT_FALSE(slots.of.some_start());
  slots.of.begin_parallel();
  EXPECT_TRUE(slots.of.advanced());
  EXPECT_FALSE(slots.of.advanced());
  slots.of.ended({0, 0});
  slots.of.ended({0, 0});
  slots.of.ended({1, 0});
  EXPECT_FALSE(slots.of.parallel_over());
  slots.exit(0, 1);
  EXPECT_EQ(slots.refill(true), "") << "nothing is left";
  EXPECT_TRUE(slots.of.parallel_over());
  EXPECT_TRUE(slots.of.end_quantum());
  for (std::uint32_t core : {0u, 1u}) slots.exit(core, 0);
  slots.of.begin_parallel();
  EXPECT_EQ(slots.refill(true), "");
  EXPECT_FALSE(slots.of.end_quantum());
}

TEST(GpuCtaSlots, AreRefilledWithinAQuantumFromTheirOwnShares) {
  Slots slots(12);
  EXPECT_EQ(slots.start(false), "0.0=0 1.0=1 0.1=2 1.1=3");
  slots.of.begin_parallel();
  slots.exit(1, 0);
  EXPECT_EQ(slots.refill(false), "") << "its quota is used up";
  slots.exit(0, 1);
  EXPECT_EQ(slots.refill(true), "0.1=6") << "slot 2 of four: CTAs 2, 6, 10";
  for (std::uint32_t core : {0u, 1u}) slots.of.ended({core, core});
  slots.of.ended({0, 0});
  EXPECT_FALSE(slots.of.parallel_over()) << "one is about to start";
  EXPECT_EQ(slots.start(true), "0.1=6");
  EXPECT_FALSE(slots.of.parallel_over());
  slots.of.ended({0, 1});
  EXPECT_TRUE(slots.of.parallel_over());
  EXPECT_TRUE(slots.of.end_quantum());
  slots.of.distribute();
  EXPECT_EQ(slots.start(false), "1.0=4") << "the first that is left";
}

}  // namespace
}  // namespace heddle::determinism::quantum_parts_test
