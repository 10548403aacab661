// Greedy, then of the youngest CTA: warps of a CTA share an issue slot evenly, and CTAs that came later go before earlier ones. So an
// H100's counters have it: warps of one CTA progress alike (chains of its microbenchmarks), CTAs of a full SM do not
// (platforms/correlation/H100.md). Every so many cycles the youngest CTA becomes the oldest, as ages rotate in gto.
#pragma once

#include <cstdint>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

struct YoungestCtaConfig {
  std::uint32_t rotation_cycles = 50000;  ///< 0: ages do not rotate

  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] SchedulingPolicy youngest_cta_policy();

}  // namespace heddle::core
