// Delay estimator of BOWS: the delay limit, adapted once per window of the core's cycles ([DDOS/BOWS] §6.2.1, Fig 6.4).
// One per core. Timing contract: one multiplier, so that a new limit takes a while to be there.
#pragma once

#include <cstdint>
#include <systemc>

#include "base/stats.h"
#include "sim/block_socket.h"
#include "spin/config.h"
#include "spin/protocols.h"

namespace heddle::spin {

class DelayLimit : public sc_core::sc_module {
 public:
  DelayLimit(const sc_core::sc_module_name& name, const BowsConfig& config, Timing timing,
             base::StatGroup& stats);

 private:
  void serve(WindowRequest& request);

 public:
  sim::BlockTarget<WindowProtocol, DelayLimit, &DelayLimit::serve> window_tsock{"window_tsock", this};

 private:
  void adapt(std::uint64_t instructions, std::uint64_t sibs);
  [[nodiscard]] std::uint32_t first_limit() const;

  BowsConfig config_;
  Cycle latency_;
  std::uint32_t limit_;
  std::uint64_t last_instructions_ = 0, last_sibs_ = 0;
  std::uint64_t windows_ = 0, raised_ = 0, lowered_ = 0, limit_sum_ = 0, most_ = 0;
};

}  // namespace heddle::spin
