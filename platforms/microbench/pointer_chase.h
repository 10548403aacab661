// Pointer chases: each load's address is the value of the previous load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/session.h"

namespace heddle::microbench {

/// A ring of pointers in device memory: the pointer at order[i] points to order[i + 1], the last one to the
/// first.
struct Chain {
  std::vector<std::uint64_t> order;  ///< addresses
  [[nodiscard]] std::uint64_t at(std::uint64_t load) const { return order[load % order.size()]; }
};
/// Writes the pointers. The addresses lie within allocations and are multiples of 8.
[[nodiscard]] Chain make_chain(Session& session, std::vector<std::uint64_t> addresses);
/// `count` addresses starting at `base`, `stride` bytes apart.
[[nodiscard]] std::vector<std::uint64_t> strided(std::uint64_t base, std::uint64_t count,
                                                 std::uint64_t stride);

/// One thread follows the ring from its first pointer in kChaseRounds rounds of `loads` unrolled loads. The
/// last round is timed; its first load is number first_timed(loads).
inline constexpr std::uint32_t kChaseRounds = 3;
[[nodiscard]] constexpr std::uint64_t first_timed(std::uint32_t loads) {
  return std::uint64_t{kChaseRounds - 1} * loads;
}

/// Cycles per load of a chase that consists of loads only; two lengths cancel the cost of the clock. `load`
/// is the PTX opcode, such as "ld.global.cg.u64". For latencies of a few cycles.
[[nodiscard]] double chase_cycles_per_load(Session& session, const Chain& chain, const char* load);

/// A counter of the statistics (path as in base::StatGroup::sum) per load of a chase of kChaseRounds * loads
/// loads.
[[nodiscard]] double chase_count_per_load(Session& session, const Chain& chain, const char* load,
                                          std::uint32_t loads, const std::string& counter);

/// One load of a chase that reads the clock after every load, which requires a latency of about twenty
/// cycles.
struct TimedLoad {
  std::uint64_t address = 0;
  std::uint64_t issued = 0;  ///< core cycle
  std::uint32_t cycles = 0;  ///< until the next load, which needs its value, issues
};
/// All loads of the last round except its last.
[[nodiscard]] std::vector<TimedLoad> chase_each_load(Session& session, const Chain& chain, const char* load,
                                                     std::uint32_t loads);

}  // namespace heddle::microbench
