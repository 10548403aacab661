// Storage of spin-aware scheduling in hardware, in bits per core ([DDOS/BOWS] Tab 6.2; [DDOS/BOWS:A20]).
#pragma once

#include <cstdint>

#include "spin/config.h"

namespace heddle::spin {

struct Storage {
  std::uint64_t sib_table = 0;  ///< {PC, confidence, prediction} per entry
  std::uint64_t histories = 0;  ///< path and value hashes
  std::uint64_t detectors = 0;  ///< state, match pointer, remaining count, profiled lane
  std::uint64_t pending_delay = 0;
  std::uint64_t backed_off = 0;
  std::uint64_t queues = 0;  ///< warp numbers within their scheduler

  [[nodiscard]] std::uint64_t total() const {
    return sib_table + histories + detectors + pending_delay + backed_off + queues;
  }
};

[[nodiscard]] Storage storage_bits(const SpinConfig& config, std::uint32_t warps, std::uint32_t schedulers);

}  // namespace heddle::spin
