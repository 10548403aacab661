// Warps that each follow a chain of lines, one line under way at a time: as many lines are under way as there
// are warps, and what one of them takes is known, so that Little's law tells their bandwidth.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "microbench/bandwidth.h"
#include "microbench/session.h"

namespace heddle::microbench {

/// Where the lines come from: a word of shared memory for each lane, or a line of L2's size of global memory,
/// past L1 unless it is the source.
enum class Source : std::uint8_t { kShared, kL1, kL2, kDram };
/// Bytes of such a line.
[[nodiscard]] std::uint32_t chased_line_bytes(const gpu::GpuConfig& config, Source source);

/// The lines of every warp, by its number in the grid: addresses in the order in which it reads them, over
/// and over. At least one each.
using WarpLines = std::vector<std::vector<std::uint64_t>>;
/// `each` lines for each of `warps` warps, line i of warp w behind all lines i of warps before it.
[[nodiscard]] WarpLines side_by_side(Session& session, std::uint32_t warps, std::uint64_t each);

struct Chasers {
  std::uint32_t cores = 1;  ///< from the first on, a CTA on each
  std::uint32_t warps = 1;  ///< of a core
  [[nodiscard]] std::uint32_t all() const { return cores * warps; }
};

/// Expectation of a bandwidth, in units of one line per core cycle, with a little more on both sides ...
[[nodiscard]] Expectation bandwidth_within(const Bounds& lines_per_cycle, double unit);
/// ... and why it is a bound.
inline constexpr const char* kWhyWithin =
    "3 % for what fetch groups and clock edges do; where latency and throughput limit alike lines may wait "
    "for each other or not, and in DRAM for rows and refresh";

/// The kernel. Every line of global memory holds the addresses at which the next load of its reader finds the
/// next line, those of shared memory its own.
class LineChase {
 public:
  /// Loads in a row between two looks at the clock.
  static constexpr std::uint32_t kUnrolled = 16;

  LineChase(Session& session, Source source);

  /// Lines that all warps read per core cycle, between a run that reads about `lines_each` lines with every
  /// warp and one that reads thrice as many; `about` is the rate to expect. `lines` are asked for before each
  /// run, with the number each warp reads at most.
  [[nodiscard]] double lines_per_cycle(const Chasers& chasers, std::uint64_t lines_each, double about,
                                       const std::function<WarpLines(std::uint64_t)>& lines);
  /// Makes chains of the lines.
  void link(const WarpLines& lines);
  /// Follows them for so many core cycles and a little more.
  TimedRun run(const Chasers& chasers, const WarpLines& lines, std::uint32_t cycles);

  /// What Little's law needs to know, in core cycles, of one core's warps that read lines of all partitions.
  [[nodiscard]] static ClosedLoop of_one_core(const gpu::GpuConfig& config, Source source);
  /// Core cycles from the issue of a load to that of the next one.
  [[nodiscard]] static Bounds trip(const gpu::GpuConfig& config, Source source);

 private:
  Session& session_;
  Source source_;
  LoadedKernel kernel_;
};

}  // namespace heddle::microbench
