// Bulk copies of bytes (cp.async.bulk) between global memory and the CTA's shared memory, and what a cluster of one CTA has.
//
// A copy is a loop of the thread that asks for it, 16 bytes at a time: into shared memory by asynchronous copies, behind which the
// mbarrier hears of the bytes; to global memory by loads and stores, so that its groups have nothing to wait for. A card's engine takes
// no issue slots of the warp for it.
#include <fmt/format.h>

#include <variant>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "isa/mbarrier.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::Opcode;
using isa::RowWidth;

constexpr std::uint64_t kStep = 16;

isa::Instruction access(Opcode op, StateSpace space, isa::Operand at) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = op == Opcode::kAsyncCopy ? Type::kB128 : Type::kB64;
  out.space = space;
  out.memory.base = at;
  return out;
}

/// `from` to `to`; both are behind it afterwards.
void emit_step(KernelContext& kernel, const Instruction& instruction, bool into_shared, isa::Operand to,
               isa::Operand from) {
  if (into_shared) {
    isa::Instruction copy = access(Opcode::kAsyncCopy, StateSpace::kGlobal, from);
    copy.cache_op = isa::CacheOp::kCacheGlobal;
    copy.src[0] = to;
    kernel.emit(instruction, copy);
  } else {
    constexpr unsigned kHalf = kStep / 2;
    const isa::Operand value = kernel.scratch(instruction, RowWidth::k64, 3);
    for (unsigned at = 0; at < kStep; at += kHalf) {
      isa::Instruction load = access(Opcode::kLoad, StateSpace::kShared, from);
      load.memory.displacement = at;
      load.dst[0] = value;
      kernel.emit(instruction, load);
      isa::Instruction store = access(Opcode::kStore, StateSpace::kGlobal, to);
      store.memory.displacement = at;
      store.src[0] = value;
      kernel.emit(instruction, store);
    }
  }
  for (const isa::Operand& each : {to, from})
    emit_lane(kernel, instruction, LaneOp::kAdd, Type::kU64, each, each, constant64(kernel, kStep));
}

}  // namespace

void decode_bulk_copy(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers&) {
  const bool into_shared = has_modifier(instruction, "mbarrier::complete_tx::bytes");
  const bool hint = has_modifier(instruction, kCacheHint);
  const std::size_t count = (into_shared ? 4u : 3u) + (hint ? 1u : 0u);
  check_operand_count(kernel, instruction, count, count);
  if (hint) static_cast<void>(source(kernel, instruction, instruction.operands[count - 1], Type::kB64));
  const Operand& size = instruction.operands[2];
  if (const auto* literal = std::get_if<IntegerLiteral>(&size.value);
      literal != nullptr && (literal->negative || literal->bits % kStep != 0))
    kernel.fail(size.where, fmt::format("{} copies a multiple of {} bytes", full_name(instruction), kStep));
  const GuardedRegion region(kernel, instruction);
  const StateSpace global = StateSpace::kGlobal, shared = StateSpace::kShared;
  const isa::Operand to =
      address_in_row(kernel, instruction, instruction.operands[0], into_shared ? shared : global, kStep, 0);
  const isa::Operand from =
      address_in_row(kernel, instruction, instruction.operands[1], into_shared ? global : shared, kStep, 1);
  const isa::Operand bytes = source(kernel, instruction, size, Type::kU32).operand;
  const isa::Operand left = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_lane(kernel, instruction, LaneOp::kAdd, Type::kU32, left, bytes,
            kernel.constants.row(RowWidth::k32, 0));

  const std::uint32_t again = new_label(kernel), behind = new_label(kernel);
  isa::Instruction done = simple_lane(
      kernel, instruction, {.op = LaneOp::kSetp, .type = Type::kU32, .compare = isa::Compare::kLt});
  done.dst[0] = kernel.scratch(instruction, RowWidth::kPredicate, 0);
  done.src[0] = left;
  done.src[1] = kernel.constants.row(RowWidth::k32, kStep);
  kernel.emit(instruction, done);
  emit_branch(kernel, instruction, behind).guard = done.dst[0];
  emit_step(kernel, instruction, into_shared, to, from);
  emit_lane(kernel, instruction, LaneOp::kSub, Type::kU32, left, left,
            kernel.constants.row(RowWidth::k32, kStep));
  emit_branch(kernel, instruction, again);
  kernel.label_pc[behind] = static_cast<std::uint32_t>(kernel.code.size());
  if (!into_shared) return;

  // The bytes that the phase no longer waits for: with no arrival, it may be over.
  const isa::Operand negated = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_lane(kernel, instruction, LaneOp::kSub, Type::kU32, negated, kernel.constants.row(RowWidth::k32, 0),
            bytes);
  isa::Instruction tell = access(Opcode::kAtomic, shared, {});
  tell.scope = isa::MemoryScope::kCta;
  tell.memory = address(kernel, instruction, instruction.operands[3], shared, sizeof(std::uint64_t));
  tell.atomic_op = isa::AtomicOp::kExpect;
  tell.immediate = isa::kBehindCopies;
  tell.src[0] = kernel.scratch(instruction, RowWidth::k64, 0);
  emit_lane(kernel, instruction, LaneOp::kPack2x32, Type::kB64, tell.src[0],
            kernel.constants.row(RowWidth::k32, 0), negated);
  kernel.emit(instruction, tell);
}

void decode_bulk_wait(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers&) {
  const Operand& groups = instruction.operands[0];
  if (!std::holds_alternative<IntegerLiteral>(groups.value))
    kernel.fail(groups.where, fmt::format("{} takes a constant here", full_name(instruction)));
  kernel.emit(instruction, isa::Instruction{});
}

void decode_map_address(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                        const Modifiers& modifiers) {
  static_cast<void>(source(kernel, instruction, instruction.operands[2], Type::kU32));
  decode_mov(kernel, instruction, form, modifiers);
}

void decode_rank(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                 const Modifiers& modifiers) {
  if (!std::holds_alternative<SymbolName>(instruction.operands[1].value))
    static_cast<void>(source(kernel, instruction, instruction.operands[1], modifiers.type()));
  emit_move(kernel, instruction,
            destination(kernel, instruction, instruction.operands[0], Type::kU32).operand,
            kernel.constants.row(RowWidth::k32, 0));
}

}  // namespace heddle::ptx
