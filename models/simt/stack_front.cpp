#include "simt/stack_front.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::simt {

StackRequests StackFront::ask(ControlFlowRequest& event) {
  Warp& warp = warps_[event.warp.value()];
  const StackRequests requests(event, warp.mask, first_side_);
  const LaneMask taken = warp.mask & event.taken;
  const bool jumps = event.is(Transfer::kJump), calls = event.is(Transfer::kCall);
  event.diverged =
      requests.several() || (jumps && event.lane_target == nullptr && taken.any() && taken != warp.mask);
  if (jumps) {
    ++stats_.branches;
    if (event.diverged) ++stats_.divergences;
  }
  if (calls) {
    if (taken.any()) ++stats_.calls;
    event.call_depth = warp.frame + 1;
  }
  if (event.event == ControlFlowEvent::kLaunch) warp.live = event.mask;
  if (event.event == ControlFlowEvent::kExit) warp.live = LaneMask::difference(warp.live, event.mask);
  warp.grows = event.diverged || calls;
  return requests;
}

bool StackFront::ends_warp(const ControlFlowRequest& event) const {
  return event.event == ControlFlowEvent::kExit && event.mask.contains(warps_[event.warp.value()].live);
}

void StackFront::check(const StackAnswer& answer) const {
  if (answer.error == StackAnswer::Error::kNone) return;
  const bool frames = answer.error == StackAnswer::Error::kFrames;
  throw base::Error(
      base::ExitCode::kBadInput, path_,
      frames
          ? fmt::format("a thread of warp {} calls functions deeper than the RTL of simt_stack goes, {} deep",
                        answer.warp.value(), answer.top.frame + 1)
          : fmt::format("warp {} has {} stack entries and needs more than the RTL of simt_stack has",
                        answer.warp.value(), answer.depth),
      fmt::format("Use impl: model, or build rtl/simt_stack/simt_stack.cmake with more {}.",
                  frames ? "Frames" : "Depth"));
}

GroupUpdate StackFront::answered(ControlFlowEvent event, const StackAnswer& last) {
  Warp& warp = warps_[last.warp.value()];
  const StackEntry& top = last.top;
  if (last.reconverged) ++stats_.reconvergences;
  // Includes the entry that has been popped in the meantime.
  if (warp.grows) stats_.grown_to(std::size_t{last.depth} + last.reconverged);
  warp.mask = last.depth == 0 ? LaneMask{} : top.mask;
  warp.frame = last.depth == 0 ? 0 : top.frame;
  const GroupId group{last.warp.value()};
  if (last.depth == 0) return {group, GroupChange::kVanished};
  const GroupChange change = event == ControlFlowEvent::kBarrierArrive ? GroupChange::kBlocked
                             : event == ControlFlowEvent::kBarrierRelease && !last.reconverged
                                 ? GroupChange::kSchedulable
                                 : GroupChange::kMoved;
  return {group, change, top.pc, top.rpc, top.mask};
}

}  // namespace heddle::simt
