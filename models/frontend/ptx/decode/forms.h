// The table of supported instructions: one line per form of an instruction, giving its modifiers, its
// operands and what turns it into decoded instructions. The decoder, its error messages and the list of
// supported instructions all read this table; adding an instruction that has a lane function is adding a
// line.
//
// Modifiers are a pattern of slots separated by blanks. A slot is alternatives separated by '|', optional
// with '?' behind the last; "kind=" in front says what the words mean (modifiers.h) where the word alone does
// not. A word that starts with '@' stands for a named slot (forms.cpp). Modifiers may come in any order, as
// in ptxas, except that the types keep theirs.
//
// Operands are a list of descriptions separated by blanks:
//   t, s    source of the first, second type of the instruction;  w: of twice the width of the first
//   u32 ... source of that type;  pred: predicate source
//   =t ...  destination;  =pred|pred, =t|pred: a second destination may follow after '|'
//   ~t      the register may be wider than the type (cvt)
//   -       the member mask of a .sync instruction
//   i       a constant of 8 bits, which goes into the decoded instruction
//   ?       behind any of them: may be absent
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/modifiers.h"

namespace heddle::ptx {

struct KernelContext;
struct CompiledForm;
using FormHandler = void (*)(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                             const Modifiers& modifiers);

struct Form {
  std::string_view opcode;
  std::string_view modifiers;
  std::string_view operands;
  FormHandler handler;
  isa::LaneOp lane = isa::LaneOp::kMov;  ///< of forms that have a lane function
};

struct Slot {
  ModifierKind kind = ModifierKind::kWord;
  std::vector<std::string_view> words;
  std::vector<ModifierKind> kinds;  ///< per word where the slot states no kind
  bool optional = false;
};

struct OperandSpec {
  enum class Source : std::uint8_t { kFirst, kSecond, kWide, kFixed, kMemberMask, kImmediate };
  Source source = Source::kFirst;
  isa::Type fixed = isa::Type::kNone;
  bool destination = false;
  bool second_destination = false;  ///< a predicate after '|'
  bool relaxed_width = false;
  bool optional = false;

  /// The operand's type under these modifiers.
  [[nodiscard]] isa::Type type(const Modifiers& modifiers) const;
};

struct CompiledForm {
  Form form;
  std::vector<Slot> slots;
  std::vector<OperandSpec> operands;
  std::size_t least_operands = 0;

  /// False if a modifier fits no free slot or a slot that is not optional stays empty. `misfit`: index of the
  /// first modifier that fits nothing; modifiers.size() if they all fit.
  [[nodiscard]] bool match(const std::vector<std::string>& modifiers, Modifiers& meaning,
                           std::size_t& misfit) const;
};

/// The forms of an opcode; empty if there is no such instruction.
[[nodiscard]] const std::vector<CompiledForm>& forms_of(std::string_view opcode);

/// Every opcode of the table, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> known_opcodes();

/// "add{.ftz}.(f32|f64)": a form as a reader writes it; words that no lane function supports are left out,
/// and a form without any is empty.
[[nodiscard]] std::string describe(const CompiledForm& form);

/// The operation that a lane form with these modifiers stands for.
[[nodiscard]] isa::LaneSpec lane_spec(const CompiledForm& form, const Modifiers& modifiers);

// The parts of the table.
[[nodiscard]] const std::vector<Form>& arithmetic_forms();
[[nodiscard]] const std::vector<Form>& logic_forms();
[[nodiscard]] const std::vector<Form>& data_forms();
[[nodiscard]] const std::vector<Form>& control_forms();
[[nodiscard]] const std::vector<Form>& half_forms();
[[nodiscard]] const std::vector<Form>& sync_forms();
[[nodiscard]] const std::vector<Form>& warp_forms();

// What the table's lines call.
void decode_lane(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvt(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mov(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvta(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvta_to(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvta_param(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_isspacep(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_load(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_store(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_atomic(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_reduction(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_fence(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_branch(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_exit(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_trap(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_breakpoint(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_sleep(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_warp_barrier(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_prefetch(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_barrier_sync(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_barrier_reduce(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_barrier_arrive(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_nothing(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);

}  // namespace heddle::ptx
