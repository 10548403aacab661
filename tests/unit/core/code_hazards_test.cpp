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

// ---- Cycles that ptxas counts

using isa::CodePipe;

struct Counted {
  const char* pair;
  bool turing;
  CodePipe writer;
  CodePipe reader;
  Cycle needed;
};

/// Least distances in ptxas' code (models/frontend/sass/README.md).
constexpr Counted kCounted[] = {
    {"IADD3 to LOP3", false, CodePipe::kAlu, CodePipe::kAlu, 4},
    {"LOP3 to IMAD", false, CodePipe::kAlu, CodePipe::kFma, 5},
    {"SHF to DADD", false, CodePipe::kAlu, CodePipe::kDouble, 6},
    {"PRMT to HMMA", false, CodePipe::kAlu, CodePipe::kTensor16, 7},
    {"LEA to STG", false, CodePipe::kAlu, CodePipe::kMemory, 5},
    {"FSEL to MUFU", false, CodePipe::kAlu, CodePipe::kOther, 4},
    {"ISETP to VOTE", false, CodePipe::kAlu, CodePipe::kVote, 13},
    {"FFMA to FADD", false, CodePipe::kFma, CodePipe::kFma, 4},
    {"IMAD to IADD3", false, CodePipe::kFma, CodePipe::kAlu, 5},
    {"IMAD.WIDE to LDG", false, CodePipe::kFmaWide, CodePipe::kMemory, 5},
    {"IMAD.WIDE to IMAD.WIDE", false, CodePipe::kFmaWide, CodePipe::kFmaWide, 4},
    {"HADD2 to HMUL2", false, CodePipe::kHalf, CodePipe::kHalf, 4},
    {"HFMA2.MMA to FADD", false, CodePipe::kHalfMma, CodePipe::kFma, 10},
    {"DFMA to DFMA", false, CodePipe::kDouble, CodePipe::kDouble, 8},
    {"DFMA to LOP3", false, CodePipe::kDouble, CodePipe::kAlu, 10},
    {"DADD to STG", false, CodePipe::kDouble, CodePipe::kMemory, 7},
    {"DMUL to MUFU", false, CodePipe::kDouble, CodePipe::kOther, 6},
    {"DSETP to SEL", false, CodePipe::kDoubleCompare, CodePipe::kAlu, 6},
    {"DSETP to DSETP", false, CodePipe::kDoubleCompare, CodePipe::kDoubleCompare, 6},
    {"IMMA.8816 to STG", false, CodePipe::kTensor, CodePipe::kMemory, 12},
    {"IMMA.8816 to IADD3", false, CodePipe::kTensor, CodePipe::kAlu, 13},
    {"IMMA.8816 to IMMA.8816", false, CodePipe::kTensor, CodePipe::kTensor, 14},
    {"IMMA.16816 to STG", false, CodePipe::kTensor8, CodePipe::kMemory, 15},
    {"IMMA.16816 to IMMA.16816", false, CodePipe::kTensor8, CodePipe::kTensor8, 16},
    {"HMMA.1688.F32 to HMMA.1688.F32", false, CodePipe::kTensor8Float, CodePipe::kTensor8Float, 17},
    {"HMMA.16816 to STG", false, CodePipe::kTensor16, CodePipe::kMemory, 23},
    {"HMMA.16816 to FADD", false, CodePipe::kTensor16, CodePipe::kFma, 24},
    {"CS2R to IADD3", false, CodePipe::kClock, CodePipe::kAlu, 6},
    {"UIADD3 to ULEA", false, CodePipe::kUniform, CodePipe::kUniform, 4},
    {"UIADD3 to IMAD", false, CodePipe::kUniform, CodePipe::kFma, 6},
    {"ULEA to LDS", false, CodePipe::kUniform, CodePipe::kMemory, 9},
    {"ULDC to IMAD", false, CodePipe::kUniformMove, CodePipe::kFma, 2},
    {"R2UR to UIADD3", false, CodePipe::kToUniform, CodePipe::kUniform, 13},
    {"IADD3 to LOP3", true, CodePipe::kAlu, CodePipe::kAlu, 4},
    {"LOP3 to IMAD", true, CodePipe::kAlu, CodePipe::kFma, 5},
    {"LOP3 to HFMA2", true, CodePipe::kAlu, CodePipe::kHalf, 6},
    {"IADD3 to STG", true, CodePipe::kAlu, CodePipe::kMemory, 8},
    {"FSEL to MUFU", true, CodePipe::kAlu, CodePipe::kOther, 6},
    {"ISETP to VOTE", true, CodePipe::kAlu, CodePipe::kVote, 12},
    {"FFMA to FSETP", true, CodePipe::kFma, CodePipe::kAlu, 5},
    {"IMAD.WIDE to IMAD.WIDE", true, CodePipe::kFmaWide, CodePipe::kFmaWide, 6},
    {"IMAD.HI to IMAD", true, CodePipe::kFmaHigh, CodePipe::kFma, 4},
    {"HADD2 to HFMA2", true, CodePipe::kHalf, CodePipe::kHalf, 6},
    {"HADD2 to PRMT", true, CodePipe::kHalf, CodePipe::kAlu, 8},
    {"DFMA to DFMA", true, CodePipe::kDouble, CodePipe::kDouble, 12},
    {"DSETP to FSEL", true, CodePipe::kDoubleCompare, CodePipe::kAlu, 13},
    {"UIADD3 to LDG", true, CodePipe::kUniform, CodePipe::kMemory, 9},
};

/// Whether a reader so many cycles behind the writer of its src[0] is reported, and what that says of the distance needed.
void expect_needed(isa::ControlCodes writer, isa::ControlCodes reader, Cycle needed,
                   void (*change)(isa::Instruction& writer, isa::Instruction& reader)) {
  for (const Cycle distance : {needed - 1, needed}) {
    Machine machine(true);
    machine.word({2}, {1}, writer);
    isa::Instruction& first = machine.change_last();
    const bool memory = reader.pipe == CodePipe::kMemory;
    machine.word({1, 4}, {3}, reader, memory ? isa::Opcode::kLoad : isa::Opcode::kLane);
    isa::Instruction& user = machine.change_last();
    first.dst[1].reg = 1;
    user.src[0].reg = 1;
    change(first, user);
    machine.issue(first, 10);
    EXPECT_EQ(machine.check(user, 10 + distance).hazard == Hazard::kNone, distance == needed) << distance;
    ASSERT_EQ(machine.hazards().size(), distance == needed ? 0u : 1u) << distance;
    if (distance == needed) continue;
    EXPECT_EQ(machine.hazards().front().hazard.needed, needed);
    EXPECT_EQ(machine.hazards().front().hazard.distance, distance);
    EXPECT_EQ(machine.check(user, 10 + distance).due, 10 + needed) << "when to ask again";
  }
}

TEST(CountedCycles, AreOfTheTwoPipes) {
  for (const Counted& row : kCounted) {
    SCOPED_TRACE(std::string(row.pair) + (row.turing ? ", sm_75" : ", sm_90"));
    expect_needed({.turing = row.turing, .pipe = row.writer}, {.turing = row.turing, .pipe = row.reader},
                  row.needed, [](isa::Instruction&, isa::Instruction&) {});
  }
}

TEST(CountedCycles, OfAGuardAreMore) {
  const auto guard = [](isa::Instruction&, isa::Instruction& reader) {
    reader.guard.present = true;
    reader.guard.reg = 1;
  };
  for (const CodePipe reader : {CodePipe::kNone, CodePipe::kAlu, CodePipe::kFma, CodePipe::kMemory}) {
    expect_needed({.pipe = CodePipe::kAlu}, {.pipe = reader}, 13, guard);
    expect_needed({.turing = 1, .pipe = CodePipe::kAlu}, {.turing = 1, .pipe = reader}, 12, guard);
    expect_needed({.pipe = CodePipe::kDoubleCompare}, {.pipe = reader}, 14, guard);
  }
}

// sm_90 reads the high word of C of a product of 64 bits late; sm_75 does not.
TEST(CountedCycles, OfALateSourceAreLess) {
  const auto third = [](isa::Instruction&, isa::Instruction& reader) {
    reader.src[0].reg = 4;
    reader.src[3].reg = 1;
  };
  for (const CodePipe reader : {CodePipe::kFmaWide, CodePipe::kFmaHigh}) {
    expect_needed({.pipe = CodePipe::kAlu}, {.pipe = reader}, 3, third);
    expect_needed({.pipe = CodePipe::kFma}, {.pipe = reader}, 2, third);
    expect_needed({.pipe = CodePipe::kHalfMma}, {.pipe = reader}, 8, third);
    expect_needed({.pipe = CodePipe::kFmaWide}, {.pipe = reader}, 4, third);
    expect_needed({.turing = 1, .pipe = CodePipe::kAlu}, {.turing = 1, .pipe = reader}, 5, third);
    expect_needed({.turing = 1, .pipe = CodePipe::kFma}, {.turing = 1, .pipe = reader}, 4, third);
  }
}

TEST(CountedCycles, OfTheLowWordOfAWideProductAreLess) {
  const auto low = [](isa::Instruction& writer, isa::Instruction&) { writer.dst[0].reg = 1; };
  expect_needed({.pipe = CodePipe::kFmaWide}, {.pipe = CodePipe::kAlu}, 3, low);
  expect_needed({.pipe = CodePipe::kFmaWide}, {.pipe = CodePipe::kFma}, 4, low);
  expect_needed({.turing = 1, .pipe = CodePipe::kFmaWide}, {.turing = 1, .pipe = CodePipe::kAlu}, 5, low);
}

TEST(CountedCycles, OfElectDependOnTheResult) {
  const auto nothing = [](isa::Instruction&, isa::Instruction&) {};
  expect_needed({.pipe = CodePipe::kElect}, {.pipe = CodePipe::kAlu}, 4, nothing);
  expect_needed({.pipe = CodePipe::kElect}, {.pipe = CodePipe::kFma}, 2,
                [](isa::Instruction& writer, isa::Instruction&) { writer.dst[0].reg = 1; });
}

// R2UR.OR P0, UR5, R9 adds to P0 at its end.
TEST(CountedCycles, OfThePredicateOfR2urAreLess) {
  expect_needed({.pipe = CodePipe::kAlu}, {.pipe = CodePipe::kToUniform}, 4,
                [](isa::Instruction&, isa::Instruction&) {});
  expect_needed({.pipe = CodePipe::kAlu}, {.pipe = CodePipe::kToUniform}, 2,
                [](isa::Instruction&, isa::Instruction& reader) {
                  reader.src[0].reg = 4;
                  reader.src[1].reg = 1;
                });
}

// What executes for a time that is not known has no counter either where one behind it, of the same kind, stands for it.
TEST(CountedCycles, AreNotOfSpecialFunctions) {
  Machine machine(true);
  const auto& sine = machine.word({2}, {1}, {.stall = 2, .pipe = CodePipe::kOther});
  const auto& user = machine.word({1}, {3}, {.stall = 1});
  machine.issue(sine, 10);
  EXPECT_EQ(machine.check(user, 500).hazard, Hazard::kAlu);
  machine.release(sine);
  EXPECT_TRUE(machine.may(user, 501));
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(machine.hazards().front().hazard.needed, 0u);
}

// IMAD.WIDE R2, R3, R4, R2 reads R3 as a factor, too, and that at once.
TEST(CodeHazards, ALateSourceThatIsAnEarlyOneTooIsReadAtOnce) {
  for (const unsigned role : {0u, 1u, 2u}) {
    Machine machine(true);
    const auto& add = machine.word({2}, {3}, {.stall = 3});
    machine.word({2, 3, 4}, {2}, {.stall = 1, .pipe = CodePipe::kFmaWide});
    machine.change_last().src[3].reg = 3;
    machine.change_last().src[role].reg = 3;
    machine.issue(add, 10);
    EXPECT_EQ(machine.first(machine.change_last(), 13), 15u) << role;
    ASSERT_EQ(machine.hazards().size(), 1u) << role;
    EXPECT_EQ(machine.hazards().front().hazard.needed, 5u) << role;
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
  for (const std::uint8_t stall : {1, 2, 3}) {
    Machine machine(true);
    const auto& fma = machine.word({2}, {1}, {.stall = stall, .pipe = CodePipe::kDouble});
    const auto& move = machine.word({}, {1}, {.stall = 1});
    machine.issue(fma, 10);
    EXPECT_EQ(machine.first(move, 10u + stall), 13u) << unsigned{stall};
    EXPECT_EQ(machine.hazards().size(), stall < 3 ? 1u : 0u) << unsigned{stall};
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

TEST(CodeHazards, AUniformSourceIsReadAtIssue) {
  Machine machine(true);
  const auto& load =
      machine.word({1, 2}, {4}, {.stall = 1, .write_barrier = 0, .read_barrier = 2}, isa::Opcode::kLoad);
  const auto& move = machine.word({}, {1}, {.stall = 1, .pipe = CodePipe::kUniformMove});
  machine.issue(load, 10);
  EXPECT_EQ(machine.first(move, 12), 12u);
  EXPECT_TRUE(machine.hazards().empty());
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
