#include "resync/core/resync_control.h"

#include <algorithm>

#include "resync/groups_by_pc.h"
#include "resync/longest_paths.h"

namespace heddle::resync {

using base::kNoPc;
using base::LaneMask;
using base::Pc;
using simt::GroupChange;
using simt::Transfer;

namespace {

base::GroupId group_of(base::WarpId warp) { return base::GroupId{warp.value()}; }
LaneMask lanes_of(ThreadMask threads) { return LaneMask(static_cast<std::uint32_t>(threads)); }

}  // namespace

simt::Mechanism resync_mechanism() {
  return {ResyncControl::kName,
          "a heuristic selects the PC that is fetched next; all lanes at it run (MinPC, MinSP-PC, Long, Lee, "
          "PDom ...)",
          {base::ConfigOption::section<ResyncConfig>(ResyncControl::kName, "mechanism resync")},
          {},
          [](const simt::MechanismSite& site) { return std::make_unique<ResyncControl>(site); },
          nullptr,
          nullptr,
          std::nullopt};
}

ResyncControl::ResyncControl(const simt::MechanismSite& site)
    : config_(site.config.get<ResyncConfig>()),
      traits_(traits_of(config_)),
      warps_(site.warps),
      ports_(site.ports) {
  instruction_ = config_.decisions == Decisions::kInstruction;
  every_instruction_ = config_.policy.starts_with("LongIRB");
  for (Warp& warp : warps_) {
    warp.policy = make_core_policy(config_, &aged_);
    warp.views.threads = base::kLanes;
  }
  marks_ = make_core_policy(config_, nullptr)->uses_marks();
  marks_begin_ = make_core_policy(config_, nullptr)->marks_begin_blocks();
}

void ResyncControl::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "branches whose lanes went to more than one place", &divergences_);
  stats.counter("calls", "warp-instructions", "calls executed with at least one active lane", &calls_);
  stats.counter("selections", "events", "selections between more than one PC", &selections_);
  stats.counter("switches", "events", "of these, those after which none of the lanes ran that had run before",
                &switches_);
  stats.counter("merges", "events", "times that running lanes came to the PC of waiting ones", &merges_);
  if (traits_.history_entries != 0)
    stats.counter("history_compares", "comparisons",
                  "of a lane's PC with an entry of another lane's history ([Resync:W1])", &history_compares_);
  if (config_.aging_selections != 0)
    stats.counter("aged", "events", "lanes that were served because they had waited too long", &aged_);
  if (config_.selection_latency_cycles != 0 || config_.selection_interval_cycles != 0)
    stats.counter("selection_cycles", "cycles", "cycles that a warp waited for its selection",
                  &selection_cycles_);
  stats.maximum("max_pcs", "PCs", "most different PCs of the live lanes of any warp", &max_pcs_);
}

// ---- The program

PostDominatorMarks& ResyncControl::make_marks(std::uint64_t pc) {
  if (pc >= marks_of_.size()) marks_of_.resize(pc + 1);
  auto& marks = marks_of_[pc];
  if (!marks) marks = std::make_unique<PostDominatorMarks>();
  return *marks;
}

void ResyncControl::rank_blocks() {
  const auto size = static_cast<std::uint32_t>(facts_->marks.size());
  std::vector<std::uint32_t> rank;  // by block
  if (config_.block_priority == BlockPriority::kTopological) {
    const auto blocks = static_cast<std::uint32_t>(facts_->order.size());
    for (const std::uint32_t order : facts_->order) rank.push_back(blocks - order);
  } else {
    rank = function_paths(facts_->successors);
  }
  priority_.resize(size);
  for (std::uint32_t pc = 0; pc < size; ++pc) priority_[pc] = rank[facts_->block[pc]];
}

void ResyncControl::begin_launch(Request& request) {
  facts_ = request.facts;
  marks_of_.clear();
  priority_.clear();
  frame_bytes_.clear();
  boundaries_.clear();
  if (facts_ == nullptr) return;
  const auto size = static_cast<std::uint32_t>(facts_->marks.size());
  if (traits_.compares_depth) frame_bytes_ = facts_->frame_bytes;
  if (traits_.order == PolicyTraits::Order::kFrontier) rank_blocks();
  if (marks_) {
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      const std::uint32_t id = facts_->post_dominator[pc];
      if (id == isa::ProgramFacts::kNone) continue;
      make_marks(pc).begin = pc;
      make_marks(facts_->post_dominators[id].value()).ends.push_back(pc);
    }
  }
  if (marks_begin_ || config_.block_starts == BlockStarts::kCompiler)
    for (std::uint32_t pc = 0; pc < size; ++pc)
      if (facts_->has(Pc{pc}, isa::ProgramFacts::kBlockStart)) boundaries_.push_back(pc);
}

Pc ResyncControl::next_boundary(Pc at) const {
  const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), at.value());
  return next == boundaries_.end() ? kNoPc : Pc{*next};
}

// ---- Events

void ResyncControl::move(Warp& warp, ThreadMask lanes, Pc to) {
  ThreadViews& views = warp.views;
  const std::uint64_t pc = to.value();
  const bool begins = std::binary_search(boundaries_.begin(), boundaries_.end(), to.value());
  for_each_thread(lanes, [&](unsigned lane) {
    views.pc[lane] = pc;
    views.depth[lane] = 8ull * views.level[lane] + warp.frames[lane];
    views.priority[lane] = pc < priority_.size() ? priority_[pc] : 0;
    views.marks[lane] = marks_at(pc);
  });
  views.block_begin = begins ? views.block_begin | lanes : views.block_begin & ~lanes;
}

void ResyncControl::launch(Request& request) {
  Warp& warp = warp_of(request);
  if (warp.shown == Shown::kSelects) selecting_.erase({warp.selects_until, request.warp.value()});
  warp.running = request.mask.bits();
  warp.blocked = 0;
  warp.views.live = warp.running;
  warp.views.finished = ~warp.running & first_threads(base::kLanes);
  warp.views.after_return = 0;
  warp.views.level.fill(1);
  warp.frames.fill(0);
  warp.served.fill(warp.events);
  warp.policy->reset(base::kLanes);
  move(warp, warp.running, request.next);
  warp.views.block_begin |= warp.running;
  warp.shown = Shown::kAbsent;
  select(request, warp, false);
}

void ResyncControl::end_run(Warp& warp, Pc next, const Ending& ending) {
  ++warp.events;
  ThreadViews& views = warp.views;
  views.after_return &= ~(warp.running & views.block_begin);
  views.after_return |= ending.returned;
  if (!warp.policy->listens()) return;
  const std::uint64_t last = next.value() - 1;
  Execution what;
  what.pc = warp.run_start;
  what.mask = warp.running;
  what.block_begin = warp.run_begins_block;
  // Its first instruction, with which a block may begin; those up to the last one matter to histories of instructions
  // only.
  while (what.pc != last) {
    warp.policy->executed(views, what);
    what.block_begin = 0;
    what.pc = every_instruction_ ? what.pc + 1 : last;
  }
  what.branch = ending.branch;
  what.called = ending.called;
  what.returned = ending.returned;
  what.marks = marks_at(last);
  warp.policy->executed(views, what);
}

void ResyncControl::advance(Request& request) {
  Warp& warp = warp_of(request);
  move(warp, warp.running, request.next);
  end_run(warp, request.next, {});
  select(request, warp, true);
}

void ResyncControl::transfer(Request& request) {
  Warp& warp = warp_of(request);
  ThreadViews& views = warp.views;
  const ThreadMask taken = warp.running & request.taken.bits();
  Ending ending;
  ending.branch = request.transfer == Transfer::kJump;
  if (request.transfer == Transfer::kCall) ending.called = taken;
  if (request.transfer == Transfer::kReturn) ending.returned = taken;
  move(warp, warp.running & ~taken, request.next);
  for_each_thread(taken, [&](unsigned lane) {
    const Pc to = request.lane_target == nullptr ? request.target : request.lane_target[lane];
    if (request.transfer == Transfer::kCall) {
      request.call_depth = std::max(request.call_depth, views.level[lane]++);
      warp.frames[lane] += frame_at(to.value());
    }
    if (request.transfer == Transfer::kReturn) {
      --views.level[lane];
      warp.frames[lane] -= frame_at(request.next.value() - 1);
    }
    move(warp, bit(lane), to);
  });
  views.block_begin |= warp.running;
  const bool united = views.united(warp.running);
  if (request.transfer == Transfer::kJump) ++branches_;
  if (request.transfer == Transfer::kCall) {
    ++calls_;
    // An indirect call parts lanes until all are back behind it ([Resync] §3.2.1).
    if (marks_ && request.lane_target != nullptr && !united) {
      const std::uint32_t call = request.next.value() - 1;
      PostDominatorMarks& at_call = make_marks(call);
      if (at_call.begin == PostDominatorMarks::kNone) {
        at_call.begin = call;
        make_marks(request.next.value()).ends.push_back(call);
        for_each_thread(views.live, [&](unsigned lane) { views.marks[lane] = marks_at(views.pc[lane]); });
      }
    }
  }
  request.diverged = request.transfer != Transfer::kReturn && !united;
  if (request.diverged) ++divergences_;
  end_run(warp, request.next, ending);
  select(request, warp, false);
}

void ResyncControl::exit(Request& request) {
  Warp& warp = warp_of(request);
  const ThreadMask gone = request.mask.bits();
  move(warp, warp.running & ~gone, request.next);
  warp.views.live &= ~gone;
  warp.views.finished |= gone;
  warp.views.block_begin |= warp.running & ~gone;
  end_run(warp, request.next, {});
  warp.running &= ~gone;
  select(request, warp, false);
}

void ResyncControl::barrier_arrive(Request& request) {
  Warp& warp = warp_of(request);
  const ThreadMask waits = warp.running & request.mask.bits();
  move(warp, warp.running, request.next);
  warp.blocked |= waits;
  warp.views.live &= ~waits;
  end_run(warp, request.next, {});
  warp.running &= ~waits;
  select(request, warp, false);
}

void ResyncControl::barrier_release(Request& request) {
  Warp& warp = warp_of(request);
  const ThreadMask released = warp.blocked & request.mask.bits();
  warp.blocked &= ~released;
  warp.views.live |= released;
  leave(warp, released);
  set_due(request);
  if (warp.shown == Shown::kSelects) return;  // they are seen when the selector gets to the warp
  Pc next = kNoPc;
  if (warp.shown == Shown::kRuns) {
    // The group may have advanced since the last event.
    next = ports_.next_pc(group_of(request.warp));
    const bool moved = next.value() != warp.run_start;
    if (moved) {
      move(warp, warp.running, next);
      end_run(warp, next, {});
    }
  }
  warp.policy->reconsider();
  request.next = next;
  select(request, warp, true);
}

void ResyncControl::tick(Request& request) {
  if (!selecting_.empty() && selecting_.begin()->first <= request.cycle) {
    request.warp = base::WarpId{selecting_.begin()->second};
    selecting_.erase(selecting_.begin());
    Warp& warp = warp_of(request);
    warp.shown = Shown::kWaits;
    run(request.warp, warp, false, kNoPc);
  }
  set_due(request);
}

// ---- Answers

void ResyncControl::select(Request& request, Warp& warp, bool silent) {
  const ThreadMask ready = warp.views.live;
  if (ready != 0 && !warp.views.united(ready)) {
    ++selections_;
    history_compares_ += count(ready) * (count(ready) - 1) * traits_.history_entries;
    const base::Cycle start = std::max(request.cycle, selector_free_);
    const base::Cycle done = start + config_.selection_latency_cycles;
    selector_free_ = start + config_.selection_interval_cycles;
    if (done > request.cycle) {
      if (warp.shown != Shown::kSelects)
        answer({group_of(request.warp), GroupChange::kBlocked,
                Pc{static_cast<std::uint32_t>(warp.views.pc[lowest(ready)])}, kNoPc, lanes_of(ready),
                simt::BlockCause::kTables});
      warp.shown = Shown::kSelects;
      leave(warp, warp.running);
      warp.running = 0;
      warp.selects_until = done;
      selecting_.insert({done, request.warp.value()});
      selection_cycles_ += done - request.cycle;
      set_due(request);
      return;
    }
  }
  run(request.warp, warp, silent, request.next);
  set_due(request);
}

void ResyncControl::run(base::WarpId id, Warp& warp, bool silent, Pc next) {
  const ThreadMask before = warp.running;
  const ThreadMask ready = warp.views.live;
  if (ready == 0) {
    warp.running = 0;
    const ThreadMask waiting = warp.blocked;
    const Shown shown = waiting == 0 ? Shown::kAbsent : Shown::kWaits;
    if (waiting == 0)
      answer({group_of(id), GroupChange::kVanished});
    else
      answer({group_of(id), GroupChange::kBlocked,
              Pc{static_cast<std::uint32_t>(warp.views.pc[lowest(waiting)])}, kNoPc, lanes_of(waiting)});
    warp.shown = shown;
    return;
  }
  const Selection chosen = warp.policy->select(warp.views, ready);
  warp.running = chosen.mask;
  leave(warp, before & ~chosen.mask);
  const Pc pc{static_cast<std::uint32_t>(chosen.pc)};
  // Waiting lanes in front of the running ones; at an equal PC only lanes that the policy keeps apart.
  Pc watch = kNoPc;
  std::uint64_t pcs = 1;
  for_each_thread(ready & ~chosen.mask, [&](unsigned lane) {
    const Pc at{static_cast<std::uint32_t>(warp.views.pc[lane])};
    if (at > pc && (watch == kNoPc || at < watch)) watch = at;
    ++pcs;
  });
  if (pcs > 1) max_pcs_ = std::max<std::uint64_t>(max_pcs_, PcGroups(warp.views, ready).count);
  Pc also = boundaries_.empty() ? kNoPc : next_boundary(pc);
  if (instruction_ && pcs > 1) watch = Pc{pc.value() + 1};
  if (watch == kNoPc) std::swap(watch, also);
  if (before != 0 && (before & chosen.mask) == 0) ++switches_;
  if ((before & chosen.mask) != 0 && (chosen.mask & ~before) != 0) ++merges_;
  warp.run_start = chosen.pc;
  warp.run_begins_block = warp.views.block_begin & chosen.mask;
  const bool same = silent && warp.shown == Shown::kRuns && before == chosen.mask && next == pc;
  const bool same_watch = warp.watch == watch && warp.also_watch == also;
  warp.watch = watch;
  warp.also_watch = also;
  warp.shown = Shown::kRuns;
  if (same && same_watch) return;
  simt::GroupUpdate update{group_of(id), same ? GroupChange::kWatches : GroupChange::kMoved, pc, watch,
                           lanes_of(chosen.mask)};
  update.also_watch = also;
  answer(update);
}

}  // namespace heddle::resync
