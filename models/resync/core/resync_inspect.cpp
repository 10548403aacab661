// What the mechanism shows: the PCs of its lanes, who runs, what the others wait for, and a digest of that.
#include <nlohmann/json.hpp>

#include "resync/core/resync_control.h"
#include "resync/groups_by_pc.h"

namespace heddle::resync {

using base::kNoPc;
using base::LaneMask;
using base::Pc;
using simt::Suspension;

void ResyncControl::inspect(Request& request) const {
  const Warp& warp = warps_[request.warp.value()];
  if (request.table != nullptr) inspect_table(request, warp);
  inspect_lanes(request, warp);
  request.digest = digest_of(warp);
}

std::uint64_t ResyncControl::pc_of(base::WarpId id, const Warp& warp, unsigned lane) const {
  // Sequential flow is not reported, so the core knows where the running lanes are.
  const bool runs = warp.shown == Shown::kRuns && (warp.running & bit(lane)) != 0;
  return runs ? ports_.next_pc(base::GroupId{id.value()}).value() : warp.views.pc[lane];
}

void ResyncControl::inspect_table(Request& request, const Warp& warp) const {
  auto& table = *request.table = nlohmann::ordered_json::object();
  auto& rows = table["groups"] = nlohmann::ordered_json::array();
  ThreadMask rest = warp.views.live | warp.blocked;
  while (rest != 0) {
    const unsigned first = lowest(rest);
    const ThreadMask kind = (warp.running & bit(first)) != 0   ? warp.running
                            : (warp.blocked & bit(first)) != 0 ? warp.blocked
                                                               : warp.views.live & ~warp.running;
    ThreadMask same = 0;
    for_each_thread(rest & kind, [&](unsigned lane) {
      if (warp.views.pc[lane] == warp.views.pc[first] && warp.views.level[lane] == warp.views.level[first])
        same |= bit(lane);
    });
    rest &= ~same;
    rows.push_back({{"pc", pc_of(request.warp, warp, first)},
                    {"level", warp.views.level[first]},
                    {"mask", LaneMask(static_cast<std::uint32_t>(same)).to_string()},
                    {"state", (warp.running & bit(first)) != 0   ? "runs"
                              : (warp.blocked & bit(first)) != 0 ? "blocked"
                                                                 : "waits"}});
  }
}

bool ResyncControl::starved(const Warp& warp, ThreadMask lanes) const {
  // Histories have forgotten everything but the lanes that run: the longest published one holds 128 blocks.
  constexpr std::uint64_t kLong = 1024;
  bool all = true;
  for_each_thread(lanes, [&](unsigned lane) { all &= warp.events - warp.served[lane] >= kLong; });
  return all;
}

simt::SuspendedLanes ResyncControl::suspended(const Warp& warp, ThreadMask lanes, Pc at) const {
  using Order = PolicyTraits::Order;
  simt::SuspendedLanes result{LaneMask(static_cast<std::uint32_t>(lanes)), at, Suspension::kPriority, {}};
  if (config_.aging_selections != 0) {
    result.why = Suspension::kTurn;
    return result;
  }
  result.passed_over = starved(warp, lanes);
  result.until_blocked = true;
  result.until = {at};
  result.hint =
      "set core.control_flow.resync.aging_selections=16: lanes that have not been served for so many "
      "selections are "
      "served next";
  const std::uint32_t level = warp.views.level[lowest(lanes)];
  const std::uint64_t depth = warp.views.depth[lowest(lanes)];
  bool deeper = false, shallower = false;
  for_each_thread(warp.running, [&](unsigned lane) {
    const std::uint32_t other = warp.views.level[lane];
    deeper |= other > level || (other == level && warp.views.depth[lane] != depth);
    shallower |= other < level;
  });
  switch (traits_.order) {
    case Order::kLeastPc:
      result.until_behind = true;
      break;
    case Order::kMostFirst:
      // Lanes in deeper functions go first until they return; at one level as with the least PC.
      result.until.push_back(kNoPc);
      result.until_behind = !deeper;
      break;
    case Order::kFewestFirst:
      // Calls of the running lanes let them run: any instruction may be one, so they are as if they had a turn.
      result.until.clear();
      break;
    case Order::kFrontier:
      result.until.push_back(kNoPc);
      if (facts_ != nullptr)
        for (const std::uint32_t pc : boundaries_)
          if (priority_[pc] <= warp.views.priority[lowest(lanes)]) result.until.emplace_back(pc);
      break;
    case Order::kTurns:
      result.until.clear();
      break;
  }
  // Under MinPC the level does not matter.
  const bool waits = traits_.waits_at_post_dominators;
  if (shallower && (waits || traits_.order != Order::kLeastPc)) result.until.clear();
  // What else can be said of histories, turns and post-dominators is how long lanes have not been served.
  if ((result.until.empty() || waits || traits_.order == Order::kFrontier) && result.passed_over) {
    result.until = {at, kNoPc};
    result.until_behind = false;
    return result;
  }
  if (result.until.empty()) result.why = Suspension::kTurn;
  if (waits && facts_ != nullptr && !result.until.empty())
    for (const Pc pc : facts_->post_dominators) result.until.push_back(pc);
  return result;
}

void ResyncControl::inspect_lanes(Request& request, const Warp& warp) const {
  const ThreadMask ready = warp.views.live;
  const auto pc_at = [&](unsigned lane) {
    return Pc{static_cast<std::uint32_t>(pc_of(request.warp, warp, lane))};
  };
  if (request.runnable != nullptr && warp.running != 0)
    request.runnable->push_back(
        {pc_at(lowest(warp.running)), LaneMask(static_cast<std::uint32_t>(warp.running))});
  const PcGroups waiting(warp.views, ready & ~warp.running);
  for (unsigned i = 0; i < waiting.count; ++i) {
    const auto& group = waiting.group[i];
    // Lanes of one PC may be at different levels.
    for (ThreadMask rest = group.mask; rest != 0;) {
      ThreadMask same = 0;
      for_each_thread(rest, [&](unsigned lane) {
        if (warp.views.level[lane] == warp.views.level[lowest(rest)]) same |= bit(lane);
      });
      rest &= ~same;
      const Pc at{static_cast<std::uint32_t>(group.pc)};
      const simt::SuspendedLanes lanes = suspended(warp, same, at);
      if (request.suspended != nullptr) request.suspended->push_back(lanes);
      if (request.runnable != nullptr && lanes.until.empty())
        request.runnable->push_back({at, LaneMask(static_cast<std::uint32_t>(same))});
    }
  }
  if (request.suspended == nullptr) return;
  const PcGroups blocked(warp.views, warp.blocked);
  for (unsigned i = 0; i < blocked.count; ++i)
    request.suspended->push_back({LaneMask(static_cast<std::uint32_t>(blocked.group[i].mask)),
                                  Pc{static_cast<std::uint32_t>(blocked.group[i].pc)}, Suspension::kBarrier});
}

std::uint64_t ResyncControl::digest_of(const Warp& warp) const {
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull;
    digest ^= digest >> 32;
  };
  const ThreadMask waiting = warp.views.live & ~warp.running;
  mix(warp.running);
  mix(warp.blocked);
  mix(waiting);
  for_each_thread(waiting | warp.blocked, [&](unsigned lane) { mix(warp.views.pc[lane]); });
  for_each_thread(warp.views.live | warp.blocked, [&](unsigned lane) { mix(warp.views.level[lane]); });
  // A rule against starvation lets waiting lanes run sooner or later.
  if (config_.aging_selections != 0 && waiting != 0) mix(warp.events);
  return digest;
}

}  // namespace heddle::resync
