// Everything that holds a code address, kind by kind, when instructions are inserted.
#include "compiler/kernel_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "isa/convergence.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::kernel_editor_test {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::RowWidth;
using ptx::testing::constant_of;
using ptx::testing::name_of;
using ::testing::ElementsAre;

/// Identified by its immediate.
Instruction marked(std::uint64_t mark) {
  Instruction out;
  out.immediate = mark;
  return out;
}

isa::Kernel kernel(const std::string& body, const std::string& functions = {}) {
  return *ptx::testing::kernel(body, "", functions);
}

/// Marks in code order; 0: an instruction of the kernel.
std::vector<std::uint64_t> marks(const isa::Kernel& kernel) {
  std::vector<std::uint64_t> list;
  for (const Instruction& instruction : kernel.code)
    list.push_back(instruction.op == Opcode::kNop ? instruction.immediate : 0);
  return list;
}

// 0: add, 1: setp, 2: @%p1 bra 0, 3: exit
const char* const kLoop = "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;";

TEST(KernelEditor, JumpsEnterOrPassByAsTheyAreTold) {
  isa::Kernel k = kernel(kLoop);
  KernelEditor editor(k);
  EXPECT_TRUE(editor.insert_before(Pc(0), Entry::kJumpsToo, marked(2)));
  EXPECT_TRUE(editor.insert_before(Pc(0), Entry::kFallThrough, marked(1)));
  EXPECT_TRUE(editor.insert_before(Pc(3), Entry::kJumpsToo, marked(4)));
  EXPECT_TRUE(editor.insert_after(Pc(2), marked(3)));
  editor.finish();
  EXPECT_THAT(marks(k), ElementsAre(1, 2, 0, 0, 0, 3, 4, 0));
  EXPECT_EQ(k.code[4].target, Pc(1));
  EXPECT_EQ(k.code[0].where.line, k.code[2].where.line) << "an inserted instruction has its neighbour's line";
}

TEST(KernelEditor, WhatNoThreadCouldReachIsLeftOut) {
  isa::Kernel k = kernel("@%p1 bra L; exit; L: exit;");
  KernelEditor editor(k);
  EXPECT_FALSE(editor.insert_after(Pc(1), marked(1)));
  EXPECT_FALSE(editor.insert_before(Pc(2), Entry::kFallThrough, marked(2)));
  EXPECT_TRUE(editor.insert_before(Pc(2), Entry::kJumpsToo, marked(3)));
  editor.finish();
  EXPECT_THAT(marks(k), ElementsAre(0, 0, 3, 0));
  EXPECT_EQ(k.code[0].target, Pc(2));
}

TEST(KernelEditor, CallsAndReturnsFollowTheirFunctionsAndCallers) {
  isa::Kernel k = kernel("call f; mov.u32 %r1, 7; call f; mov.u32 %r1, 5; ret;",
                         ".func f { .reg .b32 %r; mov.u32 %r, 1; ret; }");
  // return PC, call, mov, return PC, call, mov, exit | mov, return
  ASSERT_EQ(k.code[1].op, Opcode::kCall);
  ASSERT_EQ(k.code[1].target, Pc(7));
  ASSERT_EQ(k.code_pointers.size(), 2u);
  KernelEditor editor(k);
  editor.insert_after(Pc(1), marked(1));
  editor.insert_before(Pc(2), Entry::kJumpsToo, marked(2));
  editor.insert_before(Pc(7), Entry::kFallThrough, marked(3));
  editor.insert_before(Pc(7), Entry::kJumpsToo, marked(4));
  editor.finish();
  EXPECT_THAT(marks(k), ElementsAre(0, 0, 1, 2, 0, 0, 0, 0, 0, 3, 4, 0, 0));
  EXPECT_EQ(k.code[1].target, Pc(9)) << "who calls a function falls into it";
  EXPECT_EQ(k.functions[0].first, 9u);
  EXPECT_EQ(k.functions[0].entry, 9u);
  EXPECT_EQ(k.functions[0].end, 13u);
  // A return goes to the instruction after the call.
  EXPECT_EQ(k.code[1].rpc, Pc(2));
  EXPECT_EQ(constant_of(k, k.code[0].src[0]), 2u);
  EXPECT_EQ(constant_of(k, k.code[5].src[0]), 7u);
  // Constants that equal a PC are unchanged: 7 is a value of the function, 5 was the second return PC.
  EXPECT_EQ(constant_of(k, k.code[4].src[0]), 7u);
  EXPECT_EQ(constant_of(k, k.code[7].src[0]), 5u);
}

TEST(KernelEditor, TablesAndFunctionAddressesMove) {
  isa::Kernel k = kernel(
      "T: .branchtargets A, B, A; brx.idx %r1, T; A: mov.u32 %r2, 1; bra END; B: mov.u64 %rd1, f; "
      "P: .callprototype _ (); call %rd1, (), P; END: ret;",
      ".func f { ret; }");
  const Instruction brx = k.code.at(0);
  ASSERT_EQ(brx.op, Opcode::kIndirect);
  const Pc b = k.targets[brx.table_first + 1];
  const Pc f = k.function_addresses.begin()->second.entry;
  KernelEditor editor(k);
  editor.insert_before(Pc(1), Entry::kFallThrough, marked(9));  // left out: no path falls through into A
  editor.insert_before(Pc(1), Entry::kJumpsToo, marked(1));
  editor.insert_before(b, Entry::kJumpsToo, marked(2));
  editor.insert_before(f, Entry::kFallThrough, marked(3));
  editor.finish();
  EXPECT_THAT(marks(k)[1], 1);
  const auto target = [&](std::uint32_t i) { return k.targets[k.code[0].table_first + i]; };
  EXPECT_EQ(target(0), Pc(1));
  EXPECT_EQ(target(2), Pc(1));
  EXPECT_EQ(target(1), Pc(b.value() + 1));
  const Pc entry = k.function_addresses.begin()->second.entry;
  EXPECT_EQ(entry, Pc(f.value() + 2));
  EXPECT_EQ(marks(k)[entry.value()], 3u);
  bool called = false;
  for (const Instruction& instruction : k.code)
    if (instruction.op == Opcode::kCall) called = k.targets[instruction.table_first] == entry;
  EXPECT_TRUE(called) << "the call's table has the function where it is now";
}

TEST(KernelEditor, VariableUsesAndLikelyConvergenceMove) {
  isa::Kernel k = kernel("ld.global.u32 %r1, [x]; ret;", ".global .u32 x;");
  ASSERT_EQ(k.variable_uses.size(), 1u);
  k.likely_convergence = {Pc(1)};
  KernelEditor editor(k);
  editor.insert_before(Pc(k.variable_uses[0].instruction), Entry::kJumpsToo, marked(1));
  editor.insert_before(Pc(1), Entry::kJumpsToo, marked(2));
  editor.finish();
  EXPECT_EQ(k.code[k.variable_uses[0].instruction].op, Opcode::kLoad);
  EXPECT_THAT(k.likely_convergence, ElementsAre(Pc(2)));
}

TEST(KernelEditor, NewRegistersJoinThoseOfTheirWidth) {
  isa::Kernel k =
      kernel("add.u32 %r1, %r1, 1; add.u64 %rd1, %rd1, 1; setp.eq.u32 %p1, %r1, 2; @%p1 bra L; L: ret;");
  const isa::RegisterLayout old = k.registers;
  KernelEditor editor(k);
  Instruction wide = marked(1);
  wide.dst[0] = editor.new_register(RowWidth::k64, "(wide)");
  Instruction narrow = marked(2);
  narrow.dst[0] = editor.new_register(RowWidth::k32, "(narrow)");
  narrow.guard = editor.new_register(RowWidth::kPredicate, "(flag)");
  editor.insert_before(Pc(0), Entry::kJumpsToo, wide);
  editor.insert_before(Pc(0), Entry::kJumpsToo, narrow);
  editor.finish();
  EXPECT_EQ(k.registers.rows32, old.rows32 + 1);
  EXPECT_EQ(k.registers.rows64, old.rows64 + 1);
  EXPECT_EQ(k.registers.predicates, old.predicates + 1);
  EXPECT_EQ(name_of(k, k.code[0].dst[0]), "(wide)");
  EXPECT_EQ(name_of(k, k.code[1].dst[0]), "(narrow)");
  EXPECT_EQ(name_of(k, k.code[1].guard), "(flag)");
  EXPECT_EQ(name_of(k, k.code[2].dst[0]), "%r1");
  EXPECT_EQ(name_of(k, k.code[3].src[0]), "%rd1");
  EXPECT_EQ(name_of(k, k.code[4].dst[0]), "%p1");
  EXPECT_EQ(name_of(k, k.code[5].guard), "%p1");
  for (const Instruction& instruction : k.code)
    for (const isa::Operand& operand : {instruction.dst[0], instruction.guard})
      if (operand.present) {
        EXPECT_EQ(operand.offset, k.registers.row(operand.reg).offset);
      }
  // The register lists for the scoreboard are updated.
  EXPECT_EQ(k.code[3].writes[0], k.code[3].dst[0].reg);
}

TEST(KernelEditor, CodeAddressesFollowTheInstructionsSize) {
  isa::Kernel k = kernel(kLoop);
  k.instruction_bytes = 16;
  KernelEditor editor(k);
  Instruction uses = marked(1);
  uses.src[0] = editor.code_pointer(RowWidth::k64, Pc(3), true);
  uses.src[1] = editor.code_pointer(RowWidth::k32, Pc(3), false);
  editor.insert_before(Pc(0), Entry::kFallThrough, uses);
  editor.finish();
  EXPECT_EQ(constant_of(k, k.code[0].src[0]), 64u);
  EXPECT_EQ(constant_of(k, k.code[0].src[1]), 4u);
  EXPECT_EQ(k.pc_at(64), Pc(4));
  EXPECT_EQ(k.pc_at(72), base::kNoPc);
  EXPECT_EQ(k.pc_at(80), base::kNoPc);
}

TEST(KernelEditor, RecursionsAreSavedFirst) {
  isa::Kernel k = kernel(kLoop);
  k.recursion = std::make_shared<const isa::Recursion>();
  KernelEditor editor(k);
  EXPECT_THROW(editor.finish(), std::logic_error);
}

// A BSSY goes where its own BSYNC is, whatever else is inserted there.
TEST(KernelEditor, ARegionEndsBehindItsOwnBsync) {
  isa::Kernel k = kernel("@%p1 bra J; add.u32 %r1, %r1, 1; J: ret;");
  KernelEditor editor(k);
  editor.insert_before(Pc(2), Entry::kJumpsToo, isa::bsync(1));  // inner first
  const Pc inner = editor.last_inserted();
  editor.insert_before(Pc(2), Entry::kJumpsToo, isa::bsync(0));
  const Pc outer = editor.last_inserted();
  editor.insert_before(Pc(0), Entry::kJumpsToo, isa::bssy(0, outer));
  editor.insert_before(Pc(0), Entry::kJumpsToo, isa::bssy(1, inner));
  editor.finish();
  // 0: bssy 0, 1: bssy 1, 2: bra, 3: add, 4: bsync 1, 5: bsync 0, 6: exit
  EXPECT_EQ(k.code[0].target, Pc(6));
  EXPECT_EQ(k.code[1].target, Pc(5));
  EXPECT_EQ(k.code[2].target, Pc(4));
  // Again: what is inserted behind a BSYNC belongs to those who meet there.
  KernelEditor again(k);
  again.insert_after(Pc(4), marked(1));
  again.insert_before(Pc(6), Entry::kJumpsToo, marked(2));
  again.insert_before(Pc(0), Entry::kJumpsToo, marked(3));
  again.finish();
  // 0: 3, 1: bssy 0, 2: bssy 1, 3: bra, 4: add, 5: bsync 1, 6: 1, 7: bsync 0, 8: 2, 9: exit
  EXPECT_EQ(k.code[1].target, Pc(8));
  EXPECT_EQ(k.code[2].target, Pc(6));
}

Instruction jump_to(Pc target) {
  Instruction out = marked(0);
  out.op = Opcode::kBranch;
  out.target = target;
  return out;
}

// 0: add, 1: setp, 2: @%p1 bra 0, 3: exit
TEST(KernelEditor, ABranchMayPassByWhatIsInsertedAtItsTarget) {
  isa::Kernel k = kernel(kLoop);
  KernelEditor editor(k);
  editor.insert_before(Pc(0), Entry::kJumpsToo, marked(1));
  editor.insert_before(Pc(0), Entry::kJumpsToo, marked(2));
  const Pc second = editor.last_inserted();
  editor.retarget(Pc(2), second);
  editor.finish();
  EXPECT_THAT(marks(k), ElementsAre(1, 2, 0, 0, 0, 0));
  EXPECT_EQ(k.code[4].target, Pc(1));

  KernelEditor again(k);
  again.insert_before(Pc(1), Entry::kJumpsToo, marked(3));
  again.retarget(Pc(4), KernelEditor::itself(Pc(1)));
  again.finish();
  EXPECT_THAT(marks(k), ElementsAre(1, 3, 2, 0, 0, 0, 0));
  EXPECT_EQ(k.code[5].target, Pc(2));
  EXPECT_TRUE(k.code[1].inserted);
  EXPECT_FALSE(k.code[5].inserted);
}

TEST(KernelEditor, CodeApartIsReachedByJumpsOnly) {
  isa::Kernel k = kernel("call f; ret;", ".func f { .reg .b32 %r; mov.u32 %r, 1; ret; }");
  // return PC, call, exit | mov, return
  KernelEditor editor(k);
  editor.insert_apart(Pc(3), marked(1));
  const Pc apart = editor.last_inserted();
  editor.insert_apart(Pc(3), jump_to(Pc(2)));
  editor.insert_apart(Pc(5), marked(2));
  editor.insert_after(Pc(1), jump_to(apart));
  EXPECT_THROW(editor.insert_apart(Pc(2), marked(3)), std::logic_error) << "the call falls through";
  editor.finish();
  // return PC, call, jump, exit, 1, jump | mov, return, 2
  EXPECT_THAT(marks(k), ElementsAre(0, 0, 0, 0, 1, 0, 0, 0, 2));
  EXPECT_EQ(k.code[2].target, Pc(4));
  EXPECT_EQ(k.code[5].target, Pc(3));
  EXPECT_EQ(k.code[1].target, Pc(6));
  EXPECT_EQ(k.functions[0].first, 6u);
  EXPECT_EQ(k.functions[0].end, 9u);
}

TEST(KernelEditor, AnIndirectBranchMayGetATableOfItsOwn) {
  isa::Kernel k = kernel("T: .branchtargets A, B; brx.idx %r1, T; A: mov.u32 %r2, 1; B: ret;");
  // brx, mov, exit
  KernelEditor editor(k);
  editor.insert_apart(Pc(3), marked(1));
  const Pc apart = editor.last_inserted();
  editor.insert_before(Pc(1), Entry::kJumpsToo, marked(2));
  editor.retarget(Pc(0), {apart, Pc(1)});
  editor.finish();
  EXPECT_THAT(marks(k), ElementsAre(0, 2, 0, 0, 1));
  EXPECT_EQ(k.targets[k.code[0].table_first], Pc(4));
  EXPECT_EQ(k.targets[k.code[0].table_first + 1], Pc(1));
}

}  // namespace
}  // namespace heddle::compiler::kernel_editor_test
