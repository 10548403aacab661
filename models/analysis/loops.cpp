#include "analysis/loops.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

/// The header and every block that reaches a latch without passing the header.
std::vector<BlockId> body(const ControlFlowGraph& cfg, const DominatorTree& dominators, const Loop& loop,
                          std::vector<std::uint32_t>& mark, std::uint32_t stamp) {
  std::vector<BlockId> blocks{loop.header};
  mark[loop.header] = stamp;
  std::vector<BlockId> work = loop.latches;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    // Predecessors outside the dominator tree are unreachable code that jumps into the loop.
    if (mark[b] == stamp || !dominators.dominates(loop.header, b)) continue;
    mark[b] = stamp;
    blocks.push_back(b);
    work.insert(work.end(), cfg.block(b).predecessors.begin(), cfg.block(b).predecessors.end());
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

std::vector<Loop> natural_loops(const ControlFlowGraph& cfg, const DominatorTree& dominators) {
  std::vector<Loop> loops;
  std::vector<std::uint32_t> mark(cfg.block_count() + 1, 0);
  for (BlockId header = 0; header < cfg.block_count(); ++header) {
    Loop loop;
    loop.header = header;
    for (const BlockId from : cfg.block(header).predecessors)
      if (dominators.dominates(header, from)) loop.latches.push_back(from);
    if (loop.latches.empty()) continue;
    loop.blocks = body(cfg, dominators, loop, mark, static_cast<std::uint32_t>(loops.size()) + 1);
    loops.push_back(std::move(loop));
  }
  // The parent of a loop is the smallest other loop that contains its header: two natural loops nest or are
  // disjoint.
  for (Loop& inner : loops) {
    for (std::uint32_t i = 0; i < loops.size(); ++i) {
      const Loop& outer = loops[i];
      if (&outer == &inner || !std::binary_search(outer.blocks.begin(), outer.blocks.end(), inner.header))
        continue;
      if (inner.parent == kNoLoop || outer.blocks.size() < loops[inner.parent].blocks.size())
        inner.parent = i;
    }
  }
  for (Loop& loop : loops)
    for (std::uint32_t up = loop.parent; up != kNoLoop; up = loops[up].parent) ++loop.depth;
  return loops;
}

}  // namespace heddle::analysis
