#include "core/issue/meeting_point.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "core/execute/executor.h"
#include "core/execute/operands.h"

namespace heddle::core {

LaneMask MeetingPoint::named_lanes(WarpId warp, Pc pc, LaneMask exec,
                                   std::array<std::uint32_t, kLanes>& members) const {
  const isa::Instruction& instruction = state_.instruction(pc);
  std::memcpy(members.data(), row_of(state_, state_.warp(warp), instruction.src[instruction.member_mask]),
              sizeof members);
  std::uint32_t named = 0;
  exec.for_each([&](unsigned lane) {
    named |= members[lane];
    if ((members[lane] >> lane & 1u) != 0) return;
    const AccessSite site = site_of(state_, warp, pc);
    throw base::KernelFault(
        state_.kernel().location(pc),
        fmt::format("{} (lane {}) is not in its own member mask {:#010x}\n  {}", thread_name(site, lane),
                    lane, members[lane], state_.kernel().source_line(pc)),
        "a .sync instruction must name every lane that executes it");
  });
  return LaneMask(named);
}

void MeetingPoint::arrive(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  IssueTable::Group& group = state_.groups[id];
  if (!state_.is_static(group)) [[unlikely]]
    return arrive_apart(id, instruction, exec);
  const WarpId warp = group.warp;
  const LaneMask live = state_.warp(warp).live;
  std::array<std::uint32_t, kLanes> members;
  const bool alone = (instruction.names_all_lanes && exec == live) || exec.none() ||
                     !LaneMask::difference(named_lanes(warp, group.pc, exec, members) & live, exec).any();
  if (alone || !lanes_apart_) {
    hang_.passes(warp);
    if (instruction.lane_fn != nullptr) executor_.lanes(group, instruction, exec, state_.now);
    paths_.advance(id);
    return;
  }
  // Each lane waits until it has met those that it names, or all of the group until its last lane has. It is told as a
  // barrier is: other splits of the warp have their turn meanwhile.
  const WarpSync::Split split{group.pc, instruction.lane_fn == nullptr, lanes_part_ ? exec : group.mask};
  waiting_.arrive(warp, split, exec, members);
  const LaneMask waits = LaneMask::difference(split.lanes, meet(warp, split.lanes));
  if (waits != group.mask) hang_.passes(warp);
  if (waits.none())
    paths_.advance(id);
  else
    paths_.wait_at_barrier(id, waits);
}

/// The lanes of each home warp meet those of their own warp: what a member mask names. They do so as its splits, and
/// the mechanism hears of each home warp's release.
void MeetingPoint::arrive_apart(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  std::array<WarpId, kLanes> homes;
  unsigned count = 0;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
    std::array<std::uint32_t, kLanes> members;
    (void)named_lanes(home, group.pc, exec & lanes, members);
    waiting_.arrive(home, {group.pc, instruction.lane_fn == nullptr, lanes}, exec & lanes, members);
    homes[count++] = home;
  });
  paths_.wait_at_barrier(id, group.mask);
  for (unsigned i = 0; i < count; ++i) meet(homes[i]);
}

LaneMask MeetingPoint::meet(WarpId warp, LaneMask arriving) {
  for (const WarpSync::Meeting& meeting : waiting_.complete(warp, state_.warp(warp).live)) {
    const isa::Instruction& instruction = state_.instruction(meeting.pc);
    if (instruction.lane_fn != nullptr) {
      // Lanes that arrived earlier have no group now: who executes is the meeting.
      IssueTable::Group together;
      together.warp = warp;
      together.formation = FormationTable::of_warp(warp);
      together.pc = meeting.pc;
      together.mask = meeting.lanes;
      together.scheduler = issue_.scheduler_of(warp);
      together.sub_core = issue_.sub_core_of(together.scheduler);
      if (issue_.hazard(together, instruction) != Hazard::kNone) {
        waiting_.postpone(warp);
        continue;
      }
      executor_.lanes(together, instruction, meeting.lanes, state_.now);
      // What runs of the warp may have been ready before: registers are pending now, entries taken.
      issue_.refresh_ready(warp);
    }
    waiting_.met(warp, meeting.lanes);
  }
  LaneMask goes_on;
  WarpSync::Split split;
  while (lanes_part_ ? waiting_.take_met(warp, split) : waiting_.take_finished(warp, split)) {
    state_.services.progress.lanes_released();
    if (arriving.contains(split.lanes))
      goes_on |= split.lanes;
    else
      paths_.release_at(state_.now + 1, warp, split.lanes);
  }
  return goes_on;
}

}  // namespace heddle::core
