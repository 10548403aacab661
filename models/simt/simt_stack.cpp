#include "simt/simt_stack.h"

#include <algorithm>

namespace heddle::simt {

SimtStack::SimtStack(std::uint32_t warps, FirstSide first_side)
    : stacks_(warps), at_barrier_(warps, false), first_side_(first_side) {
  for (Stack& stack : stacks_) stack.reserve(std::size_t{2} * sim::kLanes);
}

void SimtStack::register_stats(sim::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "branches whose lanes took both sides", &divergences_);
  stats.counter("calls", "warp-instructions", "calls executed with at least one active lane", &calls_);
  stats.counter("reconvergences", "pops", "stack entries popped at their reconvergence PC", &reconvergences_);
  stats.counter("max_depth", "entries", "deepest stack of any warp so far", &max_depth_);
}

void SimtStack::handle(BranchRequest& request) {
  Stack& stack = stacks_[request.warp.value()];
  switch (request.event) {
    case BranchEvent::kLaunch:
      at_barrier_[request.warp.value()] = false;
      stack.assign(1, Entry{request.next, kNoPc, request.mask});
      report_top(stack, request);
      break;
    case BranchEvent::kAdvance:
      stack.back().pc = request.next;
      settle(stack, request);
      break;
    case BranchEvent::kBranch:
      if (request.lane_target == nullptr)
        branch(stack, request);
      else
        indirect_branch(stack, request);
      break;
    case BranchEvent::kCall:
      call(stack, request);
      break;
    case BranchEvent::kReturn:
      leave_function(stack, request);
      break;
    case BranchEvent::kExit:
      exit(stack, request);
      break;
    case BranchEvent::kBarrierArrive:
      // Popping is left to the release: the lanes below the top may not run before it anyway.
      stack.back().pc = request.next;
      at_barrier_[request.warp.value()] = true;
      answer({request.group, GroupChange::kBlocked, request.next, stack.back().rpc, stack.back().mask});
      break;
    case BranchEvent::kBarrierRelease:
      at_barrier_[request.warp.value()] = false;
      if (stack.back().pc == stack.back().rpc) {
        settle(stack, request);
      } else {
        const Entry& top = stack.back();
        answer({GroupId{request.warp.value()}, GroupChange::kSchedulable, top.pc, top.rpc, top.mask});
      }
      break;
    case BranchEvent::kTick:
    case BranchEvent::kTableFilled:
      throw std::logic_error("SimtStack: has neither timers nor spilled tables");
  }
}

void SimtStack::branch(Stack& stack, BranchRequest& request) {
  ++branches_;
  Entry& top = stack.back();
  const LaneMask taken = top.mask & request.taken;
  const LaneMask not_taken = LaneMask::difference(top.mask, request.taken);
  if (taken.none() || not_taken.none()) {
    top.pc = taken.any() ? request.target : request.next;
    settle(stack, request);
    return;
  }
  ++divergences_;
  request.diverged = true;
  const Pc rpc = request.rpc;
  const std::uint32_t frame = top.frame;
  if (top.rpc == rpc)
    stack.pop_back();  // the entry below already waits at this point (tbc-and-kilotm §1)
  else
    top.pc = rpc;
  const Entry taken_side{request.target, rpc, taken, frame};
  const Entry not_taken_side{request.next, rpc, not_taken, frame};
  const bool taken_first = first_side_ == FirstSide::kSmaller ? taken.count() < not_taken.count()
                                                              : first_side_ == FirstSide::kTaken;
  for (const Entry& side :
       {taken_first ? not_taken_side : taken_side, taken_first ? taken_side : not_taken_side})
    if (side.pc != rpc) stack.push_back(side);
  max_depth_ = std::max<std::uint64_t>(max_depth_, stack.size());
  settle(stack, request);
}

SimtStack::Sides SimtStack::sides_of(const BranchRequest& request, LaneMask taken) {
  Sides sides;
  if (request.lane_target == nullptr) {
    if (taken.any()) sides.add(request.target, taken);
    return sides;
  }
  taken.for_each([&](unsigned lane) {
    const Pc pc = request.lane_target[lane];
    Side* const end = sides.side.data() + sides.count;
    Side* const same = std::find_if(sides.side.data(), end, [&](const Side& side) { return side.pc == pc; });
    if (same == end)
      sides.add(pc, LaneMask(1u << lane));
    else
      same->lanes |= LaneMask(1u << lane);
  });
  return sides;
}

void SimtStack::indirect_branch(Stack& stack, BranchRequest& request) {
  ++branches_;
  Entry& top = stack.back();
  Sides sides = sides_of(request, top.mask & request.taken);
  const LaneMask not_taken = LaneMask::difference(top.mask, request.taken);
  if (not_taken.any()) sides.add(request.next, not_taken);
  if (sides.count == 1) {
    top.pc = sides.side[0].pc;
    settle(stack, request);
    return;
  }
  ++divergences_;
  request.diverged = true;
  const Pc rpc = request.rpc;
  const std::uint32_t frame = top.frame;
  if (top.rpc == rpc)
    stack.pop_back();
  else
    top.pc = rpc;
  const auto push = [&](const Side& side) {
    if (side.pc != rpc) stack.push_back({side.pc, rpc, side.lanes, frame});
  };
  // The first one to run is pushed last; the lanes that did not branch count as one side, as in branch().
  if (first_side_ == FirstSide::kSmaller)
    std::stable_sort(
        sides.side.begin(), sides.side.begin() + sides.count,
        [](const Side& left, const Side& right) { return left.lanes.count() < right.lanes.count(); });
  const bool fall_through_first = not_taken.any() && first_side_ == FirstSide::kNotTaken;
  unsigned rest = sides.count;
  if (fall_through_first) --rest;
  while (rest-- > 0) push(sides.side[rest]);
  if (fall_through_first) push(sides.side[sides.count - 1]);
  max_depth_ = std::max<std::uint64_t>(max_depth_, stack.size());
  settle(stack, request);
}

void SimtStack::call(Stack& stack, BranchRequest& request) {
  const LaneMask taken = stack.back().mask & request.taken;
  const Sides sides = sides_of(request, taken);
  stack.back().pc = request.next;
  const std::uint32_t frame = stack.back().frame + 1;
  if (sides.count != 0) ++calls_;
  request.diverged = sides.count > 1;
  request.call_depth = frame;
  for (unsigned i = sides.count; i-- > 0;)
    stack.push_back({sides.side[i].pc, kNoPc, sides.side[i].lanes, frame});
  max_depth_ = std::max<std::uint64_t>(max_depth_, stack.size());
  settle(stack, request);
}

void SimtStack::leave_function(Stack& stack, BranchRequest& request) {
  const std::uint32_t frame = stack.back().frame;
  const LaneMask gone = stack.back().mask & request.taken;
  stack.back().pc = request.next;
  const auto first = std::partition_point(stack.begin(), stack.end(),
                                          [&](const Entry& entry) { return entry.frame < frame; });
  if (first == stack.begin()) throw std::logic_error("SimtStack: a return outside of any call");
  // The caller's entry and the lanes' return addresses, which the kernel keeps itself, must agree.
  if (gone.any() && request.lane_target[gone.lowest()] != std::prev(first)->pc)
    throw std::logic_error("SimtStack: a return to another place than the call's");
  for (auto entry = first; entry != stack.end(); ++entry)
    entry->mask = LaneMask::difference(entry->mask, gone);
  stack.erase(std::remove_if(first, stack.end(), [](const Entry& entry) { return entry.mask.none(); }),
              stack.end());
  settle(stack, request);
}

void SimtStack::exit(Stack& stack, BranchRequest& request) {
  const LaneMask gone = request.mask;
  stack.back().pc = request.next;
  for (Entry& entry : stack) entry.mask = LaneMask::difference(entry.mask, gone);
  std::erase_if(stack, [](const Entry& entry) { return entry.mask.none(); });
  settle(stack, request);
}

void SimtStack::settle(Stack& stack, BranchRequest& request) {
  while (!stack.empty() && stack.back().pc == stack.back().rpc && stack.back().rpc != kNoPc) {
    stack.pop_back();
    ++reconvergences_;
  }
  report_top(stack, request);
}

void SimtStack::report_top(const Stack& stack, BranchRequest& request) {
  const GroupId group{request.warp.value()};
  if (stack.empty()) {
    answer({group, GroupChange::kVanished});
    return;
  }
  const Entry& top = stack.back();
  answer({group, GroupChange::kMoved, top.pc, top.rpc, top.mask});
}

void SimtStack::inspect(BranchRequest& request) const {
  const Stack& stack = stacks_[request.warp.value()];
  const auto pc_text = [](Pc pc) {
    return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
  };
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull, digest ^= digest >> 32;
  };
  LaneMask below = stack.empty() ? LaneMask{} : stack.back().mask;
  if (request.table != nullptr) *request.table = nlohmann::ordered_json::array();
  for (const Entry& entry : stack) {
    mix(entry.pc.value());
    mix((std::uint64_t{entry.rpc.value()} << 32) | entry.mask.bits());
    mix(entry.frame);
    if (request.table != nullptr) {
      request.table->push_back(
          {{"pc", pc_text(entry.pc)}, {"rpc", pc_text(entry.rpc)}, {"mask", entry.mask.to_string()}});
      if (entry.frame != 0) request.table->back()["frame"] = entry.frame;
    }
  }
  request.digest = digest;
  if (request.runnable != nullptr && !stack.empty() && !at_barrier_[request.warp.value()])
    request.runnable->push_back({stack.back().pc, stack.back().mask});
  if (request.suspended == nullptr) return;
  // From the top down: the lanes of an entry that are in no entry above it wait there.
  for (auto it = stack.rbegin(); it != stack.rend(); ++it) {
    if (it == stack.rbegin()) continue;
    const LaneMask waiting = LaneMask::difference(it->mask, below);
    if (waiting.any()) {
      // An entry whose PC is the RPC of one above it is a reconvergence entry: its lanes have arrived. So is
      // the one behind a call that others are still in.
      const bool reconverging = std::any_of(
          stack.rbegin(), it, [&](const Entry& e) { return e.rpc == it->pc || e.frame > it->frame; });
      request.suspended->push_back(
          {waiting, it->pc, reconverging ? Suspension::kReconverging : Suspension::kNotStarted});
    }
    below |= it->mask;
  }
}

}  // namespace heddle::simt
