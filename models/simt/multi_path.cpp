#include "simt/multi_path.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "simt/clocked_splits.h"
#include "simt/table_size.h"

namespace heddle::simt {

void MultiPathConfig::visit(base::ConfigVisitor& v) {
  v.field("paths", paths,
          {.unit = "splits",
           .doc = "splits of a warp that may be fetched and issued at a time ([MultiPath] §7.1)",
           .min = 1,
           .max = base::kLanes});
  v.field("opportunistic_reconvergence", opportunistic_reconvergence,
          {.unit = "",
           .doc = "splits that meet in a block before their reconvergence point merge ([MultiPath] §7.3)"});
  v.field("yield_on_taken_branch", yield_on_taken_branch,
          {.unit = "",
           .doc = "with more splits than paths, a split that takes a branch gives its path to a waiting "
                  "split (for aware: [AWARE:A1]). false, as published: a split keeps its path until it ends, "
                  "and spinning splits may starve the split that they wait for"});
}

namespace {

std::unique_ptr<ControlFlow> make_multi_path(const MechanismSite& site) {
  const MultiPathConfig& config = site.config.get<MultiPathConfig>();
  if (config.opportunistic_reconvergence && ClockedSplits::clocked(site.config))
    throw base::InputError(
        "core.control_flow.split_unit.timing", "the clocked branch unit has no opportunistic reconvergence",
        "Set core.control_flow.multi_path.opportunistic_reconvergence=false, or timing=ideal.");
  if (site.config.clocked_block(ClockedSplits::kBlock).impl != sim::Implementation::kModel)
    throw base::InputError(
        "core.control_flow.split_unit.impl", "the RTL of split_unit is that of aware only",
        "Set core.control_flow.split_unit.impl=model, or core.control_flow.mechanism=aware.");
  return ClockedSplits::make(site, config.paths, std::make_unique<MultiPath>(site));
}

}  // namespace

Mechanism multi_path_mechanism() {
  return {MultiPath::kName,
          "every split of a warp is fetched and issued by itself, until all that are expected have met",
          {timeout_option(),
           base::ConfigOption::section<MultiPathConfig>(MultiPath::kName, "mechanism multi_path")},
          DivergenceTables::blocks(),
          make_multi_path,
          [](const ControlFlowConfig& config) {
            return Traits{.groups_per_warp = config.get<MultiPathConfig>().paths,
                          .runs_lanes_apart = true,
                          .clocked = ClockedSplits::clocked(config),
                          .table_bits = multi_path_table_bits(),
                          .reconvergence = ReconvergenceUse::kSidesTakeTurns,
                          .timed = timed_by(config.get<TimeoutConfig>()),
                          .calls_are_frames = true};
          }};
}

MultiPath::MultiPath(const MechanismSite& site)
    : SplitControl(site, {kTableEntries,
                          {kTableEntries, TableVictim::kLeastRecent, site.config.get<TimeoutConfig>()}}),
      warps_(site.warps),
      ports_(site.ports),
      paths_(site.config.get<MultiPathConfig>().paths),
      opportunistic_(site.config.get<MultiPathConfig>().opportunistic_reconvergence),
      yields_(site.config.get<MultiPathConfig>().yield_on_taken_branch) {}

void MultiPath::register_stats(base::StatGroup& stats) {
  SplitControl::register_stats(stats);
  if (!opportunistic_) return;
  stats.counter("early_points", "entries", "splits that another one waited for on the way to the same RPC",
                &early_points_);
  stats.counter("merged_splits", "splits", "splits that joined another one at the start of the same block",
                &merged_);
}

void MultiPath::reset(WarpId id) {
  Warp& warp = warps_[id.value()];
  // Groups that the core still knows are reported.
  warp.changed = warp.shown;
  warp.used = 0;
  warp.fresh = 0;
  warp.queue.clear();
  warp.slot.fill(kNoSlot);
}

bool MultiPath::insert(WarpId warp, const Split& split) {
  Split entry = split;
  if (opportunistic_ && catch_up(warp, kNoSplit, entry)) return true;
  bool physical = false;
  const SplitId id = tables().insert(warp, entry, physical);
  Warp& state = warps_[warp.value()];
  // A branch's sides, and those whom they wait for, go before all that wait already: with one path depth first, as on a stack.
  // Where splits make room for others, each waits for its turn.
  const std::size_t place =
      yields_ ? state.queue.size() : std::min<std::size_t>(state.fresh++, state.queue.size());
  state.queue.insert(state.queue.begin() + static_cast<std::ptrdiff_t>(place), id);
  return true;
}

void MultiPath::leave_slot(Warp& warp, SplitId id) {
  std::uint8_t& slot = warp.slot[id.value()];
  warp.used &= ~(1u << slot);
  warp.changed |= 1u << slot;
  slot = kNoSlot;
}

void MultiPath::yield(WarpId id, SplitId split) {
  Warp& warp = warps_[id.value()];
  leave_slot(warp, split);
  warp.queue.push_back(split);
}

void MultiPath::removed(WarpId id, SplitId split) {
  Warp& warp = warps_[id.value()];
  if (warp.slot[split.value()] == kNoSlot)
    std::erase(warp.queue, split);
  else
    leave_slot(warp, split);
}

void MultiPath::goes_on(WarpId warp, SplitId id, Split split, bool taken) {
  if (opportunistic_ && catch_up(warp, id, split)) return;
  tables().write(warp, id, split);
  Warp& state = warps_[warp.value()];
  state.changed |= 1u << state.slot[id.value()];
  if (taken && yields_ && !state.queue.empty()) yield(warp, id);
}

bool MultiPath::catch_up(WarpId warp, SplitId id, Split& split) {
  SplitTableRequest search{.op = SplitTableRequest::Op::kMatch, .warp = warp, .id = id, .split = split};
  if (!tables().call(search).ok) return false;
  Warp& state = warps_[warp.value()];
  const SplitId leader = search.id;
  const std::uint8_t slot = state.slot[leader.value()];
  // A leader that the core does not know there yet has issued nothing since.
  const bool known = slot != kNoSlot && ((state.changed >> slot) & 1u) == 0;
  const Pc ahead = known ? ports_.next_pc(GroupId{first_group(warp) + slot}) : search.split.pc;
  const LaneMask all = split.mask | search.split.mask;
  if (ahead == split.pc) {
    ++merged_;
    search.split.mask = all;
    tables().write(warp, leader, search.split);
    if (slot != kNoSlot) state.changed |= 1u << slot;
    if (id != kNoSplit) remove(warp, id);
    return true;
  }
  const DivergenceTables::Allocated point =
      tables().allocate(warp, {ahead, split.frame, MeetingPoint::Kind::kEarly, split.rpc, all, split.mask});
  if (point.id == kNoReconvergence) return false;
  ++early_points_;
  split.rpc = {ahead, split.frame, point.id, MeetingPoint::Kind::kEarly};
  remove(warp, leader);
  return false;
}

void MultiPath::block(WarpId warp, SplitId id, LaneMask /*lanes*/) {
  Split split = tables().read(warp, id);
  split.blocked = true;
  tables().write(warp, id, split);
  warps_[warp.value()].changed |= 1u << warps_[warp.value()].slot[id.value()];
}

void MultiPath::unblock(WarpId warp, LaneMask lanes) {
  Warp& state = warps_[warp.value()];
  std::vector<SplitId> splits = state.queue;
  for (std::uint32_t rest = state.used; rest != 0; rest &= rest - 1)
    splits.push_back(state.split[static_cast<unsigned>(std::countr_zero(rest))]);
  for (const SplitId id : splits) {
    if (!tables().peek(warp, id).blocked) continue;
    if (work() != nullptr) work()->visited(1, id);
    Split split = tables().read(warp, id);
    if (!lanes.contains(split.mask)) continue;
    split.blocked = false;
    tables().write(warp, id, split);
    if (state.slot[id.value()] != kNoSlot) state.changed |= 1u << state.slot[id.value()];
    if (split.at_rpc()) finish(warp, id);
  }
}

void MultiPath::place(Warp& warp, unsigned slot, SplitId id) {
  std::erase(warp.queue, id);
  warp.split[slot] = id;
  warp.slot[id.value()] = static_cast<std::uint8_t>(slot);
  warp.used |= 1u << slot;
  warp.changed |= 1u << slot;
}

void MultiPath::fill_slots(WarpId id) {
  Warp& warp = warps_[id.value()];
  const auto next = [&](bool blocked) {
    return std::find_if(warp.queue.begin(), warp.queue.end(),
                        [&](SplitId split) { return tables().peek(id, split).blocked == blocked; });
  };
  while (!warp.queue.empty()) {
    const auto slot = static_cast<unsigned>(std::countr_one(warp.used));
    const auto runnable = next(false);
    if (slot < paths_) {
      place(warp, slot, runnable != warp.queue.end() ? *runnable : warp.queue.front());
      continue;
    }
    if (runnable == warp.queue.end()) return;
    const SplitId waiting = *runnable;
    std::uint32_t rest = warp.used;
    while (rest != 0 && !tables().peek(id, warp.split[static_cast<unsigned>(std::countr_zero(rest))]).blocked)
      rest &= rest - 1;
    if (rest == 0) return;
    const auto taken = static_cast<unsigned>(std::countr_zero(rest));
    yield(id, warp.split[taken]);
    place(warp, taken, waiting);
  }
}

void MultiPath::schedule(ControlFlowRequest& request) {
  const WarpId id = request.warp;
  Warp& warp = warps_[id.value()];
  fill_slots(id);
  warp.fresh = 0;
  for (std::uint32_t rest = warp.changed; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t bit = 1u << slot;
    const GroupId group{first_group(id) + slot};
    if ((warp.used & bit) == 0) {
      if ((warp.shown & bit) != 0) answer({group, GroupChange::kVanished});
      warp.shown &= ~bit;
      continue;
    }
    const Split split = tables().read(id, warp.split[slot]);
    if (work() != nullptr) work()->tell(warp.split[slot]);
    warp.shown |= bit;
    answer({group, split.blocked ? GroupChange::kBlocked : GroupChange::kMoved, split.pc, split.watch(),
            split.mask});
  }
  warp.changed = 0;
}

SplitView::State MultiPath::state_of(WarpId warp, SplitId id) const {
  State result;
  result.runs = warps_[warp.value()].slot[id.value()] != kNoSlot;
  result.turn = result.runs || yields_;  // splits that yield make room sooner or later
  return result;
}

}  // namespace heddle::simt
