// What bandwidth can be, from the configuration alone: the slowest stage on the way if enough lines are under
// way, and what Little's law leaves if there are fewer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// GB/s of so many bytes per cycle of a clock.
[[nodiscard]] double gb_per_s(double bytes_per_cycle, double mhz);

/// Cores that read one partition, and the ports of the crossbar that they have.
struct PartitionReaders {
  std::uint32_t cores = 0;
  std::uint32_t ports = 0;
};
/// Those among the first `cores` cores of the GPU, if each port reads the partition port mod partitions.
[[nodiscard]] PartitionReaders readers_of(const gpu::GpuConfig& config, std::uint32_t partition,
                                          std::uint32_t cores);

/// GB/s that their links carry, and one line per cycle of every core.
[[nodiscard]] double link_limit(const gpu::GpuConfig& config, const PartitionReaders& readers);
/// GB/s that a slice of L2 and the links to and from it deliver.
[[nodiscard]] double slice_limit(const gpu::GpuConfig& config);
/// What changes of rows cost the lines that the L2 waits for.
enum class RowChanges : std::uint8_t {
  kHidden,  ///< nothing: other banks' lines keep the bus busy meanwhile
  kShared,  ///< the cycles of a new row delay all lines that wait
  kEach,    ///< every line needs a row of its own, and its bank takes one line after the other
};
/// GB/s of a DRAM channel: what the data bus carries between refreshes, or what the lines that the L2 can
/// wait for at a time amount to if that is less.
[[nodiscard]] double channel_limit(const gpu::GpuConfig& config, RowChanges row_changes);
/// Share of the time that a DRAM channel refreshes.
[[nodiscard]] double refreshing(const memory::DramConfig& config);

/// Keys that leave four partitions, each with a port of the crossbar to read it, so that runs with all cores
/// are short (Benchmark::prepare).
[[nodiscard]] std::vector<std::string> few_partitions(const gpu::GpuConfig& config);

struct Bounds {
  double least = 0;
  double most = 0;
};

/// A closed loop: a fixed number of lines, each asked for again when it has arrived, over stages that each
/// take one line at a time. Times in one unit.
struct ClosedLoop {
  Bounds trip;      ///< of a line that meets no other, with what its reader does before it asks again
  Bounds interval;  ///< from line to line of the slowest stage
  /// Stages take lines in the order in which they come, one like the other: two that have met are then apart
  /// and do not meet again.
  bool orderly = false;
};
/// Lines per unit of time with `lines` lines under way: lines / trip (Little's law) or one per interval,
/// whichever is less (Denning and Buzen 1978). Where the two are close lines wait for each other now and
/// then, unless the loop is orderly, and the least is what comes of each waiting for all others at the
/// slowest stage (Zahorjan et al. 1982, the balanced job bound).
[[nodiscard]] Bounds throughput(const ClosedLoop& loop, double lines);

}  // namespace heddle::microbench
