// Warps that each follow a chain of lines with one line in flight. So the number of lines in flight equals
// the number of warps, the latency of one is known, and Little's law gives the bandwidth.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "microbench/bandwidth.h"
#include "microbench/partitioned_buffer.h"
#include "microbench/session.h"

namespace heddle::microbench {

/// Where the lines come from: a word of shared memory per lane, or a line (of L2's line size) of global
/// memory, bypassing L1 unless L1 is the source.
enum class Source : std::uint8_t { kShared, kL1, kL2, kDram };
/// Bytes of such a line.
[[nodiscard]] std::uint32_t chased_line_bytes(const gpu::GpuConfig& config, Source source);

/// The CTAs that follow chains, one per core, starting with the first core.
struct Chasers {
  static constexpr std::uint32_t kMostWarps = 32;  ///< per CTA

  std::uint32_t cores = 1;
  std::uint32_t warps = 1;  ///< per core
  [[nodiscard]] std::uint32_t all() const { return cores * warps; }
};

/// Lines of global memory, by warp number in the grid: addresses in the order in which the warp reads them,
/// repeatedly. At least one per warp; warps may share lines.
struct ChasedLines {
  PartitionedBuffer memory;
  std::vector<std::vector<std::uint64_t>> of_warp;
};
/// `each` lines for each of `warps` warps, with line i of warp w after the lines i of the warps before it,
/// distributed over the partitions in turn. Beyond `most` lines, warps reuse the lines of the first ones.
[[nodiscard]] ChasedLines spread_lines(Session& session, std::uint32_t warps, std::uint64_t each,
                                       std::uint64_t most);

/// The kernel. Every line of global memory holds the addresses at which its reader's next load finds the next
/// line; those of shared memory hold their own address.
class LineChase {
 public:
  /// Consecutive loads between two reads of the clock.
  static constexpr std::uint32_t kUnrolled = 16;

  LineChase(Session& session, Source source);

  /// Lines per core cycle, for lines that remain in the source once they have been read; `about` is the
  /// expected rate.
  [[nodiscard]] double kept_lines_per_cycle(const Chasers& chasers, double about, const ChasedLines& lines);
  /// The same for lines that are read only once: `lines` generates the requested number for each warp of a
  /// run.
  [[nodiscard]] double fresh_lines_per_cycle(const Chasers& chasers, double about,
                                             const std::function<ChasedLines(std::uint64_t)>& lines);

  /// Writes the chains into the lines.
  void link(const ChasedLines& lines);
  /// Lines that all warps read in the first `cycles` core cycles. A line in progress at the end counts as a
  /// fraction. Reports a failed reading if a chain does not end at its expected address.
  double lines_within(const Chasers& chasers, const ChasedLines& lines, double cycles);

  /// Parameters of Little's law in core cycles, for one core whose warps read spread_lines() with at least
  /// `lines` distinct ones.
  [[nodiscard]] static ClosedLoop of_one_core(const gpu::GpuConfig& config, Source source,
                                              std::uint64_t lines);
  /// Core cycles from the issue of a load to the issue of the next one.
  [[nodiscard]] static Bounds trip(const gpu::GpuConfig& config, Source source);

 private:
  /// The counting window, in core cycles after the CTAs' start: after the initial cold misses, and long
  /// enough that effects at its ends are negligible.
  struct Window {
    double from = 0;
    double to = 0;
    [[nodiscard]] double rate(double before, double all) const { return (all - before) / (to - from); }
  };
  [[nodiscard]] Window window(const Chasers& chasers, double about) const;

  Session& session_;
  Source source_;
  LoadedKernel kernel_;
};

/// Expected bandwidth in units of one line per core cycle, with a small tolerance on both sides.
[[nodiscard]] Expectation bandwidth_within(const Bounds& lines_per_cycle, double unit);
/// Explains why it is a bound.
inline constexpr const char* kWhyWithin =
    "3 % for what fetch groups and clock edges do; where latency and throughput limit alike lines may wait "
    "for each other or not, and in DRAM for rows and refresh";

}  // namespace heddle::microbench
