// Requests of a control-flow mechanism on the pins of rtl/simt_stack.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "cosim/simt_stack_codes.h"
#include "simt/stack_entries.h"

namespace heddle::cosim {

/// One request of the RTL.
struct StackRequest {
  /// kArrive, kRelease: at a barrier. kSplit: the top is about to be divided by kSide. kSide: `lanes` go to
  /// `target`: a new entry below the top, or the top itself if it has no others.
  using Op = rtl::simt_stack::Op;
  enum class Error : std::uint8_t { kNone, kDepth, kFrames };

  Op op = Op::kRead;
  simt::FirstSide first_side = simt::FirstSide::kTaken;  ///< the configuration pin
  simt::WarpId warp{};
  simt::LaneMask lanes{};
  simt::Pc target = simt::kNoPc;
  simt::Pc next = simt::kNoPc;
  simt::Pc rpc = simt::kNoPc;
  std::uint32_t position = 0;
  std::uint32_t frame = 0;

  // Answer
  Error error = Error::kNone;
  std::uint32_t depth = 0;
  simt::StackEntry entry;  ///< the top; kRead: the entry at `position`. None if `depth` is 0
  bool caller = false;
  bool at_barrier = false;
  bool diverged = false;
  bool reconverged = false;
};

struct SimtStackPins {
  using Request = StackRequest;

  template <class V>
  static void drive(V& pins, const StackRequest& request) {
    pins.first_side_i = static_cast<unsigned>(request.first_side);
    pins.req_op_i = static_cast<unsigned>(request.op);
    pins.req_warp_i = request.warp.value();
    pins.req_lanes_i = request.lanes.bits();
    pins.req_target_i = request.target.value();
    pins.req_next_i = request.next.value();
    pins.req_rpc_i = request.rpc.value();
    pins.req_position_i = request.position;
    pins.req_frame_i = request.frame;
  }
  template <class V>
  static void answer(const V& pins, StackRequest& request) {
    request.error = static_cast<StackRequest::Error>(pins.rsp_error_o);
    request.depth = pins.rsp_depth_o;
    request.entry = {simt::Pc{pins.rsp_pc_o}, simt::Pc{pins.rsp_rpc_o}, simt::LaneMask(pins.rsp_mask_o),
                     pins.rsp_frame_o};
    request.caller = pins.rsp_caller_o != 0;
    request.at_barrier = pins.rsp_barrier_o != 0;
    request.diverged = pins.rsp_diverged_o != 0;
    request.reconverged = pins.rsp_reconverged_o != 0;
  }
};

/// The requests for an event of the control-flow protocol: one, except for indirect branches and calls with
/// several targets. Grouping the lanes by target is not done by the block.
class StackRequests {
 public:
  /// `mask`: of the warp's top.
  StackRequests(const simt::ControlFlowRequest& event, simt::LaneMask mask, simt::FirstSide first_side);

  /// Whether the stack acts on such an event.
  [[nodiscard]] static bool serves(const simt::ControlFlowRequest& event) { return op_of(event).has_value(); }
  /// The RTL operation for an event, or the first of several; none if the stack has none for it.
  [[nodiscard]] static std::optional<StackRequest::Op> op_of(const simt::ControlFlowRequest& event);

  [[nodiscard]] std::span<StackRequest> requests() { return {requests_.data(), count_}; }
  /// Whether lanes went to more than one target. The requests do not show this if there are several.
  [[nodiscard]] bool several() const { return count_ > 1; }

 private:
  StackRequest& add(StackRequest::Op op) {
    StackRequest& request = requests_[count_++];
    request = first_;
    request.op = op;
    return request;
  }
  void add_sides(const simt::StackSides& sides);

  StackRequest first_;
  std::array<StackRequest, base::kLanes + 1> requests_;
  unsigned count_ = 0;
};

}  // namespace heddle::cosim
