// Keys of thread block compaction.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace heddle::compaction {

enum class Timing : std::uint8_t { kIdeal, kContract };

struct TbcConfig {
  bool compacts = true;
  Timing timing = Timing::kIdeal;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::compaction
