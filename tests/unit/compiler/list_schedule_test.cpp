// The order of instructions within basic blocks that an assembler would choose.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/list_schedule.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::list_schedule_test {
namespace {

/// Lines of the body, from 1, in the order in which they are executed. Loads take 30 cycles, all else 4.
std::vector<unsigned> order(const std::string& body, std::uint32_t registers = 64) {
  ScheduleOptions options{.shared_load = 30, .constant_load = 30, .registers = registers};
  options.latency.fill(4);
  options.latency[static_cast<unsigned>(isa::LatencyClass::kMemory)] = 30;
  isa::Kernel kernel = *ptx::testing::kernel(body);
  ListSchedule(options).run(kernel);
  constexpr unsigned kBodyLine = 6;
  std::vector<unsigned> lines;
  for (const isa::Instruction& instruction : kernel.code)
    lines.push_back(instruction.where.line - kBodyLine + 1);
  return lines;
}

using Lines = std::vector<unsigned>;

TEST(ListSchedule, LoadsGoAheadOfWhatUsesOthers) {
  EXPECT_EQ(order("ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd2];\nadd.u32 "
                  "%r4, %r3, 1;\n"
                  "st.global.u32 [%rd3], %r2;\nst.global.u32 [%rd4], %r4;\nret;"),
            (Lines{1, 3, 2, 4, 5, 6, 7}));
}

TEST(ListSchedule, ALoadStaysBehindAStoreThatMayBeToItsBytes) {
  EXPECT_EQ(order("st.global.u32 [%rd1], %r9;\nld.global.u32 %r1, [%rd2];\nret;"), (Lines{1, 2, 3}));
  const char* const kApart =
      "add.u32 %r2, %r3, 1;\nst.global.u32 [%rd1], %r2;\nld.global.u32 %r1, [%rd1+4];\nst.global.u32 [%rd1], "
      "%r1;\nret;";
  EXPECT_EQ(order(kApart), (Lines{3, 1, 2, 4, 5})) << "one base and other bytes";
  EXPECT_EQ(order("add.u32 %r2, %r3, 1;\nst.global.u32 [%rd1], %r2;\nld.global.u32 %r1, "
                  "[%rd1+2];\nst.global.u32 [%rd1], %r1;\nret;"),
            (Lines{1, 2, 3, 4, 5}))
      << "bytes in common";
  EXPECT_EQ(order("add.u32 %r2, %r3, 1;\nst.shared.u32 [%r8], %r2;\nld.global.u32 %r1, "
                  "[%rd1];\nst.global.u32 [%rd1], %r1;\nret;"),
            (Lines{3, 1, 2, 4, 5}))
      << "another space";
  EXPECT_EQ(order("add.u32 %r2, %r3, 1;\nst.shared.u32 [%r8], %r2;\nld.u32 %r1, [%rd1];\nst.global.u32 "
                  "[%rd1], %r1;\nret;"),
            (Lines{1, 2, 3, 4, 5}))
      << "a generic address may be shared memory's";
}

TEST(ListSchedule, VariablesAtOtherAddressesAreApart) {
  const std::string declared = ".shared .align 4 .b32 own[2]; ";
  EXPECT_EQ(order(declared + "add.u32 %r2, %r3, 1;\nst.shared.u32 [own], %r2;\nld.shared.u32 %r1, "
                             "[own+4];\nst.global.u32 [%rd1], %r1;\nret;"),
            (Lines{3, 1, 2, 4, 5}));
  EXPECT_EQ(order(declared + "add.u32 %r2, %r3, 1;\nst.shared.u32 [own], %r2;\nld.shared.u32 %r1, "
                             "[own];\nst.global.u32 [%rd1], %r1;\nret;"),
            (Lines{1, 2, 3, 4, 5}));
}

TEST(ListSchedule, ABaseThatChangesIsAnother) {
  EXPECT_EQ(order("st.global.u32 [%rd1], %r9;\nadd.u64 %rd1, %rd1, 4;\nld.global.u32 %r1, [%rd1+4];\nret;"),
            (Lines{1, 2, 3, 4}));
}

TEST(ListSchedule, StrongAccessesKeepTheirOrder) {
  EXPECT_EQ(order("ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nld.volatile.global.u32 %r3, "
                  "[%rd2];\nadd.u32 %r4, %r3, 1;\nret;"),
            (Lines{1, 3, 2, 4, 5}))
      << "what uses them may come later";
}

TEST(ListSchedule, NothingPassesBarriersFencesAtomicsClocksAndVotes) {
  for (const char* const stays : {"bar.sync 0;", "membar.gl;", "atom.global.add.u32 %r7, [%rd5], 1;",
                                  "mov.u32 %r7, %clock;", "vote.sync.ballot.b32 %r7, %p1, 0xffffffff;"})
    EXPECT_EQ(order(std::string("add.u32 %r2, %r3, 1;\n") + stays +
                    "\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;"),
              (Lines{1, 2, 3, 4, 5}))
        << stays;
}

TEST(ListSchedule, GuardedWritesStayBehindTheValueTheyMayLeave) {
  EXPECT_EQ(order("mov.u32 %r1, 5;\n@%p1 ld.global.u32 %r1, [%rd1];\n@!%p1 ld.global.u32 %r1, "
                  "[%rd2];\nadd.u32 %r2, %r1, 1;\nret;"),
            (Lines{1, 2, 3, 4, 5}));
}

TEST(ListSchedule, WithoutRegistersWhatFreesSomeGoesFirst) {
  const char* const kSums =
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+64], %r1;\nld.global.u32 %r2, "
      "[%rd1+4];\nst.global.u32 [%rd1+68], %r2;\nret;";
  EXPECT_EQ(order(kSums), (Lines{1, 3, 2, 4, 5}));
  EXPECT_EQ(order(kSums, 1), (Lines{1, 2, 3, 4, 5}));
}

TEST(ListSchedule, WhatAnAssemblerHasMadeStaysAsItIs) {
  isa::Kernel kernel = *ptx::testing::kernel(
      "add.u32 %r2, %r3, 1;\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;");
  isa::Instruction sync;
  sync.op = isa::Opcode::kConvergence;
  kernel.code.insert(kernel.code.begin(), sync);
  ListSchedule(ScheduleOptions{.shared_load = 30}).run(kernel);
  EXPECT_EQ(kernel.code[1].op, isa::Opcode::kLane);
}

}  // namespace
}  // namespace heddle::compiler::list_schedule_test
