// The steps of SplitControl: what events do to the tables, entry by entry.
#include <stdexcept>

#include "simt/split_control.h"

namespace heddle::simt {

using RtOp = ReconvergenceTableRequest::Op;

void SplitControl::push_place(WarpId warp, const Split& split) {
  push(warp, {.kind = Step::Kind::kPlace, .split = split});
}

void SplitControl::push_arrive(WarpId warp, ReconvergenceId at, LaneMask lanes, Pc pc) {
  push(warp, {.kind = Step::Kind::kArrive, .at = at, .lanes = lanes, .pc = pc});
}

void SplitControl::push_admit(WarpId warp, const Allocated& allocated) {
  if (allocated.id != kNoReconvergence && !allocated.physical)
    push(warp, {.kind = Step::Kind::kAdmit, .at = allocated.id, .record = allocated.record});
}

void SplitControl::drain(WarpId warp) {
  std::vector<Step>& steps = steps_[warp.value()];
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    if (!take(warp, step)) {
      steps.push_back(step);
      return;
    }
  }
}

bool SplitControl::take(WarpId warp, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kPlace:
      return place(warp, step.split);
    case Step::Kind::kArrive:
      return arrive(warp, step);
    case Step::Kind::kLeave:
      return leave(warp, step);
    case Step::Kind::kReturn:
      return step_return(warp, step);
    case Step::Kind::kAdmit:
      return admit(warp, step.at, step.record);
    case Step::Kind::kGoAlone:
      return go_alone(warp, step);
  }
  throw std::logic_error("SplitControl: no such step");
}

bool SplitControl::place(WarpId warp, const Split& split) {
  if (!split.at_rpc()) return insert(warp, split);
  push_arrive(warp, split.rpc.index, split.mask, kNoPc);  // [AWARE] §5.3: nested entries of the same point
  return true;
}

bool SplitControl::arrive(WarpId warp, const Step& step) {
  if (!have(warp, step.at)) return false;
  const Reconvergence before = read(warp, step.at);
  // Splits that came from different calls and met on the way (OREC) return to different places.
  const bool elsewhere = step.pc != kNoPc && before.pc != kNoPc && step.pc != before.pc;
  ReconvergenceTableRequest request{.op = elsewhere ? RtOp::kLeave : RtOp::kArrive,
                                    .warp = warp,
                                    .id = step.at,
                                    .lanes = step.lanes,
                                    .pc = step.pc,
                                    .cycle = cycle_};
  call(request);
  settle(warp, step.at, request.entry);
  if (elsewhere) push_place(warp, {step.pc, before.rpc, step.lanes, before.frame, false});
  return true;
}

bool SplitControl::leave(WarpId warp, const Step& step) {
  if (!have(warp, step.at)) return false;
  ReconvergenceTableRequest request{
      .op = RtOp::kLeave, .warp = warp, .id = step.at, .lanes = step.lanes, .cycle = cycle_};
  call(request);
  if (request.entry.rpc.exists())
    push(warp, {.kind = Step::Kind::kLeave, .at = request.entry.rpc.index, .lanes = step.lanes});
  settle(warp, step.at, request.entry);
  return true;
}

bool SplitControl::step_return(WarpId warp, const Step& step) {
  if (!have(warp, step.at)) return false;
  ReconvergenceTableRequest request{
      .op = RtOp::kLeave, .warp = warp, .id = step.at, .lanes = step.lanes, .cycle = cycle_};
  call(request);
  Reconvergence entry = request.entry;
  const MeetingPoint parent = entry.rpc;
  const std::uint32_t caller = step.frame - 1;
  Allocated inserted;
  if (parent.exists() && parent.frame == step.frame) {
    push(warp, {.kind = Step::Kind::kReturn,
                .at = parent.index,
                .lanes = step.lanes,
                .pc = step.pc,
                .frame = step.frame});
  } else if (parent.exists() && parent.frame == caller &&
             (parent.kind == MeetingPoint::Kind::kReturn || parent.pc == step.pc)) {
    push_arrive(warp, parent.index, step.lanes, step.pc);
  } else {
    // The outermost entry of the activation. Between it and its parent comes the one at which those that have
    // returned wait for the others.
    if (entry.rec.any())
      inserted = allocate(
          warp, {step.pc, caller, MeetingPoint::Kind::kReturn, parent, entry.rec | step.lanes, entry.rec});
    if (inserted.id == kNoReconvergence) {
      push_place(warp, {step.pc, parent, step.lanes, caller, false});
    } else {
      entry.rpc = {step.pc, caller, inserted.id, MeetingPoint::Kind::kReturn};
      ReconvergenceTableRequest write{.op = RtOp::kWrite, .warp = warp, .id = step.at, .entry = entry};
      call(write);
    }
  }
  settle(warp, step.at, entry);
  push_admit(warp, inserted);
  return true;
}

bool SplitControl::go_alone(WarpId warp, const Step& step) {
  // Something may have come in between while this step waited.
  ReconvergenceTableRequest fired{.op = RtOp::kHasFired, .warp = warp, .id = step.at};
  if (!call(fired).ok) return true;
  if (!have(warp, step.at)) return false;
  ReconvergenceTableRequest request{.op = RtOp::kGoAlone, .warp = warp, .id = step.at, .cycle = cycle_};
  call(request);
  ++timeouts_;
  Split alone = request.entry.split();
  alone.mask = request.entry.arrived();
  push_place(warp, alone);
  return true;
}

void SplitControl::leave_early_point(WarpId warp, Split& split) {
  while (split.rpc.exists() && split.rpc.kind == MeetingPoint::Kind::kEarly &&
         split.rpc.frame == split.frame) {
    ReconvergenceTableRequest request{
        .op = RtOp::kLeave, .warp = warp, .id = split.rpc.index, .lanes = split.mask, .cycle = cycle_};
    call(request);
    settle(warp, split.rpc.index, request.entry);
    split.rpc = request.entry.rpc;
  }
}

}  // namespace heddle::simt
