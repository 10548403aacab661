// Constants filled in by a launch, the register lists of an instruction, and code addresses.
#include "isa/instruction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <stdexcept>

#include "isa/atomic.h"
#include "isa/kernel.h"
#include "isa/launch_constants.h"

namespace heddle::isa::test::instruction_test {
namespace {

TEST(LaunchConstants, EachLaunchHasItsOwnRowsAndTheRestIsShared) {
  RowBytes constants(4 * 128 + 256);
  broadcast(constants.data(), RowWidth::k32, 42);
  const std::uint64_t parameter = 0x1234'5678'9abc'def0u;
  std::vector<std::byte> parameters(16);
  std::memcpy(parameters.data() + 8, &parameter, 8);
  LaunchValues values;
  values.block = {1, 2, 3};
  values.grid = {4, 5, 6};
  values.parameters = parameters;
  const std::vector<LaunchConstant> which{{128, RowWidth::k32, LaunchValue::kBlockZ, 0},
                                          {256, RowWidth::k32, LaunchValue::kGridY, 0},
                                          {384, RowWidth::k32, LaunchValue::kParameter, 12},
                                          {512, RowWidth::k64, LaunchValue::kParameter, 8}};
  const RowBytes rows = constants_of_launch(constants, which, values);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, rows.data() + at, sizeof value);
    return value;
  };
  for (std::size_t lane : {0u, 31u}) {
    EXPECT_EQ(word(lane * 4), 42u);
    EXPECT_EQ(word(128 + lane * 4), 3u);
    EXPECT_EQ(word(256 + lane * 4), 5u);
    EXPECT_EQ(word(384 + lane * 4), 0x1234'5678u);
    EXPECT_EQ(word(512 + lane * 8), 0x9abc'def0u);
    EXPECT_EQ(word(512 + lane * 8 + 4), 0x1234'5678u);
  }
  EXPECT_THROW(
      (void)constants_of_launch(constants, std::vector<LaunchConstant>{{600, RowWidth::k64}}, values),
      std::out_of_range);
  EXPECT_THROW(
      (void)constants_of_launch(
          constants, std::vector<LaunchConstant>{{0, RowWidth::k64, LaunchValue::kParameter, 12}}, values),
      std::out_of_range);
}

TEST(LaunchConstants, AreReadFromMemoryAtTheLaunch) {
  RowBytes constants(128);
  LaunchValues values;
  values.read = [](std::uint64_t address, std::span<std::byte> bytes) {
    const auto word = static_cast<std::uint32_t>(address * 3);
    ASSERT_EQ(bytes.size(), sizeof word);
    std::memcpy(bytes.data(), &word, sizeof word);
  };
  LaunchConstant constant;
  constant.value = LaunchValue::kMemory;
  constant.address = 0x1000;
  const RowBytes rows = constants_of_launch(constants, std::vector<LaunchConstant>{constant}, values);
  for (const std::size_t lane : {0u, 31u}) {
    std::uint32_t word = 0;
    std::memcpy(&word, rows.data() + lane * sizeof word, sizeof word);
    EXPECT_EQ(word, 0x3000u);
  }
}

TEST(MemoryOperands, AddTheirRows) {
  const RegisterLayout layout{.rows32 = 4, .rows64 = 1, .predicates = 0};
  const auto value = [](const Operand& row) -> std::uint64_t {
    constexpr std::uint64_t kValues[] = {0xffff'fff0, 0x5, 0x30, 0x1, 0x7'0000'0000};
    return kValues[row.reg];
  };
  MemoryOperand memory;
  memory.displacement = -16;
  EXPECT_EQ(memory.address(value), ~std::uint64_t{15}) << "absolute";
  memory.displacement = 0x20;
  memory.base = layout.row(0);
  EXPECT_FALSE(memory.composed());
  EXPECT_EQ(memory.address(value), 0x10u) << "32 bits";
  memory.high = layout.row(1);
  EXPECT_TRUE(memory.composed());
  EXPECT_EQ(memory.address(value), 0x6'0000'0010u);
  memory.second = layout.row(2);
  memory.second_high = layout.row(3);
  EXPECT_EQ(memory.address(value), 0x7'0000'0040u);
  MemoryOperand scaled;
  scaled.base = layout.row(1);
  scaled.base_shift = 3;
  EXPECT_TRUE(scaled.composed());
  EXPECT_EQ(scaled.address(value), 0x28u);
  scaled.second = layout.row(4);
  EXPECT_EQ(scaled.address(value), 0x7'0000'0028u) << "64 bits with a row of them";
}

TEST(Atomics, ThatCompareWriteWhereTheOldValueIsTheExpectedOne) {
  for (const AtomicOp op : {AtomicOp::kCas, AtomicOp::kCast}) {
    EXPECT_TRUE(compares(op));
    EXPECT_EQ(apply_atomic(op, Type::kU32, 5, 7, 5), 7u);
    EXPECT_EQ(apply_atomic(op, Type::kU32, 6, 7, 5), 6u);
  }
  EXPECT_FALSE(compares(AtomicOp::kExch));
}

TEST(InstructionLists, HoldBothGuardsTheAddressAndAllSources) {
  const RegisterLayout layout{.rows32 = 12, .rows64 = 1, .predicates = 2};
  Instruction i;
  i.guard = layout.row(13);
  i.guard2 = layout.row(14);
  i.memory.base = layout.row(12);
  for (unsigned s = 0; s < kMaxSources; ++s) i.src[s] = layout.row(static_cast<RegId>(s));
  i.src[3] = layout.row(2);  // twice
  for (unsigned d = 0; d < kMaxDestinations; ++d) i.dst[d] = layout.row(static_cast<RegId>(8 + d));
  list_registers(i);
  EXPECT_THAT(std::vector<RegId>(i.reads.begin(), i.reads.begin() + i.read_count),
              ::testing::ElementsAre(13, 14, 12, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(std::vector<RegId>(i.writes.begin(), i.writes.begin() + i.write_count),
              ::testing::ElementsAre(8, 9, 10, 11, 12, 13, 14));
  EXPECT_EQ(i.source_count, 11u);
  EXPECT_EQ(i.destination_count, 7u);
  EXPECT_EQ(i.register_signature, std::uint64_t{0x7ff7});
  for (unsigned s = 3; s < kMaxSources; ++s) i.src[s].present = false;
  list_registers(i);
  EXPECT_EQ(i.source_count, 3u);
}

TEST(CodeAddresses, NameInstructionsAndNothingBetween) {
  Kernel kernel;
  kernel.code.resize(3);
  kernel.targets = {base::Pc(2), base::Pc(0)};
  EXPECT_EQ(kernel.code_address(base::Pc(2)), 16u);
  EXPECT_EQ(kernel.pc_at(16), base::Pc(2));
  EXPECT_EQ(kernel.pc_at(12), base::kNoPc);
  EXPECT_EQ(kernel.pc_at(24), base::kNoPc);
  Instruction branch;
  EXPECT_EQ(kernel.indirect_target(branch, 0), base::kNoPc) << "an empty table";
  branch.table_count = 2;
  EXPECT_EQ(kernel.indirect_target(branch, 1), base::Pc(0));
  EXPECT_EQ(kernel.indirect_target(branch, 2), base::kNoPc);
  branch.target_is_address = true;
  EXPECT_EQ(kernel.indirect_target(branch, 16), base::Pc(2));
  EXPECT_EQ(kernel.indirect_target(branch, 8), base::kNoPc) << "an instruction, but not in the table";
  branch.table_count = 0;
  EXPECT_EQ(kernel.indirect_target(branch, 8), base::Pc(1)) << "without a table every instruction";
  kernel.instruction_bytes = 16;
  EXPECT_EQ(kernel.pc_at(16), base::Pc(1));
  EXPECT_EQ(kernel.location(base::Pc(1)), "pc 0x010 in kernel ");
}

}  // namespace
}  // namespace heddle::isa::test::instruction_test
