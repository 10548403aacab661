#include "core/issue/fence_unit.h"

#include <algorithm>
#include <utility>

#include "isa/mbarrier.h"

#include "core/issue/path_control.h"

namespace heddle::core {

FenceUnit::FenceUnit(CoreState& state, IssueStage& issue, PathControl& paths, LsuPort& lsu)
    : state_(state),
      issue_(issue),
      paths_(paths),
      lsu_(lsu),
      gate_(issue.add_gate(*this)),
      fences_(state.warps.size()) {}

void FenceUnit::declare(base::StatGroup& issue) {
  if (state_.config.fence.cta_cycles == 0 && state_.config.fence.gpu_cycles == 0) return;
  issue.counter("fences", "warp-instructions", "fences passed", &passed_);
  issue.counter("fence_cycles", "core cycles", "from issue to passing, summed over fences", &cycles_);
  if (state_.config.fence.round_cycles != 0)
    issue.counter("fence_rounds", "rounds", "in which fences of the scope of the GPU have left the core",
                  &round_.number);
}

void FenceUnit::serve(IssueGateRequest& request) {
  if (request.op == IssueGateRequest::Op::kInterest) {
    if (request.pc == isa::Pc{0}) behind_copies_ = false;
    behind_copies_ = behind_copies_ || isa::waits_for_copies(*request.instruction);
    request.closed = request.instruction->unit == isa::Unit::kMemory;
    return;
  }
  const bool behind_copies = isa::waits_for_copies(*request.instruction);
  state_.for_each_slice(state_.groups[request.group], request.mask, [&](WarpId home, LaneMask) {
    request.closed = request.closed || !fences_[home.value()].empty() || (behind_copies && copies(home));
  });
}

FenceUnit::Fence FenceUnit::fence_of(GroupId id, const isa::Instruction& instruction) {
  using isa::FenceOrder;
  Fence fence{.group = id, .epoch = state_.groups[id].epoch, .issued = state_.now};
  if (instruction.op == isa::Opcode::kAsyncWait) {
    fence.until = Until::kCopied;
    fence.newest = instruction.immediate;
    fence.earliest = state_.now;
    return fence;
  }
  if (instruction.scope == isa::MemoryScope::kCta) {
    fence.until = Until::kOrdered;
    fence.earliest = state_.now + state_.config.fence.cta_cycles;
    return fence;
  }
  // An acquire of a load or atomic waits for its value alone: no message goes out.
  if (instruction.fence_order != FenceOrder::kAcquire) {
    fence.earliest = state_.now + state_.config.fence.gpu_cycles;
    fence.completion = state_.config.fence.completion_cycles;
  }
  if (state_.config.memory_model == MemoryModel::kLegacy) return fence;
  fence.acquires = instruction.fence_order != FenceOrder::kRelease;
  if (instruction.fence_order == FenceOrder::kAcquire) {  // of a load or atomic, which writes registers
    fence.until = Until::kLoaded;
    return fence;
  }
  send(fence);
  return fence;
}

void FenceUnit::send(Fence& fence) {
  const FenceConfig& config = state_.config.fence;
  bool joins = false;
  if (config.round_cycles != 0) [[unlikely]] {
    joins = round_.number != 0 && state_.now <= round_.begun + config.join_cycles;
    if (!joins && (!round_.next.empty() || !round_over())) {
      fence.round = round_.number + 1;
      round_.due = std::max(state_.now + 1, round_.begun + config.round_cycles);
      return;
    }
    if (!joins) begin_round();
    fence.round = round_.number;
  }
  take_mark(fence, !joins);
}

void FenceUnit::take_mark(Fence& fence, bool leads) {
  const bool for_all = state_.config.fence.messages == FenceMessagesTo::kSlices;
  fence.mark = round_.mark = lsu_.mark_writes(leads || !for_all);
  if (fence.completion != 0) [[unlikely]]  // messages may have to be sent
    state_.due.lsu = std::min(state_.due.lsu, state_.now + 1);
}

bool FenceUnit::round_over() const {
  return round_.number == 0 ||
         (state_.now >= round_.begun + state_.config.fence.round_cycles && performed(round_.mark));
}

void FenceUnit::begin_round() {
  ++round_.number;
  round_.begun = state_.now;
}

void FenceUnit::begin_next_round() {
  round_.due = base::kNever;
  if (!round_over()) {
    if (const Cycle over = round_.begun + state_.config.fence.round_cycles; over > state_.now)
      round_.due = over;
    return;  // else memory_done() asks again
  }
  begin_round();
  const std::vector<WarpId> homes = std::exchange(round_.next, {});
  bool leads = true;
  for (const WarpId home : homes) {
    for (Fence& fence : fences_[home.value()]) {
      if (fence.round != round_.number || fence.mark != 0) continue;
      fence.earliest = state_.now + state_.config.fence.gpu_cycles;
      take_mark(fence, std::exchange(leads, false));
      if (!performed(fence.mark)) releases_.push_back({fence.mark, home});
    }
  }
  for (const WarpId home : homes) operation_done(home);
}

bool FenceUnit::performed(WriteMark mark) const {
  return lsu_.ask({.ask = LsuInspection::Ask::kPerformed, .mark = mark}).yes;
}

bool FenceUnit::satisfied(Fence& fence) {
  if (fence.round > round_.number) return false;
  if (!fence.answered) {
    fence.answered = own_done(fence) && (fence.mark == 0 || performed(fence.mark));
    if (!fence.answered) return false;
    fence.earliest = std::max(fence.earliest, state_.now + fence.completion);
  }
  return fence.earliest <= state_.now;
}

bool FenceUnit::own_done(const Fence& fence) const {
  const IssueTable::Group& group = state_.groups[fence.group];
  bool all = true;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
    const WarpContext& of = state_.warp(home);
    if (fence.until == Until::kCopied) [[unlikely]] {
      all = all && (of.copies == nullptr || !of.copies->pending(lanes, fence.newest));
      return;
    }
    all = all && (fence.until == Until::kOrdered  ? of.order_outstanding
                  : fence.until == Until::kLoaded ? of.fills_outstanding
                                                  : of.memory_outstanding) == 0;
  });
  return all;
}

void FenceUnit::pass(const Fence& fence) {
  ++passed_;
  cycles_ += state_.now - fence.issued;
  if (fence.acquires) lsu_.acquire(state_.now);
  paths_.advance(fence.group);
}

void FenceUnit::issue(GroupId id, const isa::Instruction& instruction) {
  IssueTable::Group& group = state_.groups[id];
  Fence fence = fence_of(id, instruction);
  if (satisfied(fence)) {
    pass(fence);
    return;
  }
  const bool waits_for_others = fence.mark != 0 && !performed(fence.mark);
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) {
    fences_[home.value()].push_back(fence);
    issue_.gates().close(gate_, home);
    if (fence.round > round_.number) round_.next.push_back(home);
    if (waits_for_others) releases_.push_back({fence.mark, home});
    if (fence.answered) timers_.add(fence.earliest, home);
  });
  group.head_valid = false;
  issue_.set_long_latency(id, gate_status(gate_));
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) { issue_.refresh_ready(home); });
}

bool FenceUnit::copies(WarpId warp) const {
  const auto& under_way = state_.warp(warp).copies;
  return under_way != nullptr && under_way->any();
}

void FenceUnit::close_behind_copies(GroupId id) {
  const IssueTable::Group& group = state_.groups[id];
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) { issue_.gates().close(gate_, home); });
}

void FenceUnit::open(WarpId warp) {
  if (!fences_[warp.value()].empty()) return;
  if (!behind_copies_ || !copies(warp)) issue_.gates().open(gate_, warp);
}

void FenceUnit::lift_releases() {
  while (!releases_.empty() && performed(releases_.front().mark)) {
    const WarpId warp = releases_.front().warp;
    releases_.pop_front();
    operation_done(warp);
  }
}

void FenceUnit::lift(WarpId warp) {
  auto& fences = fences_[warp.value()];
  // Lifting one may let the control-flow mechanism move the groups of others: what waits no longer is void then.
  std::vector<Fence> lifted;
  std::erase_if(fences, [&](Fence& fence) {
    if (state_.groups[fence.group].epoch != fence.epoch) return true;
    const bool knew_end = fence.answered;
    if (!satisfied(fence)) {
      if (fence.answered && !knew_end) timers_.add(fence.earliest, warp);
      return false;
    }
    lifted.push_back(fence);
    return true;
  });
  open(warp);
  for (const Fence& fence : lifted) {
    if (state_.groups[fence.group].epoch != fence.epoch) continue;
    forget(fence, warp);
    pass(fence);
  }
  if (fences.empty()) issue_.recheck_gate(gate_, warp);
}

void FenceUnit::forget(const Fence& fence, WarpId but) {
  const IssueTable::Group& group = state_.groups[fence.group];
  if (state_.is_static(group)) [[likely]]
    return;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask) {
    if (home == but) return;
    auto& there = fences_[home.value()];
    std::erase_if(there,
                  [&](const Fence& each) { return each.group == fence.group && each.epoch == fence.epoch; });
    if (!there.empty()) return;
    open(home);
    issue_.recheck_gate(gate_, home);
  });
}

}  // namespace heddle::core
