// Parts of the quantum unit, each by itself: turns in serial mode, digests of quanta, what must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "determinism/quantum_digests.h"
#include "determinism/quantum_watch.h"
#include "determinism/serial_turns.h"

namespace heddle::determinism::quantum_parts_test {
namespace {

using ::testing::HasSubstr;
using base::LaneMask;
using base::WarpId;

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
  return {.runs = true, .reason = reason, .count = 5, .live = LaneMask::first_lanes(4), .kept = {}, .turn = base::GroupId{1}};
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
  EXPECT_THAT(watch.named(), HasSubstr("core 2, warp slot 3: rule [GPUDet:D3] of deterministic execution does not hold"));
}

TEST(QuantumWatch, NamesAnEndThatDoesNotHold) {
  Watch watch;
  watch.of.check_end(WarpId{3}, EndReason::kCount, 7, true);
  EXPECT_EQ(watch.named(), "");
  watch.of.check_end(WarpId{3}, EndReason::kCount, 7, false);
  EXPECT_THAT(watch.named(), HasSubstr("rule [GPUDet:D12] of deterministic execution does not hold: its parallel mode ends after "
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

}  // namespace
}  // namespace heddle::determinism::quantum_parts_test
