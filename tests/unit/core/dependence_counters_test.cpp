// Dependence counters: what each field of the control codes does to issue.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "unit/core/coded_warp.h"

namespace heddle::core::dependence_counters_test {
namespace {

using Machine = CodedWarp;
using Codes = isa::ControlCodes;
using Op = ScoreboardRequest::Op;

// ---- Stall count and yield flag

TEST(DependenceCounters, TheStallCountHoldsTheWholeWarp) {
  for (const std::uint8_t stall : {0, 1, 2, 4, 13, 15}) {
    Machine machine;
    const auto& next = machine.word({}, {}, {.stall = 1});
    machine.issue(machine.word({}, {1}, {.stall = stall}), 100);
    EXPECT_EQ(machine.first(next, 101), 100u + std::max<unsigned>(stall, 1)) << unsigned{stall};
  }
}

TEST(DependenceCounters, AStallSaysWhenToAskAgain) {
  Machine machine;
  const auto& next = machine.word({}, {}, {.stall = 1});
  machine.issue(machine.word({}, {}, {.stall = 6}), 10);
  const ScoreboardRequest early = machine.check(next, 11);
  EXPECT_EQ(early.hazard, Hazard::kStallCount);
  EXPECT_EQ(early.due, 16u);
}

TEST(DependenceCounters, OneThatYieldsLeavesTheNextCycleToOthers) {
  for (const auto& [stall, from] : {std::pair{1, 12u}, {2, 12u}, {5, 15u}, {0, 12u}}) {
    Machine machine;
    const auto& next = machine.word({}, {}, {.stall = 1});
    machine.issue(machine.word({}, {}, {.stall = static_cast<std::uint8_t>(stall), .yield = true}), 10);
    EXPECT_EQ(machine.first(next, 11), from) << stall;
  }
}

TEST(DependenceCounters, OtherWarpsGoOn) {
  Machine machine;
  const auto& load = machine.word({}, {1}, {.stall = 15, .write_barrier = 0}, isa::Opcode::kLoad);
  machine.issue(load, 10);
  ScoreboardRequest other{.op = Op::kCheck, .warp = WarpId{2}, .instruction = &load, .cycle = 11};
  const_cast<DependenceCountersModel&>(machine.model()).serve(other);
  EXPECT_EQ(other.hazard, Hazard::kNone);
}

// ---- Counters

TEST(DependenceCounters, AWriteBarrierIsUpUntilTheResultsAreWritten) {
  for (std::uint8_t counter = 0; counter < Codes::kCounters; ++counter) {
    Machine machine;
    const auto& load = machine.word({2}, {1}, {.stall = 1, .write_barrier = counter}, isa::Opcode::kLoad);
    const auto waits = static_cast<std::uint8_t>(1u << counter);
    const auto& user = machine.word({1}, {3}, {.stall = 1, .wait_mask = waits});
    const auto& others =
        machine.word({1}, {3}, {.stall = 1, .wait_mask = static_cast<std::uint8_t>(~waits & 63u)});
    machine.issue(load, 10);
    EXPECT_EQ(machine.check(user, 12).hazard, Hazard::kMemory);
    EXPECT_EQ(machine.check(user, 5000).hazard, Hazard::kMemory);
    EXPECT_EQ(machine.check(user, 5000).due, kNever) << "the write-back says when";
    EXPECT_TRUE(machine.may(others, 12)) << "nothing is known of registers";
    machine.release(load);
    EXPECT_TRUE(machine.may(user, 5000));
  }
}

TEST(DependenceCounters, ACounterIsVisibleFromTheSecondCycleOn) {
  Machine machine;
  const auto& load = machine.word({2}, {1}, {.stall = 1, .write_barrier = 3}, isa::Opcode::kLoad);
  const auto& user = machine.word({1}, {}, {.stall = 1, .wait_mask = 8});
  machine.issue(load, 10);
  EXPECT_TRUE(machine.may(user, 11)) << "the code is wrong, and nobody notices";
  EXPECT_FALSE(machine.may(user, 12));
}

TEST(DependenceCounters, OneThatWaitsForItselfCountsAllThatRaiseIt) {
  Machine machine;
  const auto& load = machine.word({2}, {1}, {.stall = 1, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& user = machine.word({1}, {}, {.stall = 1, .wait_mask = 1});
  for (const Cycle cycle : {10, 11, 12}) machine.issue(load, cycle);
  EXPECT_EQ(machine.model().counter(Machine::kWarp, 0), 3);
  machine.release(load);
  machine.release(load);
  EXPECT_FALSE(machine.may(user, 100));
  machine.release(load);
  EXPECT_TRUE(machine.may(user, 100));
}

TEST(DependenceCounters, AReadBarrierIsUpUntilTheOperandsAreRead) {
  Machine machine;
  const auto& store = machine.word({1, 2}, {}, {.stall = 1, .read_barrier = 2}, isa::Opcode::kStore);
  const auto& overwrites = machine.word({}, {1}, {.stall = 1, .wait_mask = 4});
  machine.issue(store, 10);
  EXPECT_EQ(machine.check(overwrites, 12).hazard, Hazard::kAlu);
  EXPECT_EQ(machine.check(overwrites, 12).due, 19u) << "nobody else wakes it";
  EXPECT_EQ(machine.first(overwrites, 12), 19u) << "9 cycles, operand_read_cycles";
}

TEST(DependenceCounters, OperandsThatAreCollectedLateAreReadLate) {
  Machine machine;
  const auto& store = machine.word({1, 2}, {}, {.stall = 1, .read_barrier = 2}, isa::Opcode::kStore);
  const auto& overwrites = machine.word({}, {1}, {.stall = 1, .wait_mask = 4});
  machine.tell(Op::kIssue, store, 10);
  machine.tell(Op::kReserve, store, 10);
  machine.tell(Op::kReadSources, store, 13);
  EXPECT_EQ(machine.first(overwrites, 12), 22u);
}

TEST(DependenceCounters, AMoveOfABarrierRegisterHoldsItsCountersThatLong) {
  for (const auto op :
       {isa::ConvergenceOp::kReadClear, isa::ConvergenceOp::kRead, isa::ConvergenceOp::kWrite}) {
    Machine machine(false, 45);
    const auto& move =
        machine.word({}, {}, {.stall = 5, .write_barrier = 0, .read_barrier = 1}, isa::Opcode::kConvergence);
    machine.change_last().convergence = op;
    const auto& user = machine.word({}, {}, {.stall = 1, .wait_mask = 1});
    const auto& overwrites = machine.word({}, {}, {.stall = 1, .wait_mask = 2});
    const auto& other = machine.word({}, {}, {.stall = 1, .wait_mask = 60});
    machine.tell(Op::kIssue, move, 10);  // no pipe reserves anything
    EXPECT_TRUE(machine.may(other, 15));
    EXPECT_EQ(machine.check(user, 15).hazard, Hazard::kAlu);
    EXPECT_EQ(machine.check(user, 15).due, 55u) << "nobody else wakes it";
    EXPECT_EQ(machine.check(overwrites, 15).due, 55u);
    EXPECT_EQ(machine.first(user, 15), 55u);
    EXPECT_TRUE(machine.may(overwrites, 55));
  }
}

TEST(DependenceCounters, ABssyMovesNoBarrierRegisterAndByDefaultNothingTakesTime) {
  for (const auto& [op, cycles] :
       {std::pair{isa::ConvergenceOp::kSet, 45}, {isa::ConvergenceOp::kReadClear, 0}}) {
    Machine machine(false, static_cast<std::uint8_t>(cycles));
    const auto& word = machine.word({}, {}, {.stall = 5, .write_barrier = 0}, isa::Opcode::kConvergence);
    machine.change_last().convergence = op;
    machine.tell(Op::kIssue, word, 10);
    EXPECT_EQ(machine.first(machine.word({}, {}, {.stall = 1, .wait_mask = 1}), 11), 15u);
  }
}

// Of a group of loads ptxas gives a counter to the last one: they are served in order.
TEST(DependenceCounters, ALoadWithoutACounterHoldsThatOfTheNextOnes) {
  Machine machine;
  const auto& first = machine.word({2}, {1}, {.stall = 1}, isa::Opcode::kLoad);
  const auto& last = machine.word({2}, {3}, {.stall = 1, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& user = machine.word({1, 3}, {}, {.stall = 1, .wait_mask = 1});
  machine.issue(first, 10);
  machine.issue(last, 11);
  machine.release(last);
  EXPECT_EQ(machine.check(user, 50).hazard, Hazard::kMemory);
  machine.release(first);
  EXPECT_TRUE(machine.may(user, 50));  // Those with counters of their own need no order:
  const auto& other = machine.word({2}, {1}, {.stall = 1, .write_barrier = 1}, isa::Opcode::kLoad);
  machine.issue(other, 60);
  machine.issue(last, 61);
  machine.release(last);
  EXPECT_TRUE(machine.may(user, 70));
}

TEST(DependenceCounters, AnIndexedUldcHoldsItsWarp) {
  Machine machine;
  machine.word({2}, {1}, {.stall = 2}, isa::Opcode::kLoad);
  machine.change_last().codes.pipe = isa::CodePipe::kUniformMove;
  const auto& load = machine.change_last();
  const auto& next = machine.word({}, {}, {.stall = 1});
  machine.issue(load, 10);
  EXPECT_EQ(machine.check(next, 50).hazard, Hazard::kMemory);
  machine.release(load);
  EXPECT_TRUE(machine.may(next, 50));
}

TEST(DependenceCounters, ALoadToNowhereRaisesNoWriteBarrier) {
  Machine machine;
  const auto& load = machine.word({2}, {}, {.stall = 2, .write_barrier = 0}, isa::Opcode::kLoad);
  machine.issue(load, 10);
  EXPECT_TRUE(machine.may(machine.word({}, {}, {.stall = 1, .wait_mask = 1}), 12));
}

TEST(DependenceCounters, DepbarWaitsForAtMostSoMany) {
  Machine machine;
  const auto& load = machine.word({2}, {1}, {.stall = 1, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& last = machine.word({}, {}, {.stall = 1, .counted = 0, .at_most = 0});
  const auto& all_but_two = machine.word({}, {}, {.stall = 1, .counted = 0, .at_most = 2});
  const auto& of_another = machine.word({}, {}, {.stall = 1, .counted = 1, .at_most = 0});
  for (const Cycle cycle : {10, 11, 12}) machine.issue(load, cycle);
  EXPECT_TRUE(machine.may(of_another, 20));
  EXPECT_FALSE(machine.may(all_but_two, 20));
  machine.release(load);
  EXPECT_TRUE(machine.may(all_but_two, 20));
  EXPECT_FALSE(machine.may(last, 20));
  machine.release(load);
  machine.release(load);
  EXPECT_TRUE(machine.may(last, 20));
}

// Texture fetches come back in the order in which they went: whoever waits for all but n has the oldest ones.
TEST(DependenceCounters, DepbarWaitsForTheOldest) {
  Machine machine;
  const auto& first = machine.word({2}, {1}, {.stall = 1, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& second = machine.word({2}, {3}, {.stall = 1, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& other = machine.word({2}, {4}, {.stall = 1, .write_barrier = 1}, isa::Opcode::kLoad);
  const auto& all_but_one = machine.word({}, {}, {.stall = 1, .counted = 0, .at_most = 1});
  machine.issue(first, 10);
  machine.issue(second, 11);
  machine.issue(other, 12);
  machine.release(second);
  machine.release(other);
  EXPECT_FALSE(machine.may(all_but_one, 20)) << "the first is out";
  EXPECT_TRUE(machine.may(machine.word({}, {}, {.stall = 1, .wait_mask = 2}), 20)) << "of another counter";
  machine.release(first);
  EXPECT_TRUE(machine.may(machine.word({}, {}, {.stall = 1, .wait_mask = 1}), 20));
}

TEST(DependenceCounters, ACounterHoldsSixtyThree) {
  Machine machine;
  const auto& load = machine.word({2}, {1}, {.stall = 1, .write_barrier = 5}, isa::Opcode::kLoad);
  const auto& store = machine.word({2}, {}, {.stall = 1, .read_barrier = 5}, isa::Opcode::kStore);
  for (Cycle cycle = 0; cycle < 63; ++cycle) {
    ASSERT_TRUE(machine.may(load, cycle));
    machine.issue(load, cycle);
  }
  EXPECT_EQ(machine.check(load, 63).hazard, Hazard::kFull);
  EXPECT_EQ(machine.check(store, 63).hazard, Hazard::kFull);
  machine.release(load);
  EXPECT_TRUE(machine.may(load, 63));
}

TEST(DependenceCounters, ShortAndLongWaitsHaveTheirNames) {
  Machine machine;
  const auto& sine = machine.word({2}, {1}, {.stall = 1, .write_barrier = 0});
  const auto& load = machine.word({2}, {1}, {.stall = 1, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& user = machine.word({1}, {}, {.stall = 1, .wait_mask = 1});
  machine.issue(sine, 10);
  EXPECT_EQ(machine.check(user, 12).hazard, Hazard::kAlu);
  machine.issue(load, 20);
  EXPECT_EQ(machine.check(user, 22).hazard, Hazard::kMemory);
  machine.release(load);
  EXPECT_EQ(machine.check(user, 30).hazard, Hazard::kAlu);
}

TEST(DependenceCounters, WaitingIsCountedByCounter) {
  Machine machine;
  const auto& load = machine.word({2}, {1}, {.stall = 2, .write_barrier = 4}, isa::Opcode::kLoad);
  const auto& user = machine.word({1}, {}, {.stall = 1, .wait_mask = 16});
  machine.issue(load, 10);
  EXPECT_FALSE(machine.may(user, 11));  // the stall count is no wait for a counter
  EXPECT_FALSE(machine.may(user, 12));
  machine.release(load);
  EXPECT_TRUE(machine.may(user, 40));
  machine.issue(user, 45);
  for (unsigned counter = 0; counter < Codes::kCounters; ++counter)
    EXPECT_EQ(machine.model().wait_cycles()[counter], counter == 4 ? 28u : 0u) << counter;
}

TEST(DependenceCounters, ASlotThatIsUsedAgainHasNoCounters) {
  Machine machine;
  const auto& load = machine.word({2}, {1}, {.stall = 15, .write_barrier = 4}, isa::Opcode::kLoad);
  machine.issue(load, 10);
  machine.tell(Op::kClear, load, 10);
  EXPECT_TRUE(machine.may(machine.word({}, {}, {.stall = 1, .wait_mask = 16}), 11));
}

// A shuffle executes when its last lane has come: what follows counts from there, and its counter is up at once.
TEST(DependenceCounters, LanesThatHaveMetLateHoldTheirWarpFromThen) {
  Machine machine;
  const auto& shuffle = machine.word({2}, {1}, {.stall = 5, .write_barrier = 0}, isa::Opcode::kWarpSync);
  const auto& next = machine.word({}, {}, {.stall = 1});
  const auto& user = machine.word({1}, {}, {.stall = 1, .wait_mask = 1});
  machine.tell(Op::kIssue, shuffle, 10);
  machine.execute(shuffle, 100);
  EXPECT_EQ(machine.first(next, 101), 105u);
  EXPECT_FALSE(machine.may(user, 105));
}

}  // namespace
}  // namespace heddle::core::dependence_counters_test
