// Special registers of a warp: who its threads are, and what they run on.
#pragma once

#include <cstdint>

#include "core/warp_context.h"

namespace heddle::core {

/// What a warp says of the hardware that it runs on.
struct WarpPlace {
  std::uint32_t slot = 0;   ///< %warpid
  std::uint32_t slots = 0;  ///< %nwarpid
  std::uint32_t core = 0;   ///< %smid
};

/// The warp is number `warp.warp_in_cta` of the CTA.
void fill_special_rows(WarpContext& warp, const CtaContext& cta, const LaunchContext& launch,
                       const WarpPlace& place);
/// The rows that say which CTA of the launch it is, and where it runs. The others are filled, for a warp of the same number.
void move_to_cta(WarpContext& warp, const CtaContext& cta, const WarpPlace& place);

}  // namespace heddle::core
