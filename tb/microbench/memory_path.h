// How long a single load takes on an otherwise idle memory system, from the configuration alone: the way from
// a core's load/store unit over crossbar, L2 and DRAM and back, clock domain by clock domain.
//
// This is an independent statement of what models/core/README.md, models/memory/README.md and sim/clock.h
// say, in one function per leg; the chases compare the simulated GPU with it to the cycle.
#pragma once

#include <cstdint>
#include <map>

#include "gpu/gpu_config.h"
#include "memory/address_map.h"

namespace heddle::microbench {

/// Edges of a clock: number k at round(k / f) picoseconds.
class Edges {
 public:
  explicit Edges(double mhz);
  [[nodiscard]] std::uint64_t time(std::uint64_t k) const;
  [[nodiscard]] std::uint64_t at_or_after(std::uint64_t time) const;
  [[nodiscard]] std::uint64_t after(std::uint64_t time) const { return at_or_after(time + 1); }

 private:
  std::uint64_t khz_;
};

class MemoryPath {
 public:
  explicit MemoryPath(const gpu::GpuConfig& config);

  /// Core cycle at which an instruction that needs the value may issue, for a load of one line issued in
  /// cycle `issued` ...
  [[nodiscard]] std::uint64_t l1_hit(std::uint64_t issued) const;
  [[nodiscard]] std::uint64_t l2_hit(std::uint64_t issued) const;
  /// ... and for one that the L2 has to fetch. Rows stay open, so this changes the banks' state.
  [[nodiscard]] std::uint64_t l2_miss(std::uint64_t issued, std::uint64_t address);

  /// The load would find its row open.
  [[nodiscard]] bool row_open(std::uint64_t address) const;
  /// The load would find another row open in its bank.
  [[nodiscard]] bool row_conflict(std::uint64_t address) const;
  /// A fetch of the line happened some time ago.
  void touch(std::uint64_t address);

 private:
  struct Place {
    std::uint32_t bank = 0;  ///< of all partitions
    std::uint64_t row = 0;
  };
  struct Bank {
    std::uint64_t row = 0;
    std::uint64_t activated = 0;  ///< DRAM cycle
  };
  [[nodiscard]] Place place(std::uint64_t address) const;
  /// Core cycle of the access -> L2 cycle in which the slice looks at the request.
  [[nodiscard]] std::uint64_t to_l2(std::uint64_t accessed) const;
  /// L2 cycle in which the request was performed -> core cycle of the dependent issue.
  [[nodiscard]] std::uint64_t from_l2(std::uint64_t performed) const;
  /// L2 cycle of the miss -> L2 cycle in which the line is there.
  [[nodiscard]] std::uint64_t fetch(std::uint64_t missed, std::uint64_t address);
  [[nodiscard]] std::uint64_t flits(std::uint64_t bytes) const;

  gpu::GpuConfig config_;
  Edges core_, interconnect_, l2_, dram_;
  memory::AddressMap map_;
  std::map<std::uint32_t, Bank> open_;  ///< by bank
};

}  // namespace heddle::microbench
