#include "simt/split_control.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::simt {

using StOp = SplitTableRequest::Op;
using RtOp = ReconvergenceTableRequest::Op;

namespace {

constexpr const char* kSplitTable = "split_table";
constexpr const char* kReconvergenceTable = "reconvergence_table";

}  // namespace

base::ConfigOption SplitControl::timeout_option() {
  return base::ConfigOption::section<TimeoutConfig>("timeout",
                                                    "timed-out reconvergence of aware and multi_path");
}

std::vector<base::ConfigOption> SplitControl::table_blocks() {
  return {base::ConfigOption::section<sim::TwinConfig>(kSplitTable, "splits table of aware and multi_path"),
          base::ConfigOption::section<sim::TwinConfig>(kReconvergenceTable,
                                                       "reconvergence table of aware and multi_path")};
}

SplitControl::SplitControl(const MechanismSite& site, const TableConfig& tables)
    : split_table_(kSplitTable, site.warps, tables.splits, site.config.block(kSplitTable), site.twins),
      reconvergence_table_(kReconvergenceTable, site.warps, tables.reconvergence,
                           site.config.block(kReconvergenceTable), site.twins),
      first_side_(site.config.resolved_first_side(FirstSide::kNotTaken)),
      timed_(tables.reconvergence.timeout.cycles != 0),
      steps_(site.warps),
      live_(site.warps),
      splits_of_(site.warps),
      entries_of_(site.warps) {
  split_table_isock_.bind(split_table_.split_table_tsock);
  reconvergence_table_isock_.bind(reconvergence_table_.reconvergence_table_tsock);
}

void SplitControl::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "branches whose lanes went to more than one place", &divergences_);
  stats.counter("calls", "warp-instructions", "calls executed with at least one active lane", &calls_);
  stats.counter("reconvergences", "entries", "reconvergence points at which the last expected lane arrived",
                &reconvergences_);
  if (timed_) stats.counter("timeouts", "entries", "times that lanes gave up waiting for others", &timeouts_);
  stats.counter("full_table", "branches",
                "reconvergence points given up because all entries of the warp were in use", &no_entry_);
  stats.maximum("max_splits", "entries", "most splits of any warp", &max_splits_);
  stats.maximum("max_reconvergence_entries", "entries", "most reconvergence points of any warp",
                &max_entries_);
}

// ---- Tables

Split SplitControl::read(WarpId warp, SplitId id) {
  SplitTableRequest request{.op = StOp::kRead, .warp = warp, .id = id};
  return call(request).split;
}

Split SplitControl::peek(WarpId warp, SplitId id) const {
  SplitTableRequest request{.op = StOp::kRead, .warp = warp, .id = id};
  split_table_isock_.inspect(request);
  return request.split;
}

Reconvergence SplitControl::read(WarpId warp, ReconvergenceId id) {
  ReconvergenceTableRequest request{.op = RtOp::kRead, .warp = warp, .id = id};
  return call(request).entry;
}

void SplitControl::write(WarpId warp, SplitId id, const Split& split) {
  SplitTableRequest request{.op = StOp::kWrite, .warp = warp, .id = id, .split = split};
  call(request);
}

SplitId SplitControl::add(WarpId warp, const Split& split, bool& physical) {
  SplitTableRequest request{.op = StOp::kInsert, .warp = warp, .split = split};
  call(request);
  physical = request.ok;
  max_splits_ = std::max<std::uint64_t>(max_splits_, ++splits_of_[warp.value()]);
  return request.id;
}

void SplitControl::remove(WarpId warp, SplitId id) {
  SplitTableRequest request{.op = StOp::kFree, .warp = warp, .id = id};
  call(request);
  --splits_of_[warp.value()];
  removed(warp, id);
}

void SplitControl::finish(WarpId warp, SplitId id) {
  const Split split = read(warp, id);
  remove(warp, id);
  push_arrive(warp, split.rpc.index, split.mask, kNoPc);
}

SplitControl::Allocated SplitControl::allocate(WarpId warp, const Reconvergence& entry) {
  ReconvergenceTableRequest request{.op = RtOp::kInsert, .warp = warp, .cycle = cycle_, .entry = entry};
  call(request);
  if (request.id == kNoReconvergence) {
    ++no_entry_;
    return {};
  }
  max_entries_ = std::max<std::uint64_t>(max_entries_, ++entries_of_[warp.value()]);
  Allocated allocated{request.id, request.ok};
  if (!request.ok) allocated.record = pack(entry);
  return allocated;
}

void SplitControl::settle(WarpId warp, ReconvergenceId id, const Reconvergence& entry) {
  if (entry.pend.any()) return;
  ReconvergenceTableRequest request{.op = RtOp::kFree, .warp = warp, .id = id};
  call(request);
  --entries_of_[warp.value()];
  if (entry.rec.none()) return;
  ++reconvergences_;
  push_place(warp, entry.split());
}

// ---- Events

void SplitControl::handle(ControlFlowRequest& request) {
  if (request.event == ControlFlowEvent::kBeginLaunch) return;  // of no warp
  cycle_ = request.cycle;
  ++events_;
  ControlFlow::handle(request);
  drain(request.warp);
  schedule(request);
  request.due = std::min(timers_due_, retry_due());
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

void SplitControl::clear(WarpId warp) {
  SplitTableRequest splits{.op = StOp::kReset, .warp = warp};
  call(splits);
  ReconvergenceTableRequest points{.op = RtOp::kReset, .warp = warp};
  call(points);
  steps_[warp.value()].clear();
  splits_of_[warp.value()] = entries_of_[warp.value()] = 0;
  reset(warp);
}

void SplitControl::launch(ControlFlowRequest& request) {
  clear(request.warp);
  live_[request.warp.value()] = request.mask;
  Split split;
  split.pc = request.next;
  split.mask = request.mask;
  push_place(request.warp, split);
}

void SplitControl::advance(ControlFlowRequest& request) {
  const SplitId id = split_of(request);
  go_on(request.warp, id, read(request.warp, id), request.next, false);
}

void SplitControl::go_on(WarpId warp, SplitId id, const Split& split, Pc pc, bool taken) {
  Split after = split;
  after.pc = pc;
  if (after.at_rpc()) {
    remove(warp, id);
    push_arrive(warp, after.rpc.index, after.mask, kNoPc);
  } else {
    goes_on(warp, id, after, taken);
  }
}

void SplitControl::branch(ControlFlowRequest& request) {
  ++branches_;
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = read(warp, id);
  leave_early_point(warp, split);
  const Sides sides = branch_sides(request, split);
  if (sides.count() == 1) {
    go_on(warp, id, split, sides.begin()->pc, (split.mask & request.taken).any());
    return;
  }
  ++divergences_;
  request.diverged = true;
  const MeetingPoint point = meeting_point(split, request.rpc);
  Sides others;
  LaneMask direct;
  for (const Side& side : sides) {
    if (point.is(side.pc, split.frame))
      direct |= side.lanes;
    else
      others.add(side);
  }
  diverge(warp, id, split, others, split.frame, point, direct);
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

void SplitControl::diverge(WarpId warp, SplitId id, const Split& split, const Sides& sides,
                           std::uint32_t frame, MeetingPoint point, LaneMask direct) {
  remove(warp, id);
  const bool wants_entry =
      !point.exists() && (point.pc != kNoPc || point.kind == MeetingPoint::Kind::kReturn);
  Allocated entry;
  if (wants_entry)
    entry = allocate(warp, {point.pc, point.frame, point.kind, split.rpc, split.mask,
                            LaneMask::difference(split.mask, direct)});
  // What is pushed last is done first.
  if (direct.any()) {
    if (point.exists())
      push_arrive(warp, point.index, direct, kNoPc);
    else if (entry.id == kNoReconvergence)
      push_place(warp, {point.pc, split.rpc, direct, point.frame, false});
  }
  if (wants_entry) point.index = entry.id;
  for (const Side* side = sides.end(); side-- != sides.begin();)
    push_place(warp, {side->pc, point.exists() ? point : split.rpc, side->lanes, frame, false});
  if (wants_entry) push_admit(warp, entry);
}

void SplitControl::enter_function(ControlFlowRequest& request) {
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = read(warp, id);
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
  Split split = read(warp, id);
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
  Allocated entry;
  for (const Side& side : places) {
    if (diverged) {
      push(warp, {.kind = Step::Kind::kReturn,
                  .at = point.index,
                  .lanes = side.lanes,
                  .pc = side.pc,
                  .frame = split.frame});
    } else if (meets(side)) {
      push_arrive(warp, point.index, side.lanes, side.pc);
    } else if (rest.any() && places.count() == 1) {
      // The first of an activation that come back wait for the others.
      entry = allocate(warp, {side.pc, caller, MeetingPoint::Kind::kReturn, point, split.mask, rest});
      if (entry.id == kNoReconvergence)
        push_place(warp, {side.pc, point, side.lanes, caller, false});
      else
        split.rpc = {side.pc, caller, entry.id, MeetingPoint::Kind::kReturn};
    } else {
      push_place(warp, {side.pc, point, side.lanes, caller, false});
    }
  }
  if (rest.none()) {
    remove(warp, id);
  } else {
    split.mask = rest;
    go_on(warp, id, split, request.next, false);
  }
  push_admit(warp, entry);
}

void SplitControl::exit(ControlFlowRequest& request) {
  const WarpId warp = request.warp;
  const SplitId id = split_of(request);
  Split split = read(warp, id);
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
  if (split.rpc.exists()) push(warp, {.kind = Step::Kind::kLeave, .at = split.rpc.index, .lanes = gone});
}

void SplitControl::barrier_arrive(ControlFlowRequest& request) {
  const SplitId id = split_of(request);
  Split split = read(request.warp, id);
  split.pc = request.next;  // if that is its RPC, it arrives there after the release
  write(request.warp, id, split);
  block(request.warp, id, split.mask);
}

void SplitControl::tick(ControlFlowRequest& request) {
  if (retry(cycle_, request.warp)) return;
  if (timers_due_ > cycle_) return;
  ReconvergenceTableRequest timers{.op = RtOp::kFired, .cycle = cycle_};
  call(timers);
  if (!timers.ok) return;
  request.warp = timers.warp;
  std::vector<Step>& steps = steps_[timers.warp.value()];
  steps.insert(steps.begin(), Step{.kind = Step::Kind::kGoAlone, .at = timers.id});  // behind what waits
}

}  // namespace heddle::simt
