// Dependence counters: what each field of the control codes does to issue, and what the check of hazards finds.
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/config.h"
#include "core/issue/dependence_counters.h"
#include "unit/core/instruction.h"

namespace heddle::core::dependence_counters_test {
namespace {

using Codes = isa::ControlCodes;
using Op = ScoreboardRequest::Op;

constexpr WarpId kWarp{1};

/// Instructions live in a kernel, as the log wants them.
class Machine {
 public:
  explicit Machine(bool check = false) {
    config_.kind = ScoreboardKind::kControlCodes;
    config_.check_hazards = check;
    PipesConfig pipes;
    pipes.timing[static_cast<std::size_t>(isa::LatencyClass::kIntSimple)].latency_cycles = 4;
    pipes.timing[static_cast<std::size_t>(isa::LatencyClass::kDpMad)].latency_cycles = 8;
    model_ = std::make_unique<DependenceCountersModel>(config_, pipes, 4, &log_);
    kernel_->name = "k";
    kernel_->instruction_bytes = 16;
    for (int i = 0; i < 10; ++i) kernel_->register_names.push_back("R" + std::to_string(i));
    kernel_->code.reserve(100);  // pointers to instructions stay
    log_.begin_launch(kernel_);
  }
  const isa::Instruction& word(std::initializer_list<isa::RegId> reads, std::initializer_list<isa::RegId> writes,
                               Codes codes, isa::Opcode op = isa::Opcode::kLane) {
    isa::Instruction made = instruction(reads, writes, op);
    made.codes = codes;
    made.unit = op == isa::Opcode::kLane || op == isa::Opcode::kWarpSync ? isa::Unit::kSp : isa::Unit::kMemory;
    return kernel_->code.emplace_back(made);
  }
  isa::Instruction& change_last() { return kernel_->code.back(); }

  ScoreboardRequest check(const isa::Instruction& instruction, Cycle cycle, LaneMask exec = LaneMask::all()) {
    ScoreboardRequest request{.op = Op::kCheck,
                              .warp = kWarp,
                              .mask = LaneMask::all(),
                              .instruction = &instruction,
                              .exec = exec,
                              .cycle = cycle};
    model_->serve(request);
    return request;
  }
  bool may(const isa::Instruction& instruction, Cycle cycle) {
    return check(instruction, cycle).hazard == Hazard::kNone;
  }
  /// It issues, enters its pipe and has its operands.
  void issue(const isa::Instruction& instruction, Cycle cycle, LaneMask exec = LaneMask::all()) {
    tell(Op::kIssue, instruction, cycle, LaneMask::all());
    execute(instruction, cycle, exec);
  }
  void execute(const isa::Instruction& instruction, Cycle cycle, LaneMask exec = LaneMask::all()) {
    tell(Op::kReserve, instruction, cycle, exec);
    tell(Op::kReadSources, instruction, cycle, exec);
  }
  void release(const isa::Instruction& instruction, LaneMask exec = LaneMask::all()) {
    tell(Op::kRelease, instruction, 0, exec);
  }
  void tell(Op op, const isa::Instruction& instruction, Cycle cycle, LaneMask lanes = LaneMask::all()) {
    ScoreboardRequest request{
        .op = op, .warp = kWarp, .mask = lanes, .instruction = &instruction, .cycle = cycle};
    model_->serve(request);
  }
  /// First cycle from `from` on in which it may issue.
  Cycle first(const isa::Instruction& instruction, Cycle from) {
    while (!may(instruction, from)) ++from;
    return from;
  }
  [[nodiscard]] std::vector<HazardLog::Entry> hazards() const { return log_.entries(); }
  [[nodiscard]] const HazardLog& log() const { return log_; }
  [[nodiscard]] const DependenceCountersModel& model() const { return *model_; }

 private:
  ScoreboardConfig config_;
  HazardLog log_;
  std::shared_ptr<isa::Kernel> kernel_ = std::make_shared<isa::Kernel>();
  std::unique_ptr<DependenceCountersModel> model_;
};

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
    const auto& others = machine.word({1}, {3}, {.stall = 1, .wait_mask = static_cast<std::uint8_t>(~waits & 63u)});
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
  EXPECT_EQ(machine.model().counter(kWarp, 0), 3);
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
  machine.change_last().codes.uniform_move = 1;
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

// ---- Hazards

TEST(CodeHazards, AStallCountThatIsTooSmallIsReported) {
  for (const std::uint8_t stall : {1, 2, 3, 4, 5}) {
    Machine machine(true);
    const auto& add = machine.word({2}, {1}, {.stall = stall});
    const auto& user = machine.word({1}, {3}, {.stall = 1});
    machine.issue(add, 10);
    EXPECT_EQ(machine.first(user, 11), std::max<Cycle>(14, 10 + stall)) << "it waits for its value";
    ASSERT_EQ(machine.hazards().size(), stall < 4 ? 1u : 0u);
    if (stall >= 4) continue;
    const CodeHazard& found = machine.hazards().front().hazard;
    EXPECT_EQ(found.kind, HazardKind::kReadAfterWrite);
    EXPECT_EQ(found.late, &user);
    EXPECT_EQ(found.earlier, &add);
    EXPECT_EQ(found.reg, 1);
    EXPECT_EQ(found.distance, stall);
    EXPECT_EQ(found.needed, 4u);
    EXPECT_EQ(machine.hazards().front().count, 1u) << "once, however often it is looked at";
    EXPECT_EQ(machine.model().hazards(), 1u);
  }
}

TEST(CodeHazards, LatenciesAreThoseOfTheClass) {
  Machine machine(true);
  machine.word({2}, {1}, {.stall = 7});
  machine.change_last().latency_class = isa::LatencyClass::kDpMad;
  const auto& fma = machine.change_last();
  const auto& user = machine.word({1}, {3}, {.stall = 1});
  machine.issue(fma, 10);
  EXPECT_EQ(machine.first(user, 11), 18u);
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(machine.hazards().front().hazard.needed, 8u);
}

TEST(CodeHazards, UniformMovesAreEarlier) {
  for (const std::uint8_t stall : {1, 2}) {
    Machine machine(true);
    machine.word({}, {1}, {.stall = stall});
    machine.change_last().codes.uniform_move = 1;
    const auto& move = machine.change_last();
    const auto& user = machine.word({1}, {3}, {.stall = 1});
    machine.issue(move, 10);
    EXPECT_EQ(machine.first(user, 11), 12u);
    EXPECT_EQ(machine.hazards().size(), stall < 2 ? 1u : 0u);
  }
}

// IMAD.WIDE needs the high word of its third source a cycle later.
TEST(CodeHazards, ALateSourceIsReadACycleLater) {
  for (const std::uint8_t stall : {2, 3}) {
    Machine machine(true);
    const auto& add = machine.word({2}, {1}, {.stall = stall});
    machine.word({1, 4}, {3}, {.stall = 1});
    machine.change_last().codes.late_source = 1;
    machine.change_last().src[3].reg = 1;
    const auto& user = machine.change_last();
    machine.issue(add, 10);
    machine.first(user, 10u + stall);
    EXPECT_EQ(machine.hazards().size(), stall < 3 ? 1u : 0u);
  }
}

TEST(CodeHazards, AWaitThatIsMissingIsReported) {
  Machine machine(true);
  const auto& load = machine.word({2}, {1}, {.stall = 2, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& user = machine.word({1}, {3}, {.stall = 1, .wait_mask = 2});
  machine.issue(load, 10);
  EXPECT_EQ(machine.check(user, 12).hazard, Hazard::kMemory);
  EXPECT_EQ(machine.check(user, 900).hazard, Hazard::kMemory);
  machine.release(load);
  EXPECT_TRUE(machine.may(user, 901));
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(machine.hazards().front().hazard.distance, 2u);
  EXPECT_EQ(machine.hazards().front().hazard.needed, 0u);
  EXPECT_NE(machine.log().text().find("R1"), std::string::npos) << machine.log().text();
}

TEST(CodeHazards, LanesThatDoNotReadAreNoHazard) {
  Machine machine(true);
  const LaneMask low(0xffffu);
  const auto& load = machine.word({2}, {1}, {.stall = 2, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& user = machine.word({1}, {3}, {.stall = 1});
  machine.issue(load, 10, low);
  EXPECT_EQ(machine.check(user, 12, LaneMask(0xffff0000u)).hazard, Hazard::kNone);
  EXPECT_EQ(machine.check(user, 12, LaneMask(0x10000u | 0x8000u)).hazard, Hazard::kMemory);
}

TEST(CodeHazards, AGuardIsReadByAllLanes) {
  Machine machine(true);
  const auto& compare = machine.word({2}, {5}, {.stall = 2});
  machine.word({5}, {3}, {.stall = 1});
  machine.change_last().guard.present = true;
  machine.change_last().guard.reg = 5;
  machine.issue(compare, 10);
  EXPECT_EQ(machine.check(machine.change_last(), 12, LaneMask{}).hazard, Hazard::kAlu);
}

TEST(CodeHazards, AnOlderWriteThatComesLaterIsReported) {
  Machine machine(true);
  const auto& load = machine.word({2}, {1}, {.stall = 2, .write_barrier = 0}, isa::Opcode::kLoad);
  const auto& move = machine.word({}, {1}, {.stall = 1});
  const auto& again = machine.word({2}, {1}, {.stall = 1, .write_barrier = 1}, isa::Opcode::kLoad);
  machine.issue(load, 10);
  EXPECT_TRUE(machine.may(again, 12)) << "loads keep their order";
  EXPECT_EQ(machine.check(move, 12).hazard, Hazard::kMemory);
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(machine.hazards().front().hazard.kind, HazardKind::kWriteAfterWrite);
}

TEST(CodeHazards, AShortOperationOvertakesALongOne) {
  for (const std::uint8_t stall : {4, 5, 6}) {
    Machine machine(true);
    machine.word({2}, {1}, {.stall = stall});
    machine.change_last().latency_class = isa::LatencyClass::kDpMad;
    const auto& fma = machine.change_last();
    const auto& move = machine.word({}, {1}, {.stall = 1});
    machine.issue(fma, 10);
    EXPECT_EQ(machine.first(move, 10u + stall), std::max<Cycle>(10 + stall, 15)) << unsigned{stall};
    EXPECT_EQ(machine.hazards().size(), stall < 5 ? 1u : 0u) << unsigned{stall};
  }
}

TEST(CodeHazards, ASourceThatIsOverwrittenBeforeItIsReadIsReported) {
  for (const Cycle cycle : {12, 14, 15}) {
    Machine machine(true);
    const auto& store = machine.word({1, 2}, {}, {.stall = 1, .read_barrier = 2}, isa::Opcode::kStore);
    const auto& move = machine.word({}, {1}, {.stall = 1});
    machine.issue(store, 10);  // read in cycle 19
    machine.first(move, cycle);
    ASSERT_EQ(machine.hazards().size(), cycle + 4 < 19 ? 1u : 0u) << cycle;
    if (cycle + 4 < 19) {
      EXPECT_EQ(machine.hazards().front().hazard.kind, HazardKind::kWriteAfterRead);
    }
  }
}

TEST(CodeHazards, TheLogKeepsTheSmallestDistanceOfAPair) {
  Machine machine(true);
  const auto& add = machine.word({2}, {1}, {.stall = 1});
  const auto& user = machine.word({1}, {}, {.stall = 9});
  for (const auto& [start, distance] : {std::pair{10u, 3u}, {30u, 2u}, {50u, 3u}}) {
    machine.issue(add, start);
    machine.issue(user, machine.first(user, start + distance));
  }
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(machine.hazards().front().count, 3u);
  EXPECT_EQ(machine.hazards().front().hazard.distance, 2u);
}

TEST(CodeHazards, NothingIsCheckedUnlessAskedFor) {
  Machine machine(false);
  const auto& add = machine.word({2}, {1}, {.stall = 1});
  machine.issue(add, 10);
  EXPECT_TRUE(machine.may(machine.word({1}, {3}, {.stall = 1}), 11));
  EXPECT_TRUE(machine.hazards().empty());
}

}  // namespace
}  // namespace heddle::core::dependence_counters_test
