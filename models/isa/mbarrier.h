// The 64 bits of an mbarrier object in shared memory, which PTX leaves opaque (PTX ISA, mbarrier), and what the operations do
// to them. An operation returns the object as it was: that is the state that test_wait and pending_count take.
//
//   bits 0 to 19   arrivals that the phase still waits for
//   bits 20 to 39  arrivals that the next phase will wait for
//   bits 40 to 60  bytes that the phase still waits for (tx-count), two's complement
//   bit 63         parity of the phase
#pragma once

#include <cstdint>

namespace heddle::isa {

struct MBarrier {
  static constexpr unsigned kCountBits = 20;
  static constexpr std::uint64_t kMaxCount =
      (std::uint64_t{1} << kCountBits) - 1;  ///< PTX ISA: valid range of counts
  static constexpr unsigned kBytesBits = 21;
  std::uint32_t pending = 0;
  std::uint32_t expected = 0;
  std::int32_t bytes = 0;
  bool parity = false;

  [[nodiscard]] static constexpr MBarrier unpack(std::uint64_t bits) {
    MBarrier barrier;
    barrier.pending = static_cast<std::uint32_t>(bits & kMaxCount);
    barrier.expected = static_cast<std::uint32_t>(bits >> kCountBits & kMaxCount);
    constexpr unsigned kUp = 32 - kBytesBits;
    barrier.bytes =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 2 * kCountBits) << kUp) >> kUp;
    barrier.parity = bits >> 63 != 0;
    return barrier;
  }
  [[nodiscard]] constexpr std::uint64_t pack() const {
    constexpr std::uint64_t kBytesMask = (std::uint64_t{1} << kBytesBits) - 1;
    return pending | std::uint64_t{expected} << kCountBits |
           (static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes)) & kBytesMask) << 2 * kCountBits |
           (parity ? std::uint64_t{1} << 63 : 0);
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

/// Operand of AtomicOp::kExpect: arrivals, and in the upper word bytes that the phase is to wait for first.
[[nodiscard]] constexpr std::uint64_t expect_operand(std::uint32_t arrivals, std::uint32_t bytes) {
  return arrivals | std::uint64_t{bytes} << 32;
}

}  // namespace heddle::isa
