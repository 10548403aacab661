// Active masks as the specifications write them.
#pragma once

#include <string>

#include "base/lane_mask.h"

namespace heddle::simt {

/// MSB..LSB.
inline base::LaneMask mask(const std::string& text) {
  return base::LaneMask(static_cast<std::uint32_t>(std::stoul(text, nullptr, 2)));
}

}  // namespace heddle::simt
