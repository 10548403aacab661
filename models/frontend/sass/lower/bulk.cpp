// Bulk copies (UBLKCP) between global memory and the CTA's shared memory. The lanes that come share the work, 16 bytes at a time: into
// shared memory by asynchronous copies, behind which the mbarrier hears of the bytes; to global memory by loads and stores, so that
// groups of copies have nothing to wait for. A card's engine takes no issue slots of the warp for it.
#include "frontend/sass/form.h"
#include "frontend/sass/lower/sequence.h"
#include "frontend/sass/lower/words.h"
#include "isa/mbarrier.h"

namespace heddle::sass {

void lower_bulk_copy(Lowering& of, const Instruction& in, isa::Instruction& out) {
  using isa::LaneOp;
  using isa::Type;
  constexpr std::uint16_t kIntoShared = 1, kToGlobal = 2;
  constexpr std::uint32_t kUnit = 16, kUnitBits = 4, kMostUnits = 0xffff;
  const std::uint16_t way = in.value(Modifier::kMode);
  if (way != kIntoShared && way != kToGlobal) of.rows.refuse("bulk copies within shared memory");
  if (in.value(Modifier::kMulticast) != 0) of.rows.refuse("bulk copies into several CTAs");
  const unsigned to = in.find(Role::kA)->number, from = in.find(Role::kB)->number;
  const bool into_shared = way == kIntoShared;
  Sequence sequence(of, in, out);
  const isa::Operand bytes = sequence.row(0), left = sequence.row(1), own = sequence.row(2),
                     step = sequence.row(3), shared = sequence.row(4);
  const isa::Operand global = sequence.wide(0), wide_own = sequence.wide(1);
  const isa::Operand first = sequence.predicate(0), more = sequence.predicate(1);
  const isa::Operand zero = sequence.literal(0);
  const unsigned in_global = into_shared ? from : to;

  sequence.set(first, false);
  sequence.own(move_words, {left}, {zero});
  // Lanes that came together from different turns of a loop have different copies.
  const auto word = [&](Role role, bool high) {
    const unsigned number = in.find(role)->number;
    return high ? of.rows.uniform_high(number) : of.rows.uniform(number);
  };
  sequence
      .own(share_bytes, {own, step, first},
           {word(Role::kA, false), word(Role::kA, true), word(Role::kB, false),
            into_shared ? word(Role::kB, true) : zero, word(Role::kCount, false)})
      .guard = sequence.guard();
  sequence.lane({.op = LaneOp::kAnd, .type = Type::kB32}, bytes,
                of.rows.uniform(in.find(Role::kCount)->number), sequence.literal(kMostUnits));
  sequence.lane({.op = LaneOp::kShl, .type = Type::kB32}, bytes, bytes, sequence.literal(kUnitBits));
  sequence.lane({.op = LaneOp::kSub, .type = Type::kU32}, left, bytes, own).guard = sequence.guard();
  sequence.lane({.op = LaneOp::kAdd, .type = Type::kU32}, shared, of.rows.uniform(into_shared ? to : from),
                own);
  sequence.lane({.op = LaneOp::kPack2x32, .type = Type::kB64}, global, of.rows.uniform(in_global),
                of.rows.uniform_high(in_global));
  const auto advance_global = [&](isa::Operand by) {
    sequence.lane({.op = LaneOp::kPack2x32, .type = Type::kB64}, wide_own, by, zero);
    sequence.lane({.op = LaneOp::kAdd, .type = Type::kU64}, global, global, wide_own);
  };
  advance_global(own);

  const auto compare = [&] {
    sequence.lane({.op = LaneOp::kSetp, .type = Type::kS32, .compare = isa::Compare::kGe}, more, left,
                  sequence.literal(kUnit));
  };
  compare();
  const std::uint32_t again = sequence.here();
  isa::MemoryOperand at_global, at_shared;
  at_global.base = global;
  at_shared.base = shared;
  if (into_shared) {
    isa::Instruction& copy =
        sequence.memory(isa::Opcode::kAsyncCopy, Type::kB128, isa::StateSpace::kGlobal, at_global);
    copy.cache_op = isa::CacheOp::kCacheGlobal;
    copy.src[0] = shared;
    copy.guard = more;
  } else {
    constexpr unsigned kWords = kUnit / 4, kFirstWord = 5;
    isa::Instruction& load =
        sequence.memory(isa::Opcode::kLoad, Type::kB32, isa::StateSpace::kShared, at_shared);
    load.vector = kWords;
    load.guard = more;
    for (unsigned i = 0; i < kWords; ++i) load.dst[i] = sequence.row(kFirstWord + i);
    isa::Instruction& store =
        sequence.memory(isa::Opcode::kStore, Type::kB32, isa::StateSpace::kGlobal, at_global);
    store.vector = kWords;
    store.guard = more;
    for (unsigned i = 0; i < kWords; ++i) store.src[i] = sequence.row(kFirstWord + i);
  }
  sequence.lane({.op = LaneOp::kAdd, .type = Type::kU32}, shared, shared, step);
  advance_global(step);
  sequence.lane({.op = LaneOp::kSub, .type = Type::kU32}, left, left, step).guard = more;
  compare();
  sequence.jump_if_any(more, again);
  if (!into_shared) return;

  // The bytes that the phase no longer waits for: with no arrival, it may be over.
  sequence.lane({.op = LaneOp::kSub, .type = Type::kU32}, bytes, zero, bytes);
  isa::MemoryOperand barrier;
  barrier.base = of.rows.uniform_high(to);
  isa::Instruction& tell =
      sequence.memory(isa::Opcode::kAtomic, Type::kB64, isa::StateSpace::kShared, barrier);
  tell.scope = isa::MemoryScope::kCta;
  tell.atomic_op = isa::AtomicOp::kExpect;
  tell.immediate = isa::kBehindCopies;
  tell.src[0] = zero;
  tell.src[2] = bytes;  // high_of(0)
  tell.guard = first;
}

}  // namespace heddle::sass
