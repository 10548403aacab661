#include "simt/split_control.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "simt/clocked_splits.h"

namespace heddle::simt {

base::ConfigOption timeout_option() {
  return base::ConfigOption::section<TimeoutConfig>("timeout",
                                                    "timed-out reconvergence of aware and multi_path");
}

SplitControl::SplitControl(const MechanismSite& site, const DivergenceTables::Config& tables)
    : work_(ClockedSplits::clocked(site.config) ? std::make_unique<SplitWork>() : nullptr),
      tables_(site, tables, work()),
      steps_(site.warps, tables_, *this, tables.reconvergence.timeout.cycles != 0),
      inspector_(tables_, *this, tables.reconvergence.timeout.cycles != 0),
      first_side_(site.config.resolved_first_side(FirstSide::kNotTaken)),
      live_(site.warps) {}

void SplitControl::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "branches whose lanes went to more than one place", &divergences_);
  stats.counter("calls", "warp-instructions", "calls executed with at least one active lane", &calls_);
  steps_.declare(stats);
  tables_.declare(stats);
}

void SplitControl::remove(WarpId warp, SplitId id) {
  tables_.free(warp, id);
  removed(warp, id);
}

void SplitControl::finish(WarpId warp, SplitId id) {
  if (work_) work_->pass(1);
  const Split split = tables_.read(warp, id);
  remove(warp, id);
  steps_.arrive(warp, split.rpc.index, split.mask);
}

// ---- Events

void SplitControl::handle(ControlFlowRequest& request) {
  if (request.event == ControlFlowEvent::kBeginLaunch) return;  // of no warp
  tables_.set_now(request.cycle);
  ++events_;
  ControlFlow::handle(request);
  steps_.drain(request.warp);
  if (work_) work_->settle();
  schedule(request);
  request.due = std::min(tables_.timers_due(), retry_due());
}

void SplitControl::transfer(ControlFlowRequest& request) {
  switch (request.transfer) {
    case Transfer::kJump:
      return branch(request);
    case Transfer::kCall:
      return enter_function(request);
    case Transfer::kReturn:
      return leave_function(request);
  }
}

void SplitControl::foresee(ControlFlowRequest& request) const {
  const Split split = tables_.peek(request.warp, split_of(request));
  if (request.is(Transfer::kJump)) request.diverged = branch_sides(request, split).count() > 1;
  if (!request.is(Transfer::kCall)) return;
  request.diverged = Sides(request, split.mask & request.taken).count() > 1;
  request.call_depth = split.frame + 1;
}

SplitEvent SplitControl::event_of(const ControlFlowRequest& request) const {
  SplitEvent event{.warp = request.warp, .lanes = request.mask, .next = request.next};
  switch (request.event) {
    case ControlFlowEvent::kLaunch:
      event.op = SplitOp::kLaunch;
      return event;
    case ControlFlowEvent::kBarrierRelease:
      event.op = SplitOp::kRelease;
      return event;
    case ControlFlowEvent::kAdvance:
      event.op = SplitOp::kAdvance;
      break;
    case ControlFlowEvent::kExit:
      event.op = SplitOp::kExit;
      break;
    case ControlFlowEvent::kBarrierArrive:
      event.op = SplitOp::kArrive;
      break;
    case ControlFlowEvent::kTransfer:
      event.lanes = request.taken;
      break;
    default:
      throw std::logic_error("SplitControl: rtl/split_unit has no such event");
  }
  event.split = split_of(request);
  if (request.event != ControlFlowEvent::kTransfer) return event;
  const Split split = tables_.peek(request.warp, event.split);
  if (request.is(Transfer::kJump)) {
    event.op = SplitOp::kJump;
    event.rpc = request.rpc;
    event.sides = branch_sides(request, split);
  } else {
    event.op = request.is(Transfer::kCall) ? SplitOp::kCall : SplitOp::kReturn;
    event.sides = Sides(request, split.mask & request.taken);
    // What is put on the list last is done first.
    if (event.op == SplitOp::kReturn) std::reverse(event.sides.begin(), event.sides.end());
  }
  return event;
}

SplitAnswer SplitControl::answer_of(WarpId /*warp*/) const {
  throw std::logic_error("SplitControl: no mechanism of rtl/split_unit's");
}

SplitContents SplitControl::contents_of(WarpId warp) const {
  SplitContents contents;
  tables_.for_each_point(warp, [&](ReconvergenceId id, Reconvergence entry, bool /*physical*/) {
    entry.kind = {};
    contents.points.push_back({id, entry});
  });
  return contents;
}

void SplitControl::clear(WarpId warp) {
  tables_.reset(warp);
  steps_.clear(warp);
  reset(warp);
}

void SplitControl::launch(ControlFlowRequest& request) {
  clear(request.warp);
  live_[request.warp.value()] = request.mask;
  Split split;
  split.pc = request.next;
  split.mask = request.mask;
  steps_.place(request.warp, split, 0);
}

void SplitControl::advance(ControlFlowRequest& request) {
  const SplitId id = split_of(request);
  go_on(request.warp, id, tables_.read(request.warp, id), request.next, false);
}

void SplitControl::go_on(WarpId warp, SplitId id, const Split& split, Pc pc, bool taken) {
  Split after = split;
  after.pc = pc;
  if (after.at_rpc()) {
    remove(warp, id);
    steps_.arrive(warp, after.rpc.index, after.mask);
  } else {
    goes_on(warp, id, after, taken);
  }
}

void SplitControl::branch(ControlFlowRequest& request) {
  ++branches_;
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = tables_.read(warp, id);
  steps_.leave_early_point(warp, split);
  const Sides sides = branch_sides(request, split);
  if (sides.count() == 1) {
    go_on(warp, id, split, sides.begin()->pc, (split.mask & request.taken).any());
    return;
  }
  ++divergences_;
  request.diverged = true;
  diverge(warp, id, split, sides, split.frame, meeting_point(split, request.rpc), {});
}

Sides SplitControl::branch_sides(const ControlFlowRequest& request, const Split& split) const {
  const LaneMask not_taken = LaneMask::difference(split.mask, request.taken);
  Sides sides;
  if (not_taken.any() && first_side_ != FirstSide::kTaken) sides.add({request.next, not_taken});
  sides.add_targets(request, split.mask & request.taken);
  if (not_taken.any() && first_side_ == FirstSide::kTaken) sides.add({request.next, not_taken});
  if (first_side_ == FirstSide::kSmaller)
    std::stable_sort(sides.begin(), sides.end(), [](const Side& left, const Side& right) {
      return left.lanes.count() < right.lanes.count();
    });
  return sides;
}

MeetingPoint SplitControl::meeting_point(const Split& split, Pc rpc) {
  if (split.rpc.exists() && split.rpc.is(rpc, split.frame)) return split.rpc;  // [AWARE] §5.3, special case 3
  if (rpc != kNoPc) return {rpc, split.frame, kNoReconvergence, MeetingPoint::Kind::kBranch};
  // The sides meet where the split itself is to meet others, if that is within this activation, or else where
  // the function returns.
  const bool same_activation =
      split.rpc.exists() &&
      (split.rpc.frame == split.frame ||
       (split.rpc.kind == MeetingPoint::Kind::kReturn && split.rpc.frame + 1 == split.frame));
  if (same_activation) return split.rpc;
  if (split.frame == 0) return {};
  return {kNoPc, split.frame - 1, kNoReconvergence, MeetingPoint::Kind::kReturn};
}

void SplitControl::diverge(WarpId warp, SplitId id, const Split& split, const Sides& all, std::uint32_t frame,
                           MeetingPoint point, LaneMask direct) {
  // A place per clock, the first one in the first step.
  Sides sides;
  std::array<std::uint32_t, base::kLanes> clocks{};
  std::uint32_t own = 0, passed = 0;
  for (const Side& side : all) {
    passed += std::exchange(own, 1);
    if (point.is(side.pc, frame)) {
      direct |= side.lanes;
      continue;
    }
    clocks[sides.count()] = std::exchange(passed, 0);
    sides.add(side);
  }
  remove(warp, id);
  const bool wants_entry =
      !point.exists() && (point.pc != kNoPc || point.kind == MeetingPoint::Kind::kReturn);
  DivergenceTables::Allocated entry;
  if (wants_entry)
    entry = tables_.allocate(warp, {point.pc, point.frame, point.kind, split.rpc, split.mask,
                                    LaneMask::difference(split.mask, direct)});
  // What is pushed last is done first.
  if (direct.any()) {
    // With the last place, for which the point has been looked up by then, unless that is the first one too.
    if (point.exists())
      steps_.arrive(warp, point.index, direct, kNoPc, all.count() == 1 ? 1 : passed);
    else if (entry.id == kNoReconvergence)
      steps_.place(warp, {point.pc, split.rpc, direct, point.frame, false}, passed + 1);
    else if (work_)
      work_->pass_in_the_end(passed);
  }
  if (wants_entry) point.index = entry.id;
  for (const Side* side = sides.end(); side-- != sides.begin();)
    steps_.place(warp, {side->pc, point.exists() ? point : split.rpc, side->lanes, frame, false},
                 clocks[static_cast<std::size_t>(side - sides.begin())]);
  if (wants_entry) steps_.admit(warp, entry);
}

void SplitControl::enter_function(ControlFlowRequest& request) {
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = tables_.read(warp, id);
  const LaneMask taken = split.mask & request.taken;
  const LaneMask rest = LaneMask::difference(split.mask, taken);
  const Sides sides(request, taken);
  request.call_depth = split.frame + 1;
  request.diverged = sides.count() > 1;
  if (taken.any()) ++calls_;
  if (taken.none()) {
    go_on(warp, id, split, request.next, false);
  } else if (rest.none() && sides.count() == 1) {
    ++split.frame;
    go_on(warp, id, split, sides.begin()->pc, false);
  } else {
    if (request.diverged) ++divergences_;
    const bool same_point = split.rpc.exists() && split.rpc.is(request.next, split.frame);
    diverge(warp, id, split, sides, split.frame + 1,
            same_point
                ? split.rpc
                : MeetingPoint{request.next, split.frame, kNoReconvergence, MeetingPoint::Kind::kReturn},
            rest);
  }
}

void SplitControl::leave_function(const ControlFlowRequest& request) {
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = tables_.read(warp, id);
  if (split.frame == 0) throw std::logic_error("SplitControl: a return outside of any call");
  const std::uint32_t caller = split.frame - 1;
  const LaneMask gone = split.mask & request.taken;
  const LaneMask rest = LaneMask::difference(split.mask, gone);
  const Sides places(request, gone);
  const MeetingPoint point = split.rpc;
  const bool diverged = point.exists() && point.frame == split.frame;
  const auto meets = [&](const Side& side) {
    return point.exists() && point.frame == caller &&
           (point.kind == MeetingPoint::Kind::kReturn || point.pc == side.pc);
  };
  if (!diverged && rest.none() && places.count() == 1 && !meets(*places.begin())) {
    split.frame = caller;
    go_on(warp, id, split, places.begin()->pc, false);
    return;
  }
  DivergenceTables::Allocated entry;
  for (const Side& side : places) {
    if (diverged) {
      steps_.come_back(warp, point.index, side.lanes, side.pc, split.frame);
    } else if (meets(side)) {
      steps_.arrive(warp, point.index, side.lanes, side.pc);
    } else if (rest.any() && places.count() == 1) {
      // The first of an activation that come back wait for the others.
      entry = tables_.allocate(warp, {side.pc, caller, MeetingPoint::Kind::kReturn, point, split.mask, rest});
      if (entry.id == kNoReconvergence)
        steps_.place(warp, {side.pc, point, side.lanes, caller, false});
      else
        split.rpc = {side.pc, caller, entry.id, MeetingPoint::Kind::kReturn};
    } else {
      steps_.place(warp, {side.pc, point, side.lanes, caller, false});
    }
  }
  if (rest.none()) {
    remove(warp, id);
  } else {
    split.mask = rest;
    go_on(warp, id, split, request.next, false);
  }
  steps_.admit(warp, entry);
}

void SplitControl::exit(ControlFlowRequest& request) {
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = tables_.read(warp, id);
  const LaneMask gone = split.mask & request.mask;
  split.mask = LaneMask::difference(split.mask, gone);
  LaneMask& live = live_[warp.value()];
  live = LaneMask::difference(live, gone);
  if (live.none()) {
    clear(warp);  // nobody is left to be waited for
    return;
  }
  if (split.mask.none())
    remove(warp, id);
  else
    go_on(warp, id, split, request.next, false);
  if (split.rpc.exists()) steps_.leave(warp, split.rpc.index, gone);
}

void SplitControl::barrier_arrive(ControlFlowRequest& request) {
  const SplitId id = split_of(request);
  Split split = tables_.read(request.warp, id);
  split.pc = request.next;  // if that is its RPC, it arrives there after the release
  tables_.write(request.warp, id, split);
  block(request.warp, id, split.mask);
}

void SplitControl::tick(ControlFlowRequest& request) {
  idle_tick_ = false;
  if (retry(tables_.now(), request.warp)) return;
  ReconvergenceId fired;
  idle_tick_ = tables_.timers_due() > tables_.now() || !tables_.take_fired(request.warp, fired);
  if (!idle_tick_) steps_.go_alone(request.warp, fired);
}

}  // namespace heddle::simt
