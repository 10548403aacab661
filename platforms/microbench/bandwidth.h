// Bandwidth limits derived from the configuration alone: the slowest stage if enough lines are in flight, and
// Little's law if there are fewer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// GB/s for a number of bytes per cycle of a clock.
[[nodiscard]] double gb_per_s(double bytes_per_cycle, double mhz);

/// Assigns to each crossbar port a partition to read (port mod partitions). Returns, for each port that reads
/// `partition`, how many of the first `cores` cores of the GPU use it.
[[nodiscard]] std::vector<std::uint32_t> ports_reading(const gpu::GpuConfig& config, std::uint32_t partition,
                                                       std::uint32_t cores);

/// GB/s that a port's link delivers to its cores, at most one line per cycle to each.
[[nodiscard]] double port_limit(const gpu::GpuConfig& config, std::uint32_t cores);
/// GB/s that an L2 slice and the links to and from it deliver.
[[nodiscard]] double slice_limit(const gpu::GpuConfig& config);
/// The cost of row changes for the lines that the L2 waits for.
enum class RowChanges : std::uint8_t {
  kHidden,  ///< none: lines of other banks keep the bus busy meanwhile
  kShared,  ///< the cycles of a row change delay all waiting lines
  kEach,    ///< every line needs a new row; a bank, which all have as many of, opens them one after the other
};
/// GB/s of a DRAM channel: the data bus between refreshes, or the lines that the L2 can have outstanding,
/// whichever is less.
[[nodiscard]] double channel_limit(const gpu::GpuConfig& config, RowChanges row_changes);
/// Fraction of the time that a DRAM channel spends refreshing.
[[nodiscard]] double refreshing(const memory::DramConfig& config);

/// Keys that reduce the GPU to four partitions, each read by one crossbar port, so that runs with all cores
/// are short (Benchmark::prepare).
[[nodiscard]] std::vector<std::string> few_partitions(const gpu::GpuConfig& config);

struct Bounds {
  double least = 0;
  double most = 0;
};

/// A closed loop: a fixed number of lines, each requested again once it has arrived, over stages that serve
/// one line at a time. All times have the same unit.
struct ClosedLoop {
  Bounds trip;      ///< of a line that meets no other, including the reader's time until the next request
  Bounds interval;  ///< between lines at the slowest stage
  /// Stages serve lines in order of arrival with constant service times. Two lines that have once queued
  /// behind each other then stay apart, and none waits again as long as there are no more lines than saturate
  /// the slowest stage.
  bool orderly = false;
};
/// Lines per unit of time with `lines` lines in flight: lines / trip (Little's law) or one per interval,
/// whichever is less (Denning and Buzen 1978). Lines that meet at a stage wait for each other, most when the
/// two bounds are close. The lower bound is therefore the balanced job bound (Zahorjan et al. 1982) between a
/// quarter of and twice the lines that saturate the slowest stage, unless the loop is orderly. In that range
/// the measured bandwidths of DRAM and of a core's own memories fall below the simple bound.
[[nodiscard]] Bounds closed_loop_rate(const ClosedLoop& loop, double lines);

}  // namespace heddle::microbench
