// Requests of a SIMT stack as hardware: the events of a warp that its branch unit (stack_unit.h, rtl/simt_stack) works on one by one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "simt/stack_entries.h"

namespace heddle::simt {

/// The codes on the pins of rtl/simt_stack.
enum class StackOp : std::uint8_t {
  kLaunch,
  kAdvance,
  kBranch,
  kCall,
  kReturn,
  kExit,
  kArrive,   ///< at a barrier
  kRelease,  ///< from it
  kSplit,    ///< the top is about to be divided by kSide
  kSide,     ///< `lanes` go to `target`: a new entry below the top, or the top itself if it has no others
};
inline constexpr const char* kStackOpNames[] = {"launch", "advance", "branch",  "call",  "return",
                                                "exit",   "arrive",  "release", "split", "side"};

struct StackRequest {
  StackOp op = StackOp::kAdvance;
  WarpId warp{};
  LaneMask lanes{};
  Pc target = kNoPc;
  Pc next = kNoPc;
  Pc rpc = kNoPc;
};

/// The requests for an event of the control-flow protocol: one, except for indirect branches and calls with
/// several targets. Grouping the lanes by target is not done by the block.
class StackRequests {
 public:
  /// `mask`: of the warp's top.
  StackRequests(const ControlFlowRequest& event, LaneMask mask, FirstSide first_side);

  /// Whether the stack acts on such an event.
  [[nodiscard]] static bool serves(const ControlFlowRequest& event) { return op_of(event).has_value(); }
  /// The operation for an event, or the first of several; none if the stack has none for it.
  [[nodiscard]] static std::optional<StackOp> op_of(const ControlFlowRequest& event);

  [[nodiscard]] std::span<const StackRequest> requests() const { return {requests_.data(), count_}; }
  /// Whether lanes went to more than one target. The requests do not show this if there are several.
  [[nodiscard]] bool several() const { return count_ > 1; }

 private:
  StackRequest& add(StackOp op) {
    StackRequest& request = requests_[count_++];
    request = first_;
    request.op = op;
    return request;
  }
  void add_sides(const StackSides& sides);

  StackRequest first_;
  std::array<StackRequest, base::kLanes + 1> requests_;
  unsigned count_ = 0;
};

}  // namespace heddle::simt
