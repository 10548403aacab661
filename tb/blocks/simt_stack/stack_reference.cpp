#include "stack_reference.h"

namespace heddle::cosim {

using simt::ControlFlowRequest;
using simt::kNoPc;
using simt::LaneMask;
using simt::Pc;
using simt::StackAnswer;
using simt::StackEntry;
using simt::Transfer;
using Op = simt::StackOp;
using Error = StackAnswer::Error;

namespace {

bool arrives(Pc pc, Pc rpc) { return pc == rpc && rpc != kNoPc; }

/// How a direct branch divides the top.
struct Division {
  bool diverges = false;
  bool keeps = false;   ///< the entry at which the sides reconverge
  unsigned pushes = 0;  ///< sides that get a new entry
};
Division divide(const BenchRequest& r, const StackEntry& top) {
  Division d;
  d.diverges = (top.mask & r.lanes).any() && LaneMask::difference(top.mask, r.lanes).any();
  d.keeps = top.rpc != r.rpc;
  d.pushes = (r.target != r.rpc ? 1u : 0u) + (r.next != r.rpc ? 1u : 0u);
  return d;
}

/// The reconvergence point of the sides of an event.
Pc meeting_point(const BenchRequest& r) { return r.event.is(Transfer::kJump) ? r.rpc : kNoPc; }

}  // namespace

std::uint32_t StackReference::depth_now(simt::WarpId warp) const {
  const std::uint32_t growing = state_->growing[warp.value()];
  return growing != 0 ? growing : static_cast<std::uint32_t>(entries(warp).size());
}

unsigned StackReference::growth(const BenchRequest& r) const {
  if (r.op == Op::kLaunch || entries(r.warp).empty()) return 0;
  const StackEntry& top = entries(r.warp).back();
  switch (r.op) {
    case Op::kBranch: {
      const Division d = divide(r, top);
      if (!d.diverges || d.pushes == 0) return 0;
      return (d.keeps ? 1 : 0) + d.pushes - 1;
    }
    case Op::kCall:
      return (top.mask & r.lanes).any() ? 1 : 0;
    case Op::kSplit:
      return top.rpc != r.rpc ? 1 : 0;
    case Op::kSide:
      return !r.last && r.target != meeting_point(r) ? 1 : 0;
    default:
      return 0;
  }
}

Error StackReference::error(const BenchRequest& r) const {
  if (depth_now(r.warp) + growth(r) > depth_) return Error::kDepth;
  if (r.op == Op::kCall && growth(r) != 0 && entries(r.warp).back().frame + 1 == frames_)
    return Error::kFrames;
  return Error::kNone;
}

unsigned StackReference::clocks(const BenchRequest& r) const {
  if (error(r) != Error::kNone || r.op == Op::kLaunch) return 1;
  const std::vector<StackEntry>& stack = entries(r.warp);
  const StackEntry& top = stack.back();
  switch (r.op) {
    case Op::kAdvance:
      return arrives(r.next, top.rpc) ? 2 : 1;
    case Op::kRelease:
      return arrives(top.pc, top.rpc) ? 2 : 1;
    case Op::kBranch: {
      const Division d = divide(r, top);
      if (!d.diverges) return arrives((top.mask & r.lanes).any() ? r.target : r.next, top.rpc) ? 2 : 1;
      return (d.keeps && d.pushes == 2) || (!d.keeps && d.pushes == 0) ? 2 : 1;
    }
    case Op::kCall:
      return growth(r) == 0 && arrives(r.next, top.rpc) ? 2 : 1;
    case Op::kReturn:
    case Op::kExit: {
      const LaneMask gone = top.mask & r.lanes;
      if (r.op == Op::kExit && gone.contains(stack.front().mask)) return 1;  // the warp has ended
      // Entries without lanes (in the frame, or in all frames), and one that has reached its RPC.
      auto entry = stack.rbegin();
      while (gone.contains(entry->mask) && (r.op == Op::kExit || entry->frame == top.frame)) ++entry;
      const auto pops = static_cast<unsigned>(entry - stack.rbegin());
      return 1 + pops + (arrives(pops == 0 ? r.next : entry->pc, entry->rpc) ? 1 : 0);
    }
    case Op::kSide:
      return r.last && arrives(r.target, meeting_point(r)) ? 2 : 1;
    default:
      return 1;
  }
}

StackAnswer StackReference::serve(const BenchRequest& r) {
  State& state = *state_;
  std::uint32_t& growing = state.growing[r.warp.value()];
  StackAnswer answer{.valid = true, .warp = r.warp, .error = error(r)};
  if (answer.error == Error::kNone && !r.last) growing = depth_now(r.warp) + growth(r);
  if (answer.error == Error::kNone && r.last) {
    ControlFlowRequest event = r.event;
    event.lane_target = r.by_lane ? r.lane_target.data() : nullptr;
    const std::uint64_t pops = state.stats.count("reconvergences");
    state.stack.serve(event);
    growing = 0;
    if (r.op == Op::kArrive || r.op == Op::kRelease || r.op == Op::kLaunch)
      state.at_barrier[r.warp.value()] = r.op == Op::kArrive;
    answer.diverged = r.op == Op::kBranch && event.diverged;
    answer.reconverged = state.stats.count("reconvergences") != pops;
  }
  answer.depth = depth_now(r.warp);
  answer.at_barrier = state.at_barrier[r.warp.value()];
  if (!entries(r.warp).empty()) answer.top = entries(r.warp).back();
  return answer;
}

}  // namespace heddle::cosim
