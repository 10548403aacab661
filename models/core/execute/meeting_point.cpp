#include "core/execute/meeting_point.h"

#include <vector>

#include "core/execute/executor.h"
#include "core/execute/member_masks.h"
#include "core/issue/operands.h"

namespace heddle::core {

void MeetingPoint::arrive(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  IssueTable::Group& group = state_.groups[id];
  if (!state_.is_static(group)) [[unlikely]]
    return arrive_apart(id, instruction, exec);
  const WarpId warp = group.warp;
  const LaneMask live = state_.warp(warp).live;
  const auto goes_on_at_once = [&] {
    hang_.passes(warp);
    check_matrix(state_.kernel(), group.pc, exec);
    if (instruction.lane_fn != nullptr) executor_.lanes(group, instruction, exec, state_.now);
    paths_.advance(id);
  };
  if ((instruction.names_all_lanes && exec == live) || exec.none()) return goes_on_at_once();
  const std::array<std::uint32_t, kLanes> members = members_of(site_of(state_, warp, group.pc), exec);
  if (WarpSync::all_here(exec, live, members)) return goes_on_at_once();
  // Each lane waits until it has met those that it names, or all of the group until its last lane has. It is told as a
  // barrier is: other splits of the warp have their turn meanwhile, where the mechanism has turns. Where it has none (a
  // SIMT stack) nobody else comes, and the watchdog says so.
  const WarpSync::Split split{group.pc, instruction.immediate, lanes_part_ ? exec : group.mask};
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
    waiting_.arrive(home, {group.pc, instruction.immediate, lanes}, exec & lanes,
                    members_of(site_of(state_, home, group.pc), exec & lanes));
    homes[count++] = home;
  });
  paths_.wait_at_barrier(id, group.mask);
  for (unsigned i = 0; i < count; ++i) meet(homes[i]);
}

bool MeetingPoint::execute(WarpId warp, const WarpSync::Meeting& meeting) {
  if (state_.instruction(meeting.places.front().pc).lane_fn == nullptr) return true;  // bar.warp.sync
  check_matrix(state_.kernel(), meeting.places.front().pc, meeting.lanes);
  // Lanes that arrived earlier have no group now: who executes is the meeting.
  std::vector<IssueTable::Group> together;
  for (const WarpSync::Place& place : meeting.places) {
    IssueTable::Group& group = together.emplace_back();
    group.warp = warp;
    group.formation = FormationTable::of_warp(warp);
    group.pc = place.pc;
    group.mask = place.lanes;
    group.scheduler = state_.scheduler_of(warp);
    group.sub_core = issue_.sub_core_of(group.scheduler);
    if (issue_.hazard(group, state_.instruction(place.pc)) != Hazard::kNone) return false;
  }
  if (together.size() == 1)
    executor_.lanes(together.front(), state_.instruction(together.front().pc), meeting.lanes, state_.now);
  else
    executor_.exchange(together);
  // What runs of the warp may have been ready before: registers are pending now, entries taken.
  issue_.refresh_ready(warp);
  return true;
}

LaneMask MeetingPoint::meet(WarpId warp, LaneMask arriving) {
  for (const WarpSync::Meeting& meeting : waiting_.complete(warp, state_.warp(warp).live)) {
    if (execute(warp, meeting))
      waiting_.met(warp, meeting.lanes);
    else
      waiting_.postpone(warp);
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
