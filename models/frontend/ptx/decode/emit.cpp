#include "frontend/ptx/decode/emit.h"

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/classes.h"

namespace heddle::ptx {

using isa::LaneOp;
using isa::RowWidth;

isa::Instruction& emit_lane(KernelContext& kernel, const Instruction& from, LaneOp op, Type type,
                            isa::Operand dst, isa::Operand a, isa::Operand b) {
  isa::LaneSpec spec;
  spec.op = op;
  spec.type = type;
  isa::Instruction out = simple_lane(kernel, from, spec);
  out.dst[0] = dst;
  out.src[0] = a;
  out.src[1] = b;
  return kernel.emit(from, out);
}

isa::Instruction& emit_move(KernelContext& kernel, const Instruction& from, isa::Operand dst,
                            isa::Operand src) {
  const Type type = dst.width == RowWidth::k64   ? Type::kB64
                    : dst.width == RowWidth::k32 ? Type::kB32
                                                 : Type::kPred;
  return emit_lane(kernel, from, LaneOp::kMov, type, dst, src);
}

isa::Operand lane_number() {
  isa::Operand lane;
  lane.offset = isa::special_offset(isa::SpecialRow::kLaneId);
  lane.space = isa::RowSpace::kSpecial;
  lane.present = true;
  return lane;
}

isa::Instruction local_access(isa::Opcode op, isa::Operand row, isa::Operand base,
                              std::int64_t displacement) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.space = StateSpace::kLocal;
  out.type = row.width == RowWidth::k64 ? Type::kB64 : Type::kB32;
  out.memory.base = base;
  out.memory.displacement = displacement;
  (op == isa::Opcode::kLoad ? out.dst[0] : out.src[0]) = row;
  return out;
}

void emit_local(KernelContext& kernel, const Instruction& from, isa::Opcode op, isa::Operand row,
                const VariableSymbol& at) {
  isa::Instruction out = local_access(op, row, at.base, static_cast<std::int64_t>(at.address));
  // 8- and 16-bit values occupy 1 and 2 bytes of memory.
  if (row.width == RowWidth::k32 && at.bytes < 4) out.type = at.bytes == 1 ? Type::kU8 : Type::kU16;
  kernel.emit(from, out);
}

void emit_fence(KernelContext& kernel, const Instruction& from, isa::MemoryScope scope,
                isa::FenceOrder order) {
  isa::Instruction out = control_instruction(isa::Opcode::kFence);
  out.scope = scope;
  out.fence_order = order;
  kernel.emit(from, out);
}

isa::Operand constant64(KernelContext& kernel, std::uint64_t value) {
  return kernel.constants.row(RowWidth::k64, value);
}

isa::Operand local_address(KernelContext& kernel, const Instruction& from, const VariableSymbol& at,
                           std::uint64_t offset) {
  if (!at.base.present) return constant64(kernel, at.address + offset);
  if (at.address + offset == 0) return at.base;
  const isa::Operand sum = kernel.scratch(from, RowWidth::k64, 2);
  emit_lane(kernel, from, LaneOp::kAdd, Type::kU64, sum, at.base, constant64(kernel, at.address + offset));
  return sum;
}

isa::Instruction control_instruction(isa::Opcode op) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  return out;
}

VariableSymbol in_frame(const KernelContext& kernel, std::uint64_t offset, std::uint64_t bytes) {
  VariableSymbol symbol;
  symbol.space = StateSpace::kLocal;
  symbol.bytes = bytes;
  symbol.address = offset;
  if (kernel.plan.on_stack())
    symbol.base = kernel.plan.frame;
  else
    symbol.address += kernel.plan.frame_at;
  return symbol;
}

std::uint32_t new_label(KernelContext& kernel) {
  kernel.label_pc.push_back(static_cast<std::uint32_t>(kernel.code.size()));
  return static_cast<std::uint32_t>(kernel.label_pc.size() - 1);
}

isa::Instruction& emit_branch(KernelContext& kernel, const Instruction& from, std::uint32_t label) {
  kernel.branches.push_back({static_cast<std::uint32_t>(kernel.code.size()), label});
  return kernel.emit(from, control_instruction(isa::Opcode::kBranch));
}

GuardedRegion::GuardedRegion(KernelContext& kernel, const Instruction& instruction)
    : kernel_(kernel), guarded_(kernel.guard.present) {
  if (!guarded_) return;
  label_ = static_cast<std::uint32_t>(kernel.label_pc.size());
  kernel.label_pc.push_back(0);
  kernel.branches.push_back({static_cast<std::uint32_t>(kernel.code.size()), label_});
  kernel.guard.negated = !kernel.guard.negated;
  kernel.emit(instruction, control_instruction(isa::Opcode::kBranch));
  kernel.guard = {};
}

GuardedRegion::~GuardedRegion() {
  if (guarded_) kernel_.label_pc[label_] = static_cast<std::uint32_t>(kernel_.code.size());
}

}  // namespace heddle::ptx
