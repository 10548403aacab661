// Latency of a single load in an otherwise idle memory system, derived from the configuration alone: from a
// core's load/store unit over crossbar, L2 and DRAM and back, clock domain by clock domain.
//
// This states the rules of models/core/README.md, models/memory/README.md and sim/clock.h independently, in
// one function per leg. The chases compare the simulated GPU with it cycle by cycle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "gpu/gpu_config.h"
#include "memory/address_map.h"
#include "microbench/dram_path.h"
#include "microbench/links.h"

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
  /// cycle `issued` that hits L2 ...
  [[nodiscard]] std::uint64_t l2_hit(std::uint64_t issued) const;
  /// ... and for one that the L2 has to fetch, which leaves its row open.
  struct Fetched {
    RowOutcome outcome = RowOutcome::kUnknown;
    std::uint64_t done = 0;
  };
  [[nodiscard]] Fetched l2_miss(std::uint64_t issued, std::uint64_t address);
  [[nodiscard]] Fetched l2_miss(std::uint64_t issued, std::uint64_t address, std::uint32_t bytes,
                                bool far = false);

  /// Core cycles from the issue of a load of `bytes` bytes of one line to the issue of an instruction that
  /// needs its value, for any phase of the slower clocks: L2 hits, and fetches from an open row (least) or
  /// with a row conflict (most), without a refresh in progress; with an L2 of two halves fetches from the near (least) or
  /// the far one (most).
  struct Trips {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
    void add(std::uint64_t trip) { least = std::min(least, trip), most = std::max(most, trip); }
  };
  [[nodiscard]] Trips l2_trips(std::uint32_t bytes) const;
  [[nodiscard]] Trips dram_trips(std::uint32_t bytes) const;

  /// Core cycle in which the response to a read of `bytes` bytes, sent to the crossbar in cycle `sent`, is
  /// delivered to the requesting block, if it hits in L2.
  [[nodiscard]] std::uint64_t delivered(std::uint64_t sent, std::uint32_t bytes) const;

 private:
  /// Core cycle of the access -> L2 cycle in which the slice sees the request.
  [[nodiscard]] std::uint64_t to_l2(std::uint64_t accessed) const;
  /// L2 cycle in which the request was performed -> core cycle in which the core's block has the response.
  /// `far`: it crosses from the other half.
  [[nodiscard]] std::uint64_t from_l2(std::uint64_t performed, std::uint32_t bytes, bool far = false) const;
  [[nodiscard]] std::uint64_t flits(std::uint64_t bytes, Way way) const;

  gpu::GpuConfig config_;
  Edges core_, interconnect_, l2_, dram_;
  std::uint32_t l2_sector_bytes_;
  memory::AddressMap map_;
  std::vector<DramPath> channels_;  ///< by partition
};

}  // namespace heddle::microbench
