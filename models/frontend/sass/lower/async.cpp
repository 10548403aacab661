// Copies in the background and barriers in shared memory (mbarrier) of sm_90.
//
// LDGDEPBAR ends a group of copies; DEPBAR.LE of its scoreboard waits until at most so many of the lane's groups are under way. Where a
// kernel has LDGDEPBARs, every DEPBAR of their scoreboards waits for copies: it waits at least as long as it must.
#include "frontend/sass/form.h"
#include "frontend/sass/lower/lowering.h"
#include "frontend/sass/lower/sequence.h"
#include "frontend/sass/lower/words.h"
#include "isa/async_copy.h"
#include "isa/mbarrier.h"

namespace heddle::sass {
namespace {

using isa::AtomicOp;
using isa::Type;

void lower_copy(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr std::uint16_t k32 = 4, k64 = 5, k128 = 6, kWeak = 0;
  const std::uint16_t size = in.value(Modifier::kSize);
  if (size < k32 || size > k128) of.rows.refuse("a copy of this size");
  if (in.value(Modifier::kOrder) != kWeak) of.rows.refuse("a copy that is not weak");
  const Operand& to = *in.find(Role::kSharedAddress);
  out.op = isa::Opcode::kAsyncCopy;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = size == k32 ? Type::kB32 : size == k64 ? Type::kB64 : Type::kB128;
  out.space = isa::StateSpace::kGlobal;
  out.cache_op = in.value(Modifier::kBypass) == 0 ? isa::CacheOp::kCacheGlobal : isa::CacheOp::kCacheAll;
  out.src[0] = source_word(of.rows, to.number, 0);
  out.immediate = static_cast<std::uint64_t>(to.value);
  const bool fills = in.value(Modifier::kZeroFill) != 0;
  const Operand& condition = *in.find(Role::kPs0);
  if (fills || condition.number != kPt || condition.negate)
    out.src[1] = of.rows.predicate(condition.number, condition.negate);
  if (fills) out.src[2] = of.rows.literal(0);  // isa::size_is_in_address()
  const Operand& from = *in.find(Role::kAddress);
  out.memory = address_of(of.rows, from, in.value(Modifier::kWideAddress) != 0 || !from.descriptor);
}

/// An operation on the mbarrier at the instruction's address.
void on_barrier(Lowering& of, const Instruction& in, AtomicOp op, isa::Instruction& out) {
  out.op = isa::Opcode::kAtomic;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = Type::kB64;
  out.space = isa::StateSpace::kShared;
  out.scope = isa::MemoryScope::kCta;
  out.atomic_op = op;
  out.memory = address_of(of.rows, *in.find(Role::kAddress), false);
}

/// Arrivals, and bytes that the phase is to wait for.
void set_operand(isa::Instruction& out, const isa::Operand& arrivals, const isa::Operand& bytes) {
  out.src[0] = arrivals;
  out.src[2] = bytes;  // high_of(0)
}

void lower_arrival(Lowering& of, const Instruction& in, isa::Instruction& out) {
  enum : std::uint16_t { kA1Tr, kA1T0, kA0T1, kA0Tr, kA0Tx, kArT0 };
  const std::uint16_t mode = in.value(Modifier::kMode);
  const bool drops = in.value(Modifier::kDrop) != 0;
  const isa::Operand given = source_word(of.rows, in.find(Role::kData)->number, 0);
  const isa::Operand one = of.rows.literal(1);
  const isa::Operand none = of.rows.literal(0);
  if (drops && mode != kA1T0 && mode != kArT0)
    of.rows.refuse("an arrival that is the thread's last and waits for bytes");
  const bool expects = mode == kA1Tr || mode == kA0T1 || mode == kA0Tr;
  on_barrier(of, in, drops ? AtomicOp::kArriveDrop : expects ? AtomicOp::kExpect : AtomicOp::kArrive, out);
  switch (mode) {
    case kA1Tr:
      set_operand(out, one, given);
      break;
    case kA1T0:
      set_operand(out, one, none);
      break;
    case kA0T1:
      set_operand(out, none, one);
      break;
    case kA0Tr:
      set_operand(out, none, given);
      break;
    case kArT0:
      set_operand(out, given, none);
      break;
    default:
      of.rows.refuse("bytes that have come, which only bulk copies tell");
  }
  const Operand& state = *in.find(Role::kDst);
  if (in.value(Modifier::kReductionOnly) != 0 || state.number == kRz) return;
  if (in.value(Modifier::kTogether) != 0) {
    // Of lanes that arrive at once a card says what the barrier was before all of them, and in the low word which they are: the code
    // counts those in front of each. Here lanes arrive one behind the other, so each is alone.
    isa::Instruction arrival = out;
    Sequence sequence(of, in, out);
    arrival.guard = sequence.guard();
    arrival.dst[1] = result_word(of.rows, state.number, 1);
    sequence.add(arrival);
    sequence
        .own(move_words, {result_word(of.rows, state.number, 0)},
             {KernelRows::special(isa::SpecialRow::kLanemaskEq)})
        .guard = sequence.guard();
    return;
  }
  out.dst[0] = result_word(of.rows, state.number, 0);
  out.dst[1] = result_word(of.rows, state.number, 1);
}

void lower_exchange(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const Operand& data = *in.find(Role::kData);
  const Operand& old = *in.find(Role::kDst);
  on_barrier(of, in, AtomicOp::kExch, out);
  set_operand(out, of.rows.uniform(data.number), of.rows.uniform_high(data.number));
  out.dst[0] = of.rows.to_uniform(old.number);
  out.dst[1] = of.rows.to_uniform_high(old.number);
}

void lower_phase_test(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const Operand& over = *in.find(Role::kPd0);
  if (over.number == kPt) {
    out.op = isa::Opcode::kNop;
    return;
  }
  on_barrier(of, in, AtomicOp::kArrive, out);
  out.src[0] = source_word(of.rows, in.find(Role::kData)->number, 0);
  out.dst[0] = of.rows.to_predicate(over.number);
  out.compare = true;
}

/// The arrival of the lane's copies.
void lower_arrival_of_copies(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr std::uint16_t kArrivals = 1;
  const bool arrives = in.value(Modifier::kMode) == kArrivals;
  on_barrier(of, in, arrives ? AtomicOp::kArrive : AtomicOp::kExpect, out);
  // .TRANSCNT: what A0T1 has added has come.
  set_operand(out, of.rows.literal(arrives ? 1 : 0), of.rows.literal(arrives ? 0 : ~0u));
  out.immediate = isa::kBehindCopies;
}

}  // namespace

bool lower_async(Lowering& of, const Instruction& in, isa::Instruction& out) {
  switch (in.op) {
    case Opcode::kLdgsts:
      return lower_copy(of, in, out), true;
    case Opcode::kLdgdepbar:
      out.op = isa::Opcode::kAsyncCommit;
      return true;
    case Opcode::kDepbar:
      if (in.value(Modifier::kLessEqual) == 0 ||
          (of.copy_scoreboards >> in.find(Role::kScoreboard)->number & 1) == 0)
        return false;
      out.op = isa::Opcode::kAsyncWait;
      out.unit = isa::Unit::kControl;
      out.latency_class = isa::LatencyClass::kControl;
      out.immediate = static_cast<std::uint64_t>(in.find(Role::kCount)->value);
      return true;
    case Opcode::kSyncsArrive:
      return lower_arrival(of, in, out), true;
    case Opcode::kSyncsExchange:
      return lower_exchange(of, in, out), true;
    case Opcode::kSyncsPhase:
      return lower_phase_test(of, in, out), true;
    case Opcode::kArrives:
      return lower_arrival_of_copies(of, in, out), true;
    case Opcode::kUblkcp:
      return lower_bulk_copy(of, in, out), true;
    case Opcode::kSyncsCctl:  // the object is no barrier any more
    case Opcode::kFenceView:
    case Opcode::kAcqbulk:
    case Opcode::kPreexit:
      out.op = isa::Opcode::kNop;
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
