// How full a core is over a launch: resident CTAs and warps, summed over cycles, and what keeps a further CTA from it. Nothing is
// done in a cycle: sums grow when a CTA or warp comes or goes, and when they are read.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/stats.h"
#include "core/cta/cta_slots.h"

namespace heddle::core {

/// Why no further CTA of the launch fits.
enum class OccupancyLimit : std::uint8_t { kNone, kCtaSlots, kWarpSlots, kRegisters, kSharedMemory };
inline constexpr unsigned kOccupancyLimits = static_cast<unsigned>(OccupancyLimit::kSharedMemory) + 1;
/// By OccupancyLimit; "none": there is room.
[[nodiscard]] std::vector<std::string> occupancy_limit_names();

/// The resource of which the fewest CTAs of these needs use up an empty core; of several the first in the order of the names.
[[nodiscard]] OccupancyLimit limit_of(const CtaNeeds& needs, const CoreConfig& config);

class Occupancy {
 public:
  /// `now`: the core clock's present cycle, when statistics are read.
  void declare(base::StatGroup& occupancy, std::function<base::Cycle()> now);

  /// Nothing is resident.
  void begin_launch(base::Cycle now, OccupancyLimit limit);
  /// The launch has ended: later cycles are nobody's.
  void end_launch(base::Cycle now);
  /// A launch of that many cycles has passed without this core.
  void rest(base::Cycle cycles) { limited_[static_cast<unsigned>(OccupancyLimit::kNone)] += cycles; }
  /// A CTA with `warps` warps has come; `full`: no further one fits.
  void cta_starts(base::Cycle now, std::uint32_t warps, bool full);
  /// The last warp of a CTA has ended, and there is room for one.
  void cta_ends(base::Cycle now);
  void warp_ends(base::Cycle now);

 private:
  /// Charges the cycles up to `now` to what has been until then.
  void advance(base::Cycle now);

  bool running_ = false;
  base::Cycle last_ = 0;
  OccupancyLimit limit_ = OccupancyLimit::kNone;  ///< of the launch, when the core is full
  bool full_ = false;
  std::uint64_t ctas_ = 0, warps_ = 0;  ///< resident
  std::uint64_t cta_cycles_ = 0, warp_cycles_ = 0;
  std::array<std::uint64_t, kOccupancyLimits> limited_{};  ///< core cycles
};

}  // namespace heddle::core
