// Hanoi's tables of a core: one event of a warp goes in, its next path comes out ([Hanoi:T1]).
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "sim/block_socket.h"
#include "simt/hanoi/warp_state.h"

namespace heddle::simt {

struct HanoiProtocol {
  using tlm_payload_type = HanoiEvent;
  using tlm_phase_type = tlm::tlm_phase;
};

class HanoiUnit : public sc_core::sc_module {
 public:
  HanoiUnit(const sc_core::sc_module_name& name, std::uint32_t warps, const HanoiConfig& config,
            FirstSide first_side)
      : sc_module(name), config_(config) {
    warps_.reserve(warps);
    while (warps_.size() < warps) warps_.push_back(HanoiWarp::make(config_, first_side, stats_));
  }

 private:
  void serve(HanoiEvent& event) { warps_[event.warp.value()]->serve(event); }

 public:
  sim::BlockTarget<HanoiProtocol, HanoiUnit, &HanoiUnit::serve> hanoi_tsock{"hanoi_tsock", this};

  /// For diagnosis and traces.
  [[nodiscard]] const HanoiWarp& state(WarpId warp) const { return *warps_[warp.value()]; }
  [[nodiscard]] HanoiStats& stats() { return stats_; }

 private:
  HanoiConfig config_;
  HanoiStats stats_;
  std::vector<std::unique_ptr<HanoiWarp>> warps_;
};

}  // namespace heddle::simt

HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::HanoiProtocol);
