// Asynchronous copies (cp.async) with their groups, and mbarriers.
//
// An mbarrier is 64 bits of shared memory (isa/mbarrier.h), and its operations are atomics and loads of them. test_wait and
// try_wait both look once: try_wait never suspends the thread, as PTX allows. cp.async.mbarrier.arrive waits for the thread's copies
// itself instead of arriving when they are done: what the barrier says is the same, but the thread goes on later.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "isa/mbarrier.h"

namespace heddle::ptx {
namespace {

using isa::AtomicOp;
using isa::LaneOp;
using isa::Opcode;
using isa::RowWidth;

std::uint64_t literal_of(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                         std::uint64_t most) {
  const auto* literal = std::get_if<IntegerLiteral>(&operand.value);
  if (literal == nullptr || literal->negative || literal->bits > most)
    kernel.fail(operand.where,
                fmt::format("{} takes a constant from 0 to {} here", full_name(instruction), most));
  return literal->bits;
}

/// The value of an operand that is an integer literal; nothing if it is something else.
std::optional<std::int64_t> literal_value(const Operand& operand) {
  const auto* literal = std::get_if<IntegerLiteral>(&operand.value);
  if (literal == nullptr) return std::nullopt;
  return static_cast<std::int64_t>(literal->bits);
}

/// A literal outside of the range is refused; other operands are not looked at.
void check_range(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                 std::int64_t least, std::int64_t most, const char* what) {
  const std::optional<std::int64_t> value = literal_value(operand);
  if (value && (*value < least || *value > most))
    kernel.fail(operand.where, fmt::format("{} of {} is {}", what, full_name(instruction), *value),
                fmt::format("It is from {} to {}.", least, most));
}

/// An order goes with a scope (PTX ISA, mbarrier: .sem and .scope).
void check_order(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers) {
  const bool scoped = has_modifier(instruction, "cta") || has_modifier(instruction, "cluster");
  if (scoped != (modifiers.order != Order::kWeak))
    kernel.fail(
        instruction.where,
        fmt::format("{} has an order without a scope, or a scope without an order", full_name(instruction)),
        "Give it both, as in .release.cta, or neither.");
}

/// The policy operand of a .L2::cache_hint, which has no effect here.
std::size_t without_hint(KernelContext& kernel, const Instruction& instruction) {
  std::size_t count = instruction.operands.size();
  if (!has_modifier(instruction, kCacheHint)) return count;
  static_cast<void>(source(kernel, instruction, instruction.operands[--count], Type::kB64));
  return count;
}

isa::Instruction access_to(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                           Opcode op, StateSpace space) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = Type::kB64;
  out.space = space;
  out.scope = isa::MemoryScope::kCta;
  out.memory = address(kernel, instruction, operand, space, isa::type_bytes(Type::kB64));
  return out;
}

isa::Instruction waits_for_copies(std::uint64_t newest) {
  isa::Instruction out = control_instruction(Opcode::kAsyncWait);
  out.immediate = newest;
  return out;
}

/// A 32-bit operand as a 64-bit row.
isa::Operand wide(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                  std::uint32_t upper) {
  if (const auto* literal = std::get_if<IntegerLiteral>(&operand.value))
    return constant64(kernel, (literal->bits & 0xffff'ffffu) | std::uint64_t{upper} << 32);
  const isa::Operand row = kernel.scratch(instruction, RowWidth::k64, 0);
  emit_lane(kernel, instruction, LaneOp::kPack2x32, Type::kB64, row,
            source(kernel, instruction, operand, Type::kU32).operand,
            kernel.constants.row(RowWidth::k32, upper));
  return row;
}

void emit_on_barrier(KernelContext& kernel, const Instruction& instruction, const Operand& at,
                     StateSpace space, AtomicOp op, isa::Operand count, isa::Operand state) {
  isa::Instruction out = access_to(kernel, instruction, at, Opcode::kAtomic, space);
  out.atomic_op = op;
  out.src[0] = count;
  out.dst[0] = state;
  kernel.emit(instruction, out);
}

constexpr unsigned kBarrierBytes = 8;

/// Stops the run if a lane's count is 0 or more than an mbarrier holds.
void emit_count_check(KernelContext& kernel, const Instruction& instruction, isa::Operand count) {
  const isa::Operand less = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_lane(kernel, instruction, LaneOp::kSub, Type::kU32, less, count,
            kernel.constants.row(RowWidth::k32, 1));
  isa::Instruction compare = simple_lane(
      kernel, instruction, {.op = LaneOp::kSetp, .type = Type::kU32, .compare = isa::Compare::kGe});
  compare.dst[0] = kernel.scratch(instruction, RowWidth::kPredicate, 0);
  compare.src[0] = less;
  compare.src[1] = kernel.constants.row(RowWidth::k32, isa::MBarrier::kMaxCount);
  kernel.emit(instruction, compare);
  isa::Instruction stop = control_instruction(Opcode::kTrap);
  stop.immediate = isa::kBadMBarrierCount;
  isa::Instruction& emitted = kernel.emit(instruction, stop);
  (emitted.guard.present ? emitted.guard2 : emitted.guard) = compare.dst[0];
}

}  // namespace

void decode_async_copy(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers& modifiers) {
  const std::size_t count = without_hint(kernel, instruction);
  const std::uint64_t bytes = literal_of(kernel, instruction, instruction.operands[2], 16);
  const bool global_only = modifiers.cache_op == isa::CacheOp::kCacheGlobal;
  if (bytes != 16 && (global_only || (bytes != 4 && bytes != 8)))
    kernel.fail(instruction.operands[2].where,
                fmt::format("{} does not copy {} bytes", full_name(instruction), bytes),
                global_only ? "It copies 16 bytes." : "It copies 4, 8 or 16 bytes.");
  isa::Instruction out;
  out.op = Opcode::kAsyncCopy;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = bytes == 4 ? Type::kB32 : bytes == 8 ? Type::kB64 : Type::kB128;
  out.space = StateSpace::kGlobal;
  out.cache_op = modifiers.cache_op;
  const isa::MemoryOperand to = address(kernel, instruction, instruction.operands[0], StateSpace::kShared,
                                        static_cast<unsigned>(bytes));
  out.src[0] = to.base.present ? to.base : constant64(kernel, 0);
  out.immediate = static_cast<std::uint64_t>(to.displacement);
  out.memory = address(kernel, instruction, instruction.operands[1], StateSpace::kGlobal,
                       static_cast<unsigned>(bytes));
  if (count > 3) {
    check_range(kernel, instruction, instruction.operands[3], 0, static_cast<std::int64_t>(bytes),
                "the number of bytes to read");
    const Operand& size = instruction.operands[3];
    const auto* name = std::get_if<RegisterName>(&size.value);
    const Symbol* const symbol = name == nullptr ? nullptr : kernel.scopes.find(name->name);
    const auto* const reg = symbol == nullptr ? nullptr : std::get_if<RegisterSymbol>(symbol);
    if (reg != nullptr && reg->type == Type::kPred) {  // ignore-src
      isa::Instruction choose = simple_lane(kernel, instruction, {.op = LaneOp::kSelp, .type = Type::kB32});
      choose.dst[0] = kernel.scratch(instruction, RowWidth::k32, 0);
      choose.src[0] = kernel.constants.row(RowWidth::k32, 0);
      choose.src[1] = kernel.constants.row(RowWidth::k32, bytes);
      choose.src[2] = source(kernel, instruction, size, Type::kPred).operand;
      out.src[1] = choose.dst[0];
      kernel.emit(instruction, choose);
    } else {
      out.src[1] = source(kernel, instruction, size, Type::kU32).operand;
    }
  }
  kernel.emit(instruction, out);
}

void decode_async_commit(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                         const Modifiers&) {
  isa::Instruction out;  // takes an issue slot
  out.op = Opcode::kAsyncCommit;
  kernel.emit(instruction, out);
}

void decode_async_wait(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers&) {
  kernel.emit(instruction,
              waits_for_copies(literal_of(kernel, instruction, instruction.operands[0], 0xffff'ffffu)));
}

void decode_async_wait_all(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                           const Modifiers&) {
  kernel.emit(instruction, waits_for_copies(isa::kAllCopies));
}

void decode_async_arrive(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                         const Modifiers& modifiers) {
  const Operand& at = instruction.operands[0];
  // Without .noinc the phase waits for one arrival more, that of the copies.
  constexpr std::uint64_t kOneMore = 0xffff'ffffu;
  if (!has_modifier(instruction, "noinc"))
    emit_on_barrier(kernel, instruction, at, modifiers.space, AtomicOp::kArrive, constant64(kernel, kOneMore),
                    {});
  kernel.emit(instruction, waits_for_copies(isa::kAllCopies));
  emit_on_barrier(kernel, instruction, at, modifiers.space, AtomicOp::kArrive, constant64(kernel, 1), {});
}

void decode_mbarrier_init(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                          const Modifiers& modifiers) {
  isa::Instruction out =
      access_to(kernel, instruction, instruction.operands[0], Opcode::kStore, modifiers.space);
  const Operand& count = instruction.operands[1];
  if (const auto* literal = std::get_if<IntegerLiteral>(&count.value)) {
    if (literal->negative || literal->bits == 0 || literal->bits > isa::MBarrier::kMaxCount)
      kernel.fail(count.where, fmt::format("an mbarrier counts from 1 to {}", isa::MBarrier::kMaxCount));
    out.src[0] = constant64(kernel, isa::MBarrier::initial(literal->bits).pack());
  } else {
    emit_count_check(kernel, instruction, source(kernel, instruction, count, Type::kU32).operand);
    // Both counts negated, each in its place.
    using isa::MBarrier;
    const auto word = [&](std::uint64_t value) { return kernel.constants.row(RowWidth::k32, value); };
    const isa::Operand negated = kernel.scratch(instruction, RowWidth::k32, 0);
    const isa::Operand high = kernel.scratch(instruction, RowWidth::k32, 1);
    emit_lane(kernel, instruction, LaneOp::kSub, Type::kU32, negated, word(MBarrier::kMaxCount + 1),
              source(kernel, instruction, count, Type::kU32).operand);
    emit_lane(kernel, instruction, LaneOp::kShl, Type::kB32, high, negated, word(MBarrier::kPendingBit - 32));
    emit_lane(kernel, instruction, LaneOp::kShl, Type::kB32, negated, negated, word(MBarrier::kExpectedBit));
    out.src[0] = kernel.scratch(instruction, RowWidth::k64, 0);
    emit_lane(kernel, instruction, LaneOp::kPack2x32, Type::kB64, out.src[0], negated, high);
  }
  kernel.emit(instruction, out);
}

void decode_mbarrier_inval(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                           const Modifiers& modifiers) {
  static_cast<void>(address(kernel, instruction, instruction.operands[0], modifiers.space, kBarrierBytes));
  kernel.emit(instruction, isa::Instruction{});
}

void decode_mbarrier_arrive(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                            const Modifiers& modifiers) {
  const bool expects = has_modifier(instruction, "expect_tx");
  const bool drops = has_modifier(instruction, "arrive_drop");
  const bool arrives = drops || has_modifier(instruction, "arrive");
  const std::size_t first = arrives ? 1 : 0;  // expect_tx alone has no state
  isa::Operand state;
  if (arrives) state = destination(kernel, instruction, instruction.operands[0], Type::kB64).operand;
  const bool counted = instruction.operands.size() > first + 1;
  const bool stays = has_modifier(instruction, "noComplete");
  check_order(kernel, instruction, modifiers);
  if (stays && (expects || !counted))
    kernel.fail(instruction.where, fmt::format("{} takes a count and no .expect_tx", full_name(instruction)));
  if (counted && !expects)
    check_range(kernel, instruction, instruction.operands[first + 1], 1, isa::MBarrier::kMaxCount,
                "the number of arrivals");
  if (expects && !counted)
    kernel.fail(instruction.where, fmt::format("{} takes a number of bytes", full_name(instruction)));
  isa::Operand count = constant64(kernel, 1);
  AtomicOp op = drops ? AtomicOp::kArriveDrop : AtomicOp::kArrive;
  if (expects) {
    op = AtomicOp::kExpect;
    count = kernel.scratch(instruction, RowWidth::k64, 0);
    emit_lane(kernel, instruction, LaneOp::kPack2x32, Type::kB64, count,
              kernel.constants.row(RowWidth::k32, arrives && !drops ? 1 : 0),
              source(kernel, instruction, instruction.operands[first + 1], Type::kU32).operand);
  } else if (counted) {
    count = wide(kernel, instruction, instruction.operands[first + 1], 0);
  }
  // The default is .release at the scope of the CTA.
  if (arrives && modifiers.order != Order::kRelaxed)
    emit_fence(kernel, instruction,
               has_modifier(instruction, "cluster") ? isa::MemoryScope::kGpu : isa::MemoryScope::kCta,
               isa::FenceOrder::kRelease);
  if (expects && drops) {
    // Two atomics: the phase waits for this thread in between.
    emit_on_barrier(kernel, instruction, instruction.operands[first], modifiers.space, op, count, {});
    op = AtomicOp::kArriveDrop;
    count = constant64(kernel, 1);
  }
  emit_on_barrier(kernel, instruction, instruction.operands[first], modifiers.space, op, count, state);
}

void decode_mbarrier_test(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                          const Modifiers& modifiers) {
  const bool parity = has_modifier(instruction, "parity");
  check_order(kernel, instruction, modifiers);
  if (parity) check_range(kernel, instruction, instruction.operands[2], 0, 1, "the parity");
  if (instruction.operands.size() > 3 && has_modifier(instruction, "test_wait"))
    kernel.fail(instruction.where, fmt::format("{} takes no time limit", full_name(instruction)),
                "mbarrier.try_wait does.");
  isa::Operand done = destination(kernel, instruction, instruction.operands[0], Type::kPred).operand;
  if (!done.present) done = kernel.scratch(instruction, RowWidth::kPredicate, 0);
  isa::Instruction load =
      access_to(kernel, instruction, instruction.operands[1], Opcode::kLoad, modifiers.space);
  load.cache_op = isa::CacheOp::kVolatile;
  load.dst[0] = kernel.scratch(instruction, RowWidth::k64, 0);
  const isa::Operand phase =
      source(kernel, instruction, instruction.operands[2], parity ? Type::kU32 : Type::kB64).operand;
  if (instruction.operands.size() > 3)  // how long try_wait may take
    static_cast<void>(source(kernel, instruction, instruction.operands[3], Type::kU32));
  kernel.emit(instruction, load);
  isa::Instruction compare = simple_lane(
      kernel, instruction, {.op = parity ? LaneOp::kParityDone : LaneOp::kPhaseDone, .type = Type::kB64});
  compare.dst[0] = done;
  compare.src[0] = load.dst[0];
  compare.src[1] = phase;
  compare.compare = true;
  kernel.emit(instruction, compare);
  if (modifiers.order != Order::kRelaxed)
    emit_fence(kernel, instruction,
               has_modifier(instruction, "cluster") ? isa::MemoryScope::kGpu : isa::MemoryScope::kCta,
               isa::FenceOrder::kAcquire);
}

void decode_register_limit(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                           const Modifiers&) {
  constexpr std::uint64_t kLeast = 24, kMost = 256, kStep = 8;  // PTX ISA, setmaxnreg
  const Operand& count = instruction.operands[0];
  const std::uint64_t registers = literal_of(kernel, instruction, count, kMost);
  if (registers < kLeast || registers % kStep != 0)
    kernel.fail(count.where, fmt::format("{} names {} registers", full_name(instruction), registers),
                "It takes a multiple of 8 from 24 to 256.");
  kernel.emit(instruction, isa::Instruction{});
}

void decode_policy(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers&) {
  if (has_modifier(instruction, "fractional") && instruction.operands.size() > 1) {
    const Operand& fraction = instruction.operands[1];
    const auto* number = std::get_if<FloatLiteral>(&fraction.value);
    const double value =
        number == nullptr ? 1.0
        : number->width == 32
            ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number->bits)))
            : number->value;
    if (std::get_if<IntegerLiteral>(&fraction.value) != nullptr || !(value > 0.0 && value <= 1.0))
      kernel.fail(fraction.where,
                  fmt::format("the fraction of {} is no number above 0 and up to 1", full_name(instruction)),
                  "Write it as 0.5 or 0f3F000000.");
  }
  if (has_modifier(instruction, "range")) {
    const auto primary = literal_value(instruction.operands[2]);
    const auto total = literal_value(instruction.operands[3]);
    if (primary && total && *primary > *total)
      kernel.fail(instruction.operands[2].where,
                  fmt::format("{} has a first part of {} bytes in a range of {}", full_name(instruction),
                              *primary, *total));
  }
  const isa::Operand to = destination(kernel, instruction, instruction.operands[0], Type::kB64).operand;
  if (to.present) emit_move(kernel, instruction, to, constant64(kernel, 0));
}

}  // namespace heddle::ptx
