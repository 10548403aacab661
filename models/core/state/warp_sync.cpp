#include "core/state/warp_sync.h"

#include <algorithm>
#include <utility>

namespace heddle::core {
namespace {

/// Those of `lanes` whose member mask is `mask`.
LaneMask naming(std::uint32_t mask, LaneMask lanes, const std::array<std::uint32_t, kLanes>& members) {
  std::uint32_t same = 0;
  lanes.for_each([&](unsigned lane) {
    if (members[lane] == mask) same |= 1u << lane;
  });
  return LaneMask(same);
}

}  // namespace

bool WarpSync::all_here(LaneMask lanes, LaneMask live, const std::array<std::uint32_t, kLanes>& members) {
  while (lanes.any()) {
    const std::uint32_t mask = members[lanes.lowest()];
    const LaneMask same = naming(mask, lanes, members);
    if (LaneMask::difference(LaneMask(mask) & live, same).any()) return false;
    lanes = LaneMask::difference(lanes, same);
  }
  return true;
}

void WarpSync::arrive(WarpId id, const Split& split, LaneMask arriving,
                      const std::array<std::uint32_t, kLanes>& members) {
  Warp& warp = warps_[id.value()];
  warp.splits.push_back(split);
  warp.lanes |= arriving;
  arriving.for_each([&](unsigned lane) {
    warp.pc[lane] = split.pc;
    warp.operation[lane] = split.operation;
    warp.members[lane] = members[lane];
  });
}

LaneMask WarpSync::alike(const Warp& warp, unsigned lane) {
  std::uint32_t lanes = 0;
  warp.lanes.for_each([&](unsigned other) {
    if (warp.operation[other] == warp.operation[lane] && warp.members[other] == warp.members[lane])
      lanes |= 1u << other;
  });
  return LaneMask(lanes);
}

std::vector<WarpSync::Place> WarpSync::places_of(const Warp& warp, LaneMask lanes) {
  std::vector<Place> places;
  lanes.for_each([&](unsigned lane) {
    const auto known = std::find_if(places.begin(), places.end(),
                                    [&](const Place& place) { return place.pc == warp.pc[lane]; });
    Place& place = known == places.end() ? places.emplace_back(Place{warp.pc[lane], {}}) : *known;
    place.lanes |= LaneMask(1u << lane);
  });
  return places;
}

const std::vector<WarpSync::Meeting>& WarpSync::complete(WarpId id, LaneMask live) {
  Warp& warp = warps_[id.value()];
  warp.postponed = false;
  complete_.clear();
  LaneMask unseen = warp.lanes;
  while (unseen.any()) {
    const unsigned lane = unseen.lowest();
    const LaneMask lanes = alike(warp, lane);
    unseen = LaneMask::difference(unseen, lanes);
    if (LaneMask::difference(LaneMask(warp.members[lane]) & live, lanes).any()) continue;
    std::vector<Place> places = places_of(warp, lanes);
    // Lanes at one place whose masks differ execute together: each looks only at those its mask names.
    const auto same_place = std::find_if(complete_.begin(), complete_.end(), [&](const Meeting& m) {
      return m.places.size() == 1 && places.size() == 1 && m.places.front().pc == places.front().pc;
    });
    if (same_place == complete_.end()) {
      complete_.push_back({std::move(places), lanes});
    } else {
      same_place->lanes |= lanes;
      same_place->places.front().lanes |= lanes;
    }
  }
  return complete_;
}

void WarpSync::met(WarpId id, LaneMask lanes) {
  Warp& warp = warps_[id.value()];
  warp.lanes = LaneMask::difference(warp.lanes, lanes);
}

bool WarpSync::take_finished(WarpId id, Split& split) {
  Warp& warp = warps_[id.value()];
  const auto finished = std::find_if(warp.splits.begin(), warp.splits.end(),
                                     [&](const Split& each) { return (each.lanes & warp.lanes).none(); });
  if (finished == warp.splits.end()) return false;
  split = *finished;
  warp.splits.erase(finished);
  return true;
}

bool WarpSync::take_met(WarpId id, Split& split) {
  Warp& warp = warps_[id.value()];
  for (auto each = warp.splits.begin(); each != warp.splits.end(); ++each) {
    const LaneMask met = LaneMask::difference(each->lanes, warp.lanes);
    if (met.none()) continue;
    split = *each;
    split.lanes = met;
    each->lanes = LaneMask::difference(each->lanes, met);
    if (each->lanes.none()) warp.splits.erase(each);
    return true;
  }
  return false;
}

LaneMask WarpSync::missing(WarpId id, LaneMask lanes, LaneMask live) const {
  const Warp& warp = warps_[id.value()];
  LaneMask result;
  (lanes & warp.lanes).for_each([&](unsigned lane) {
    result |= LaneMask::difference(LaneMask(warp.members[lane]) & live, alike(warp, lane));
  });
  return result;
}

LaneMask WarpSync::waiting(WarpId id) const {
  LaneMask result;
  for (const Split& split : warps_[id.value()].splits) result |= split.lanes;
  return result;
}

std::vector<std::uint32_t> WarpSync::members(WarpId id, LaneMask lanes) const {
  const Warp& warp = warps_[id.value()];
  std::vector<std::uint32_t> masks;
  (lanes & warp.lanes).for_each([&](unsigned lane) {
    if (std::find(masks.begin(), masks.end(), warp.members[lane]) == masks.end())
      masks.push_back(warp.members[lane]);
  });
  return masks;
}

}  // namespace heddle::core
