// Time of a block: whether it is charged, and what a request costs (rtl/README.md, the timing contract).
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "base/ids.h"

namespace heddle::sim {

/// Key `timing` of a block.
enum class Timing : std::uint8_t {
  kIdeal,    ///< any number of requests is answered within the cycle
  kContract  ///< as many as the block has ports, each with the latency of its cost
};
inline void visit_timing(base::ConfigVisitor& v, Timing& timing, const std::string& doc) {
  v.choice("timing", timing, {"ideal", "contract"}, doc);
}

/// Cost of a request under Timing::kContract, core cycles. Stands beside the model (`cost(request, state)`), and is used by the model, by the
/// bench that compares clock by clock, and by the assertions on latency.
struct BlockCost {
  base::Cycle answer = 1;    ///< from the cycle that accepts it to the one in which the answer is there
  base::Cycle interval = 1;  ///< to the first cycle in which the port accepts the next one
};

}  // namespace heddle::sim
