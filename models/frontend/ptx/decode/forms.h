// The table of supported instructions: one line per form of an instruction, with its modifiers, its operands
// and the function that decodes it. The decoder, its error messages and the list of supported instructions
// all use this table. To add an instruction that has a lane function, add a line.
//
// Modifiers are a pattern of slots separated by blanks. A slot is a list of alternatives separated by '|'; a
// '?' after the last one makes it optional. A "kind=" prefix sets the meaning of the words (modifiers.h)
// where the word alone does not. A word that starts with '@' stands for a named slot (forms.cpp). Modifiers
// may come in any order, as in ptxas, except that types keep their order.
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
  isa::LaneOp lane = isa::LaneOp::kMov;  ///< lane operation, for forms that have a lane function
};

struct Slot {
  ModifierKind kind = ModifierKind::kWord;
  std::vector<std::string_view> words;
  std::vector<ModifierKind> kinds;  ///< per word, if the slot does not set a kind
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

  /// The operand's type with these modifiers.
  [[nodiscard]] isa::Type type(const Modifiers& modifiers) const;
};

struct CompiledForm {
  Form form;
  std::vector<Slot> slots;
  std::vector<OperandSpec> operands;
  std::size_t least_operands = 0;

  /// False if a modifier fits no free slot, or a required slot remains empty. `misfit`: index of the first
  /// modifier that does not fit; modifiers.size() if they all fit.
  [[nodiscard]] bool match(const std::vector<std::string>& modifiers, Modifiers& meaning,
                           std::size_t& misfit) const;
};

/// The forms of an opcode; empty if it is unknown.
[[nodiscard]] const std::vector<CompiledForm>& forms_of(std::string_view opcode);

/// All opcodes of the table, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> known_opcodes();

/// "add{.ftz}.(f32|f64)": a form as documentation shows it. Words that no lane function supports are left
/// out; empty if none is left.
[[nodiscard]] std::string describe(const CompiledForm& form);

/// The lane operation of a form with these modifiers.
[[nodiscard]] isa::LaneSpec lane_spec(const CompiledForm& form, const Modifiers& modifiers);

// The parts of the table.
[[nodiscard]] const std::vector<Form>& arithmetic_forms();
[[nodiscard]] const std::vector<Form>& logic_forms();
[[nodiscard]] const std::vector<Form>& data_forms();
[[nodiscard]] const std::vector<Form>& control_forms();
[[nodiscard]] const std::vector<Form>& half_forms();
[[nodiscard]] const std::vector<Form>& async_forms();
[[nodiscard]] const std::vector<Form>& matrix_forms();
[[nodiscard]] const std::vector<Form>& sync_forms();
[[nodiscard]] const std::vector<Form>& warp_forms();
[[nodiscard]] const std::vector<Form>& texture_forms();
[[nodiscard]] const std::vector<Form>& video_forms();

// The decode functions that the table refers to.
void decode_lane(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvt(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mov(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mov_128(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mov_vector(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvta(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvta_to(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cvta_param(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_isspacep(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_load(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_store(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_atomic(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_wide_atomic(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_reduction(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_membar(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_fence(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_branch(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_exit(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_indirect_branch(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_call(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_return(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_store_param(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_alloca(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_stack_save(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_stack_restore(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_trap(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_breakpoint(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_sleep(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_warp_barrier(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_prefetch(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_barrier_sync(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_barrier_reduce(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_barrier_arrive(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_video(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_video_shift(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_video_mad(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_video_simd(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_packed(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_bulk_copy(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_bulk_wait(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_map_address(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_rank(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_cluster_wait(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_async_copy(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_async_commit(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_async_wait(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_async_wait_all(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_async_arrive(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mbarrier_init(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mbarrier_inval(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mbarrier_arrive(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mbarrier_test(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_register_limit(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_policy(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_mma(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_ldmatrix(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_stmatrix(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_movmatrix(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_wmma_load(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_wmma_store(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_wmma_mma(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_texture(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_texture_query(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_surface(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);
void decode_nothing(KernelContext&, const Instruction&, const CompiledForm&, const Modifiers&);

}  // namespace heddle::ptx
