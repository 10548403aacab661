// The expected answers of the clocked SIMT stack and their timing: the mechanism's model (simt_stack.h) driven by the block's requests,
// with the number of clocks stated in the RTL's README.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "simt/simt_stack.h"
#include "simt/stack_unit.h"

namespace heddle::cosim {

/// A request on the pins, and the core's event that it belongs to.
struct BenchRequest : simt::StackRequest {
  simt::ControlFlowRequest event;
  std::array<simt::Pc, base::kLanes> lane_target{};
  bool by_lane = false;  ///< the event has `lane_target`
  bool last = true;      ///< it is the last request of the event
};

/// Enforces the RTL's capacity limits, which the model does not have.
class StackReference {
 public:
  StackReference(std::uint32_t warps, simt::FirstSide first_side, std::uint32_t depth, std::uint32_t frames)
      : state_(std::make_unique<State>(warps, first_side)),
        first_side_(first_side),
        depth_(depth),
        frames_(frames) {}

  [[nodiscard]] const std::vector<simt::StackEntry>& entries(simt::WarpId warp) const {
    return state_->stack.entries(warp);
  }
  [[nodiscard]] simt::FirstSide first_side() const { return first_side_; }
  [[nodiscard]] std::uint32_t depth_limit() const { return depth_; }
  [[nodiscard]] std::uint32_t frame_limit() const { return frames_; }

  /// The answer. Without the top between the requests of an event.
  simt::StackAnswer serve(const BenchRequest& request);
  /// Clocks of stage 2 for a request that has not been served yet.
  [[nodiscard]] unsigned clocks(const BenchRequest& request) const;
  /// Whether it exceeds the RTL's capacity.
  [[nodiscard]] simt::StackAnswer::Error error(const BenchRequest& request) const;
  /// Whether the stack is full after it.
  [[nodiscard]] bool full_after(const BenchRequest& request) const {
    return depth_now(request.warp) + growth(request) == depth_;
  }

 private:
  struct State {
    State(std::uint32_t warps, simt::FirstSide first_side)
        : stack(warps, first_side), at_barrier(warps), growing(warps) {
      stack.register_stats(stats);
    }
    base::StatGroup stats;
    simt::SimtStack stack;
    std::vector<bool> at_barrier;
    /// By warp, between the requests of one event: the RTL's number of entries; 0: not between requests.
    std::vector<std::uint32_t> growing;
  };
  /// Number of additional entries, before anything is popped.
  [[nodiscard]] unsigned growth(const BenchRequest& request) const;
  [[nodiscard]] std::uint32_t depth_now(simt::WarpId warp) const;

  std::unique_ptr<State> state_;
  simt::FirstSide first_side_;
  std::uint32_t depth_;
  std::uint32_t frames_;
};

}  // namespace heddle::cosim
