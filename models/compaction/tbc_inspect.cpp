// What is shown of a block: its stack as a table, and where a warp's lanes are.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compaction/tbc.h"

namespace heddle::compaction {

using base::kNoPc;
using simt::ControlFlowRequest;
using simt::Suspension;

nlohmann::ordered_json ThreadBlockCompaction::table(const Block& block) const {
  const auto name = [](Pc pc) {
    return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
  };
  const auto masks = [&](const BlockMask& mask) {
    auto lanes = nlohmann::ordered_json::array();
    for (unsigned warp = 0; warp < block.slots.size(); ++warp) lanes.push_back(mask[warp].to_string());
    return lanes;
  };
  auto stack = nlohmann::ordered_json::array();
  for (const BlockEntry& entry : block.stack.entries()) {
    auto& row = stack.emplace_back();
    row["pc"] = name(entry.pc);
    row["rpc"] = name(entry.rpc);
    if (entry.lpc != kNoPc) {
      row["lpc"] = name(entry.lpc);
      row["lpos"] = entry.lpos;
    }
    row["mask"] = masks(entry.mask);
    if (entry.frame != 0) row["frame"] = entry.frame;
  }
  auto warps = nlohmann::ordered_json::array();
  for (const WarpId each : block.slots) {
    const Slot& here = slots_[each.value()];
    if (here.state != Slot::State::kRuns && here.state != Slot::State::kWaits) continue;
    warps.push_back({{"slot", each.value()}, {"threads", masks(mask_of(here.warp, LaneMask::all()))}});
  }
  return {{"stack", stack}, {"wcnt", block.stack.empty() ? 0 : block.stack.pending()}, {"warps", warps}};
}

void ThreadBlockCompaction::inspect_lanes(const Block& block, unsigned warp,
                                          ControlFlowRequest& request) const {
  if (block.stack.empty()) return;
  LaneMask shown;
  for (const WarpId each : block.slots) {
    const Slot& here = slots_[each.value()];
    const LaneMask lanes = mask_of(here.warp, LaneMask::all())[warp];
    if (lanes.none()) continue;
    if (here.state == Slot::State::kRuns) {
      shown |= lanes;
      if (request.runnable != nullptr) request.runnable->push_back({here.pc, lanes});
    } else if (here.state == Slot::State::kWaits) {
      shown |= lanes;
      if (request.suspended != nullptr)
        request.suspended->push_back({lanes, here.pc, Suspension::kBarrier, {}, false});
    }
  }
  if (request.suspended == nullptr) return;
  // From the top down, the lanes of an entry that are in none above it. Those of the top that have no warp have arrived and
  // wait for warps of their entry, or are on their way through the compactor: nothing but time lets them go.
  const std::vector<BlockEntry> entries = block.stack.entries();
  const bool in_transit = !block.compactor.empty() || !arrivals_.empty();
  LaneMask below = shown;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const LaneMask waiting = LaneMask::difference(entry->mask[warp] & block.stack.live()[warp], below);
    below |= waiting;
    if (waiting.none()) continue;
    const bool met = std::any_of(entries.rbegin(), entry, [&](const BlockEntry& above) {
      return above.rpc == entry->pc || above.frame > entry->frame;
    });
    simt::SuspendedLanes lanes{waiting, entry->pc, met ? Suspension::kReconverging : Suspension::kNotStarted};
    // What has arrived waits for warps of its entry to come to the same instruction, what is below for the entry above to
    // come to its end: threads of any warp of the CTA may bring that about.
    lanes.until_cta = true;
    if (!in_transit) {
      if (block.stack.filling()) lanes.until.push_back(block.stack.arrived_at());
      if (entry != entries.rbegin()) {
        lanes.until.push_back(std::prev(entry)->rpc);
        if (std::prev(entry)->lpc != kNoPc) lanes.until.push_back(std::prev(entry)->lpc);
      }
    }
    lanes.hint =
        "the paths of a CTA take turns under tbc ([TBC:S2]): what waits for threads of "
        "another path in a spin loop or at a barrier waits for ever; run it on simt_stack, or keep the path "
        "out of the branch";
    request.suspended->push_back(std::move(lanes));
  }
}

void ThreadBlockCompaction::inspect(ControlFlowRequest& request) const {
  if (request.parted != nullptr) return benefit_.inspect(*request.parted);
  const Block& block = blocks_[block_of_[request.warp.value()]];
  const auto found = std::find(block.slots.begin(), block.slots.end(), request.warp);
  if (found == block.slots.end()) return;
  if (request.table != nullptr) *request.table = table(block);
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull, digest ^= digest >> 32;
  };
  for (const BlockEntry& entry : block.stack.entries()) {
    mix((std::uint64_t{entry.pc.value()} << 32) | entry.rpc.value());
    for (unsigned warp = 0; warp < block.slots.size(); ++warp) mix(entry.mask[warp].bits());
    mix(entry.frame);
  }
  request.digest = digest;
  inspect_lanes(block, static_cast<unsigned>(found - block.slots.begin()), request);
}

}  // namespace heddle::compaction
