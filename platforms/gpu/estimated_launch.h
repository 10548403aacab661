// A launch of which only some CTAs are simulated, in windows that are spread evenly over the grid. The others run without time
// (functional_launch.h), so that results are whole. What the launch would have taken
// is estimated from the windows, with a margin from their differences.
//
// A window simulates consecutive CTAs on a machine that has none (windowed_launch.h). Its first waves warm it up, and while its last wave ends, the machine
// drains: only the time between the two counts, from the last CTA of the first waves that is done to the last CTA that starts. A wave is
// as many CTAs as the machine holds at once.
//
// Cycles of the whole launch: the first window until its last CTA starts; for each CTA that would have started after that the
// time per CTA of its window, or, between two windows, their mean; and the last window's drain. The margin is that of a mean of systematic
// samples: squared differences of successive windows, to which a slow trend over the grid adds little. n - 1 such differences
// overlap, and are worth 2 (n - 1)^2 / (3 n - 4) degrees of freedom.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle::gpu {

/// CTAs by their linear number in the grid.
struct CtaRange {
  std::uint64_t first = 0, count = 0;
  [[nodiscard]] std::uint64_t end() const { return first + count; }
  bool operator==(const CtaRange&) const = default;
};

/// How launches are estimated.
struct Estimation {
  std::uint32_t windows = 0;         ///< at most, a launch; 0: every launch is simulated as a whole
  std::uint32_t warm_up_waves = 2;   ///< of a window, before it counts
  std::uint32_t measured_waves = 4;  ///< that count
};

/// Throws base::InputError for fewer than two windows, and for windows without waves that warm up or count.
void check(const Estimation& estimation);

/// The windows of a grid of `ctas`, of which the machine holds `wave` at once. Empty: the launch is simulated as a whole, since
/// fewer than two windows would leave half of it out.
[[nodiscard]] std::vector<CtaRange> windows_of(std::uint64_t ctas, std::uint64_t wave,
                                               const Estimation& estimation);

/// When the CTAs of a window were done. Cycles are the device's.
struct WindowTimes {
  base::Cycle begin = 0, last_start = 0, end = 0;
  std::vector<base::Cycle> done;  ///< in order
};

/// Time per CTA of a window while it counts, in cycles. `warm_up`: CTAs done before.
[[nodiscard]] double cycles_per_cta(const WindowTimes& times, std::uint64_t warm_up);

/// What a launch would have taken.
struct Estimate {
  std::uint64_t ctas = 0;       ///< of the grid
  std::uint64_t simulated = 0;  ///< of these
  std::uint64_t windows = 0;
  double cycles = 0;
  double margin =
      0;  ///< cycles, to either side: 95 % of such estimates are that near, as far as the windows tell
  /// Another launch of the same kernel: it is likely to be off by as much, and to the same side. One that was simulated as a whole
  /// has no windows.
  Estimate& operator+=(const Estimate& other);
  /// Launches of another kernel, whose errors are independent of these.
  void add_independent(const Estimate& other);
};

/// `windows` and `times` have the same length, at least 2.
[[nodiscard]] Estimate estimate_of(std::uint64_t ctas, const std::vector<CtaRange>& windows,
                                   const std::vector<WindowTimes>& times, std::uint64_t warm_up);

}  // namespace heddle::gpu
