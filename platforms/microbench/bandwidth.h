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

/// The ports of the crossbar that read a partition if each reads the partition port mod partitions: how many
/// of the first `cores` cores of the GPU each has.
[[nodiscard]] std::vector<std::uint32_t> ports_reading(const gpu::GpuConfig& config, std::uint32_t partition,
                                                       std::uint32_t cores);

/// GB/s that a port's link carries to its cores, at most one line per cycle of each.
[[nodiscard]] double port_limit(const gpu::GpuConfig& config, std::uint32_t cores);
/// GB/s that a slice of L2 and the links to and from it deliver.
[[nodiscard]] double slice_limit(const gpu::GpuConfig& config);
/// What changes of rows cost the lines that the L2 waits for.
enum class RowChanges : std::uint8_t {
  kHidden,  ///< nothing: other banks' lines keep the bus busy meanwhile
  kShared,  ///< the cycles of a new row delay all lines that wait
  kEach,    ///< every line needs a row of its own, and a bank, which all have as many, takes them in turn
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
  /// Stages take lines in the order in which they come, one as long as the other: two that have queued behind
  /// each other stay apart, and none waits again while there are not more lines than keep the slowest stage
  /// busy.
  bool orderly = false;
};
/// Lines per unit of time with `lines` lines under way: lines / trip (Little's law) or one per interval,
/// whichever is less (Denning and Buzen 1978). Lines that meet at a stage wait for each other, the more the
/// closer the two are: between a quarter of and twice the lines that keep the slowest stage busy, which is
/// where measured bandwidths of DRAM and of a core's own memories begin and cease to fall behind, the least
/// is the balanced job bound (Zahorjan et al. 1982), unless the loop is orderly.
[[nodiscard]] Bounds closed_loop_rate(const ClosedLoop& loop, double lines);

}  // namespace heddle::microbench
