// The 64 bits of an mbarrier object in shared memory, which PTX leaves opaque (PTX ISA, mbarrier), and what the operations do
// to them. An operation returns the object as it was: that is the state that test_wait and pending_count take.
//
//   bits 1 to 20   arrivals that the next phase will wait for, negated (modulo 2^20)
//   bits 22 to 42  bytes that the phase still waits for (tx-count), two's complement
//   bits 43 to 62  arrivals that the phase still waits for, negated
//   bit 63         parity of the phase
//
// This is a card's layout as far as ptxas' code for mbarrier.init, pending_count and test_wait of sm_90 tells it: machine code makes
// the initial value and reads counts itself. It does not tell where the bytes are.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace heddle::isa {

struct MBarrier {
  static constexpr unsigned kCountBits = 20;
  static constexpr std::uint64_t kMaxCount =
      (std::uint64_t{1} << kCountBits) - 1;  ///< PTX ISA: valid range of counts
  static constexpr unsigned kBytesBits = 21;
  static constexpr unsigned kExpectedBit = 1, kBytesBit = 22, kPendingBit = 43, kParityBit = 63;
  std::uint32_t pending = 0;
  std::uint32_t expected = 0;
  std::int32_t bytes = 0;
  bool parity = false;

  [[nodiscard]] static constexpr MBarrier unpack(std::uint64_t bits) {
    MBarrier barrier;
    barrier.pending = static_cast<std::uint32_t>(-(bits >> kPendingBit) & kMaxCount);
    barrier.expected = static_cast<std::uint32_t>(-(bits >> kExpectedBit) & kMaxCount);
    constexpr unsigned kUp = 32 - kBytesBits;
    barrier.bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> kBytesBit) << kUp) >> kUp;
    barrier.parity = bits >> kParityBit != 0;
    return barrier;
  }
  [[nodiscard]] constexpr std::uint64_t pack() const {
    constexpr std::uint64_t kBytesMask = (std::uint64_t{1} << kBytesBits) - 1;
    const auto negated = [](std::uint32_t count) { return -std::uint64_t{count} & kMaxCount; };
    return negated(expected) << kExpectedBit | negated(pending) << kPendingBit |
           (static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes)) & kBytesMask) << kBytesBit |
           (parity ? std::uint64_t{1} << kParityBit : 0);
  }
  /// mbarrier.init.
  [[nodiscard]] static constexpr MBarrier initial(std::uint64_t count) {
    const auto threads = static_cast<std::uint32_t>(count & kMaxCount);
    return {threads, threads, 0, false};
  }
  /// The phase is over when nothing is pending; the next one begins at once.
  constexpr void arrive(std::uint32_t count) {
    pending = (pending - count) & static_cast<std::uint32_t>(kMaxCount);
    if (pending != 0 || bytes != 0) return;
    parity = !parity;
    pending = expected;
  }
  constexpr void drop(std::uint32_t count) {
    expected = (expected - count) & static_cast<std::uint32_t>(kMaxCount);
    arrive(count);
  }
};

/// Instruction::immediate of a kTrap: an mbarrier was to count 0 or more than MBarrier::kMaxCount arrivals.
inline constexpr std::uint64_t kBadMBarrierCount = 2;

/// A kAtomic on an mbarrier whose dst[0] is a predicate changes nothing: the predicate says whether the phase is over that bit 31 of
/// src[0] is the parity of (SYNCS.PHASECHK of machine code).
[[nodiscard]] constexpr bool tests_phase(const Instruction& atomic) {
  return atomic.dst[0].present && atomic.dst[0].width == RowWidth::kPredicate;
}
[[nodiscard]] constexpr bool phase_is_over(std::uint64_t barrier, std::uint64_t state_high) {
  return barrier >> MBarrier::kParityBit != (state_high >> 31 & 1);
}
/// A kAtomic on an mbarrier that is made when the warp's asynchronous copies are done (ARRIVES.LDGSTSBAR of machine code).
inline constexpr std::uint64_t kBehindCopies = 1;
[[nodiscard]] constexpr bool waits_for_copies(const Instruction& instruction) {
  return instruction.op == Opcode::kAtomic && on_barrier(instruction.atomic_op) &&
         instruction.immediate == kBehindCopies;
}

/// Operand of AtomicOp::kExpect: arrivals, and in the upper word bytes that the phase is to wait for first.
[[nodiscard]] constexpr std::uint64_t expect_operand(std::uint32_t arrivals, std::uint32_t bytes) {
  return arrivals | std::uint64_t{bytes} << 32;
}

}  // namespace heddle::isa
