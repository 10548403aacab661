// Operands that cannot be used as rows directly, constants filled in by a launch, and the register lists of
// an instruction.
#include "isa/staging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "isa/kernel.h"
#include "isa/lane_ops.h"
#include "unit/isa/warp.h"

namespace heddle::isa::test::staging_test {
namespace {

/// A register block of four 32-bit rows and two 64-bit rows, and a predicate.
class Staging : public ::testing::Test {
 protected:
  Staging() : registers_(layout_.bytes()) {}
  [[nodiscard]] Operand reg(RegId number) const { return layout_.row(number); }
  void put(RegId number, unsigned lane, std::uint64_t value) {
    const std::size_t bytes = layout_.row(number).width == RowWidth::k64 ? 8 : 4;
    std::memcpy(registers_.data() + layout_.row(number).offset + lane * bytes, &value, bytes);
  }
  [[nodiscard]] std::uint64_t get(RegId number, unsigned lane) const {
    const std::size_t bytes = layout_.row(number).width == RowWidth::k64 ? 8 : 4;
    std::uint64_t value = 0;
    std::memcpy(&value, registers_.data() + layout_.row(number).offset + lane * bytes, bytes);
    return value;
  }
  /// dst = op(sources) for the lanes of `mask`.
  void execute(const LaneSpec& spec, const StagedOperand& dst, const std::vector<StagedOperand>& sources,
               std::uint32_t mask = 0xffff'ffffu) {
    LaneArgs args;
    args.mask = mask;
    const RowBlocks rows{registers_.data(), nullptr, nullptr};
    stage(sources, {&dst, 1}, rows, scratch_, args);
    find_lane_fn(spec)(args);
    unstage({&dst, 1}, rows, scratch_);
  }

  RegisterLayout layout_{.rows32 = 4, .rows64 = 2, .predicates = 1};
  RowBytes registers_;
  StagingRows scratch_;
};

struct ModifierCase {
  SourceModifier modifier;
  StagedKind kind;
  std::uint64_t in32, out32, in64, out64;
};

TEST_F(Staging, ModifiersTable) {
  constexpr std::uint64_t kNan32 = 0xffc0'1234u;
  const ModifierCase cases[] = {
      {SourceModifier::kNone, StagedKind::kInteger, 5, 5, 5, 5},
      {SourceModifier::kNegate, StagedKind::kInteger, 5, 0xffff'fffbu, 5, ~std::uint64_t{4}},
      {SourceModifier::kNegate, StagedKind::kInteger, 0x8000'0000u, 0x8000'0000u, 0, 0},
      {SourceModifier::kAbsolute, StagedKind::kInteger, 0xffff'fffbu, 5, ~std::uint64_t{4}, 5},
      {SourceModifier::kAbsolute, StagedKind::kInteger, 7, 7, 7, 7},
      {SourceModifier::kNegateAbsolute, StagedKind::kInteger, 0xffff'fffbu, 0xffff'fffbu, 5,
       ~std::uint64_t{4}},
      {SourceModifier::kComplement, StagedKind::kInteger, 5, 0xffff'fffau, 5, ~std::uint64_t{5}},
      {SourceModifier::kNegate, StagedKind::kFloat, f32(1.5f), f32(-1.5f), f64(0.0), f64(-0.0)},
      {SourceModifier::kAbsolute, StagedKind::kFloat, kNan32, 0x7fc0'1234u, f64(-2.5), f64(2.5)},
      {SourceModifier::kNegateAbsolute, StagedKind::kFloat, f32(1.5f), f32(-1.5f), f64(-2.5), f64(-2.5)},
  };
  for (const ModifierCase& c : cases) {
    put(0, 9, c.in32);
    put(4, 9, c.in64);
    execute({.op = LaneOp::kMov, .type = Type::kB32}, {reg(1), {}}, {{reg(0), {}, c.modifier, c.kind}});
    execute({.op = LaneOp::kMov, .type = Type::kB64}, {reg(5), {}}, {{reg(4), {}, c.modifier, c.kind}});
    EXPECT_EQ(get(1, 9), c.out32) << static_cast<int>(c.modifier);
    EXPECT_EQ(get(5, 9), c.out64) << static_cast<int>(c.modifier);
    EXPECT_EQ(get(0, 9), c.in32) << "the register itself keeps its value";
  }
}

TEST_F(Staging, PairsAre64BitNumbersInBothDirections) {
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    put(0, lane, 0xffff'ffffu);
    put(1, lane, lane);
    put(4, lane, 1);
    put(2, lane, 77);
    put(3, lane, 88);
  }
  const StagedOperand pair{reg(0), reg(1)};
  const StagedOperand result{reg(2), reg(3)};
  execute({.op = LaneOp::kAdd, .type = Type::kU64}, result, {pair, {reg(4), {}}}, 0x0000'00f0u);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const bool executed = lane >= 4 && lane < 8;
    EXPECT_EQ(get(2, lane), executed ? 0u : 77u) << lane;
    EXPECT_EQ(get(3, lane), executed ? lane + 1u : 88u) << lane;
  }
  // A modifier acts on the whole number.
  execute({.op = LaneOp::kMov, .type = Type::kB64}, {reg(5), {}},
          {{reg(0), reg(1), SourceModifier::kNegate}});
  EXPECT_EQ(get(5, 3), ~((std::uint64_t{3} << 32) | 0xffff'ffffu) + 1);
}

TEST_F(Staging, APairMayBeItsOwnSource) {
  put(0, 2, 0x8000'0000u);
  put(1, 2, 1);
  const StagedOperand pair{reg(0), reg(1)};
  execute({.op = LaneOp::kAdd, .type = Type::kU64}, pair, {pair, pair});
  EXPECT_EQ(get(0, 2), 0u);
  EXPECT_EQ(get(1, 2), 3u);
}

TEST_F(Staging, RowsThatNeedNothingAreNotCopied) {
  const StagedOperand plain{reg(0), {}};
  const StagedOperand to{reg(1), {}};
  EXPECT_FALSE(plain.staged());
  LaneArgs args;
  const std::byte* const untouched = registers_.data() + reg(2).offset;
  args.src[1] = untouched;
  stage({&plain, 1}, {&to, 1}, {registers_.data(), nullptr, nullptr}, scratch_, args);
  EXPECT_EQ(args.src[0], registers_.data() + reg(0).offset);
  EXPECT_EQ(args.dst[0], registers_.data() + reg(1).offset);
  EXPECT_EQ(args.src[1], untouched) << "no source, and so left alone";
}

TEST_F(Staging, WhatIsNotPossibleIsAnError) {
  LaneArgs args;
  const RowBlocks rows{registers_.data(), nullptr, nullptr};
  const auto staging = [&](const StagedOperand& source) { stage({&source, 1}, {}, rows, scratch_, args); };
  EXPECT_THROW(staging({reg(6), {}, SourceModifier::kNegate}), std::logic_error);
  EXPECT_THROW(staging({reg(4), reg(5)}), std::logic_error);
  const StagedOperand modified{reg(0), {}, SourceModifier::kNegate};
  EXPECT_THROW(stage({}, {&modified, 1}, rows, scratch_, args), std::logic_error);
}

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

TEST(InstructionLists, HoldBothGuardsTheAddressAndSixSources) {
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
              ::testing::ElementsAre(13, 14, 12, 0, 1, 2, 4, 5));
  EXPECT_THAT(std::vector<RegId>(i.writes.begin(), i.writes.begin() + i.write_count),
              ::testing::ElementsAre(8, 9, 10));
  EXPECT_EQ(i.source_count, 6u);
  EXPECT_EQ(i.destination_count, 3u);
  EXPECT_EQ(i.register_signature, std::uint64_t{0x7737});
  i.src[5].present = false;
  i.src[4].present = false;
  i.src[3].present = false;
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
}  // namespace heddle::isa::test::staging_test
