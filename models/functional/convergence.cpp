#include "functional/convergence.h"

#include <algorithm>

#include "isa/convergence.h"

namespace heddle::functional {
namespace {

using State = Group::State;

/// Lanes at the same BSYNC, or at any WARPSYNC.
LaneMask there_with(const Warp& warp, const Group& group) {
  LaneMask lanes;
  for (const Group& other : warp.groups)
    if (other.state == group.state &&
        (group.state == State::kAtWarpSync || (other.number == group.number && other.pc == group.pc)))
      lanes |= other.lanes;
  return lanes;
}

/// Lanes of a group that wait for nobody any more.
LaneMask complete(const Warp& warp, const Group& group) {
  const LaneMask missing = LaneMask::difference(warp.context.live, there_with(warp, group));
  const auto& awaited = group.state == State::kAtWarpSync ? warp.members : warp.convergence[group.number];
  LaneMask lanes;
  group.lanes.for_each([&](unsigned lane) {
    if ((LaneMask(awaited[lane]) & missing).none()) lanes |= LaneMask(1u << lane);
  });
  return lanes;
}

/// Those who come later do not wait for lanes that have gone on.
void forget(Warp& warp, unsigned barrier, LaneMask gone) {
  (~gone).for_each([&](unsigned lane) { warp.convergence[barrier][lane] &= ~gone.bits(); });
}

/// From an exclusive or collective WARPSYNC each mask's lanes go on by themselves, a collective's at one place. Groups from `first` on
/// have just been let go.
void leave_apart(Warp& warp, const Group& from, LaneMask lanes, std::size_t first) {
  const bool collective = from.number == static_cast<std::uint8_t>(isa::WarpSyncKind::kCollective);
  while (lanes.any()) {
    const std::uint32_t members = warp.members[lanes.lowest()];
    LaneMask same;
    lanes.for_each([&](unsigned lane) {
      if (warp.members[lane] == members) same |= LaneMask(1u << lane);
    });
    lanes = LaneMask::difference(lanes, same);
    const auto partner = std::find_if(
        warp.groups.begin() + static_cast<std::ptrdiff_t>(first), warp.groups.end(), [&](const Group& group) {
          return collective && group.apart && warp.members[group.lanes.lowest()] == members;
        });
    if (partner != warp.groups.end()) {
      partner->lanes |= same;
      continue;
    }
    warp.groups.push_back(from.some(Pc{from.pc.value() + 1}, same));
    warp.groups.back().apart = true;
  }
}

/// `leaving`: by group.
LaneMask let_go(Warp& warp, const std::vector<LaneMask>& leaving) {
  LaneMask all;
  const std::size_t count = warp.groups.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (leaving[i].none()) continue;
    all |= leaving[i];
    const Group group = warp.groups[i];
    warp.groups[i].lanes = LaneMask::difference(group.lanes, leaving[i]);
    if (group.state == State::kAtConvergence) forget(warp, group.number, leaving[i]);
    if (group.state == State::kAtWarpSync && group.number != 0)
      leave_apart(warp, group, leaving[i], count);
    else
      warp.groups.push_back(group.some(Pc{group.pc.value() + 1}, leaving[i]));
  }
  std::erase_if(warp.groups, [](const Group& group) { return group.lanes.none(); });
  return all;
}

}  // namespace

void begin_region(Warp& warp, unsigned barrier, LaneMask lanes) {
  lanes.for_each([&](unsigned lane) { warp.convergence[barrier][lane] = lanes.bits(); });
}

void leave_region(Warp& warp, unsigned barrier, LaneMask lanes) {
  auto& regions = warp.convergence[barrier];
  const auto before = regions;
  for (std::uint32_t& region : regions) {
    bool same = false;
    lanes.for_each([&](unsigned lane) { same = same || before[lane] == region; });
    if (same) region &= ~lanes.bits();
  }
}

void stop_waiting_for(Warp& warp, LaneMask lanes) {
  for (const Group& group : warp.groups) {
    if (group.state != State::kAtConvergence) continue;
    auto& regions = warp.convergence[group.number];
    group.lanes.for_each([&](unsigned waiting) {
      if ((LaneMask(regions[waiting]) & lanes).none()) return;
      regions[waiting] &= ~lanes.bits();
      lanes.for_each([&](unsigned lane) { regions[lane] &= ~(1u << waiting); });
    });
  }
}

LaneMask release_complete(Warp& warp) {
  // All are looked at before any leaves: they are complete through each other.
  std::vector<LaneMask> leaving;
  for (const Group& group : warp.groups)
    leaving.push_back(group.state == State::kAtConvergence || group.state == State::kAtWarpSync
                          ? complete(warp, group)
                          : LaneMask{});
  return let_go(warp, leaving);
}

LaneMask release_all(Warp& warp) {
  std::vector<LaneMask> leaving;
  for (const Group& group : warp.groups)
    leaving.push_back(group.state == State::kAtConvergence ? group.lanes : LaneMask{});
  return let_go(warp, leaving);
}

}  // namespace heddle::functional
