// What the check of hazards finds in control codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "unit/core/coded_warp.h"

namespace heddle::core::code_hazards_test {
namespace {

using Machine = CodedWarp;

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
    EXPECT_EQ(machine.first(user, 10u + stall), 13u);
    ASSERT_EQ(machine.hazards().size(), stall < 3 ? 1u : 0u);
    if (stall < 3) {
      EXPECT_EQ(machine.hazards().front().hazard.distance, 2u);
      EXPECT_EQ(machine.hazards().front().hazard.needed, 3u);
    }
  }
}

TEST(CodeHazards, AStoreReadsItsDataBehindItsAddress) {
  for (const bool address : {false, true}) {
    Machine machine(true);
    const auto& add = machine.word({2}, {1}, {.stall = 3});
    machine.word({1, 4}, {}, {.stall = 1}, isa::Opcode::kStore);
    isa::Instruction& store = machine.change_last();
    store.memory.base.present = true;
    store.memory.base.reg = address ? 1 : 4;
    machine.issue(add, 10);
    EXPECT_EQ(machine.first(store, 13), address ? 14u : 13u);
    EXPECT_EQ(machine.hazards().size(), address ? 1u : 0u);
  }
}

TEST(CodeHazards, ALateSourceSaysWhenToAskAgain) {
  Machine machine(true);
  const auto& add = machine.word({2}, {1}, {.stall = 2});
  machine.word({1, 4}, {3}, {.stall = 1});
  machine.change_last().codes.late_source = 1;
  machine.change_last().src[3].reg = 1;
  machine.issue(add, 10);
  EXPECT_EQ(machine.check(machine.change_last(), 12).due, 13u);
}

// IMAD.WIDE R2, R3, R4, R2 reads R3 as a factor, too, and that at once.
TEST(CodeHazards, ALateSourceThatIsAnEarlyOneTooIsReadAtOnce) {
  for (const unsigned role : {0u, 1u, 2u}) {
    Machine machine(true);
    const auto& add = machine.word({2}, {3}, {.stall = 3});
    machine.word({2, 3, 4}, {2}, {.stall = 1});
    machine.change_last().codes.late_source = 1;
    machine.change_last().src[3].reg = 3;
    machine.change_last().src[role].reg = 3;
    machine.issue(add, 10);
    EXPECT_EQ(machine.first(machine.change_last(), 13), 14u) << role;
    ASSERT_EQ(machine.hazards().size(), 1u) << role;
    EXPECT_EQ(machine.hazards().front().hazard.needed, 4u) << role;
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
}  // namespace heddle::core::code_hazards_test
