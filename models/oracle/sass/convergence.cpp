// Where lanes of a warp wait for each other.
#include <algorithm>
#include <bit>

#include "oracle/sass/warp.h"

namespace heddle::oracle::machine_code {
namespace {

using State = Group::State;

/// Lanes that wait as a group does: at the same BSYNC, or at any WARPSYNC.
std::uint32_t waiting_like(const Warp& warp, const Group& group) {
  std::uint32_t lanes = 0;
  for (const Group& other : warp.groups)
    if (other.state == group.state &&
        (group.state == State::kAtWarpsync || (other.number == group.number && other.pc == group.pc)))
      lanes |= other.lanes;
  return lanes;
}

/// Those of the lanes whose WARPSYNC names the same live lanes as lane i's does: at that of another mask they wait for others.
std::uint32_t of_same_mask(const Warp& warp, std::uint32_t lanes, unsigned i) {
  std::uint32_t same = 0;
  for_each_lane(lanes, [&](unsigned other) {
    if (((warp.lanes[other].members ^ warp.lanes[i].members) & warp.live) == 0) same |= 1u << other;
  });
  return same;
}

/// Those of the lanes that wait for lane i as well: others at the same BSYNC are in a region inside, of the same function.
std::uint32_t of_same_region(const Warp& warp, std::uint32_t lanes, unsigned barrier, unsigned i) {
  std::uint32_t same = 0;
  for_each_lane(lanes, [&](unsigned other) {
    if ((warp.lanes[other].convergence[barrier] >> i & 1) != 0) same |= 1u << other;
  });
  return same;
}

/// Lanes of the group that need not wait any longer.
std::uint32_t complete_lanes(const Warp& warp, const Group& group) {
  const std::uint32_t there = waiting_like(warp, group);
  std::uint32_t complete = 0;
  for_each_lane(group.lanes, [&](unsigned i) {
    const Lane& lane = warp.lanes[i];
    const bool at_warpsync = group.state == State::kAtWarpsync;
    const std::uint32_t needed = at_warpsync ? lane.members : lane.convergence[group.number];
    if ((needed & warp.live & ~there) != 0) return;
    const std::uint32_t arrived =
        at_warpsync ? of_same_mask(warp, there, i) : of_same_region(warp, there, group.number, i);
    if ((needed & warp.live & ~arrived) == 0) complete |= 1u << i;
  });
  return complete;
}

/// The mask of an exclusive WARPSYNC, from behind which lanes go on only with those of the same one; otherwise 0.
std::uint32_t exclusive_mask(const Warp& warp, const Group& from, std::uint32_t lanes) {
  const Lane& lane = warp.lanes[static_cast<unsigned>(std::countr_zero(lanes))];
  return from.state == State::kAtWarpsync && lane.exclusive ? lane.members : 0;
}

/// Joins what leaves together.
void add_released(const Warp& warp, std::vector<Group>& released, const Group& from, std::uint32_t lanes) {
  if (const std::uint32_t mask = exclusive_mask(warp, from, lanes); mask != 0) {
    std::uint32_t others = 0;
    for_each_lane(lanes, [&](unsigned i) {
      if (warp.lanes[i].members != mask) others |= 1u << i;
    });
    if (others != 0) add_released(warp, released, from, others);
    lanes &= ~others;
  }
  const std::uint64_t next = from.pc + sass::kInstructionBytes;
  // Of a collective one place executes the body for all.
  const bool collective = from.state == State::kAtWarpsync &&
                          warp.lanes[static_cast<unsigned>(std::countr_zero(lanes))].collective;
  const auto same = std::find_if(released.begin(), released.end(), [&](const Group& other) {
    return (collective || other.pc == next) && other.number == from.number &&
           exclusive_mask(warp, from, lanes) == exclusive_mask(warp, from, other.lanes);
  });
  if (same != released.end())
    same->lanes |= lanes;
  else
    released.push_back({lanes, next, State::kReady, from.number, from.turn});
}

/// Those who come later do not wait for lanes that have gone on. Only lanes of the same region do: a caller's, which a function's
/// barrier of that number stands in for, still waits.
void forget(Warp& warp, unsigned barrier, std::uint32_t gone) {
  for_each_lane(gone, [&](unsigned i) {
    const std::uint32_t region = warp.lanes[i].convergence[barrier];
    for_each_lane(region & ~gone,
                  [&](unsigned other) { warp.lanes[other].convergence[barrier] &= ~(1u << i); });
  });
}

bool release(Warp& warp, bool whatever_is_missing) {
  std::vector<Group> released;
  // All are looked at before any leaves: they are complete through each other.
  std::vector<std::uint32_t> leaving;
  for (const Group& group : warp.groups) {
    const bool waits =
        group.state == State::kAtConvergence || (group.state == State::kAtWarpsync && !whatever_is_missing);
    leaving.push_back(!waits ? 0 : whatever_is_missing ? group.lanes : complete_lanes(warp, group));
  }
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    if (leaving[i] == 0) continue;
    Group& group = warp.groups[i];
    add_released(warp, released, group, leaving[i]);
    group.lanes &= ~leaving[i];
    if (group.state == State::kAtConvergence) forget(warp, group.number, leaving[i]);
  }
  std::erase_if(warp.groups, [](const Group& group) { return group.lanes == 0; });
  warp.groups.insert(warp.groups.end(), released.begin(), released.end());
  return !released.empty();
}

}  // namespace

void begin_region(Warp& warp, unsigned barrier, std::uint32_t lanes) {
  for_each_lane(lanes, [&](unsigned i) { warp.lanes[i].convergence[barrier] = lanes; });
}

void leave_region(Warp& warp, unsigned barrier, std::uint32_t lanes) {
  // Of lanes in the same region: other values of the barrier are of other regions.
  const std::vector<Lane>& all = warp.lanes;
  std::vector<std::uint32_t> left;
  for_each_lane(lanes, [&](unsigned i) { left.push_back(all[i].convergence[barrier]); });
  for (Lane& lane : warp.lanes)
    if (std::find(left.begin(), left.end(), lane.convergence[barrier]) != left.end())
      lane.convergence[barrier] &= ~lanes;
}

void stop_waiting_for(Warp& warp, std::uint32_t lanes) {
  for (const Group& group : warp.groups) {
    if (group.state != State::kAtConvergence) continue;
    for_each_lane(group.lanes, [&](unsigned i) {
      std::uint32_t& needed = warp.lanes[i].convergence[group.number];
      if ((needed & lanes) == 0) return;
      needed &= ~lanes;
      for_each_lane(lanes,
                    [&](unsigned other) { warp.lanes[other].convergence[group.number] &= ~(1u << i); });
    });
  }
}

bool release_complete(Warp& warp) { return release(warp, false); }

bool release_all_regions(Warp& warp) { return release(warp, true); }

}  // namespace heddle::oracle::machine_code
