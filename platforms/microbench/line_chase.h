// Warps that each follow a chain of lines, one line under way at a time: as many lines are under way as there
// are warps, and what one of them takes is known, so that Little's law tells their bandwidth.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "microbench/bandwidth.h"
#include "microbench/partitioned_buffer.h"
#include "microbench/session.h"

namespace heddle::microbench {

/// Where the lines come from: a word of shared memory for each lane, or a line of L2's size of global memory,
/// past L1 unless it is the source.
enum class Source : std::uint8_t { kShared, kL1, kL2, kDram };
/// Bytes of such a line.
[[nodiscard]] std::uint32_t chased_line_bytes(const gpu::GpuConfig& config, Source source);

/// The CTAs that follow chains, one on each core from the first on.
struct Chasers {
  static constexpr std::uint32_t kMostWarps = 32;  ///< of a CTA

  std::uint32_t cores = 1;
  std::uint32_t warps = 1;  ///< of a core
  [[nodiscard]] std::uint32_t all() const { return cores * warps; }
};

/// Lines of global memory, by the number of the warp in the grid: addresses in the order in which the warp
/// reads them, over and over. At least one each; warps may share lines.
struct ChasedLines {
  PartitionedBuffer memory;
  std::vector<std::vector<std::uint64_t>> of_warp;
};
/// `each` lines for each of `warps` warps, line i of warp w behind all lines i of the warps before it, and
/// one line of every partition behind the other. Beyond `most` lines warps read those of the first ones.
[[nodiscard]] ChasedLines spread_lines(Session& session, std::uint32_t warps, std::uint64_t each,
                                       std::uint64_t most);

/// The kernel. Every line of global memory holds the addresses at which the next load of its reader finds the
/// next line, those of shared memory its own.
class LineChase {
 public:
  /// Loads in a row between two looks at the clock.
  static constexpr std::uint32_t kUnrolled = 16;

  LineChase(Session& session, Source source);

  /// Lines per core cycle, of lines that stay where they are once they have been read; `about` is what to
  /// expect.
  [[nodiscard]] double kept_lines_per_cycle(const Chasers& chasers, double about, const ChasedLines& lines);
  /// The same for lines that are each read once: `lines` makes them for a run, as many for each warp as it
  /// says.
  [[nodiscard]] double fresh_lines_per_cycle(const Chasers& chasers, double about,
                                             const std::function<ChasedLines(std::uint64_t)>& lines);

  /// Makes chains of the lines.
  void link(const ChasedLines& lines);
  /// Lines that all warps read in the first `cycles` core cycles: a warp that is reading one when they are
  /// over has read a part of it. A failed reading if a chain does not end where it must.
  double lines_within(const Chasers& chasers, const ChasedLines& lines, double cycles);

  /// What Little's law needs to know, in core cycles, of one core whose warps read spread_lines(), at least
  /// `lines` different ones.
  [[nodiscard]] static ClosedLoop of_one_core(const gpu::GpuConfig& config, Source source,
                                              std::uint64_t lines);
  /// Core cycles from the issue of a load to that of the next one.
  [[nodiscard]] static Bounds trip(const gpu::GpuConfig& config, Source source);

 private:
  /// When lines are counted, in core cycles after the CTAs' start: behind what the first lines take, which no
  /// cache holds, and so long that those at its ends do not matter.
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

/// Expectation of a bandwidth, in units of one line per core cycle, with a little more on both sides ...
[[nodiscard]] Expectation bandwidth_within(const Bounds& lines_per_cycle, double unit);
/// ... and why it is a bound.
inline constexpr const char* kWhyWithin =
    "3 % for what fetch groups and clock edges do; where latency and throughput limit alike lines may wait "
    "for each other or not, and in DRAM for rows and refresh";

}  // namespace heddle::microbench
