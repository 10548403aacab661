#include "compaction/tbc.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace heddle::compaction {

using base::kNever;
using base::kNoPc;
using simt::ControlFlowRequest;
using simt::GroupChange;
using simt::GroupUpdate;
using simt::Transfer;

void TbcConfig::visit(base::ConfigVisitor& v) {
  v.field("compacts", compacts,
          {.unit = "",
           .doc = "false: the Disable bit ([TBC] §3.3.2): warps still wait for each other, but stay "
                  "as they are, "
                  "for warp-synchronous code"});
  v.choice(
      "timing", timing, {"ideal", "contract"},
      "ideal: new warps are there when the last one has arrived; contract: one arrival a clock goes into the "
      "block stacks of a core, and the thread compactor, which its blocks share, takes a clock for the mask "
      "and "
      "one for each warp ([TBC:S13])");
}

simt::Mechanism tbc_mechanism() {
  return {ThreadBlockCompaction::kName,
          "thread block compaction: a stack for all warps of a CTA; where it diverges and reconverges they "
          "meet, and "
          "threads are put together in new warps",
          {base::ConfigOption::section<TbcConfig>(ThreadBlockCompaction::kName, "mechanism tbc")},
          {},
          [](const simt::MechanismSite& site) { return std::make_unique<ThreadBlockCompaction>(site); },
          nullptr,
          nullptr,
          simt::ReconvergenceUse{.counts_threads = true}};
}

namespace {

TopSide top_side(const simt::ControlFlowConfig& config) {
  switch (config.resolved_first_side(simt::FirstSide::kTaken)) {
    case simt::FirstSide::kNotTaken:
      return TopSide::kNotTaken;
    case simt::FirstSide::kSmaller:
      return TopSide::kSmaller;
    default:
      return TopSide::kTaken;
  }
}

}  // namespace

ThreadBlockCompaction::ThreadBlockCompaction(const simt::MechanismSite& site)
    : config_(site.config.get<TbcConfig>()),
      top_side_(top_side(site.config)),
      slots_(site.warps),
      block_of_(site.warps, 0) {
  blocks_.reserve(site.warps);
  for (std::uint32_t i = 0; i < site.warps; ++i)
    blocks_.emplace_back(stack_stats_, top_side_, config_.compacts);
}

std::uint64_t ThreadBlockCompaction::table_bits() const {
  // Per warp slot: its share of the masks of a stack of 16 entries, and of {PC, RPC, WCnt}; a slot of the warp buffer
  // names a static warp per lane ([TBC] §3.3.2).
  constexpr std::uint64_t kEntries = 16, kPcBits = 32, kCountBits = 6, kNameBits = 5 + 1;
  return kEntries * (base::kLanes + (2 * kPcBits + kCountBits) / kMostWarps) + base::kLanes * kNameBits;
}

void ThreadBlockCompaction::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("uniform_branches", "warp-instructions",
                "of these, those at which warps need not wait: all threads of a CTA decide alike", &uniform_);
  stats.counter("synchronised", "points",
                "branches, calls and returns at which all warps of an entry had arrived",
                &stack_stats_.synchronised);
  stats.counter("divergences", "points", "of these, branches whose threads went to more than one place",
                &stack_stats_.divergences);
  stats.counter("calls", "entries", "functions entered by the threads of an entry", &stack_stats_.calls);
  stats.counter("reconvergences", "entries", "entries popped at their reconvergence PC",
                &stack_stats_.reconvergences);
  stats.counter("likely_reconvergences", "entries", "entries that ended at their likely-convergence point",
                &stack_stats_.likely_reconvergences);
  stats.counter("arrivals", "warps", "warps that ended at a branch or reconvergence point", &arrived_);
  stats.counter("entries_run", "entries", "times that warps were made of an entry of the block stack",
                &entries_run_);
  stats.counter("warps_made", "warps", "warps that the compactor made of them", &warps_made_);
  stats.counter("warps_uncompacted", "warps", "warps that it would have made with static warps kept",
                &warps_uncompacted_);
  stats.counter("warps_mixed", "warps", "of those made, warps with threads of several static warps", &mixed_);
  stats.counter("buffer_cycles", "slot-cycles",
                "slots of the warp buffer in use, summed over cycles with events", &occupancy_);
  stats.counter("waiting_cycles", "slot-cycles",
                "slots whose warp had arrived and waited for the others of its entry", &waiting_cycles_);
  benefit_.register_stats(stats);
  stats.maximum("max_depth", "entries", "deepest block-wide stack of any block", &stack_stats_.max_depth);
}

// ---- Slots

void ThreadBlockCompaction::count_occupancy(Cycle now) {
  if (now <= counted_) return;
  occupancy_ += occupied_ * (now - counted_);
  waiting_cycles_ += arrived_now_ * (now - counted_);
  counted_ = now;
}

void ThreadBlockCompaction::set_state(Slot& slot, Slot::State state) {
  const auto counts = [](Slot::State s) { return s == Slot::State::kRuns || s == Slot::State::kWaits; };
  occupied_ += static_cast<std::uint32_t>(counts(state)) - static_cast<std::uint32_t>(counts(slot.state));
  arrived_now_ += static_cast<std::uint32_t>(state == Slot::State::kArrived) -
                  static_cast<std::uint32_t>(slot.state == Slot::State::kArrived);
  slot.state = state;
}

BlockMask ThreadBlockCompaction::mask_of(const CompactedWarp& warp, LaneMask lanes) const {
  BlockMask mask;
  for (const CompactedWarp::Part& part : warp) mask[part.warp] = part.lanes & lanes;
  return mask;
}

void ThreadBlockCompaction::give(GroupId group, const CompactedWarp& warp) {
  Slot& here = slot(group);
  const Block& block = block_of(group);
  here.warp.count = 0;
  for (const CompactedWarp::Part& part : warp) {
    if (part.lanes.none()) continue;
    here.slices[here.warp.count] = {block.slots[part.warp], part.lanes};
    here.warp.parts[here.warp.count++] = part;
  }
}

void ThreadBlockCompaction::show(GroupId group, Pc pc, GroupChange change) {
  Slot& here = slot(group);
  const BlockEntry& top = block_of(group).stack.top();
  here.pc = pc;
  GroupUpdate update{group, change, pc, top.rpc, here.warp.lanes()};
  update.also_watch = top.lpc;
  // A static warp in its own slot is one to the core, too.
  if (here.warp.count != 1 || here.slices[0].home.value() != group.value())
    update.slices = {here.slices.data(), here.warp.count};
  answer(update);
}

// ---- Events

void ThreadBlockCompaction::begin_launch(ControlFlowRequest& request) {
  facts_ = request.facts;
  benefit_.begin_launch();
  request.due = kNever;
  arrivals_.clear();
  waiting_.clear();
  compacting_ = kNobody;
}

bool ThreadBlockCompaction::block_uniform(Pc branch) const {
  return facts_ != nullptr && facts_->has(branch, isa::ProgramFacts::kBlockUniformBranch);
}

Pc ThreadBlockCompaction::likely_point(Pc branch) const {
  return facts_ == nullptr || facts_->likely_point.empty() ? kNoPc : facts_->likely_point[branch.value()];
}

void ThreadBlockCompaction::launch(ControlFlowRequest& request) {
  count_occupancy(request.cycle);
  if (request.warps.size() > kMostWarps)
    throw base::InputError("core.control_flow.mechanism", "tbc takes CTAs of at most 1024 threads",
                           "Launch smaller ones.");
  const std::uint32_t name = request.warps.front().warp.value();
  Block& block = blocks_[name];
  block.slots.clear();
  block.age = launches_++;
  block.emitted = 0;
  block.runs = {};
  BlockMask all;
  for (const simt::WarpLaunch& warp : request.warps) {
    all[static_cast<unsigned>(block.slots.size())] = warp.mask;
    block.slots.push_back(warp.warp);
    block_of_[warp.warp.value()] = name;
  }
  block.stack.launch(request.next, all);
  next_entry(name, request.cycle);
  request.due = due();
}

void ThreadBlockCompaction::advance(ControlFlowRequest& request) {
  issued(slot(request.group), request.next);
  goes_on(request.group, request.next, request.cycle);
  request.due = due();
}

void ThreadBlockCompaction::goes_on(GroupId group, Pc pc, Cycle now) {
  const BlockEntry& top = block_of(group).stack.top();
  if ((pc == top.rpc && top.rpc != kNoPc) || (pc == top.lpc && top.lpc != kNoPc)) {
    arrive(group, Arrival{Arrival::Kind::kReconvergence, 0, {}, {}, pc, kNoPc, pc}, now);
    return;
  }
  set_state(slot(group), Slot::State::kRuns);
  show(group, pc);
}

void ThreadBlockCompaction::transfer(ControlFlowRequest& request) {
  const GroupId group = request.group;
  Slot& here = slot(group);
  const Pc at{request.next.value() - 1};
  issued(here, request.next);
  const auto part_of = [&](LaneMask lanes) { return mask_of(here.warp, lanes); };
  if (request.is(Transfer::kReturn)) {
    arrive(group, Arrival{Arrival::Kind::kReturn, 0, {}, part_of(request.taken), request.next, kNoPc, at},
           request.cycle);
    request.due = due();
    return;
  }
  const bool calls = request.is(Transfer::kCall);
  if (!calls) ++branches_;
  if (!calls && request.lane_target == nullptr && block_uniform(at)) {
    ++uniform_;
    goes_on(group, request.taken.any() ? request.target : request.next, request.cycle);
    request.due = due();
    return;
  }
  Arrival arrival;
  arrival.at = at;
  arrival.kind = calls ? Arrival::Kind::kCall : Arrival::Kind::kBranch;
  const LaneMask stays = LaneMask::difference(request.mask, request.taken);
  if (request.lane_target == nullptr) {
    arrival.sides.push_back({request.target, part_of(request.taken), true});
  } else {
    request.taken.for_each([&](unsigned lane) {
      const Pc target = request.lane_target[lane];
      auto side = std::find_if(arrival.sides.begin(), arrival.sides.end(),
                               [&](const BlockStack::Side& each) { return each.pc == target; });
      if (side == arrival.sides.end()) side = arrival.sides.insert(side, {target, {}, true});
      side->threads |= part_of(LaneMask(1u << lane));
    });
  }
  request.diverged = arrival.sides.size() > 1 || (!calls && request.taken.any() && stays.any());
  if (calls) {
    arrival.next = request.next;
    request.call_depth = block_of(group).stack.top().frame + 1;
  } else {
    arrival.sides.push_back({request.next, part_of(stays), false});
    arrival.next = request.rpc;
    arrival.lpc = likely_point(at);
  }
  arrive(group, std::move(arrival), request.cycle);
  request.due = due();
}

void ThreadBlockCompaction::exit(ControlFlowRequest& request) {
  count_occupancy(request.cycle);
  Block& block = block_of(request.group);
  Slot& here = slot(request.group);
  issued(here, request.next);
  block.stack.exited(mask_of(here.warp, request.mask), Pc{request.next.value() - 1});
  CompactedWarp left = here.warp;
  for (unsigned i = 0; i < left.count; ++i)
    left.parts[i].lanes = LaneMask::difference(left.parts[i].lanes, request.mask);
  if (left.lanes().any()) {
    give(request.group, left);
    goes_on(request.group, request.next, request.cycle);
  } else {
    warp_ended(request.group, request.cycle);
  }
  request.due = due();
}

void ThreadBlockCompaction::warp_ended(GroupId group, Cycle now) {
  Block& block = block_of(group);
  set_state(slot(group), Slot::State::kEmpty);
  warp_is_gone(block, slot(group));
  answer({group, GroupChange::kVanished});
  block.stack.ended();
  if (block.stack.complete()) next_entry(block_of_[group.value()], now);
}

void ThreadBlockCompaction::barrier_arrive(ControlFlowRequest& request) {
  Slot& here = slot(request.group);
  issued(here, request.next);
  here.unreleased = mask_of(here.warp, LaneMask::all());
  set_state(here, Slot::State::kWaits);
  show(request.group, request.next, GroupChange::kBlocked);
  request.due = due();
}

void ThreadBlockCompaction::barrier_release(ControlFlowRequest& request) {
  count_occupancy(request.cycle);
  const Block& block = blocks_[block_of_[request.warp.value()]];
  const auto warp = static_cast<unsigned>(std::find(block.slots.begin(), block.slots.end(), request.warp) -
                                          block.slots.begin());
  for (const WarpId each : block.slots) {
    const GroupId group{each.value()};
    Slot& here = slot(group);
    if (here.state != Slot::State::kWaits || (here.unreleased[warp] & request.mask).none()) continue;
    here.unreleased[warp] = LaneMask::difference(here.unreleased[warp], request.mask);
    if (here.unreleased.none()) goes_on(group, here.pc, request.cycle);
  }
  request.due = due();
}

}  // namespace heddle::compaction
