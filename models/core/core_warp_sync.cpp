// Where lanes of a warp meet at .sync instructions.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "core/core.h"

namespace heddle::core {

LaneMask Core::named_lanes(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec,
                           std::array<std::uint32_t, kLanes>& members) const {
  const WarpContext& warp = warps_[group.warp.value()];
  std::memcpy(members.data(), row(warp, instruction.src[instruction.member_mask]), sizeof members);
  std::uint32_t named = 0;
  exec.for_each([&](unsigned lane) {
    named |= members[lane];
    if ((members[lane] >> lane & 1u) != 0) return;
    const AccessSite site{launch_, &ctas_[warp.cta.value()], &warp, group.pc, &instruction};
    throw base::KernelFault(
        launch_->kernel->place(group.pc),
        fmt::format("{} (lane {}) is not in its own member mask {:#010x}\n  {}", thread_name(site, lane),
                    lane, members[lane], launch_->kernel->source_line(group.pc)),
        "a .sync instruction must name every lane that executes it");
  });
  return LaneMask(named);
}

void Core::issue_warp_sync(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  IssueTable::Group& group = groups_[id];
  const WarpId warp = group.warp;
  const LaneMask live = warps_[warp.value()].live;
  std::array<std::uint32_t, kLanes> members;
  const bool alone = (instruction.names_all_lanes && exec == live) || exec.none() ||
                     !LaneMask::difference(named_lanes(group, instruction, exec, members) & live, exec).any();
  if (alone || !branch_unit_.runs_lanes_apart()) {
    if (probe_.active()) probe_.passes(warp);
    if (instruction.lane_fn != nullptr) issue_lane(group, instruction, exec, now_);
    advance(id, instruction);
    return;
  }
  // All of the group waits until its last lane has met those that the lane names. It is told as a barrier is:
  // other splits of the warp have their turn meanwhile.
  const WarpSync::Split split{group.pc, instruction.lane_fn == nullptr, group.mask};
  warp_sync_.arrive(warp, split, exec, members);
  if (meet(warp, &split)) {
    if (probe_.active()) probe_.passes(warp);
    advance(id, instruction);
    return;
  }
  simt::ControlFlowRequest wait;
  wait.event = simt::ControlFlowEvent::kBarrierArrive;
  wait.warp = warp;
  wait.group = id;
  wait.mask = group.mask;
  wait.next = Pc{group.pc.value() + 1};
  decide(wait);
}

bool Core::meet(WarpId warp, const WarpSync::Split* arriving) {
  for (const WarpSync::Meeting& meeting : warp_sync_.complete(warp, warps_[warp.value()].live)) {
    const isa::Instruction& instruction = code_[meeting.pc.value()];
    if (instruction.lane_fn != nullptr) {
      // Lanes that arrived earlier have no group now: who executes is the meeting.
      IssueTable::Group together;
      together.warp = warp;
      together.pc = meeting.pc;
      together.mask = meeting.lanes;
      together.scheduler = scheduler_of(warp);
      ScoreboardRequest check;
      check.warp = warp;
      check.mask = meeting.lanes;
      check.instruction = &instruction;
      scoreboard_isock_.call(check);
      if (check.hazard != Hazard::kNone) {
        warp_sync_.postpone(warp);
        continue;
      }
      issue_lane(together, instruction, meeting.lanes, now_);
      // What runs of the warp may have been ready before: registers are pending now, entries taken.
      for (const GroupId group : groups_of_warp_[warp.value()])
        if (groups_[group].status == GroupStatus::kReady) refresh(group);
    }
    warp_sync_.met(warp, meeting.lanes);
  }
  bool goes_on = false;
  WarpSync::Split split;
  while (warp_sync_.take_finished(warp, split)) {
    services_.progress.lanes_released();
    if (arriving != nullptr && split.lanes == arriving->lanes)
      goes_on = true;
    else
      barrier_releases_.add(now_ + 1, {warp, split.lanes});
  }
  return goes_on;
}

}  // namespace heddle::core
