#include "simt/simt_stack.h"

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "simt/clocked_stack.h"
#include "simt/lockstep.h"
#include "simt/table_size.h"

namespace heddle::simt {
namespace {

std::unique_ptr<ControlFlow> make_clocked(const MechanismSite& site, FirstSide first, bool likely) {
  if (likely)
    throw base::InputError("core.control_flow.simt_stack.timing",
                           "the clocked stack has no likely-convergence points",
                           "Set core.control_flow.likely_convergence=off, or timing=ideal.");
  if (site.schedulers >= StackPins::kMostRequesters)
    throw base::InputError(
        "core.control_flow.simt_stack.timing",
        "the clocked stack serves at most " + std::to_string(StackPins::kMostRequesters - 1) + " schedulers",
        "Set core.scheduler.count to fewer, or timing=ideal.");
  const sim::ClockedTwinConfig& config = site.config.clocked_block(SimtStack::kName);
  const std::uint32_t requesters = site.schedulers + 1;
  std::unique_ptr<StackUnit> model, rtl;
  if (config.impl != sim::Implementation::kModel)
    rtl = sim::Twins::make<ClockedSimtStackBlock>(site.twins, config.impl, {site.warps, requesters, first},
                                                  site.path);
  // Beside the RTL it has the RTL's room.
  if (config.impl != sim::Implementation::kRtl)
    model =
        std::make_unique<StackUnitModel>(site.warps, requesters, first, rtl ? rtl->limits() : StackLimits{});
  std::unique_ptr<StackUnit> unit = !rtl ? std::move(model)
                                    : !model
                                        ? std::move(rtl)
                                        : lockstep_stack_unit(site.path, std::move(model), std::move(rtl));
  return std::make_unique<ClockedStack>(
      ClockedStack::Shape{site.warps, site.schedulers, first, config.stall_seed}, std::move(unit), site.path);
}

std::unique_ptr<ControlFlow> make_stack(const MechanismSite& site) {
  const sim::Implementation impl = site.config.clocked_block(SimtStack::kName).impl;
  const FirstSide first = site.config.resolved_first_side(FirstSide::kTaken);
  const bool likely = site.config.likely_convergence != LikelyConvergence::kOff;
  if (likely && impl != sim::Implementation::kModel)
    throw base::InputError("core.control_flow.simt_stack.impl", "the RTL has no likely-convergence points",
                           "Set core.control_flow.likely_convergence=off, or impl=model.");
  if (site.config.clocked_block(SimtStack::kName).clocked()) return make_clocked(site, first, likely);
  std::unique_ptr<ControlFlow> model, rtl;
  if (impl != sim::Implementation::kRtl) model = std::make_unique<SimtStack>(site.warps, first, likely);
  if (impl == sim::Implementation::kModel) return model;
  rtl = sim::Twins::make<SimtStackBlock>(site.twins, impl, {site.warps, first}, site.path);
  if (impl == sim::Implementation::kRtl) return rtl;
  return std::make_unique<LockstepControlFlow>(SimtStackBlock::kName, site.path, std::move(model),
                                               std::move(rtl));
}

}  // namespace

Mechanism simt_stack_mechanism() {
  return {SimtStack::kName,
          "a stack of reconvergence points, of which the top runs (PDOM)",
          {},
          {base::ConfigOption::section<sim::ClockedTwinConfig>(SimtStack::kName, "the stack of simt_stack")},
          make_stack,
          [](const ControlFlowConfig& config) {
            return Traits{.wants_facts = config.likely_convergence != LikelyConvergence::kOff,
                          .clocked = config.clocked_block(SimtStack::kName).clocked(),
                          .table_bits = stack_table_bits(config.resolved_first_side(FirstSide::kTaken)),
                          .timed = "",
                          .calls_are_frames = true};
          }};
}

SimtStack::SimtStack(std::uint32_t warps, FirstSide first_side, bool likely)
    : stacks_(warps), at_barrier_(warps, false), first_side_(first_side), likely_(likely) {
  for (Stack& stack : stacks_) stack.reserve(std::size_t{2} * base::kLanes);
}

void SimtStack::register_stats(base::StatGroup& stats) {
  stats_.register_stats(stats);
  if (likely_)
    stats.counter("likely_reconvergences", "pops", "stack entries popped at their likely-convergence point",
                  &stats_.likely_reconvergences);
}

void SimtStack::launch(ControlFlowRequest& request) {
  at_barrier_[request.warp.value()] = false;
  Stack& stack = stack_of(request);
  stack.assign(1, Entry{request.next, kNoPc, request.mask});
  report_top(stack, request);
}

void SimtStack::advance(ControlFlowRequest& request) {
  Stack& stack = stack_of(request);
  stack.back().pc = request.next;
  settle(stack, request);
}

void SimtStack::transfer(ControlFlowRequest& request) {
  Stack& stack = stack_of(request);
  switch (request.transfer) {
    case Transfer::kJump:
      return request.lane_target == nullptr ? branch(stack, request) : indirect_branch(stack, request);
    case Transfer::kCall:
      return call(stack, request);
    case Transfer::kReturn:
      return leave_function(stack, request);
  }
}

void SimtStack::exit(ControlFlowRequest& request) {
  Stack& stack = stack_of(request);
  const LaneMask gone = request.mask;
  stack.back().pc = request.next;
  leave(stack, stack.begin(), gone);
  settle(stack, request);
}

void SimtStack::barrier_arrive(ControlFlowRequest& request) {
  // Popping is left to the release: the lanes below the top may not run before it anyway.
  Stack& stack = stack_of(request);
  stack.back().pc = request.next;
  at_barrier_[request.warp.value()] = true;
  answer({request.group, GroupChange::kBlocked, request.next, stack.back().rpc, stack.back().mask});
}

void SimtStack::barrier_release(ControlFlowRequest& request) {
  Stack& stack = stack_of(request);
  at_barrier_[request.warp.value()] = false;
  const Entry& top = stack.back();
  if (top.pc == top.rpc || top.pc == top.lpc) {
    settle(stack, request);
    return;
  }
  GroupUpdate update{GroupId{request.warp.value()}, GroupChange::kSchedulable, top.pc, top.rpc, top.mask};
  update.also_watch = top.lpc;
  answer(update);
}

void SimtStack::branch(Stack& stack, ControlFlowRequest& request) {
  ++stats_.branches;
  Entry& top = stack.back();
  const LaneMask taken = top.mask & request.taken;
  const LaneMask not_taken = LaneMask::difference(top.mask, request.taken);
  if (taken.none() || not_taken.none()) {
    top.pc = taken.any() ? request.target : request.next;
    settle(stack, request);
    return;
  }
  ++stats_.divergences;
  request.diverged = true;
  const Pc rpc = request.rpc;
  Entry taken_side = split(stack, request.next, rpc);
  Entry not_taken_side = taken_side;
  taken_side.pc = request.target;
  taken_side.mask = taken;
  not_taken_side.pc = request.next;
  not_taken_side.mask = not_taken;
  const bool taken_first = first_side_ == FirstSide::kSmaller ? taken.count() < not_taken.count()
                                                              : first_side_ == FirstSide::kTaken;
  for (const Entry& side :
       {taken_first ? not_taken_side : taken_side, taken_first ? taken_side : not_taken_side})
    if (side.pc != rpc) stack.push_back(side);
  stats_.grown_to(stack.size());
  settle(stack, request);
}

SimtStack::Entry SimtStack::split(Stack& stack, Pc next, Pc rpc) {
  Entry& top = stack.back();
  Entry side{Pc{}, rpc, {}, top.frame};
  const bool replaces = top.rpc == rpc;
  Pc lpc = kNoPc;
  if (likely_ && facts_ != nullptr && !facts_->likely_point.empty())
    lpc = facts_->likely_point[next.value() - 1];
  if (lpc == rpc) lpc = kNoPc;
  side.lpc = lpc;
  const bool shares = lpc != kNoPc && replaces && top.lpc == lpc;
  if (shares) side.lpos = top.lpos;
  if (replaces)
    stack.pop_back();  // the entry below already waits at this point ([Fung15] §2.3.3)
  else
    top.pc = rpc;
  if (lpc != kNoPc && !shares) {
    side.lpos = static_cast<std::uint32_t>(stack.size());
    stack.push_back({lpc, rpc, {}, side.frame});
  }
  return side;
}

void SimtStack::leave(Stack& stack, Stack::iterator first, LaneMask lanes) {
  for (auto entry = first; entry != stack.end(); ++entry)
    entry->mask = LaneMask::difference(entry->mask, lanes);
  if (!likely_)
    stack.erase(std::remove_if(first, stack.end(), [](const Entry& entry) { return entry.mask.none(); }),
                stack.end());
}

void SimtStack::indirect_branch(Stack& stack, ControlFlowRequest& request) {
  ++stats_.branches;
  Entry& top = stack.back();
  const StackSides sides = StackSides::of_branch(request, top.mask, first_side_);
  if (sides.count() == 1) {
    top.pc = sides.begin()->pc;
    settle(stack, request);
    return;
  }
  ++stats_.divergences;
  request.diverged = true;
  const Pc rpc = request.rpc;
  Entry entry = split(stack, request.next, rpc);
  for (const StackSides::Side& side : sides) {
    entry.pc = side.pc;
    entry.mask = side.lanes;
    if (side.pc != rpc) stack.push_back(entry);
  }
  stats_.grown_to(stack.size());
  settle(stack, request);
}

void SimtStack::call(Stack& stack, ControlFlowRequest& request) {
  const LaneMask taken = stack.back().mask & request.taken;
  const StackSides sides = StackSides::of_call(request, taken);
  stack.back().pc = request.next;
  const std::uint32_t frame = stack.back().frame + 1;
  if (sides.count() != 0) ++stats_.calls;
  request.diverged = sides.count() > 1;
  request.call_depth = frame;
  for (const StackSides::Side& side : sides) stack.push_back({side.pc, kNoPc, side.lanes, frame});
  stats_.grown_to(stack.size());
  settle(stack, request);
}

void SimtStack::leave_function(Stack& stack, ControlFlowRequest& request) {
  const std::uint32_t frame = stack.back().frame;
  const LaneMask gone = stack.back().mask & request.taken;
  stack.back().pc = request.next;
  const auto first = std::partition_point(stack.begin(), stack.end(),
                                          [&](const Entry& entry) { return entry.frame < frame; });
  if (first == stack.begin()) throw std::logic_error("SimtStack: a return outside of any call");
  // The caller's entry and the lanes' return addresses, which the kernel keeps itself, must agree.
  if (gone.any() && request.lane_target[gone.lowest()] != std::prev(first)->pc)
    throw std::logic_error("SimtStack: a return to another place than the call's");
  leave(stack, first, gone);
  settle(stack, request);
}

void SimtStack::settle(Stack& stack, ControlFlowRequest& request) {
  while (!stack.empty()) {
    const Entry& top = stack.back();
    if (top.mask.none()) {
      // Only with likely-convergence points: nobody came, or all have exited.
    } else if (top.pc == top.rpc && top.rpc != kNoPc) {
      ++stats_.reconvergences;
    } else if (top.pc == top.lpc && top.lpc != kNoPc) {
      stack[top.lpos].mask |= top.mask;
      ++stats_.likely_reconvergences;
    } else {
      break;
    }
    stack.pop_back();
  }
  report_top(stack, request);
}

void SimtStack::report_top(const Stack& stack, ControlFlowRequest& request) {
  const GroupId group{request.warp.value()};
  if (stack.empty()) {
    answer({group, GroupChange::kVanished});
    return;
  }
  const Entry& top = stack.back();
  GroupUpdate update{group, GroupChange::kMoved, top.pc, top.rpc, top.mask};
  update.also_watch = top.lpc;
  answer(update);
}

void SimtStack::inspect(ControlFlowRequest& request) const {
  inspect_stack(stacks_[request.warp.value()], at_barrier_[request.warp.value()], request);
}

}  // namespace heddle::simt
