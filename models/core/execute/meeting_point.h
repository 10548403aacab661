// Where lanes of a warp meet at .sync instructions: a split that comes too early waits, as at a barrier, and the last one
// executes the instruction for all lanes that have met (warp_sync.h).
#pragma once

#include "core/issue/issue_stage.h"
#include "core/issue/path_control.h"
#include "core/observe/hang_view.h"
#include "core/state/core_state.h"
#include "core/state/warp_sync.h"

namespace heddle::core {

class Executor;

class MeetingPoint {
 public:
  /// `lanes_part`: lanes that come together need not go on together.
  MeetingPoint(CoreState& state, IssueStage& issue, PathControl& paths, Executor& executor, HangView& hang,
               WarpSync& waiting, bool lanes_part)
      : state_(state),
        issue_(issue),
        paths_(paths),
        executor_(executor),
        hang_(hang),
        waiting_(waiting),
        lanes_part_(lanes_part) {}

  /// The group has issued the instruction with lanes `exec`.
  void arrive(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  /// Lanes of the warp have exited: those who waited for them need not any more.
  void lanes_exited(WarpId warp) {
    if (waiting_.any(warp)) meet(warp);
  }
  /// The scoreboard of the warp has changed.
  void written_back(WarpId warp) {
    if (waiting_.postponed(warp)) meet(warp);
  }

 private:
  /// Of a group with lanes of several home warps.
  void arrive_apart(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  /// Executes what lanes of the warp have met for and lets their splits go on, or the lanes one by one. Answers which of
  /// `arriving`, whose group still is at the instruction, are among these. A scoreboard hazard, possible where lanes
  /// have exited or another split reserved since, postpones it to a write-back.
  LaneMask meet(WarpId warp, LaneMask arriving = {});
  /// The lanes of a meeting execute their instructions; false: a scoreboard hazard.
  bool execute(WarpId warp, const WarpSync::Meeting& meeting);

  CoreState& state_;
  IssueStage& issue_;
  PathControl& paths_;
  Executor& executor_;
  HangView& hang_;
  WarpSync& waiting_;
  bool lanes_part_;
};

}  // namespace heddle::core
