// What is in front of a SIMT stack that is a block of its own (stack_unit.h): it makes requests of the core's events, and updates of
// the stack's answers, and keeps the statistics.
#pragma once

#include <string>
#include <vector>

#include "simt/stack_unit.h"

namespace heddle::simt {

class StackFront {
 public:
  /// `path`: of the block, for messages.
  StackFront(std::uint32_t warps, FirstSide first_side, std::string path)
      : first_side_(first_side), path_(std::move(path)), warps_(warps) {}
  void register_stats(base::StatGroup& stats) { stats_.register_stats(stats); }

  /// The block's requests for an event that the stack serves. Answers what the lanes say by themselves: `diverged`, `call_depth`.
  StackRequests ask(ControlFlowRequest& event);
  /// Throws InputError if the block has not the room.
  void check(const StackAnswer& answer) const;
  /// What becomes of the group: the answer to the last request of an event.
  GroupUpdate answered(ControlFlowEvent event, const StackAnswer& last);
  /// Lanes of the warp's top, as far as it has answered.
  [[nodiscard]] LaneMask top(WarpId warp) const { return warps_[warp.value()].mask; }
  /// The event leaves the warp no lanes.
  [[nodiscard]] bool ends_warp(const ControlFlowRequest& event) const;

 private:
  struct Warp {
    LaneMask mask;            ///< of the top: the last answer
    LaneMask live;            ///< launched, and not exited
    std::uint32_t frame = 0;  ///< calls that the top is deep in
    bool grows = false;       ///< the event may make the stack deeper
  };
  FirstSide first_side_;
  std::string path_;
  std::vector<Warp> warps_;
  StackStats stats_;
};

}  // namespace heddle::simt
