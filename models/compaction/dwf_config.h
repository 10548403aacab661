// Keys of dynamic warp formation.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace heddle::compaction {

struct DwfConfig {
  bool warp_barrier = false;
  std::uint32_t lut_entries = 32;
  std::uint32_t lut_ways = 2;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::compaction
