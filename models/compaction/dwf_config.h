// Keys of dynamic warp formation.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace heddle::compaction {

enum class DwfTiming : std::uint8_t { kIdeal, kContract };

struct DwfConfig {
  bool warp_barrier = false;
  std::uint32_t lut_entries = 32;
  std::uint32_t lut_ways = 2;
  DwfTiming timing = DwfTiming::kIdeal;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::compaction
