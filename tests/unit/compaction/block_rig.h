// A block as the figures of [TBC] ch. 3 show it: threads are numbered from 1, warp after warp, with few lanes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "compaction/block_stack.h"
#include "compaction/thread_compactor.h"

namespace heddle::compaction {

/// Blocks have letters.
inline Pc at(char block) { return block == '-' ? kNoPc : Pc{100u * static_cast<unsigned>(block - 'A')}; }
inline std::string letter(Pc pc) {
  return pc == kNoPc ? "-" : std::string(1, static_cast<char>('A' + pc.value() / 100));
}

class Figure {
 public:
  explicit Figure(unsigned lanes, TopSide top_side = TopSide::kTaken)
      : lanes_(lanes), stack(stats, top_side) {}

  [[nodiscard]] BlockMask threads(const std::vector<unsigned>& numbers) const {
    BlockMask mask;
    for (const unsigned thread : numbers)
      mask[(thread - 1) / lanes_] |= base::LaneMask(1u << (thread - 1) % lanes_);
    return mask;
  }
  [[nodiscard]] BlockMask first(unsigned count) const {
    std::vector<unsigned> all;
    for (unsigned thread = 1; thread <= count; ++thread) all.push_back(thread);
    return threads(all);
  }
  /// "1 6 7"
  [[nodiscard]] std::string list(const BlockMask& mask) const {
    std::string text;
    for (unsigned warp = 0; warp < kMostWarps; ++warp)
      mask[warp].for_each([&](unsigned lane) {
        text += (text.empty() ? "" : " ") + std::to_string(warp * lanes_ + lane + 1);
      });
    return text;
  }
  /// "(5,2,3,4)"
  [[nodiscard]] std::string tuple(const CompactedWarp& warp) const {
    std::vector<std::string> lane(lanes_, "-");
    for (const CompactedWarp::Part& part : warp)
      part.lanes.for_each([&](unsigned l) { lane[l] = std::to_string(part.warp * lanes_ + l + 1); });
    return fmt::format("({})", fmt::join(lane, ","));
  }
  /// "D/-/1 2 | C/D/1", bottom first; with LPC and LPos as "B/F/E/1/1" if `likely`.
  [[nodiscard]] std::string shown(bool likely = false) const {
    std::vector<std::string> rows;
    for (const BlockEntry& e : stack.entries()) {
      std::string row = letter(e.pc) + "/" + letter(e.rpc);
      if (likely)
        row += "/" + letter(e.lpc) + "/" + (e.lpos == BlockEntry::kNone ? "-" : std::to_string(e.lpos));
      rows.push_back(row + "/" + list(e.mask));
    }
    return fmt::format("{}", fmt::join(rows, " | "));
  }
  /// The next entry's warps; empty: the block is done.
  std::vector<std::string> activate() {
    const BlockEntry* const top = stack.settle();
    std::vector<std::string> warps;
    if (top == nullptr) return warps;
    stack.activate(compactor.warps(top->mask));
    compactor.load(top->mask);
    while (!compactor.empty()) warps.push_back(tuple(compactor.next()));
    return warps;
  }
  /// A warp arrives at a branch to `taken` and `other`.
  void branch(char taken, const std::vector<unsigned>& takers, char other,
              const std::vector<unsigned>& others, char rpc, char lpc = '-') {
    stack.branch({{at(taken), threads(takers), true}, {at(other), threads(others), false}}, at(rpc), at(lpc));
  }
  /// The mask as the compactor sees it: per lane, a bit per static warp. "101 011 010 001"
  [[nodiscard]] std::string groups(const BlockMask& mask, unsigned warps) const {
    std::vector<std::string> lanes;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      std::string bits;
      for (unsigned warp = 0; warp < warps; ++warp) bits += mask[warp].test(lane) ? '1' : '0';
      lanes.push_back(bits);
    }
    return fmt::format("{}", fmt::join(lanes, " "));
  }

 private:
  unsigned lanes_;

 public:
  BlockStack::Stats stats;
  BlockStack stack;
  ThreadCompactor compactor;
};

}  // namespace heddle::compaction
