// Atomics on vectors and on 128 bits. The units that execute atomics have 64 bits.
#include "frontend/sass/form.h"
#include "frontend/sass/lower/sequence.h"
#include "frontend/sass/lower/words.h"

namespace heddle::sass {
namespace {

constexpr unsigned kWords = 4;  // of 128 bits

/// Register after register of an operand; of `none`, nothing.
std::array<isa::Operand, kWords> words_of(KernelRows& rows, const Operand* from, bool result) {
  std::array<isa::Operand, kWords> words{};
  for (unsigned i = 0; from != nullptr && i < kWords; ++i)
    words[i] = result ? result_word(rows, from->number, i) : source_word(rows, from->number, i);
  return words;
}

}  // namespace

/// An atomic for each word, which is no less than PTX guarantees. The first one checks the alignment of all (Instruction::immediate
/// of a kAtomic).
void lower_vector_atomic(Lowering& of, const Instruction& in, unsigned count, isa::Instruction& out) {
  constexpr unsigned kWordBytes = 4;
  isa::Instruction each = out;
  const isa::Operand done = out.dst[2];
  Sequence sequence(of, in, out);
  const Operand& data = *in.find(Role::kData);
  const Operand* const dst = in.find(Role::kDst);
  const bool answers = dst != nullptr && dst->number != kRz;
  each.guard = sequence.guard();
  for (unsigned i = 0; i < count; ++i) {
    each.immediate = i == 0 ? std::uint64_t{kWordBytes} * count : 0;
    each.src[0] = source_word(of.rows, data.number, i);
    each.dst[0] = answers ? sequence.row(i) : isa::Operand{};
    each.dst[2] = i + 1 == count ? done : isa::Operand{};
    sequence.add(each);
    each.memory.displacement += kWordBytes;
  }
  if (!answers) return;
  // Now, since the results may lie where operands or the address were.
  isa::Instruction& move = sequence.own(move_words, {}, {});
  move.guard = sequence.guard();
  for (unsigned i = 0; i < count; ++i) {
    move.src[i] = sequence.row(i);
    move.dst[i] = result_word(of.rows, dst->number, i);
  }
}

/// EXCH and CAS within the module's lock. CAS looks before it takes the lock: where memory differs, that is the answer. Each turn of the loop, the threads that have the lock release it, so that no mechanism of
/// control flow can keep it from the others.
void lower_wide_atomic(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const isa::Instruction access = out;
  const bool compares = isa::compares(out.atomic_op);
  Sequence sequence(of, in, out);
  const auto given = words_of(of.rows, in.find(Role::kData), false);
  const auto next = compares ? words_of(of.rows, in.find(Role::kData2), false) : given;
  const isa::Operand to_do = sequence.predicate(0), taken = sequence.predicate(1),
                     same = sequence.predicate(2);
  const isa::Operand was = sequence.row(kWords);
  const auto lock = [&](isa::Opcode op) -> isa::Instruction& {
    isa::MemoryOperand at;
    at.displacement = static_cast<std::int64_t>(of.module.atomic_lock);
    isa::Instruction& made = sequence.memory(op, isa::Type::kB32, isa::StateSpace::kGlobal, at);
    made.scope = isa::MemoryScope::kGpu;
    return made;
  };
  const auto part = [&](isa::Opcode op) -> isa::Instruction& {
    isa::Instruction& made = sequence.memory(op, isa::Type::kB32, access.space, access.memory);
    made.vector = kWords;
    made.immediate = kWords * sizeof(std::uint32_t);
    made.cache_op = isa::CacheOp::kVolatile;
    made.guard = taken;
    return made;
  };
  sequence.set_to_guard(to_do);
  const std::uint32_t again = sequence.here();
  const auto look = [&](const isa::Operand& guard) {
    isa::Instruction& load = part(isa::Opcode::kLoad);
    load.guard = guard;
    for (unsigned i = 0; i < kWords; ++i) load.dst[i] = sequence.row(i);
    if (!compares) return;
    isa::Instruction& comparison = sequence.own(compare_words, {same}, {});
    for (unsigned i = 0; i < kWords; ++i) {
      comparison.src[i] = sequence.row(i);
      comparison.src[kWords + i] = given[i];
    }
  };
  if (compares) {
    look(to_do);
    isa::Operand differs = same;
    differs.negated = true;
    sequence.set(to_do, false).guard = differs;
  }
  isa::Instruction& take = lock(isa::Opcode::kAtomic);
  take.atomic_op = isa::AtomicOp::kCas;
  take.src[0] = sequence.literal(0);
  take.src[1] = sequence.literal(1);
  take.dst[0] = was;
  take.guard = to_do;
  sequence.set(taken, false);
  sequence
      .lane({.op = isa::LaneOp::kSetp, .type = isa::Type::kU32, .compare = isa::Compare::kEq}, taken, was,
            sequence.literal(0))
      .guard = to_do;
  look(taken);
  isa::Instruction& store = part(isa::Opcode::kStore);
  for (unsigned i = 0; i < kWords; ++i) store.src[i] = next[i];
  if (compares) store.guard2 = same;
  sequence.fence(isa::FenceOrder::kAcquireRelease);
  isa::Instruction& release = lock(isa::Opcode::kStore);
  release.cache_op = isa::CacheOp::kVolatile;
  release.src[0] = sequence.literal(0);
  release.guard = taken;
  sequence.set(to_do, false).guard = taken;
  sequence.jump_if_any(to_do, again);
  isa::Instruction& move = sequence.own(move_words, {}, {});
  move.guard = sequence.guard();
  const auto results = words_of(of.rows, in.find(Role::kDst), true);
  for (unsigned i = 0; i < kWords; ++i) {
    move.src[i] = sequence.row(i);
    move.dst[i] = results[i];
  }
  if (access.dst[2].present) sequence.set(access.dst[2], true).guard = sequence.guard();
}

}  // namespace heddle::sass
