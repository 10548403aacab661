#include "hang/hang_proof.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "hang/lane_classes.h"

namespace heddle::hang {
namespace {

constexpr unsigned kBarriers = 16;
/// Rounds after which an exploration is abandoned; sets of values normally converge in few rounds each.
constexpr unsigned kMostRounds = 64;

}  // namespace

/// State of one exploration.
struct HangProof::Work {
  Work(const Snapshot& snapshot, ValueTable& values, const LaneExplorer& explorer, const WhatIf& question)
      : what_if(question), memory(snapshot, values), classes(explorer) {}
  const WhatIf& what_if;
  AbstractMemory memory;
  LaneClasses classes;
  Exploration result;
  std::vector<std::uint32_t> ctas, warps;  ///< whose lanes take part, ascending
  std::vector<LaneRef> active;             ///< in the order of exploration
  std::vector<LaneMask> due;               ///< by warp: lanes to be explored (again)
  bool any_due = false;
  std::vector<std::uint32_t> released_held;       ///< by warp: bit per group of held lanes
  std::vector<std::uint32_t> released_waiting;    ///< by warp: bit per group of waiting lanes
  std::vector<std::array<bool, kBarriers>> open;  ///< by CTA
  std::vector<LaneMask> meeting;                  ///< by warp: lanes that may come to a .sync instruction
  std::uint64_t steps_before = 0;

  void is_due(const LaneRef& ref) {
    due[ref.warp] |= LaneMask(1u << ref.lane);
    any_due = true;
  }
};

HangProof::HangProof(const Snapshot& snapshot)
    : snapshot_(snapshot), explorer_(snapshot, values_), warps_of_cta_(snapshot.ctas.size()) {
  for (std::uint32_t w = 0; w < snapshot.warps.size(); ++w) warps_of_cta_[snapshot.warps[w].cta].push_back(w);
  // Returning lanes are no longer waited for within their function. Convergence barriers know nothing of functions.
  for (std::uint32_t pc = 0; pc < snapshot.kernel->code.size() && !snapshot.serves_convergence; ++pc)
    if (snapshot.kernel->code[pc].op == isa::Opcode::kReturn) returns_.push_back(pc);
  order_ctas();
}

/// In turns one with starved lanes, one with lanes that are held back, one with lanes that wait, one with none of these.
void HangProof::order_ctas() {
  std::array<std::vector<std::uint32_t>, 4> kinds;
  for (std::uint32_t cta = 0; cta < warps_of_cta_.size(); ++cta) {
    const auto has = [&](auto what) {
      return std::ranges::any_of(warps_of_cta_[cta],
                                 [&](std::uint32_t warp) { return what(snapshot_.warps[warp]); });
    };
    const bool starved =
        has([](const WarpState& warp) { return std::ranges::any_of(warp.running, &RunningLanes::starved); });
    const bool held = has([](const WarpState& warp) { return !warp.held.empty(); });
    const bool waiting = has([](const WarpState& warp) { return !warp.waiting.empty(); });
    kinds[starved ? 0 : held ? 1 : waiting ? 2 : 3].push_back(cta);
  }
  for (const auto& kind : kinds) kinds_ += kind.empty() ? 0 : 1;
  for (std::size_t i = 0; ctas_.size() < warps_of_cta_.size(); ++i)
    for (const auto& kind : kinds)
      if (i < kind.size()) ctas_.push_back(kind[i]);
}

void HangProof::activate(Work& work, std::uint32_t warp, LaneMask lanes, Pc at) const {
  lanes.for_each([&](unsigned lane) {
    Exploration::Lane& entry = work.result.lanes[warp][lane];
    if (entry.active) return;
    entry.active = true;
    entry.start = at;
    work.active.push_back({warp, lane});
    work.is_due({warp, lane});
  });
}

void HangProof::start(Work& work) const {
  const std::size_t warps = snapshot_.warps.size();
  work.result.lanes.resize(warps);
  work.due.assign(warps, LaneMask{});
  work.released_held.assign(warps, 0);
  work.released_waiting.assign(warps, 0);
  work.meeting.assign(warps, LaneMask{});
  work.open.assign(snapshot_.ctas.size(), {});
  const std::size_t ctas = work.what_if.ctas == 0 ? ctas_.size() : std::min(work.what_if.ctas, ctas_.size());
  work.ctas.assign(ctas_.begin(), ctas_.begin() + static_cast<std::ptrdiff_t>(ctas));
  std::sort(work.ctas.begin(), work.ctas.end());
  for (const std::uint32_t cta : work.ctas)
    work.warps.insert(work.warps.end(), warps_of_cta_[cta].begin(), warps_of_cta_[cta].end());
  std::sort(work.warps.begin(), work.warps.end());
  for (const std::uint32_t w : work.warps)
    for (const RunningLanes& running : snapshot_.warps[w].running) {
      if (running.repeated && work.what_if.skip_repeated) continue;
      if (running.starved) {
        if (!work.what_if.starved_lanes_run) continue;
        running.lanes.for_each([&](unsigned lane) { work.result.lanes[w][lane].let_go = true; });
      }
      activate(work, w, running.lanes, running.loop);
    }
  if (!first_) return;
  std::stable_partition(work.active.begin(), work.active.end(),
                        [&](const LaneRef& ref) { return snapshot_.warps[ref.warp].linear_warp == *first_; });
}

bool HangProof::may_pass(const Work& work, const LaneRef& ref, const Arrival& arrival) {
  if (work.what_if.waiting_lanes_run) return true;
  const WarpState& warp = snapshot_.warps[ref.warp];
  // The point where the lane was seen may precede a barrier that has opened since.
  if (warp.passed) return true;
  if (arrival.meets) {
    if (arrival.members == kAnyValue) return true;
    const LaneMask there = work.meeting[ref.warp];
    for (const std::uint64_t members : values_.of(arrival.members)) {
      const LaneMask named = LaneMask(static_cast<std::uint32_t>(members)) & warp.live;
      if (there.contains(LaneMask::difference(named, LaneMask(1u << ref.lane)))) return true;
    }
    return false;
  }
  if (arrival.barrier == kAnyValue) return true;
  for (const std::uint64_t barrier : values_.of(arrival.barrier))
    if (barrier >= kBarriers || work.open[warp.cta][barrier]) return true;
  return false;
}

void HangProof::explore_lanes(Work& work) {
  work.any_due = false;
  // By index: only activate() adds lanes, and it is not called here.
  for (const LaneRef ref : work.active) {
    if (!work.due[ref.warp].test(ref.lane)) continue;
    if (explorer_.steps() - work.steps_before > work.what_if.most_steps) {
      work.result.cut = true;
      return;
    }
    work.due[ref.warp] = LaneMask::difference(work.due[ref.warp], LaneMask(1u << ref.lane));
    Exploration::Lane& entry = work.result.lanes[ref.warp][ref.lane];
    const WarpState& warp = snapshot_.warps[ref.warp];
    const Gate gate = [&](const Arrival& arrival) { return may_pass(work, ref, arrival); };
    entry.found = work.classes.find(warp, ref.lane, entry.start, work.memory, gate);
    if (!entry.found) {
      LaneInputs inputs;
      entry.found = std::make_shared<const LaneOutcome>(
          explorer_.explore(warp, ref.lane, entry.start, work.memory, gate, !work.what_if.stop_at_first,
                            work.what_if.try_harder, &inputs));
      work.classes.add(warp, ref.lane, entry.start, std::move(inputs), entry.found);
    }
    if (entry.outcome().leaves && work.what_if.stop_at_first) {
      work.result.leaving.push_back(ref);
      return;
    }
    if (work.what_if.enough && work.what_if.enough(work.result, ref)) {
      work.result.enough = true;
      return;
    }
  }
}

/// Lanes that read changed words are due.
void HangProof::explore_again(Work& work) const {
  const std::set<Word>& changed = work.memory.changed();
  std::unordered_map<const LaneOutcome*, bool> known;
  for (const LaneRef& ref : work.active) {
    const LaneOutcome& outcome = work.result.lanes[ref.warp][ref.lane].outcome();
    const auto [entry, is_new] = known.try_emplace(&outcome, false);
    if (is_new)
      entry->second = std::ranges::any_of(outcome.reads, [&](const Word& w) { return changed.contains(w); });
    if (entry->second) work.is_due(ref);
  }
}

bool HangProof::comes_to_any(const Work& work, std::uint32_t warp, const SuspendedLanes& held) const {
  const auto& code = snapshot_.kernel->code;
  for (const Exploration::Lane& entry : work.result.lanes[warp]) {
    if (!entry.active) continue;
    if (entry.outcome().leaves || (held.until_blocked && !entry.outcome().arrivals.empty())) return true;
    for (const Pc pc : held.until)
      if (pc != kNoPc && entry.outcome().comes_to(pc)) return true;
    if (held.until_behind)
      for (std::uint32_t i = held.at.value() + 1; i < code.size(); ++i)
        if (entry.outcome().comes_to(Pc{i})) return true;
    for (const std::uint32_t pc : returns_)
      if (entry.outcome().comes_to(Pc{pc})) return true;
  }
  return false;
}

bool HangProof::released(const Work& work, std::uint32_t warp, const SuspendedLanes& held) const {
  if (!held.until_cta) return comes_to_any(work, warp, held);
  const auto& warps = warps_of_cta_[snapshot_.warps[warp].cta];
  return std::any_of(warps.begin(), warps.end(),
                     [&](std::uint32_t other) { return comes_to_any(work, other, held); });
}

bool HangProof::let_held_go(Work& work, std::uint32_t warp) {
  bool changed = false;
  const auto& groups = snapshot_.warps[warp].held;
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    if ((work.released_held[warp] >> i & 1u) != 0) continue;
    const SuspendedLanes& held = groups[i];
    if (!held.until.empty() && !work.what_if.held_lanes_run && !released(work, warp, held)) continue;
    work.released_held[warp] |= 1u << i;
    changed = true;
    held.mask.for_each([&](unsigned lane) { work.result.lanes[warp][lane].let_go = true; });
    activate(work, warp, held.mask, held.at);
  }
  return changed;
}

bool HangProof::open_barrier(Work& work, std::uint32_t cta, std::uint32_t barrier) {
  const CtaState& state = snapshot_.ctas[cta];
  std::uint64_t threads = state.arrived[barrier];
  std::uint64_t expected = threads != 0 ? state.expected[barrier] : ~std::uint64_t{0};
  bool anybody = threads != 0;
  for (const std::uint32_t w : warps_of_cta_[cta]) {
    const WarpState& warp = snapshot_.warps[w];
    std::uint32_t lanes = 0;
    bool counted = false;  // an explicit count is in whole warps
    warp.live.for_each([&](unsigned lane) {
      const Exploration::Lane& entry = work.result.lanes[w][lane];
      if (!entry.active) return;
      bool arrives = entry.outcome().leaves;  // lanes that exit are not waited for
      for (const Arrival& arrival : entry.outcome().arrivals) {
        if (arrival.meets || !values_.contains(arrival.barrier, barrier)) continue;
        arrives = true;
        if (!arrival.waits || arrival.barrier == kAnyValue || arrival.count == kAnyValue) {
          expected = 0;  // the number of arrivals is not tracked
          continue;
        }
        const std::uint64_t names = values_.of(arrival.count).front();
        counted = counted || names != 0;
        const std::uint64_t wants = names == 0 ? state.expected[barrier] : names;
        if (state.arrived[barrier] == 0) expected = std::min(expected, wants);
      }
      lanes += arrives ? 1 : 0;
    });
    anybody = anybody || lanes != 0;
    if (lanes == 0) continue;
    // Without the control-flow mechanism lanes would arrive one by one.
    const bool whole = work.what_if.held_lanes_run ? lanes == warp.live.count() : lanes != 0;
    threads += (counted || snapshot_.barriers_count_warps) && whole ? kLanes : lanes;
  }
  return anybody && threads >= expected;
}

bool HangProof::open_barriers(Work& work) {
  bool changed = false;
  for (const std::uint32_t cta : work.ctas)
    for (std::uint32_t barrier = 0; barrier < kBarriers; ++barrier) {
      if (work.open[cta][barrier]) continue;
      if (!work.what_if.waiting_lanes_run && !open_barrier(work, cta, barrier)) continue;
      work.open[cta][barrier] = true;
      changed = true;
      // Lanes that stopped there continue.
      for (const std::uint32_t w : warps_of_cta_[cta])
        for (unsigned lane = 0; lane < kLanes; ++lane)
          if (work.result.lanes[w][lane].active && !work.result.lanes[w][lane].outcome().arrivals.empty())
            work.is_due({w, lane});
    }
  return changed;
}

bool HangProof::let_waiting_go(Work& work, std::uint32_t warp) {
  bool changed = false;
  LaneMask meeting;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Exploration::Lane& entry = work.result.lanes[warp][lane];
    if (!entry.active) continue;
    for (const Arrival& arrival : entry.outcome().arrivals)
      if (arrival.meets) meeting |= LaneMask(1u << lane);
  }
  const LaneMask runs = meeting;
  const auto& groups = snapshot_.warps[warp].waiting;
  for (const WaitingLanes& waiting : groups)
    if (waiting.meets) meeting |= waiting.lanes;
  if (meeting != work.meeting[warp]) {
    work.meeting[warp] = meeting;
    changed = runs.any();
    runs.for_each([&](unsigned lane) { work.is_due({warp, lane}); });
  }
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    if ((work.released_waiting[warp] >> i & 1u) != 0) continue;
    const WaitingLanes& waiting = groups[i];
    const bool goes = work.what_if.waiting_lanes_run ||
                      (waiting.meets ? runs.any() : work.open[snapshot_.warps[warp].cta][waiting.barrier]);
    if (!goes) continue;
    work.released_waiting[warp] |= 1u << i;
    changed = true;
    waiting.lanes.for_each([&](unsigned lane) { work.result.lanes[warp][lane].let_go = true; });
    activate(work, warp, waiting.lanes, waiting.at);
  }
  return changed;
}

bool HangProof::let_go(Work& work) {
  bool changed = open_barriers(work);
  for (const std::uint32_t w : work.warps) {
    changed = let_held_go(work, w) || changed;
    changed = let_waiting_go(work, w) || changed;
  }
  return changed;
}

Exploration HangProof::explore(const WhatIf& what_if) {
  Work work(snapshot_, values_, explorer_, what_if);
  // Lanes in no group are in transit through the control-flow mechanism's tables.
  for (const WarpState& warp : snapshot_.warps) {
    LaneMask somewhere;
    for (const RunningLanes& running : warp.running) somewhere |= running.lanes;
    for (const SuspendedLanes& held : warp.held) somewhere |= held.mask;
    for (const WaitingLanes& waiting : warp.waiting) somewhere |= waiting.lanes;
    if (!somewhere.contains(warp.live)) return {};
  }
  work.steps_before = explorer_.steps();
  start(work);
  for (unsigned round = 0; round < kMostRounds; ++round) {
    explore_lanes(work);
    if (!work.result.leaving.empty()) return std::move(work.result);
    if (work.result.cut || work.result.enough) break;
    const bool released = let_go(work);
    if (work.memory.next_round()) explore_again(work);
    if (!released && !work.any_due) {
      work.result.complete = true;
      break;
    }
  }
  for (const LaneRef& ref : work.active)
    if (work.result.lanes[ref.warp][ref.lane].outcome().leaves) work.result.leaving.push_back(ref);
  work.result.changed = work.memory.changed();
  return std::move(work.result);
}

bool HangProof::frees(const LaneRef& ref, const std::vector<Word>& words) {
  const WarpState& warp = snapshot_.warps[ref.warp];
  const auto running = std::ranges::find_if(
      warp.running, [&](const RunningLanes& group) { return group.lanes.test(ref.lane); });
  if (running == warp.running.end()) return false;
  AbstractMemory memory(snapshot_, values_);
  for (const Word& word : words) memory.forget(word);
  for (unsigned round = 0; round < kMostRounds; ++round) {
    const LaneOutcome outcome = explorer_.explore(
        warp, ref.lane, running->loop, memory, [](const Arrival&) { return true; }, /*to_the_end=*/false,
        /*try_harder=*/false);
    if (outcome.leaves) return true;
    if (!memory.next_round()) return false;
  }
  return false;
}

}  // namespace heddle::hang
