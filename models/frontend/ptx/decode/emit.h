// Instructions that the decoder adds: copies, additions, accesses to the stack.
#pragma once

#include "frontend/ptx/decode/context.h"
#include "isa/lane_ops.h"

namespace heddle::ptx {

/// dst = src, rows of the same width.
isa::Instruction& emit_move(KernelContext& kernel, const Instruction& from, isa::Operand dst,
                            isa::Operand src);

/// dst = a op b, or op a.
isa::Instruction& emit_lane(KernelContext& kernel, const Instruction& from, isa::LaneOp op, Type type,
                            isa::Operand dst, isa::Operand a, isa::Operand b = {});

/// Loads or stores a whole row (not of predicates) at a variable's address in local memory.
void emit_local(KernelContext& kernel, const Instruction& from, isa::Opcode op, isa::Operand row,
                const VariableSymbol& at);
[[nodiscard]] isa::Instruction local_access(isa::Opcode op, isa::Operand row, isa::Operand base,
                                            std::int64_t displacement);

/// 64-bit constants.
[[nodiscard]] isa::Operand constant64(KernelContext& kernel, std::uint64_t value);

/// The local address of a variable in a 64-bit row: a constant, or a sum emitted into a scratch row.
[[nodiscard]] isa::Operand local_address(KernelContext& kernel, const Instruction& from,
                                         const VariableSymbol& at, std::uint64_t offset);

[[nodiscard]] isa::Instruction control_instruction(isa::Opcode op);

/// A variable at `offset` of the function's frame.
[[nodiscard]] VariableSymbol in_frame(const KernelContext& kernel, std::uint64_t offset, std::uint64_t bytes);

/// For instructions that cannot have a guard here (calls ...): emits a branch around what is emitted until
/// it ends, and takes the guard away.
class GuardedRegion {
 public:
  GuardedRegion(KernelContext& kernel, const Instruction& instruction);
  ~GuardedRegion();
  GuardedRegion(const GuardedRegion&) = delete;
  GuardedRegion& operator=(const GuardedRegion&) = delete;

 private:
  KernelContext& kernel_;
  bool guarded_;
  std::uint32_t label_ = 0;
};

}  // namespace heddle::ptx
