#include "compaction/dwf.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace heddle::compaction {

using base::GroupId;
using base::kLanes;
using base::kNoPc;
using base::LaneMask;
using base::Pc;
using base::WarpId;
using simt::GroupChange;
using simt::GroupUpdate;
using simt::Slice;
using simt::Transfer;

void DwfConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "warp_barrier", warp_barrier,
      {.unit = "",
       .doc =
           "DWF-WB: warps stay as they are until they diverge, and are re-formed at that branch's immediate "
           "post-dominator ([TBC] §3.2.1)"});
  v.field("lut_entries", lut_entries,
          {.unit = "PCs", .doc = "entries of the warp LUT ([DWF:S6])", .min = 1, .max = 1024});
  v.field("lut_ways", lut_ways, {.unit = "ways", .doc = "its associativity, LRU", .min = 1, .max = 1024});
  v.choice(
      "timing", timing, {"ideal", "contract"},
      "ideal: threads are in the pool when their instruction has issued; contract: the LUT takes one "
      "warp's threads for one PC a clock, in the order of issue, and they may issue from the clock after "
      "that");
}

simt::Mechanism dwf_mechanism() {
  return {DynamicWarps::kName,
          "dynamic warp formation: threads of all warps of a core that come to one PC are put together, "
          "after every "
          "instruction",
          {base::ConfigOption::section<DwfConfig>(DynamicWarps::kName, "mechanism dwf")},
          {},
          [](const simt::MechanismSite& site) { return std::make_unique<DynamicWarps>(site); },
          [](const simt::ControlFlowConfig& config) {
            // Per warp slot: 32 pool entries {PC, thread number and valid bit per lane, occupancy}, as many as threads
            // ([DWF:S6]). All slots share the LUT.
            constexpr std::uint64_t kPcBits = 32, kThreadBits = 10 + 1, kIndexBits = 10;
            return simt::Traits{
                .runs_lanes_apart = true,
                .parts_lanes_at_sync = true,
                .scope = simt::Scope::kCta,
                .wants_facts = true,
                .table_bits = kLanes * (kPcBits + kLanes * kThreadBits + kLanes),
                .shared_table_bits = config.get<DwfConfig>().lut_entries * (kPcBits + kLanes + kIndexBits),
                .reconvergence = simt::ReconvergenceUse::kSidesTakeTurns};
          }};
}

DynamicWarps::DynamicWarps(const simt::MechanismSite& site)
    : config_(site.config.get<DwfConfig>()),
      pool_(config_.lut_entries, config_.lut_ways),
      warp_in_slot_(site.warps, kNobody),
      shown_(site.warps, false),
      threads_(site.warps * std::size_t{kLanes}),
      live_(site.warps),
      barriers_(site.warps),
      waiting_in_slot_(site.warps, 0),
      issues_of_slot_(site.warps, 0) {
  if (config_.lut_entries % config_.lut_ways != 0)
    throw base::InputError("core.control_flow.dwf.lut_entries", "not a multiple of lut_ways", "Make it one.");
}

void DynamicWarps::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "of these, branches whose lanes went to more than one place",
                &divergences_);
  stats.counter("warps_made", "warps", "warps put into the pool", &pool_.stats.made);
  stats.counter("joined", "threads", "threads that joined a warp of the pool", &pool_.stats.joined);
  stats.counter("lut_look_ups", "accesses", "PCs looked up in the LUT, each for the threads of one warp",
                &pool_.stats.look_ups);
  stats.counter("lut_replacements", "entries", "PCs whose entry of the LUT was taken by another one",
                &pool_.stats.replaced);
  stats.counter("queued", "warps", "warps that had to wait for a slot of the core", &queued_);
  stats.maximum("max_pool", "warps", "most warps in the pool", &pool_.stats.most);
  if (contract()) {
    stats.counter("lut_wait_cycles", "cycles", "that threads waited for the LUT behind those of other warps",
                  &lut_waits_);
    stats.maximum("max_lut_queue", "updates", "most that waited for the LUT, or were served by it",
                  &most_updates_);
  }
  if (!config_.warp_barrier) return;
  stats.counter("warp_barriers", "barriers", "static warps that diverged", &barriers_set_);
  stats.counter("reformed", "warps", "static warps that were re-formed at their barrier", &reformed_);
}

// ---- Slots

bool DynamicWarps::joinable(Pc pc) const {
  return facts_ == nullptr || !facts_->has(pc, isa::ProgramFacts::kWaits);
}

void DynamicWarps::place(std::uint32_t warp) {
  PoolWarp& of = pool_[warp];
  std::uint32_t slot = kNobody;
  if (!queue_.empty()) {
    // The slot of this event's warp goes to the one that has waited longest (settle()).
    queue_.push_back(warp);
    ++queued_;
    return;
  }
  // What goes on with the next instruction keeps its slot, and what has been fetched there.
  if (sequential_ != kNobody && of.pc == sequential_pc_ && warp_in_slot_[sequential_] == kNobody &&
      !of.is_static)
    slot = sequential_;
  // In the slot of its home warp a static warp is one to the core, too.
  if (slot == kNobody && of.count == 1 && is_free(of.slices[0].home.value()))
    slot = of.slices[0].home.value();
  for (std::uint32_t s = 0; slot == kNobody && s < warp_in_slot_.size(); ++s)
    if (is_free(s)) slot = s;
  if (slot == kNobody) {
    queue_.push_back(warp);
    ++queued_;
    return;
  }
  of.slot = slot;
  warp_in_slot_[slot] = warp;
  show(warp, slot == sequential_ ? GroupChange::kJoined : GroupChange::kMoved);
}

void DynamicWarps::show(std::uint32_t warp, GroupChange change) {
  const PoolWarp& of = pool_[warp];
  GroupUpdate update{GroupId{of.slot}, change, of.pc, kNoPc, of.lanes()};
  if (!of.is_static) update.watch = Pc{of.pc.value() + 1};
  if (of.count != 1 || of.slices[0].home.value() != of.slot) update.slices = of.all();
  shown_[of.slot] = true;
  answer(update);
}

void DynamicWarps::settle(GroupId group) {
  const std::uint32_t slot = group.value();
  if (warp_in_slot_[slot] != kNobody) return;
  if (queue_.empty()) {
    if (shown_[slot]) answer({group, GroupChange::kVanished});
    shown_[slot] = false;
    return;
  }
  const std::uint32_t warp = queue_.front();
  queue_.pop_front();
  pool_[warp].slot = slot;
  warp_in_slot_[slot] = warp;
  show(warp, GroupChange::kMoved);
}

void DynamicWarps::settle_or_wait(const Request& request) {
  const std::uint32_t slot = request.group.value();
  if (waiting_in_slot_[slot] == 0 || warp_in_slot_[slot] != kNobody) return settle(request.group);
  GroupUpdate waits{request.group, GroupChange::kBlocked, Pc{request.next.value() - 1}};
  waits.cause = simt::BlockCause::kTables;
  answer(waits);
}

void DynamicWarps::take(GroupId group) {
  const std::uint32_t warp = warp_in_slot_[group.value()];
  const auto slices = pool_[warp].all();
  issued_.assign(slices.begin(), slices.end());
  pool_.remove(warp);
  warp_in_slot_[group.value()] = kNobody;
  ++issues_of_slot_[group.value()];
}

// ---- Threads

void DynamicWarps::come(Pc pc, LaneMask lanes, std::uint32_t slot) {
  scratch_.clear();
  for (const Slice& slice : issued_)
    if (const LaneMask here = slice.lanes & lanes; here.any()) scratch_.push_back({slice.home, here});
  if (!scratch_.empty()) look_up(pc, scratch_, slot);
}

void DynamicWarps::look_up(Pc pc, std::span<const Slice> threads, std::uint32_t slot) {
  if (!contract()) return enter(pc, threads, true);
  const base::Cycle first = now_ + 1;
  last_look_up_ = std::max(last_look_up_ + 1, first);
  lut_waits_ += last_look_up_ - first;
  const bool sequential = slot == sequential_ && slot != kNobody;
  updates_for_lut_.push_back(
      {last_look_up_, slot, sequential ? issues_of_slot_[slot] : 0, pc, {threads.begin(), threads.end()}});
  most_updates_ = std::max<std::uint64_t>(most_updates_, updates_for_lut_.size());
  if (slot != kNobody) ++waiting_in_slot_[slot];
}

void DynamicWarps::serve_update(const Update& update) {
  serving_ = update.slot;
  // Another warp may have had the slot since.
  if (update.sequential != 0 && update.sequential == issues_of_slot_[update.slot]) {
    sequential_ = update.slot;
    sequential_pc_ = update.pc;
  }
  enter(update.pc, update.threads, true);
  serving_ = sequential_ = kNobody;
  if (update.slot == kNobody || --waiting_in_slot_[update.slot] > 0) return;
  settle(GroupId{update.slot});
}

void DynamicWarps::tick(Request& request) {
  now_ = request.cycle;
  while (due() <= now_) {
    const Update update = std::move(updates_for_lut_.front());
    updates_for_lut_.pop_front();
    serve_update(update);
  }
  request.due = due();
}

void DynamicWarps::enter(Pc pc, std::span<const Slice> threads, bool joins) {
  const auto onward = stop_at_warp_barriers(pc, threads);
  if (onward.empty()) return;
  for_each_thread(onward, [&](WarpId home, unsigned lane) {
    at(home, lane).state = Thread::State::kPooled;
    at(home, lane).pc = pc;
  });
  const WarpPool::Entered entered = pool_.enter(pc, onward, joins && joinable(pc));
  if (entered.joined != kNobody && pool_[entered.joined].slot != kNobody)
    show(entered.joined, GroupChange::kJoined);
  if (entered.made != kNobody) place(entered.made);
}

// ---- Events

void DynamicWarps::begin_launch(Request& request) {
  facts_ = request.facts;
  updates_for_lut_.clear();
}

void DynamicWarps::launch(Request& request) {
  now_ = request.cycle;
  for (const simt::WarpLaunch& warp : request.warps) {
    live_[warp.warp.value()] = warp.mask;
    barriers_[warp.warp.value()] = {};
    warp.mask.for_each([&](unsigned lane) {
      at(warp.warp, lane) = {Thread::State::kPooled, request.next, 0};
    });
    const Slice all{warp.warp, warp.mask};
    if (config_.warp_barrier)
      place(pool_.make_static(request.next, all));
    else
      enter(request.next, {&all, 1}, false);
  }
  request.due = due();
}

void DynamicWarps::advance(Request& request) {
  now_ = request.cycle;
  const std::uint32_t slot = request.group.value();
  take(request.group);
  sequential_ = slot;
  sequential_pc_ = request.next;
  come(request.next, LaneMask::all(), slot);
  sequential_ = kNobody;
  if (waiting_in_slot_[slot] > 0) {
    // What the slot fetches stays, whichever of its threads go on there.
    GroupUpdate waits{request.group, GroupChange::kHeld};
    waits.hold = simt::Hold::kEverything;
    answer(waits);
  } else {
    settle(request.group);
  }
  request.due = due();
}

void DynamicWarps::transfer(Request& request) {
  now_ = request.cycle;
  const bool jumps = request.is(Transfer::kJump);
  if (jumps) ++branches_;
  const PoolWarp& warp = pool_[warp_in_slot_[request.group.value()]];
  const bool was_static = warp.is_static;
  const LaneMask stays = LaneMask::difference(request.mask, request.taken);
  // Where its lanes go: at most 33 places.
  std::vector<std::pair<Pc, LaneMask>> targets;
  const auto goes = [&](Pc pc, LaneMask lanes) {
    const auto same =
        std::find_if(targets.begin(), targets.end(), [&](const auto& each) { return each.first == pc; });
    if (same == targets.end())
      targets.emplace_back(pc, lanes);
    else
      same->second |= lanes;
  };
  if (request.lane_target == nullptr) {
    if (request.taken.any()) goes(request.target, request.taken);
  } else {
    request.taken.for_each([&](unsigned lane) { goes(request.lane_target[lane], LaneMask(1u << lane)); });
  }
  if (stays.any()) goes(request.next, stays);
  request.diverged = targets.size() > 1;
  if (jumps && request.diverged) ++divergences_;

  if (config_.warp_barrier && request.is(Transfer::kReturn)) leave_frames(request);
  take(request.group);
  if (!jumps)
    for_each_thread(issued_, [&](WarpId home, unsigned lane) {
      if (!request.taken.test(lane)) return;
      std::uint32_t& depth = at(home, lane).depth;
      depth = request.is(Transfer::kCall) ? depth + 1 : depth == 0 ? 0 : depth - 1;
      request.call_depth = std::max(request.call_depth, depth);
    });
  if (config_.warp_barrier && was_static) {
    const Slice all = issued_.front();
    if (targets.size() == 1) {
      place(pool_.make_static(targets.front().first, all));
      settle(request.group);
      request.due = due();
      return;
    }
    // Divergence of a whole warp: the threads are free until the post-dominator.
    // Threads that return have left the frame already.
    const unsigned lane = request.is(Transfer::kJump) || stays.none() ? all.lanes.lowest() : stays.lowest();
    std::uint32_t depth = at(all.home, lane).depth;
    if (request.is(Transfer::kReturn)) depth = at(all.home, request.taken.lowest()).depth;
    if (request.is(Transfer::kCall) && stays.none()) --depth;
    barriers_[all.home.value()] = {true, barrier_point(request), depth, {}};
    ++barriers_set_;
  }
  const std::vector<Slice> threads = issued_;
  for (const auto& [pc, lanes] : targets) {
    issued_ = threads;
    come(pc, lanes, request.group.value());
  }
  settle_or_wait(request);
  request.due = due();
}

void DynamicWarps::exit(Request& request) {
  now_ = request.cycle;
  const bool was_static = pool_[warp_in_slot_[request.group.value()]].is_static;
  take(request.group);
  for_each_thread(issued_, [&](WarpId home, unsigned lane) {
    if (request.mask.test(lane)) at(home, lane).state = Thread::State::kNone;
  });
  const std::vector<Slice> threads = issued_;
  for (const Slice& slice : threads)
    live_[slice.home.value()] = LaneMask::difference(live_[slice.home.value()], request.mask & slice.lanes);
  const LaneMask left = LaneMask::difference(LaneMask::all(), request.mask);
  if (was_static) {
    if (const LaneMask lanes = threads.front().lanes & left; lanes.any())
      place(pool_.make_static(request.next, {threads.front().home, lanes}));
  } else {
    come(request.next, left, request.group.value());
    // Nobody waits for those that have exited.
    for (const Slice& slice : threads) reform_if_complete(slice.home);
  }
  settle_or_wait(request);
  request.due = due();
}

void DynamicWarps::barrier_arrive(Request& request) {
  now_ = request.cycle;
  const bool was_static = pool_[warp_in_slot_[request.group.value()]].is_static;
  take(request.group);
  for_each_thread(issued_, [&](WarpId home, unsigned lane) {
    at(home, lane).state = Thread::State::kWaits;
    at(home, lane).pc = request.next;
  });
  // Lanes that do not wait at a .sync instruction go on; of one warp, or all wait.
  const std::vector<Slice> threads = issued_;
  const LaneMask rest = LaneMask::difference(threads.front().lanes, request.mask);
  if (rest.any() && threads.size() == 1) {
    if (was_static) {
      rest.for_each([&](unsigned lane) { at(threads.front().home, lane).state = Thread::State::kPooled; });
      place(pool_.make_static(request.next, {threads.front().home, rest}));
    } else {
      come(request.next, rest, request.group.value());
    }
  }
  settle_or_wait(request);
  request.due = due();
}

void DynamicWarps::barrier_release(Request& request) {
  now_ = request.cycle;
  // Threads of one warp that waited at one barrier go on together ([DWF:S14]).
  std::map<Pc, LaneMask> released;
  request.mask.for_each([&](unsigned lane) {
    if (at(request.warp, lane).state == Thread::State::kWaits)
      released[at(request.warp, lane).pc] |= LaneMask(1u << lane);
  });
  for (const auto& [pc, lanes] : released) {
    const Slice threads{request.warp, lanes};
    if (config_.warp_barrier && !barriers_[request.warp.value()].valid) {
      lanes.for_each([&](unsigned lane) { at(request.warp, lane).state = Thread::State::kPooled; });
      place(pool_.make_static(pc, threads));
    } else {
      enter(pc, {&threads, 1}, false);
    }
  }
  request.due = due();
}

}  // namespace heddle::compaction
