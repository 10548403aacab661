// Kernels with convergence instructions on mechanisms that do not execute them.
#include "compiler/ignore_convergence.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "unit/listing/decode.h"

namespace heddle::compiler::ignore_convergence_test {
namespace {

using isa::Opcode;

isa::Kernel kernel(const std::string& body) {
  return *listing::testing::decode(".listing\n.kernel k(out: 64)\n" + body);
}

isa::Kernel ignored(const std::string& body) {
  isa::Kernel k = kernel(body);
  IgnoreConvergence().run(k);
  return k;
}

std::string refusal(const std::string& body) {
  try {
    (void)ignored(body);
  } catch (const base::InputError& error) {
    return error.where() + ": " + error.message();
  }
  return "";
}

TEST(IgnoreConvergence, InstructionsThatSteerTakeASlotOnly) {
  const isa::Kernel k = ignored(
      "ISETP.EQ P0, R1, 0;\nBSSY B0, J;\nBMOV.32.CLEAR R3, B0;\n@P0 BREAK B1;\nYIELD;\nBMOV.32 B0, R3;\n"
      "J: BSYNC B0;\nEXIT;\n");
  for (std::size_t pc = 1; pc < 7; ++pc) {
    EXPECT_EQ(k.code[pc].op, Opcode::kNop) << pc;
    EXPECT_EQ(k.code[pc].read_count + k.code[pc].write_count, 0) << pc;
    EXPECT_EQ(k.code[pc].where.line, 3 + pc);
  }
  EXPECT_EQ(k.code[7].op, Opcode::kExit);
}

TEST(IgnoreConvergence, WarpsyncIsAWarpBarrier) {
  const isa::Kernel k =
      ignored("ISETP.EQ P0, R1, 0;\n@P0 WARPSYNC R4;\nWARPSYNC 0xffffffff;\nWARPSYNC 15;\nEXIT;\n");
  for (std::size_t pc = 1; pc < 4; ++pc) {
    EXPECT_EQ(k.code[pc].op, Opcode::kWarpSync);
    EXPECT_EQ(k.code[pc].member_mask, 0);
    EXPECT_EQ(k.code[pc].names_all_lanes, pc == 2) << pc;
  }
  EXPECT_TRUE(k.code[1].guard.present);
  EXPECT_EQ(k.code[1].read_count, 2);
}

TEST(IgnoreConvergence, ABarrierRegisterMayBeKeptButNotLookedAt) {
  const std::string looks =
      "uses the lanes of B0, which BMOV.32 in line 3 has read: without barrier registers there are none\n  ";
  EXPECT_EQ(refusal("BMOV.32 R3, B0;\nNOP;\nPOPC R4, R3;\nEXIT;\n"),
            "k.sass:5 (pc 0x020 in kernel k): " + looks + "POPC R4, R3;");
  EXPECT_EQ(refusal("BMOV.32 R3, B0;\nMOV R4, R3;\nBMOV.32 B0, R4;\nEXIT;\n"),
            "k.sass:4 (pc 0x010 in kernel k): " + looks + "MOV R4, R3;")
      << "a copy is not followed";
  EXPECT_EQ(refusal("BMOV.32 R3, B0;\nWARPSYNC R3;\nEXIT;\n"),
            "k.sass:4 (pc 0x010 in kernel k): " + looks + "WARPSYNC R3;");
  EXPECT_EQ(refusal("BRA B;\nA: POPC R4, R3;\nEXIT;\nB: BMOV.32 R3, B0;\nBRA A;\n").substr(0, 9),
            "k.sass:4 ");
  // The register is another value's now, but only for the lanes that wrote it.
  EXPECT_EQ(refusal("BMOV.32 R3, B0;\nBMOV.32 B0, R3;\nMOV R3, 1;\nPOPC R4, R3;\nEXIT;\n"), "");
  EXPECT_NE(refusal("ISETP.EQ P0, R1, 0;\nBMOV.32 R3, B0;\n@P0 MOV R3, 1;\nPOPC R4, R3;\nEXIT;\n"), "");
  EXPECT_EQ(refusal("BMOV.32.CLEAR RZ, B0;\nEXIT;\n"), "");
}

TEST(RefuseConvergence, NamesTheFirstInstructionAndWhatHelps) {
  isa::Kernel k = kernel("NOP;\nYIELD;\nEXIT;\n");
  try {
    RefuseConvergence("some_stack", "Do this.").run(k);
    FAIL() << "not refused";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where(), "k.sass:4 (pc 0x010 in kernel k)");
    EXPECT_EQ(
        error.message(),
        "some_stack has no barrier registers, which convergence instructions such as YIELD need\n  YIELD;");
    EXPECT_EQ(error.remedy(), "Do this.");
  }
  isa::Kernel without = kernel("NOP;\nEXIT;\n");
  EXPECT_NO_THROW(RefuseConvergence("some_stack", "").run(without));
}

TEST(RefuseConvergence, RefusesTheKernelAndNotItsModule) {
  isa::Module module;
  module.kernels = {std::make_shared<const isa::Kernel>(kernel("YIELD;\nEXIT;\n")),
                    std::make_shared<const isa::Kernel>(kernel("NOP;\nEXIT;\n"))};
  Pipeline pipeline;
  pipeline.add(Stage::kTransform, std::make_shared<const RefuseConvergence>("some_stack", "Do this."));
  pipeline.run(module);
  ASSERT_EQ(module.kernels.size(), 1u);
  ASSERT_EQ(module.refused.size(), 1u);
  EXPECT_EQ(module.refused[0].why->remedy(), "Do this.");
}

}  // namespace
}  // namespace heddle::compiler::ignore_convergence_test
