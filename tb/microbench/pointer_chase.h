// Pointer chases: each load's address is the value of the load before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/session.h"

namespace heddle::microbench {

/// A ring of pointers in device memory: the pointer at order[i] leads to order[i + 1], the last one to the
/// first.
struct Chain {
  std::vector<std::uint64_t> order;  ///< addresses
  [[nodiscard]] std::uint64_t at(std::uint64_t load) const { return order[load % order.size()]; }
};
/// Writes the pointers. The addresses lie within allocations and are multiples of 8.
[[nodiscard]] Chain make_chain(Session& session, std::vector<std::uint64_t> addresses);
/// `count` addresses from `base` on, `stride` bytes apart.
[[nodiscard]] std::vector<std::uint64_t> strided(std::uint64_t base, std::uint64_t count,
                                                 std::uint64_t stride);

/// One thread follows the ring from its first pointer, in rounds of `loads` unrolled loads. The last round is
/// timed; the rounds before it are loads 0 .. first_timed - 1.
struct ChaseResult {
  std::uint64_t first_timed = 0;
  std::uint32_t loads = 0;
  std::uint32_t start = 0;   ///< %clock; the first timed load is the instruction after it
  std::uint32_t cycles = 0;  ///< until an instruction that needs the last value
};
inline constexpr std::uint32_t kChaseRounds = 3;
/// `load` is the PTX opcode, such as "ld.global.cg.u64".
[[nodiscard]] ChaseResult run_chase(Session& session, const Chain& chain, const char* load,
                                    std::uint32_t loads);

/// Cycles per load of two chases that differ in length only, which cancels the clock's own cost.
[[nodiscard]] double cycles_per_load(const ChaseResult& shorter, const ChaseResult& longer);

}  // namespace heddle::microbench
