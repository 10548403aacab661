// Read-modify-write operations, executed wherever the data is (L2 atomic unit, shared memory).
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/types.h"

namespace heddle::isa {

enum class AtomicOp : std::uint8_t {
  kAdd,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kCast,
  kInc,
  kDec,
  // On a 64-bit mbarrier in shared memory (isa/mbarrier.h); the operand is the count.
  kArrive,
  kArriveDrop,
  kExpect
};

/// It compares before it writes.
[[nodiscard]] constexpr bool compares(AtomicOp op) { return op == AtomicOp::kCas || op == AtomicOp::kCast; }

/// New memory value. `old`, `operand` and `compare` hold the value in their low type_bytes(type) bytes.
/// kInc: old >= operand ? 0 : old+1.  kDec: old == 0 || old > operand ? operand : old-1.
/// kCas: old == compare ? operand : old.  kCast writes the same, and gives 1 where it has written the operand, else 0
/// (ATOMS.CAST.SPIN of machine code, on shared memory only).
/// Floating-point add rounds to nearest even. f32 add flushes subnormals in global memory, as `atom.add.f32`
/// does, and keeps them in shared memory: pass in_global = false there. f16 and f16x2 (each half separately)
/// keep subnormals. NaN sums are canonical (lane/float_rules.h), but in f64 they are the NaN among the two, the
/// operand rather than the memory's: as it is in global memory, quiet in shared memory, where a card compares and swaps the
/// sum of an addition (measured on an H200; two NaNs in global memory were not).
[[nodiscard]] std::uint64_t apply_atomic(AtomicOp op, Type type, std::uint64_t old, std::uint64_t operand,
                                         std::uint64_t compare, bool in_global = true);

/// An operation on an mbarrier.
[[nodiscard]] constexpr bool on_barrier(AtomicOp op) { return op >= AtomicOp::kArrive; }

[[nodiscard]] std::string_view atomic_name(AtomicOp op);

}  // namespace heddle::isa
