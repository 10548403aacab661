// What a page needs to know of the machine of a run: sizes, and the most that its parts can do in a core cycle.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/block_area.h"

namespace heddle::report {

struct Machine {
  std::string name;  ///< of the platform
  double cores = 0;
  double schedulers = 0;  ///< of a core; each has an issue slot a cycle
  double max_warps = 0;   ///< of a core
  double partitions = 0;
  double core_mhz = 0, interconnect_mhz = 0, l2_mhz = 0, dram_mhz = 0;
  double dram_bytes_per_dram_cycle = 0;  ///< of a partition
  double l2_banks = 0;                   ///< of a partition
  double register_ports = 0;             ///< of a core: banks x ports
  double response_links = 0;             ///< of the crossbar; it has a request link for each partition
  std::string l1d, shared_memory, l2, mechanism, policy, scoreboard;  ///< in words

  /// 32 lanes in every issue slot of the GPU.
  [[nodiscard]] double peak_thread_instructions() const { return cores * schedulers * 32; }
  /// Of all channels, in a core cycle.
  [[nodiscard]] double peak_dram_bytes() const {
    return partitions * dram_bytes_per_dram_cycle * dram_mhz / core_mhz;
  }
};

/// Throws base::InputError at `place` (the run's folder) if a key that every configuration has is missing.
[[nodiscard]] Machine machine_of(const ConfigValue& value, const std::string& place);
[[nodiscard]] nlohmann::ordered_json machine_json(const Machine& machine);

}  // namespace heddle::report
