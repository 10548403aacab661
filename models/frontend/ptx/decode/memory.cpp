// ld, st, atom, red, prefetches and fences.
//
// An acquiring load is followed by an acquire fence of its scope, and a releasing store is preceded by a release
// fence, as the PTX memory model defines these patterns; an atomic may have both.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/atomic_lock.h"
#include "frontend/ptx/decode/call_params.h"
#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"

namespace heddle::ptx {
namespace {

using isa::CacheOp;

bool acquires(Order order) { return order == Order::kAcquire || order == Order::kAcquireRelease; }
bool releases(Order order) { return order == Order::kRelease || order == Order::kAcquireRelease; }

/// Accesses stronger than weak must be visible to other threads, and L1 is not coherent.
CacheOp cache_op(const Modifiers& modifiers) {
  return modifiers.order == Order::kWeak ? modifiers.cache_op : CacheOp::kVolatile;
}

/// "The semantics of volatile operations are equivalent to a relaxed memory operation with system-scope" (PTX).
isa::MemoryScope scope_of(const Modifiers& modifiers) {
  return modifiers.order == Order::kVolatile ? isa::MemoryScope::kSystem : modifiers.scope;
}

isa::Instruction access(isa::Opcode op, const Modifiers& modifiers) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = modifiers.type();
  out.space = modifiers.space;
  out.vector = static_cast<std::uint8_t>(modifiers.vector);
  out.cache_op = cache_op(modifiers);
  out.scope = scope_of(modifiers);
  return out;
}

constexpr unsigned kWidestAccess = 16;

/// The policy of a .L2::cache_hint, which has no effect here.
void check_hint(KernelContext& kernel, const Instruction& instruction) {
  if (has_modifier(instruction, kCacheHint))
    static_cast<void>(source(kernel, instruction, instruction.operands.back(), Type::kB64));
}

/// A 128-bit register is two of 64 bits.
Modifiers as_pair(const Modifiers& modifiers) {
  Modifiers pair = modifiers;
  pair.types[0] = Type::kB64;
  pair.vector = 2;
  return pair;
}

/// Whether an address is computed from a register of the list.
bool names_one_of(const Operand& operand, const std::vector<const Operand*>& list) {
  const auto* const at = std::get_if<AddressOperand>(&operand.value);
  if (at == nullptr) return false;
  const auto listed = [&](const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const Operand* each) {
      const auto* const reg = std::get_if<RegisterName>(&each->value);
      return reg != nullptr && reg->name == name;
    });
  };
  return (at->base_is_register && listed(at->base)) ||
         std::any_of(at->subscripts.begin(), at->subscripts.end(),
                     [&](const RegisterSubscript& subscript) { return listed(subscript.name); });
}

/// Whether a register is in both lists.
bool names_one_of(const std::vector<const Operand*>& some, const std::vector<const Operand*>& others) {
  const auto name_of = [](const Operand* operand) {
    const auto* const reg = std::get_if<RegisterName>(&operand->value);
    return reg == nullptr ? std::string_view() : std::string_view(reg->name);
  };
  return std::any_of(some.begin(), some.end(), [&](const Operand* one) {
    return !name_of(one).empty() && std::any_of(others.begin(), others.end(), [&](const Operand* other) {
      return name_of(other) == name_of(one);
    });
  });
}

/// An access of 32 bytes (.v4 of 64-bit elements, .v8 of 32-bit ones) as two of 16: fn(instruction, modifiers) for each. The half that loads
/// a register of the address is the second. The half at the lower address checks that it is a multiple of 32, as the whole
/// access would (Instruction::immediate of a kLoad or kStore).
template <class Fn>
void in_two(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers, Fn fn) {
  Modifiers pair = modifiers;
  pair.vector = modifiers.vector / 2;
  const bool loads = instruction.opcode != "st";
  const std::size_t values = loads ? 0 : 1;
  const auto all = elements(kernel, instruction, instruction.operands[values], modifiers.vector);
  const std::vector<const Operand*> lower(all.begin(), all.begin() + pair.vector);
  const unsigned first = loads && names_one_of(instruction.operands[1], lower) ? 1 : 0;
  for (const unsigned half : {first, 1 - first}) {
    Instruction part = instruction;
    VectorOperand list;
    for (unsigned i = 0; i < pair.vector; ++i) list.elements.push_back(*all[pair.vector * half + i]);
    part.operands[values].value = std::move(list);
    if (auto* at = std::get_if<AddressOperand>(&part.operands[1 - values].value); at != nullptr && half == 1)
      at->offset += kWidestAccess;
    fn(part, pair, half == 0 ? 2 * kWidestAccess : 0);
  }
}

unsigned access_bytes(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers) {
  const unsigned bytes = isa::type_bytes(modifiers.type()) * modifiers.vector;
  if (bytes > kWidestAccess)
    kernel.fail(instruction.where,
                fmt::format("{} accesses more than {} bytes", full_name(instruction), kWidestAccess));
  return bytes;
}

isa::Instruction atomic(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                        std::size_t first_operand, const isa::MemoryOperand& memory) {
  isa::Instruction out = access(isa::Opcode::kAtomic, modifiers);
  out.cache_op = CacheOp::kDefault;  // executed at the L2 or in shared memory: no L1 policy applies
  out.atomic_op = modifiers.atomic_op;
  out.memory = memory;
  const std::size_t values = isa::compares(modifiers.atomic_op) ? 2 : 1;
  check_hint(kernel, instruction);
  for (std::size_t i = first_operand + 1; i <= first_operand + values; ++i)
    out.src[i - first_operand - 1] =
        source(kernel, instruction, instruction.operands[i], modifiers.type()).operand;
  return out;
}

void emit_ordered(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                  const isa::Instruction& out) {
  using isa::FenceOrder;
  if (releases(modifiers.order)) emit_fence(kernel, instruction, modifiers.scope, FenceOrder::kRelease);
  kernel.emit(instruction, out);
  if (!acquires(modifiers.order)) return;
  // No register waits for a result that is discarded.
  const bool answered =
      std::any_of(out.dst.begin(), out.dst.end(), [](const isa::Operand& dst) { return dst.present; });
  emit_fence(kernel, instruction, modifiers.scope,
             answered ? FenceOrder::kAcquire : FenceOrder::kAcquireRelease);
}

/// `alignment`: that of the address; 0: the size of the access.
void emit_load(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
               unsigned alignment = 0) {
  if (modifiers.type() == Type::kB128) return emit_load(kernel, instruction, as_pair(modifiers));
  if (isa::type_bytes(modifiers.type()) * modifiers.vector == 2 * kWidestAccess)
    return in_two(kernel, instruction, modifiers,
                  [&](const Instruction& half, const Modifiers& pair, unsigned of_whole) {
                    emit_load(kernel, half, pair, of_whole);
                  });
  const unsigned bytes = access_bytes(kernel, instruction, modifiers);
  if (modifiers.space == StateSpace::kParam) {
    // A parameter of a call is in a row or in local memory.
    const VariableSymbol* const param = call_param(kernel, instruction.operands[1]);
    if (param != nullptr && param->value.present)
      return load_param_row(kernel, instruction, modifiers, *param);
    // Within a function, an address in a register may also be that of a parameter, if mov has put it there.
    const auto* const at = std::get_if<AddressOperand>(&instruction.operands[1].value);
    if (param != nullptr || (!kernel.function.is_entry && at != nullptr && at->base_is_register)) {
      Modifiers local = modifiers;
      local.space = StateSpace::kLocal;
      return emit_load(kernel, instruction, local, alignment);
    }
  }
  isa::Instruction out = access(isa::Opcode::kLoad, modifiers);
  out.immediate = alignment;
  const auto list = elements(kernel, instruction, instruction.operands[0], modifiers.vector);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]->second != nullptr) kernel.fail(list[i]->second->where, "ld has one destination per element");
    out.dst[i] = destination(kernel, instruction, *list[i], modifiers.type(), Width::kRelaxed).operand;
  }
  out.memory = address(kernel, instruction, instruction.operands[1], modifiers.space, bytes);
  emit_ordered(kernel, instruction, modifiers, out);
}

void emit_store(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                unsigned alignment = 0) {
  if (modifiers.type() == Type::kB128) return emit_store(kernel, instruction, as_pair(modifiers));
  if (isa::type_bytes(modifiers.type()) * modifiers.vector == 2 * kWidestAccess)
    return in_two(kernel, instruction, modifiers,
                  [&](const Instruction& half, const Modifiers& pair, unsigned of_whole) {
                    emit_store(kernel, half, pair, of_whole);
                  });
  const unsigned bytes = access_bytes(kernel, instruction, modifiers);
  isa::Instruction out = access(isa::Opcode::kStore, modifiers);
  out.immediate = alignment;
  out.memory = address(kernel, instruction, instruction.operands[0], modifiers.space, bytes);
  const auto list = elements(kernel, instruction, instruction.operands[1], modifiers.vector);
  for (std::size_t i = 0; i < list.size(); ++i)
    out.src[i] = source(kernel, instruction, *list[i], modifiers.type(), Width::kRelaxed).operand;
  emit_ordered(kernel, instruction, modifiers, out);
}

// Scratch rows of what is kept across the instructions of one; those of addresses have lower numbers.
constexpr unsigned kFirstScratch = 7;
constexpr unsigned kBaseScratch = 8;  // elements of a vector take the lower ones

/// One atomic for each element of a vector: PTX guarantees no more. The first checks the alignment of all (Instruction::immediate
/// of a kAtomic). `answers`: atom, not red.
void emit_atomics(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                  bool answers) {
  const std::size_t at = answers ? 1 : 0;
  auto values = elements(kernel, instruction, instruction.operands[at + 1], modifiers.vector);
  std::vector<const Operand*> results;
  if (answers) results = elements(kernel, instruction, instruction.operands[0], modifiers.vector);
  std::vector<isa::Operand> targets;
  for (const Operand* each : results)
    targets.push_back(destination(kernel, instruction, *each, modifiers.type()).operand);
  const std::size_t last = values.size() - 1;
  const unsigned bytes = isa::type_bytes(modifiers.type());
  // Vectors are in device memory: PTX has no other space for them.
  const StateSpace space = last > 0 ? StateSpace::kGlobal : modifiers.space;
  isa::MemoryOperand memory =
      address(kernel, instruction, instruction.operands[at], space, bytes * modifiers.vector);
  if (last > 0 && memory.base.present && names_one_of(instruction.operands[at], results)) {
    const isa::Operand base = kernel.scratch(instruction, memory.base.width, kBaseScratch);
    emit_move(kernel, instruction, base, memory.base);
    memory.base = base;
  }
  std::vector<isa::Operand> copies;  // of operands that an earlier element's result would replace
  if (last > 0 && names_one_of(values, results))
    for (std::size_t i = 0; i <= last; ++i) {
      const isa::Operand value = source(kernel, instruction, *values[i], modifiers.type()).operand;
      copies.push_back(kernel.scratch(instruction, value.width, static_cast<unsigned>(i)));
      emit_move(kernel, instruction, copies.back(), value);
    }
  for (std::size_t i = 0; i <= last; ++i) {
    Instruction part = instruction;
    part.operands[at + 1] = *values[i];
    Modifiers each = modifiers;
    each.space = space;
    if (last > 0) {  // one fence of each kind
      each.vector = 1;
      each.order = i == 0 && releases(modifiers.order)      ? Order::kRelease
                   : i == last && acquires(modifiers.order) ? Order::kAcquire
                                                            : Order::kRelaxed;
    }
    isa::Instruction out = atomic(kernel, part, each, at, memory);
    if (last > 0 && i == 0) out.immediate = std::uint64_t{bytes} * modifiers.vector;
    memory.displacement += bytes;
    if (!copies.empty()) out.src[0] = copies[i];
    if (answers) out.dst[0] = targets[i];
    emit_ordered(kernel, instruction, each, out);
  }
}

/// p := a == b, and `also` where there is one
isa::Operand emit_equality(KernelContext& kernel, const Instruction& instruction, Type type, isa::Operand a,
                           isa::Operand b, unsigned predicate, isa::Operand also = {}) {
  isa::Instruction out = simple_lane(kernel, instruction,
                                     {.op = isa::LaneOp::kSetp,
                                      .type = type,
                                      .compare = isa::Compare::kEq,
                                      .combine = also.present ? isa::Combine::kAnd : isa::Combine::kNone});
  out.dst[0] = kernel.scratch(instruction, isa::RowWidth::kPredicate, predicate);
  out.src = {a, b, also};
  out.compare = true;
  return kernel.emit(instruction, out).dst[0];
}

/// An access to one of the locks of 128-bit atomics, which the module has if it has any of them.
isa::Instruction lock_access(const KernelContext& kernel, isa::Opcode op, isa::Operand offset) {
  Modifiers modifiers;
  modifiers.types[0] = Type::kB32;
  modifiers.type_count = 1;
  modifiers.space = StateSpace::kGlobal;
  modifiers.order = Order::kRelaxed;
  isa::Instruction out = access(op, modifiers);
  out.memory.base = offset;
  out.memory.displacement = static_cast<std::int64_t>(kernel.module.globals.at(kAtomicLocks).address);
  return out;
}

/// Where the lock of an address is among them.
isa::Operand emit_lock_offset(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                              StateSpace space, unsigned scratch) {
  const isa::Operand row = address_in_row(kernel, instruction, operand, space, kWidestAccess, scratch);
  static_assert(kWidestAccess == 4 * kAtomicLockBytes);
  emit_lane(kernel, instruction, isa::LaneOp::kAnd, Type::kB64, row, row,
            constant64(kernel, (kAtomicLockCount - 1) * kWidestAccess));
  emit_lane(kernel, instruction, isa::LaneOp::kShr, Type::kU64, row, row,
            kernel.constants.row(isa::RowWidth::k32, 2));
  return row;
}

}  // namespace

/// atom.exch and .cas of 128 bits, and strong stores of as many: within a lock, since the L2's atomic unit has 64 bits. An address has
/// one of the module's locks. A comparison looks before it takes the lock: where memory differs, that is the answer, so that
/// of many threads that try again only those that may write take turns. No lock is held across a branch, so that no mechanism of
/// control flow can keep it from the others, and lanes that have one do not wait for a turn of those that have none.
void decode_wide_atomic(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                        const Modifiers& modifiers) {
  const bool stores = instruction.opcode == "st";
  const bool compares = !stores && isa::compares(modifiers.atomic_op);
  const std::size_t at = stores ? 0 : 1;
  check_hint(kernel, instruction);
  const GuardedRegion region(kernel, instruction);
  const auto pair_of = [&](std::size_t operand) {
    std::vector<isa::Operand> rows;
    for (const Operand* each : elements(kernel, instruction, instruction.operands[operand], 2))
      rows.push_back(source(kernel, instruction, *each, Type::kB64).operand);
    return rows;
  };
  const isa::Operand lock =
      emit_lock_offset(kernel, instruction, instruction.operands[at], modifiers.space, kFirstScratch + 2);
  Modifiers pair = as_pair(modifiers);
  pair.order = Order::kRelaxed;
  isa::Instruction load = access(isa::Opcode::kLoad, pair);
  load.memory = address(kernel, instruction, instruction.operands[at], modifiers.space, kWidestAccess);
  load.immediate = kWidestAccess;
  for (unsigned i = 0; i < 2; ++i)
    load.dst[i] = kernel.scratch(instruction, isa::RowWidth::k64, kFirstScratch + i);
  isa::Instruction store = access(isa::Opcode::kStore, pair);
  store.memory = load.memory;
  store.immediate = kWidestAccess;
  const std::vector<isa::Operand> next = pair_of(at + (compares ? 2 : 1));
  std::copy(next.begin(), next.end(), store.src.begin());
  const std::vector<isa::Operand> expected = compares ? pair_of(at + 1) : std::vector<isa::Operand>();
  const auto word = [&](std::uint64_t value) { return kernel.constants.row(isa::RowWidth::k32, value); };
  const auto emit = [&](const isa::Instruction& what, isa::Operand guard, isa::Operand also = {}) {
    isa::Instruction& emitted = kernel.emit(instruction, what);  // with the PTX instruction's guard: none
    emitted.guard = guard;
    emitted.guard2 = also;
  };
  /// Whether memory has what is expected; absent: nothing is.
  const auto look = [&](isa::Operand guard) {
    if (!stores) emit(load, guard);
    isa::Operand same;
    for (unsigned i = 0; i < expected.size(); ++i)
      same = emit_equality(kernel, instruction, Type::kU64, load.dst[i], expected[i], 1 + i, same);
    return same;
  };

  if (releases(modifiers.order)) emit_fence(kernel, instruction, modifiers.scope, isa::FenceOrder::kRelease);
  const std::uint32_t again = new_label(kernel);
  isa::Instruction take = lock_access(kernel, isa::Opcode::kAtomic, lock);
  take.cache_op = CacheOp::kDefault;
  take.atomic_op = isa::AtomicOp::kCas;
  take.src[0] = word(0);
  take.src[1] = word(1);
  take.dst[0] = kernel.scratch(instruction, isa::RowWidth::k32, kFirstScratch);
  constexpr std::uint64_t kFree = 0, kTaken = 1, kNotTried = 2;
  isa::Operand may_write;
  if (compares) {
    emit_move(kernel, instruction, take.dst[0], word(kNotTried));
    may_write = look({});
  }
  emit(take, may_write);
  const isa::Operand mine = emit_equality(kernel, instruction, Type::kU32, take.dst[0], word(kFree), 0);
  const isa::Operand unchanged = look(mine);
  emit(store, mine, unchanged);
  emit_fence(kernel, instruction, isa::MemoryScope::kGpu, isa::FenceOrder::kAcquireRelease);
  isa::Instruction release = lock_access(kernel, isa::Opcode::kStore, lock);
  release.src[0] = word(0);
  emit(release, mine);
  emit_branch(kernel, instruction, again).guard =
      emit_equality(kernel, instruction, Type::kU32, take.dst[0], word(kTaken), 0);
  if (acquires(modifiers.order))
    emit_fence(kernel, instruction, modifiers.scope, isa::FenceOrder::kAcquireRelease);
  if (stores) return;
  const auto results = elements(kernel, instruction, instruction.operands[0], 2);
  for (unsigned i = 0; i < 2; ++i)
    if (const isa::Operand to = destination(kernel, instruction, *results[i], Type::kB64).operand; to.present)
      emit_move(kernel, instruction, to, load.dst[i]);
}

void decode_load(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                 const Modifiers& modifiers) {
  check_hint(kernel, instruction);
  emit_load(kernel, instruction, modifiers);
}

void decode_store(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                  const Modifiers& modifiers) {
  check_hint(kernel, instruction);
  emit_store(kernel, instruction, modifiers);
}

void decode_atomic(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers& modifiers) {
  if (instruction.operands[0].second != nullptr)
    kernel.fail(instruction.operands[0].second->where, "atom has one destination");
  emit_atomics(kernel, instruction, modifiers, true);
}

void decode_reduction(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers& modifiers) {
  emit_atomics(kernel, instruction, modifiers, false);
}

void decode_prefetch(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                     const Modifiers& modifiers) {
  isa::Instruction out;  // takes an issue slot; the address is checked like any operand
  out.memory = address(kernel, instruction, instruction.operands[0], modifiers.space, 1);
  for (std::size_t i = 1; i < instruction.operands.size(); ++i)
    static_cast<void>(source(kernel, instruction, instruction.operands[i], form.operands[i].type(modifiers)));
  kernel.emit(instruction, out);
}

void decode_membar(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers& modifiers) {
  // "On sm_70 and higher membar is a synonym for fence.sc" (PTX).
  emit_fence(kernel, instruction, modifiers.scope, isa::FenceOrder::kSequential);
}

void decode_fence(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                  const Modifiers& modifiers) {
  using isa::FenceOrder;
  // fence.acquire orders atomics whose result is discarded as well: it waits for everything.
  const FenceOrder order = modifiers.order == Order::kSequential ? FenceOrder::kSequential
                           : modifiers.order == Order::kRelease  ? FenceOrder::kRelease
                                                                 : FenceOrder::kAcquireRelease;
  emit_fence(kernel, instruction, modifiers.scope, order);
}

}  // namespace heddle::ptx
