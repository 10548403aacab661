#include "simt/table_steps.h"

#include <stdexcept>

namespace heddle::simt {

void TableSteps::declare(base::StatGroup& stats) {
  stats.counter("reconvergences", "entries", "reconvergence points at which the last expected lane arrived",
                &reconvergences_);
  if (timed_) stats.counter("timeouts", "entries", "times that lanes gave up waiting for others", &timeouts_);
}

void TableSteps::go_alone(WarpId warp, ReconvergenceId at) {
  std::vector<Step>& steps = steps_[warp.value()];
  steps.insert(steps.begin(), Step{.kind = Step::Kind::kGoAlone, .at = at});
}

void TableSteps::drain(WarpId warp) {
  std::vector<Step>& steps = steps_[warp.value()];
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    if (tables_.work() != nullptr) tables_.work()->pass(step.clocks);
    if (!take(warp, step)) {
      steps.push_back(step);
      return;
    }
  }
}

bool TableSteps::take(WarpId warp, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kPlace:
      return take_place(warp, step.split);
    case Step::Kind::kArrive:
      return take_arrive(warp, step);
    case Step::Kind::kLeave:
      return take_leave(warp, step);
    case Step::Kind::kReturn:
      return take_return(warp, step);
    case Step::Kind::kAdmit:
      return keeper_.admit(warp, step.at, step.record);
    case Step::Kind::kGoAlone:
      return take_go_alone(warp, step);
  }
  throw std::logic_error("TableSteps: no such step");
}

bool TableSteps::take_place(WarpId warp, const Split& split) {
  if (!split.at_rpc()) return keeper_.insert(warp, split);
  arrive(warp, split.rpc.index, split.mask);  // [AWARE] §5.3: nested entries of the same point
  return true;
}

bool TableSteps::take_arrive(WarpId warp, const Step& step) {
  if (!keeper_.have(warp, step.at)) return false;
  const Reconvergence before = tables_.read(warp, step.at);
  // Splits that came from different calls and met on the way (OREC) return to different places.
  const bool elsewhere = step.pc != kNoPc && before.pc != kNoPc && step.pc != before.pc;
  settle(warp, step.at,
         elsewhere ? tables_.leave(warp, step.at, step.lanes)
                   : tables_.arrive(warp, step.at, step.lanes, step.pc));
  if (elsewhere) place(warp, {step.pc, before.rpc, step.lanes, before.frame, false});
  return true;
}

bool TableSteps::take_leave(WarpId warp, const Step& step) {
  if (!keeper_.have(warp, step.at)) return false;
  const Reconvergence entry = tables_.leave(warp, step.at, step.lanes);
  if (entry.rpc.exists()) leave(warp, entry.rpc.index, step.lanes);
  settle(warp, step.at, entry);
  return true;
}

bool TableSteps::take_return(WarpId warp, const Step& step) {
  if (!keeper_.have(warp, step.at)) return false;
  Reconvergence entry = tables_.leave(warp, step.at, step.lanes);
  const MeetingPoint parent = entry.rpc;
  const std::uint32_t caller = step.frame - 1;
  DivergenceTables::Allocated inserted;
  if (parent.exists() && parent.frame == step.frame) {
    come_back(warp, parent.index, step.lanes, step.pc, step.frame);
  } else if (parent.exists() && parent.frame == caller &&
             (parent.kind == MeetingPoint::Kind::kReturn || parent.pc == step.pc)) {
    arrive(warp, parent.index, step.lanes, step.pc);
  } else {
    // The outermost entry of the activation. Between it and its parent comes the one at which those that have
    // returned wait for the others.
    if (entry.rec.any())
      inserted = tables_.allocate(
          warp, {step.pc, caller, MeetingPoint::Kind::kReturn, parent, entry.rec | step.lanes, entry.rec});
    if (inserted.id == kNoReconvergence) {
      place(warp, {step.pc, parent, step.lanes, caller, false});
    } else {
      entry.rpc = {step.pc, caller, inserted.id, MeetingPoint::Kind::kReturn};
      tables_.write(warp, step.at, entry);
      if (tables_.work() != nullptr) tables_.work()->pass(1);
    }
  }
  settle(warp, step.at, entry);
  admit(warp, inserted);
  return true;
}

bool TableSteps::take_go_alone(WarpId warp, const Step& step) {
  // Something may have come in between while this step waited.
  if (!tables_.has_fired(warp, step.at)) return true;
  if (!keeper_.have(warp, step.at)) return false;
  const Reconvergence entry = tables_.go_alone(warp, step.at);
  ++timeouts_;
  Split alone = entry.split();
  alone.mask = entry.arrived();
  place(warp, alone);
  return true;
}

void TableSteps::settle(WarpId warp, ReconvergenceId id, const Reconvergence& entry) {
  if (entry.pend.any()) return;
  tables_.free(warp, id);
  if (entry.rec.none()) return;
  ++reconvergences_;
  place(warp, entry.split());
}

void TableSteps::leave_early_point(WarpId warp, Split& split) {
  while (split.rpc.exists() && split.rpc.kind == MeetingPoint::Kind::kEarly &&
         split.rpc.frame == split.frame) {
    const Reconvergence entry = tables_.leave(warp, split.rpc.index, split.mask);
    settle(warp, split.rpc.index, entry);
    split.rpc = entry.rpc;
  }
}

}  // namespace heddle::simt
