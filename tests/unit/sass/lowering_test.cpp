// Machine code as instructions of the warp instruction set: memory, constants, control, as the words' text says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/lower/lower.h"
#include "frontend/sass/module_image.h"
#include "isa/togetherness.h"
#include "unit/sass/data.h"

namespace heddle::sass {
namespace {

using isa::CacheOp;
using isa::MemoryScope;
using isa::StateSpace;
using testing::ElementsAre;
using testing::HasSubstr;

/// The word of an instruction's text in the words' files.
Word word(Arch arch, const std::string& text) {
  for (const TextOfWord& each : words_of(arch))
    if (each.text == text) return each.word;
  ADD_FAILURE() << "no word has the text " << text;
  return {};
}

/// The same with another branch target, in bytes from the end of the instruction.
Word with_target(Arch arch, const Word& from, std::int64_t displacement) {
  Instruction instruction = *decode(from, arch).instruction;
  for (Operand& operand : instruction.operand)
    if (operand.role == Role::kTarget) operand.value = displacement;
  return encode(instruction);
}

Word with_target(Arch arch, const std::string& text, std::int64_t displacement) {
  return with_target(arch, word(arch, text), displacement);
}

/// A module with one kernel of these words.
Cubin cubin_of_words(Arch arch, std::vector<Word> words) {
  Cubin cubin;
  cubin.name = "words";
  cubin.sm = arch == Arch::kSm75 ? 75 : 90;
  CodeSection code;
  code.name = "k";
  code.is_entry = true;
  code.words = std::move(words);
  code.registers = 32;
  code.parameter_base = arch == Arch::kSm75 ? 0x160 : 0x210;
  code.parameter_bytes = 12;
  code.parameters = {{0, 0, 8}, {1, 8, 4}};
  code.functions = {
      {"k", ".text.k", 0, code.words.size() * kInstructionBytes, true, false, true, false, true}};
  cubin.symbols = code.functions;
  cubin.code = {code};
  return cubin;
}

isa::Module lowered(const Cubin& cubin) {
  std::uint64_t next = 0x2000'0000;
  return lower(place(cubin, [&](const std::string&, std::uint64_t bytes, std::uint32_t align) {
    const std::uint64_t at = (next + align - 1) / align * align;
    next = at + bytes;
    return at;
  }));
}

std::shared_ptr<const isa::Kernel> kernel_of(Arch arch, std::vector<Word> words) {
  return lowered(cubin_of_words(arch, std::move(words))).find_or_refuse("k");
}
std::shared_ptr<const isa::Kernel> kernel_of(Arch arch, const std::string& text) {
  return kernel_of(arch, std::vector<Word>{word(arch, text)});
}

/// "R5", "0x00000007", "-" for what is absent.
std::string name(const isa::Kernel& kernel, const isa::Operand& operand) {
  if (!operand.present) return "-";
  if (operand.space == isa::RowSpace::kRegister) return kernel.register_names.at(operand.reg);
  std::uint32_t value = 0;
  std::memcpy(&value, kernel.constants.data() + operand.offset, sizeof value);
  return "=" + std::to_string(value);
}

template <class Operands>
std::vector<std::string> names(const isa::Kernel& kernel, const Operands& operands, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(name(kernel, operands[i]));
  return all;
}

/// Base, its high word, what is added, its high word.
std::vector<std::string> address(const isa::Kernel& kernel) {
  return names(kernel, kernel.code.at(0).memory.rows(), 4);
}

// ---- Addresses and data

TEST(LoweredMemory, PairsAreTwoRowsAndDescriptorsEnterNoAddress) {
  const auto kernel = kernel_of(Arch::kSm90, "LDG.E.128 R12, desc[UR6][R12.64]");
  const isa::Instruction& load = kernel->code.at(0);
  EXPECT_EQ(load.op, isa::Opcode::kLoad);
  EXPECT_EQ(load.unit, isa::Unit::kMemory);
  EXPECT_EQ(load.space, StateSpace::kGlobal);
  EXPECT_EQ(load.type, isa::Type::kB32);
  EXPECT_EQ(load.vector, 4u);
  EXPECT_THAT(names(*kernel, load.dst, 4), ElementsAre("R12", "R13", "R14", "R15"));
  EXPECT_THAT(address(*kernel), ElementsAre("R12", "R13", "-", "-"));
  EXPECT_TRUE(load.memory.wide());
  EXPECT_THAT(kernel->register_names, ElementsAre("R12", "R13", "R14", "R15"));
}

TEST(LoweredMemory, DisplacementsAndNarrowElements) {
  const auto kernel = kernel_of(Arch::kSm90, "LDG.E.U8 R24, desc[UR4][R16.64+0x3]");
  EXPECT_EQ(kernel->code.at(0).memory.displacement, 3);
  EXPECT_EQ(kernel->code.at(0).type, isa::Type::kU8);
  EXPECT_EQ(kernel_of(Arch::kSm90, "LDG.E.S8 R10, desc[UR8][R10.64]")->code.at(0).type, isa::Type::kS8);
  EXPECT_EQ(kernel_of(Arch::kSm90, "LDG.E.S16 R6, desc[UR8][R6.64]")->code.at(0).type, isa::Type::kS16);
  EXPECT_EQ(kernel_of(Arch::kSm90, "LDS R14, [R12+-0x8]")->code.at(0).memory.displacement, -8);
}

TEST(LoweredMemory, UniformRegistersAreAdded) {
  const auto shared = kernel_of(Arch::kSm90, "LDS R11, [R11+UR5]");
  EXPECT_THAT(address(*shared), ElementsAre("R11", "-", "UR5", "-"));
  EXPECT_FALSE(shared->code.at(0).memory.wide()) << "shared addresses have 32 bits";
  EXPECT_EQ(shared->code.at(0).space, StateSpace::kShared);
  EXPECT_THAT(address(*kernel_of(Arch::kSm90, "LDS R2, [UR5]")), ElementsAre("UR5", "-", "-", "-"));
  const auto pair = kernel_of(Arch::kSm75, "LDG.E.U8.SYS R14, [R8.64+UR4]");
  EXPECT_THAT(address(*pair), ElementsAre("R8", "R9", "UR4", "UR5"));
  const auto narrow = kernel_of(Arch::kSm75, "LDG.E.64.SYS R6, [R0.U32+UR4]");
  EXPECT_THAT(address(*narrow), ElementsAre("R0", "-", "UR4", "UR5"));
  EXPECT_TRUE(narrow->code.at(0).memory.wide());
  EXPECT_THAT(address(*kernel_of(Arch::kSm75, "LDG.E.SYS R11, [UR4]")), ElementsAre("UR4", "UR5", "-", "-"));
}

TEST(LoweredMemory, BaseRegistersMayBeScaled) {
  const isa::Instruction store = kernel_of(Arch::kSm75, "STS.128 [R3.X16], R20")->code.at(0);
  EXPECT_EQ(store.memory.base_shift, 4u);
  EXPECT_TRUE(store.memory.composed());
  const auto lane = [](const isa::Operand&) { return 0x1000'0003u; };
  EXPECT_EQ(store.memory.address(lane), 0x30u) << "32 bits";
  EXPECT_EQ(
      kernel_of(Arch::kSm75, "LDS.U R9, [R4.X4+0x800]")->code.at(0).memory.address([](const isa::Operand&) {
        return 5u;
      }),
      0x814u);
}

TEST(LoweredMemory, AddressesAreSumsOfTheirWords) {
  const auto kernel = kernel_of(Arch::kSm75, "LDG.E.U8.SYS R14, [R8.64+UR4]");
  const auto value = [&](const isa::Operand& row) -> std::uint32_t {
    const std::string& which = kernel->register_names.at(row.reg);
    return which == "R8" ? 0xffff'fff0u : which == "R9" ? 2u : which == "UR4" ? 0x20u : 1u;
  };
  EXPECT_EQ(kernel->code.at(0).memory.address(value), 0x4'0000'0010u);
}

TEST(LoweredMemory, RzIsZerosAsDataAndNothingAsDestination) {
  const auto store = kernel_of(Arch::kSm90, "@!P0 STS [R2], RZ");
  EXPECT_THAT(names(*store, store->code.at(0).src, 2), ElementsAre("=0", "-"));
  EXPECT_EQ(name(*store, store->code.at(0).guard), "P0");
  EXPECT_TRUE(store->code.at(0).guard.negated);
  const auto atomic = kernel_of(Arch::kSm90, "ATOMS.ADD RZ, [R10+-0x8], R21");
  EXPECT_EQ(atomic->code.at(0).write_count, 0u);
}

TEST(LoweredMemory, AtomicsOfTwoWordsHaveTheirHighWordsBehind) {
  const auto kernel = kernel_of(Arch::kSm90, "ATOMG.E.CAS.64.STRONG.GPU PT, R8, [R4], R8, R10");
  const isa::Instruction& cas = kernel->code.at(0);
  EXPECT_EQ(cas.op, isa::Opcode::kAtomic);
  EXPECT_EQ(cas.atomic_op, isa::AtomicOp::kCas);
  EXPECT_EQ(cas.type, isa::Type::kU64);
  EXPECT_THAT(names(*kernel, cas.src, 4), ElementsAre("R8", "R10", "R9", "R11"));
  EXPECT_THAT(names(*kernel, cas.dst, 2), ElementsAre("R8", "R9"));
  EXPECT_THAT(address(*kernel), ElementsAre("R4", "R5", "-", "-"));
  const auto add = kernel_of(Arch::kSm75, "RED.E.ADD.64.STRONG.GPU [UR4], R4");
  EXPECT_EQ(add->code.at(0).type, isa::Type::kU64);
  EXPECT_THAT(names(*add, add->code.at(0).src, 4), ElementsAre("R4", "-", "R5", "-"));
  EXPECT_FALSE(add->code.at(0).dst[0].present);
}

TEST(LoweredMemory, OrderAndScope) {
  const auto access = [](Arch arch, const char* text) {
    const isa::Instruction made = kernel_of(arch, text)->code.at(0);
    return std::pair(made.cache_op, made.scope);
  };
  EXPECT_EQ(access(Arch::kSm90, "LDG.E R2, desc[UR8][R2.64]"),
            std::pair(CacheOp::kDefault, MemoryScope::kGpu));
  EXPECT_EQ(access(Arch::kSm90, "LDG.E.STRONG.GPU R16, desc[UR4][R2.64+0x4]"),
            std::pair(CacheOp::kVolatile, MemoryScope::kGpu));
  EXPECT_EQ(access(Arch::kSm90, "LDG.E.STRONG.SYS R19, desc[UR8][R4.64]"),
            std::pair(CacheOp::kVolatile, MemoryScope::kSystem));
  EXPECT_EQ(access(Arch::kSm90, "LDG.E.CONSTANT R6, desc[UR4][R6.64]").first, CacheOp::kNonCoherent);
  EXPECT_EQ(access(Arch::kSm90, "LDG.E.EF R18, desc[UR4][R2.64]").first, CacheOp::kStreaming);
  EXPECT_EQ(access(Arch::kSm75, "LDG.E.SYS R11, [UR4]").first, CacheOp::kDefault) << "weak";
  EXPECT_EQ(access(Arch::kSm75, "LDG.E.STRONG.SYS R15, [R6]"),
            std::pair(CacheOp::kVolatile, MemoryScope::kSystem));
}

TEST(LoweredMemory, GenericAndLocalAccesses) {
  EXPECT_EQ(kernel_of(Arch::kSm90, "LD.E R3, desc[UR8][R14.64]")->code.at(0).space, StateSpace::kGeneric);
  EXPECT_EQ(kernel_of(Arch::kSm90, "STL.64 [R1+0x8], R6")->code.at(0).space, StateSpace::kLocal);
  const auto space = kernel_of(Arch::kSm75, "QSPC.E.S P0, RZ, [R4]");
  const isa::Instruction& test = space->code.at(0);
  std::array<std::uint32_t, 32> low{}, high{}, zeros{};
  low[1] = 64;
  high[1] = static_cast<std::uint32_t>(isa::kSharedWindowBase >> 32);
  low[2] = 64;
  high[2] = static_cast<std::uint32_t>(isa::kLocalWindowBase >> 32);
  std::uint32_t holds = 0x8000'0000u;
  isa::LaneArgs args;
  args.dst[0] = reinterpret_cast<std::byte*>(&holds);
  args.src[0] = reinterpret_cast<const std::byte*>(low.data());
  args.src[1] = reinterpret_cast<const std::byte*>(high.data());
  args.src[2] = args.src[3] = reinterpret_cast<const std::byte*>(zeros.data());
  args.mask = 0x7fff'ffff;
  args.immediate = test.immediate;
  test.lane_fn(args);
  EXPECT_EQ(holds, 0x8000'0002u) << "lane 1; lane 31 keeps its value";
}

// ---- Constants

TEST(LoweredConstants, LaunchStateIsFilledInByLaunches) {
  const auto kernel = kernel_of(Arch::kSm90, "LDC R1, c[0x0][0x28]");
  ASSERT_EQ(kernel->launch_constants.size(), 1u);
  EXPECT_EQ(kernel->launch_constants[0].value, isa::LaunchValue::kLocalBytes);
  EXPECT_EQ(kernel->code.at(0).op, isa::Opcode::kLane);
  const auto block = kernel_of(Arch::kSm90, "LDC R8, c[0x0][RZ]");
  EXPECT_EQ(block->launch_constants.at(0).value, isa::LaunchValue::kBlockX);
}

/// 0x140 says whether a launch has clusters: 0, where each CTA is one.
TEST(LoweredConstants, LaunchesHaveNoClusters) {
  Instruction constant = *decode(word(Arch::kSm90, "LDC R1, c[0x0][0x28]"), Arch::kSm90).instruction;
  for (Operand& operand : constant.operand)
    if (operand.kind == Operand::Kind::kConstant) operand.value = 0x140;
  const auto kernel = kernel_of(Arch::kSm90, {encode(constant)});
  EXPECT_EQ(name(*kernel, kernel->code.at(0).src[0]), "=0");
}

TEST(LoweredConstants, ParametersAreLoadedByLdcAndRowsForTheOthers) {
  const auto load = kernel_of(Arch::kSm90, "LDC.64 R4, c[0x0][0x210]");
  EXPECT_EQ(load->code.at(0).op, isa::Opcode::kLoad);
  EXPECT_EQ(load->code.at(0).space, StateSpace::kParam);
  EXPECT_EQ(load->code.at(0).memory.displacement, 0);
  EXPECT_EQ(load->code.at(0).vector, 2u);
  const auto uniform = kernel_of(Arch::kSm90, "ULDC.64 UR8, c[0x0][0x208]");
  EXPECT_THAT(names(*uniform, uniform->code.at(0).dst, 2), ElementsAre("UR8", "UR9"));
  EXPECT_THAT(names(*uniform, uniform->code.at(0).src, 2), ElementsAre("=0", "=0")) << "the descriptor";
}

TEST(LoweredConstants, KernelsHaveTheirParameters) {
  const auto kernel = kernel_of(Arch::kSm90, "EXIT");
  ASSERT_EQ(kernel->params.size(), 2u);
  EXPECT_EQ(kernel->params[1].offset, 8u);
  EXPECT_EQ(kernel->params[1].bytes, 4u);
  EXPECT_EQ(kernel->param_bytes, 12u);
  EXPECT_EQ(kernel->allocated_registers, 32u);
  EXPECT_TRUE(kernel->is_machine_code());
}

// ---- Control

TEST(LoweredControl, BranchesHaveGuardConditionAndTarget) {
  const Word branch = with_target(Arch::kSm90, "@!P2 BRA !P0, 0x1f90", -32);
  const auto kernel = kernel_of(Arch::kSm90, {word(Arch::kSm90, "NOP"), branch});
  const isa::Instruction& made = kernel->code.at(1);
  EXPECT_EQ(made.op, isa::Opcode::kBranch);
  EXPECT_EQ(made.transfer, isa::Transfer::kJump);
  EXPECT_EQ(made.target, isa::Pc(0));
  EXPECT_EQ(name(*kernel, made.guard), "P2");
  EXPECT_TRUE(made.guard.negated);
  EXPECT_EQ(name(*kernel, made.guard2), "P0");
  EXPECT_TRUE(made.guard2.negated);
  EXPECT_EQ(kernel->code_address(isa::Pc(1)), 16u);
}

TEST(LoweredControl, BranchesMayAskWhoIsTogether) {
  const auto diverged = kernel_of(Arch::kSm90, {with_target(Arch::kSm90, "BRA.DIV UR5, 0xdd0", -16)});
  EXPECT_EQ(diverged->code.at(0).togetherness, isa::Togetherness::kApart);
  EXPECT_EQ(name(*diverged, diverged->code.at(0).src[0]), "UR5");
  const Word of_mask{0x0000'0003'0430'7947, 0x000f'ea00'0b80'0000};  // BRA.CONV UR4
  const auto joined = kernel_of(Arch::kSm90, {with_target(Arch::kSm90, of_mask, -16)});
  EXPECT_EQ(joined->code.at(0).togetherness, isa::Togetherness::kTogether);
  EXPECT_EQ(name(*joined, joined->code.at(0).src[0]), "UR4");
  const auto together = kernel_of(Arch::kSm75, {with_target(Arch::kSm75, "BRA.CONV 0x640", -16)});
  EXPECT_EQ(together->code.at(0).togetherness, isa::Togetherness::kTogether);
  EXPECT_EQ(name(*together, together->code.at(0).src[0]), "=4294967295");
  // All lanes take BRA.ANY where one does.
  Word any = with_target(Arch::kSm90, "@!P2 BRA !P0, 0x1f90", -16);
  any.high |= 1u << 20;
  const auto some = kernel_of(Arch::kSm90, {any});
  using base::LaneMask;
  const auto taken = [&](LaneMask guarded) {
    return isa::taken_of(some->code.at(0), LaneMask(0xff), guarded, LaneMask(~0u));
  };
  EXPECT_NE(some->code.at(0).togetherness, isa::Togetherness::kAny);
  EXPECT_EQ(taken(LaneMask(0x10)), LaneMask(0xff));
  EXPECT_EQ(taken(LaneMask{}), LaneMask{});
}
TEST(LoweredControl, SleepsThatMayEndEarlyTakeNoTime) {
  const Word sleep{0x0000'03e8'0000'095d, 0x002f'ea00'0390'0000};
  EXPECT_EQ(kernel_of(Arch::kSm90, {sleep})->code.at(0).op, isa::Opcode::kNop);
}

TEST(LoweredOperands, TheNumberOfTheGridIsASpecialRow) {  // MOV R1, c[0x0][0x30]
  const auto kernel = kernel_of(Arch::kSm75, {Word{0x0000'0c00'0001'7a02, 0x003f'de00'0000'0f00}});
  EXPECT_EQ(kernel->code.at(0).src[0].offset, isa::special_offset(isa::SpecialRow::kGridIdLow));
}

TEST(LoweredControl, ConvergenceInstructions) {
  const Word bssy = with_target(Arch::kSm90, "BSSY B0, 0x150", 16);
  const auto kernel = kernel_of(
      Arch::kSm90, {bssy, word(Arch::kSm90, "BSYNC B0"), word(Arch::kSm90, "@!P0 BREAK B4"),
                    word(Arch::kSm90, "BMOV.32.CLEAR R16, B6"), word(Arch::kSm90, "BMOV.32 B6, R16"),
                    word(Arch::kSm90, "WARPSYNC.ALL"), word(Arch::kSm90, "YIELD")});
  using isa::ConvergenceOp;
  const std::vector<std::pair<ConvergenceOp, unsigned>> expected{
      {ConvergenceOp::kSet, 0},       {ConvergenceOp::kSync, 0},  {ConvergenceOp::kBreak, 4},
      {ConvergenceOp::kReadClear, 6}, {ConvergenceOp::kWrite, 6}, {ConvergenceOp::kWarpSync, 0},
      {ConvergenceOp::kYield, 0}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(kernel->code.at(i).op, isa::Opcode::kConvergence) << i;
    EXPECT_EQ(kernel->code.at(i).convergence, expected[i].first) << i;
    EXPECT_EQ(kernel->code.at(i).barrier, expected[i].second) << i;
  }
  EXPECT_EQ(kernel->code.at(0).target, isa::Pc(2));
  EXPECT_EQ(name(*kernel, kernel->code.at(3).dst[0]), "R16");
  EXPECT_EQ(name(*kernel, kernel->code.at(4).src[0]), "R16");
  EXPECT_EQ(name(*kernel, kernel->code.at(5).src[0]), "=4294967295");
}

TEST(LoweredControl, CollectivesReturnBehindEachLanesOwn) {
  const auto kernel = kernel_of(
      Arch::kSm90, {with_target(Arch::kSm90, "WARPSYNC.COLLECTIVE R14, 0xe20", 32), word(Arch::kSm90, "NOP"),
                    word(Arch::kSm90, "ENDCOLLECTIVE"), word(Arch::kSm90, "EXIT")});
  const isa::Instruction& begin = kernel->code.at(0);
  EXPECT_EQ(name(*kernel, begin.src[0]), "R14");
  EXPECT_EQ(name(*kernel, begin.src[1]), "=48");
  const isa::Instruction& end = kernel->code.at(2);
  EXPECT_EQ(end.op, isa::Opcode::kIndirect);
  EXPECT_TRUE(end.target_is_address);
  EXPECT_EQ(end.src[0].reg, begin.dst[0].reg);
  EXPECT_EQ(end.table_count, 1u);
  EXPECT_EQ(kernel->targets.at(end.table_first), isa::Pc(3));

  const Word of_all{0x0000'0000'0014'7948, 0x000f'ea00'03c0'0000};
  const auto all = kernel_of(Arch::kSm90, {with_target(Arch::kSm90, of_all, 16),
                                           word(Arch::kSm90, "ENDCOLLECTIVE"), word(Arch::kSm90, "EXIT")});
  EXPECT_EQ(name(*all, all->code.at(0).src[0]), "=4294967295");
  EXPECT_EQ(name(*all, all->code.at(0).src[1]), "=32");
  EXPECT_EQ(all->targets.at(all->code.at(1).table_first), isa::Pc(2));
}

TEST(LoweredControl, CallsAndReturnsGoThroughRegisters) {
  Cubin cubin = cubin_of_words(
      Arch::kSm90, {with_target(Arch::kSm90, "CALL.REL.NOINC 0x5c0", 16), word(Arch::kSm90, "EXIT"),
                    with_target(Arch::kSm90, "RET.REL.NODEC R4 0x0", -48)});
  cubin.code[0].functions[0].size = 32;
  cubin.code[0].functions.push_back({"f", ".text.k", 32, 16, true});
  const auto kernel = lowered(cubin).find_or_refuse("k");
  const isa::Instruction& call = kernel->code.at(0);
  EXPECT_EQ(call.op, isa::Opcode::kCall);
  EXPECT_EQ(call.target, isa::Pc(2));
  EXPECT_EQ(call.rpc, isa::Pc(1));
  ASSERT_EQ(kernel->functions.size(), 1u);
  EXPECT_EQ(kernel->functions[0].first, 2u);
  EXPECT_EQ(kernel->functions[0].end, 3u);
  const isa::Instruction& back = kernel->code.at(2);
  EXPECT_EQ(back.op, isa::Opcode::kReturn);
  EXPECT_TRUE(back.target_is_address);
  EXPECT_TRUE(back.target_is_pair);
  EXPECT_THAT(names(*kernel, back.src, 2), ElementsAre("R4", "R5"));
  EXPECT_EQ(back.immediate, 0u) << "the section begins at 0";
  EXPECT_FALSE(kernel->uses_stack);
  // A call of what is no function is a branch.
  EXPECT_EQ(kernel_of(Arch::kSm90, {with_target(Arch::kSm90, "CALL.REL.NOINC 0x5c0", -16)})->code.at(0).op,
            isa::Opcode::kBranch);
}

TEST(LoweredControl, BarriersCountAndReduce) {
  const auto barrier = kernel_of(Arch::kSm90, "BAR.RED.POPC.DEFER_BLOCKING 0x0, P2");
  const isa::Instruction& made = barrier->code.at(0);
  EXPECT_EQ(made.op, isa::Opcode::kBarrier);
  EXPECT_EQ(made.barrier_reduction, isa::BarrierReduction::kPopc);
  EXPECT_EQ(name(*barrier, made.src[0]), "=0");
  EXPECT_FALSE(made.src[1].present) << "all threads";
  EXPECT_EQ(name(*barrier, made.src[2]), "P2");
  EXPECT_TRUE(made.dst[0].present);
  const auto both = kernel_of(Arch::kSm90, {word(Arch::kSm90, "BAR.RED.POPC.DEFER_BLOCKING 0x0, P2"),
                                            word(Arch::kSm90, "B2R.RESULT R0")});
  EXPECT_EQ(both->code.at(1).src[0].reg, both->code.at(0).dst[0].reg);
  EXPECT_EQ(name(*both, both->code.at(1).dst[0]), "R0");
}

// ---- Refusals

TEST(Lowered, KernelsAreRefusedByInstruction) {
  isa::Module module = lowered(cubin_of_words(Arch::kSm90, {{0, 0}}));
  ASSERT_EQ(module.refused.size(), 1u);
  EXPECT_THAT(module.refused[0].why->what(), HasSubstr("words, kernel k: the instruction at 0x0"));
  Instruction constant = *decode(word(Arch::kSm90, "LDC R1, c[0x0][0x28]"), Arch::kSm90).instruction;
  for (Operand& operand : constant.operand)
    if (operand.kind == Operand::Kind::kConstant) operand.value = 0x1f0;
  module = lowered(cubin_of_words(Arch::kSm90, {encode(constant)}));
  ASSERT_EQ(module.refused.size(), 1u);
  EXPECT_THAT(module.refused[0].why->what(), HasSubstr("words, kernel k, 0x0 (LDC R1, c[0x0][0x1f0]): "
                                                       "c[0x0][0x1f0] is launch state that is not modelled"));
}

/// Each CTA would be told that it is the first of its cluster.
TEST(Lowered, ClustersOfSeveralCtasAreRefused) {
  Cubin cubin = cubin_of_words(Arch::kSm90, {word(Arch::kSm90, "EXIT")});
  EXPECT_NE(lowered(cubin).find_or_refuse("k"), nullptr);
  cubin.code[0].cluster_ctas = 2;
  try {
    (void)lowered(cubin).find_or_refuse("k");
    FAIL() << "it is not refused";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel k: the kernel asks for clusters of 2 CTAs"));
  }
}

TEST(Lowered, TargetsOutsideOfTheKernelAreRefused) {
  const isa::Module module =
      lowered(cubin_of_words(Arch::kSm90, {with_target(Arch::kSm90, "@P0 BRA 0x140", 0x1000)}));
  ASSERT_EQ(module.refused.size(), 1u);
  EXPECT_THAT(module.refused[0].why->what(), HasSubstr("its target 0x1010 is no instruction of the kernel"));
}

// ---- Placement

TEST(PlacedModule, BanksHoldAddresses) {
  const PlacedModule placed =
      place(read_cubin(cubin_bytes("dispatch"), "dispatch.cubin"),
            [next = std::uint64_t{0x1000'0000}](const std::string&, std::uint64_t, std::uint32_t) mutable {
              return next += 0x1000;
            });
  ASSERT_EQ(placed.variables.size(), 1u);
  EXPECT_EQ(placed.variables[0].name, "dispatch_table");
  EXPECT_EQ(placed.bank4.word(0), placed.variables[0].address);
  EXPECT_EQ(placed.bank4.word(4), 0u);
  EXPECT_EQ(placed.bank4.word(400), 0u) << "behind its end";
  ASSERT_EQ(placed.kernels.size(), 1u);
  EXPECT_EQ(placed.section_of(placed.kernels[0]).name, "dispatch_run");
  // The table of functions holds code addresses of the kernel's code space.
  const PlacedBlock& table = placed.blocks.at(0);
  ASSERT_EQ(table.bytes.size(), 32u);
  EXPECT_EQ(table.address, placed.variables[0].address);
  std::vector<std::uint64_t> entries(4);
  std::memcpy(entries.data(), table.bytes.data(), table.bytes.size());
  EXPECT_THAT(entries, ElementsAre(0x720u, 0x740u, 0x770u, 0x830u));
  EXPECT_EQ(placed.kernels[0].bank2.address, 0u) << "the kernel has no bank 2";
}

TEST(ModuleImage, IsRecognisedByItsFirstBytes) {
  EXPECT_TRUE(is_machine_code(cubin_bytes("vecadd")));
  const std::string text = ".version 7.5";
  EXPECT_FALSE(is_machine_code(std::as_bytes(std::span(text))));
  EXPECT_EQ(cubin_of(cubin_bytes("vecadd"), "v").sm, 90u);
}

}  // namespace
}  // namespace heddle::sass
