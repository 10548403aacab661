#include "simt/stack_entries.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace heddle::simt {

void StackSides::add_targets(const ControlFlowRequest& request, LaneMask taken) {
  if (request.lane_target == nullptr) {
    if (taken.any()) add(request.target, taken);
    return;
  }
  taken.for_each([&](unsigned lane) {
    const Pc pc = request.lane_target[lane];
    Side* const end = sides_.data() + count_;
    Side* const same = std::find_if(sides_.data(), end, [&](const Side& side) { return side.pc == pc; });
    if (same == end)
      add(pc, LaneMask(1u << lane));
    else
      same->lanes |= LaneMask(1u << lane);
  });
}

StackSides StackSides::of_branch(const ControlFlowRequest& request, LaneMask mask, FirstSide first_side) {
  StackSides sides;
  sides.add_targets(request, mask & request.taken);
  const LaneMask not_taken = LaneMask::difference(mask, request.taken);
  if (not_taken.any()) sides.add(request.next, not_taken);
  // As they run ...
  const auto first = sides.sides_.begin();
  const auto last = first + sides.count_;
  if (first_side == FirstSide::kSmaller)
    std::stable_sort(first, last, [](const Side& left, const Side& right) {
      return left.lanes.count() < right.lanes.count();
    });
  if (not_taken.any() && first_side == FirstSide::kNotTaken) std::rotate(first, last - 1, last);
  // ... and as they are pushed.
  std::reverse(first, last);
  return sides;
}

StackSides StackSides::of_call(const ControlFlowRequest& request, LaneMask taken) {
  StackSides sides;
  sides.add_targets(request, taken);
  std::reverse(sides.sides_.begin(), sides.sides_.begin() + sides.count_);
  return sides;
}

void StackStats::register_stats(base::StatGroup& stats) {
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches);
  stats.counter("divergences", "branches", "branches whose lanes took both sides", &divergences);
  stats.counter("calls", "warp-instructions", "calls executed with at least one active lane", &calls);
  stats.counter("reconvergences", "pops", "stack entries popped at their reconvergence PC", &reconvergences);
  stats.maximum("max_depth", "entries", "deepest stack of any warp", &max_depth);
}

void inspect_stack(std::span<const StackEntry> entries, bool at_barrier, ControlFlowRequest& request) {
  const auto pc_text = [](Pc pc) {
    return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
  };
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull, digest ^= digest >> 32;
  };
  LaneMask below = entries.empty() ? LaneMask{} : entries.back().mask;
  if (request.table != nullptr) *request.table = nlohmann::ordered_json::array();
  for (const StackEntry& entry : entries) {
    mix(entry.pc.value());
    mix((std::uint64_t{entry.rpc.value()} << 32) | entry.mask.bits());
    mix(entry.frame);
    if (request.table != nullptr) {
      request.table->push_back(
          {{"pc", pc_text(entry.pc)}, {"rpc", pc_text(entry.rpc)}, {"mask", entry.mask.to_string()}});
      if (entry.frame != 0) request.table->back()["frame"] = entry.frame;
      if (entry.lpc != kNoPc) {
        request.table->back()["lpc"] = entry.lpc.value();
        request.table->back()["lpos"] = entry.lpos;
      }
    }
  }
  request.digest = digest;
  if (request.runnable != nullptr && !entries.empty() && !at_barrier)
    request.runnable->push_back({entries.back().pc, entries.back().mask});
  if (request.suspended == nullptr) return;
  // From the top down: the lanes of an entry that are in no entry above it wait there.
  for (auto it = entries.rbegin(); it != entries.rend(); ++it) {
    if (it == entries.rbegin()) continue;
    const LaneMask waiting = LaneMask::difference(it->mask, below);
    if (waiting.any()) {
      // An entry whose PC is the RPC of one above it is a reconvergence entry: its lanes have arrived. So is
      // the one behind a call that others are still in.
      const bool reconverging = std::any_of(entries.rbegin(), it, [&](const StackEntry& e) {
        return e.rpc == it->pc || e.lpc == it->pc || e.frame > it->frame;
      });
      request.suspended->push_back({waiting,
                                    it->pc,
                                    reconverging ? Suspension::kReconverging : Suspension::kNotStarted,
                                    {std::prev(it)->rpc}});
      if (std::prev(it)->lpc != kNoPc) request.suspended->back().until.push_back(std::prev(it)->lpc);
    }
    below |= it->mask;
  }
}

}  // namespace heddle::simt
