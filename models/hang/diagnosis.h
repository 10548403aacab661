// The complete message about a hang: its kind, who waits for what, what the warps are doing, what to do about it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "hang/hang_class.h"
#include "hang/warp_activity.h"

namespace heddle::hang {

/// A report of what a mechanism of the GPU has found out by itself. `how` it was found, `why` it hangs, lines.
[[nodiscard]] HangReport reported(HangKind kind, std::string how, std::string why, std::string remedy);

/// What is said of a launch besides its report.
struct LaunchWords {
  std::string kernel;              ///< its name
  base::Cycle cycles = 0;          ///< since it began
  std::uint64_t ctas_waiting = 0;  ///< not dispatched yet
};
/// `activity`: describe(), of all warps.
[[nodiscard]] std::string diagnosis(const LaunchWords& launch, const HangReport& report,
                                    const std::string& activity);

}  // namespace heddle::hang
