#include "min_pc.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace own {

using simt::ControlFlowRequest;
using simt::GroupChange;
using simt::GroupId;
using simt::Transfer;

void MinPcConfig::visit(base::ConfigVisitor& v) {
  v.field("deepest_first", deepest_first,
          {.doc = "lanes that are deepest in calls go first (MinSP-PC); false: the least PC alone decides"});
}

simt::Mechanism min_pc_mechanism() {
  return {"min_pc",
          "the lanes with the least PC run",
          {base::ConfigOption::section<MinPcConfig>("min_pc", "mechanism min_pc")},
          {},
          [](const simt::MechanismSite& site) { return std::make_unique<MinPc>(site); },
          [](const simt::ControlFlowConfig&) {
            constexpr std::uint64_t kPcBits = 32, kDepthBits = 8;
            return simt::Traits{
                .runs_lanes_apart =
                    true,  // lanes of a warp do not wait for each other, so barriers count threads
                .table_bits =
                    base::kLanes * (kPcBits + kDepthBits + 1),  // a PC, a depth and "blocked" for each lane
                .reconvergence = simt::ReconvergenceUse::kNone};
          }};
}

MinPc::MinPc(const simt::MechanismSite& site)
    : warps_(site.warps), ports_(site.ports), deepest_first_(site.config.get<MinPcConfig>().deepest_first) {}

void MinPc::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "branches whose lanes went to more than one place", &divergences_);
  stats.counter("merges", "events", "lanes that came to a PC where others of their warp waited", &merges_);
}

void MinPc::move(Warp& warp, LaneMask lanes, Pc pc) {
  lanes.for_each([&](unsigned lane) { warp.pc[lane] = pc; });
}

void MinPc::launch(ControlFlowRequest& request) {
  Warp& warp = warp_of(request);
  warp.live = warp.running = request.mask;
  warp.blocked = {};
  warp.depth.fill(0);
  move(warp, request.mask, request.next);
  select(request, true);
}

void MinPc::advance(ControlFlowRequest& request) {
  Warp& warp = warp_of(request);
  move(warp, warp.running, request.next);
  select(request, true);
}

void MinPc::transfer(ControlFlowRequest& request) {
  Warp& warp = warp_of(request);
  const LaneMask taken = warp.running & request.taken;
  move(warp, warp.running, request.next);
  taken.for_each([&](unsigned lane) {
    warp.pc[lane] = request.lane_target == nullptr ? request.target : request.lane_target[lane];
    if (request.transfer == Transfer::kCall)
      request.call_depth = std::max(request.call_depth, ++warp.depth[lane]);
    if (request.transfer == Transfer::kReturn) --warp.depth[lane];
  });
  if (request.transfer == Transfer::kJump) ++branches_;
  const LaneMask first = together(warp, warp.running.lowest(), warp.running);
  request.diverged = request.transfer != Transfer::kReturn && first != warp.running;
  if (request.diverged) ++divergences_;
  select(request, true);
}

void MinPc::exit(ControlFlowRequest& request) {
  Warp& warp = warp_of(request);
  move(warp, warp.running, request.next);
  warp.live = LaneMask::difference(warp.live, request.mask);
  warp.running = LaneMask::difference(warp.running, request.mask);
  select(request, true);
}

void MinPc::barrier_arrive(ControlFlowRequest& request) {
  Warp& warp = warp_of(request);
  move(warp, warp.running, request.next);
  warp.blocked |= warp.running;
  select(request, true);
}

void MinPc::barrier_release(ControlFlowRequest& request) {
  Warp& warp = warp_of(request);
  // Running lanes may have advanced since the last event.
  if (warp.shown == Shown::kRuns) move(warp, warp.running, ports_.next_pc(GroupId{request.warp.value()}));
  warp.blocked = LaneMask::difference(warp.blocked, request.mask);
  select(request, false);
}

bool MinPc::before(const Warp& warp, unsigned left, unsigned right) const {
  if (deepest_first_ && warp.depth[left] != warp.depth[right]) return warp.depth[left] > warp.depth[right];
  return warp.pc[left] < warp.pc[right];
}

LaneMask MinPc::together(const Warp& warp, unsigned lane, LaneMask among) {
  LaneMask same;
  among.for_each([&](unsigned other) {
    if (warp.pc[other] == warp.pc[lane] && warp.depth[other] == warp.depth[lane])
      same |= LaneMask(1u << other);
  });
  return same;
}

void MinPc::select(const ControlFlowRequest& request, bool moved) {
  Warp& warp = warp_of(request);
  const GroupId group{request.warp.value()};
  const LaneMask before_it = warp.running;
  const LaneMask ready = LaneMask::difference(warp.live, warp.blocked);
  if (ready.none()) {
    const Shown shown = warp.live.none() ? Shown::kAbsent : Shown::kBlocked;
    warp.running = {};
    if (shown == warp.shown) return;
    warp.shown = shown;
    if (shown == Shown::kAbsent)
      answer({group, GroupChange::kVanished});
    else
      answer({group, GroupChange::kBlocked, warp.pc[warp.live.lowest()], simt::kNoPc, warp.live});
    return;
  }
  unsigned chosen = ready.lowest();
  ready.for_each([&](unsigned lane) {
    if (before(warp, lane, chosen)) chosen = lane;
  });
  warp.running = together(warp, chosen, ready);
  // Others of the same depth that wait at a later PC join when these reach it.
  Pc watch = simt::kNoPc;
  ready.for_each([&](unsigned lane) {
    const Pc at = warp.pc[lane];
    if (warp.depth[lane] == warp.depth[chosen] && at > warp.pc[chosen] &&
        (watch == simt::kNoPc || at < watch))
      watch = at;
  });
  if ((warp.running & before_it).any() && LaneMask::difference(warp.running, before_it).any()) ++merges_;
  const bool same = !moved && warp.shown == Shown::kRuns && warp.running == before_it && watch == warp.watch;
  warp.watch = watch;
  if (same) return;
  answer({group, warp.shown == Shown::kBlocked ? GroupChange::kSchedulable : GroupChange::kMoved,
          warp.pc[chosen], watch, warp.running});
  warp.shown = Shown::kRuns;
}

void MinPc::inspect(ControlFlowRequest& request) const {
  const Warp& warp = warps_[request.warp.value()];
  if (request.table != nullptr) *request.table = nlohmann::ordered_json::array();
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull;
    digest ^= digest >> 32;
  };
  for (LaneMask rest = warp.live; rest.any();) {
    const unsigned lane = rest.lowest();
    const bool blocked = warp.blocked.test(lane), runs = warp.running.test(lane);
    LaneMask kind = blocked ? warp.blocked : LaneMask::difference(warp.live, warp.blocked);
    kind = runs ? warp.running : LaneMask::difference(kind, warp.running);
    const LaneMask lanes = together(warp, lane, rest & kind);
    rest = LaneMask::difference(rest, lanes);
    mix(lanes.bits());
    mix(runs ? 0 : warp.pc[lane].value() + 1);  // the group knows the PC of the running lanes
    mix(warp.depth[lane] * 2 + (blocked ? 1 : 0));
    if (request.table != nullptr)
      request.table->push_back({{"pc", warp.pc[lane].value()},
                                {"depth", warp.depth[lane]},
                                {"mask", lanes.to_string()},
                                {"state", runs      ? "runs"
                                          : blocked ? "blocked"
                                                    : "waits"}});
    if (request.runnable != nullptr && runs) request.runnable->push_back({warp.pc[lane], lanes});
    if (request.suspended == nullptr || runs) continue;
    if (blocked) {
      request.suspended->push_back({lanes, warp.pc[lane], simt::Suspension::kBarrier});
      continue;
    }
    // Lanes that go before them run until they have passed this PC, return, end or wait. So spinning lanes
    // at a lower PC run for ever, and the watchdog must know that no turn comes by itself.
    request.suspended->push_back({.mask = lanes,
                                  .at = warp.pc[lane],
                                  .why = simt::Suspension::kPriority,
                                  .until = {warp.pc[lane]},
                                  .until_blocked = true,
                                  .until_behind = true});
  }
  request.digest = digest;
}

}  // namespace own
