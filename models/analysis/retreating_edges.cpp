#include "analysis/retreating_edges.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace heddle::analysis {
namespace {

using Edge = std::pair<BlockId, BlockId>;

/// A block's successors, ordered by the number of blocks between them and their reconvergence point, largest
/// first.
std::vector<BlockId> longer_sides_first(const ControlFlowGraph& cfg, const PostDominators& post_dominators,
                                        BlockId block) {
  std::vector<BlockId> successors = cfg.block(block).successors;
  if (successors.size() < 2) return successors;
  const BlockId meet = post_dominators.block_of(post_dominators.behind(cfg.block(block).end - 1));
  std::vector<std::pair<std::size_t, BlockId>> sides;
  sides.reserve(successors.size());
  for (const BlockId side : successors) sides.emplace_back(blocks_between(cfg, {side}, meet).count(), side);
  std::stable_sort(sides.begin(), sides.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < sides.size(); ++i) successors[i] = sides[i].second;
  return successors;
}

/// A depth-first walk: its retreating edges lead to a block that it has entered and not yet left. A block's descendants are
/// those that it entered after the block and before it left it.
struct Order {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> entered;  ///< by block, from 1; 0: not reached
  std::vector<std::uint32_t> last;     ///< number of the block's last descendant
  [[nodiscard]] bool descends(BlockId block, BlockId from) const {
    return entered[from] <= entered[block] && entered[block] <= last[from];
  }
};

Order retreating(const ControlFlowGraph& cfg, const PostDominators& post_dominators,
                 const std::vector<std::uint32_t>& entries) {
  enum class State : std::uint8_t { kNew, kOpen, kLeft };
  std::vector<State> state(cfg.block_count() + 1, State::kNew);
  state[cfg.exit()] = State::kLeft;
  std::set<Edge> edges;
  Order order;
  order.entered.assign(cfg.block_count() + 1, 0);
  order.last.assign(cfg.block_count() + 1, 0);
  std::uint32_t count = 0;
  struct Step {
    BlockId block;
    std::vector<BlockId> successors;
    std::size_t next;
  };
  std::vector<Step> walk;
  const auto enter = [&](BlockId block) {
    state[block] = State::kOpen;
    order.entered[block] = ++count;
    walk.push_back({block, longer_sides_first(cfg, post_dominators, block), 0});
  };
  for (const std::uint32_t entry : entries) {
    if (state[cfg.block_of(entry)] == State::kNew) enter(cfg.block_of(entry));
    while (!walk.empty()) {
      Step& top = walk.back();
      if (top.next == top.successors.size()) {
        state[top.block] = State::kLeft;
        order.last[top.block] = count;
        walk.pop_back();
        continue;
      }
      const BlockId to = top.successors[top.next++];
      if (state[to] == State::kOpen) edges.emplace(top.block, to);
      if (state[to] == State::kNew) enter(to);
    }
  }
  order.edges.assign(edges.begin(), edges.end());
  return order;
}

BlockSet reachable_from(const ControlFlowGraph& cfg, BlockId from) {
  return blocks_between(cfg, {from}, cfg.exit());
}

EdgeLoop loop_of(const ControlFlowGraph& cfg, const Edge& edge, const Order& order, const BlockSet& alive) {
  EdgeLoop loop;
  std::tie(loop.latch, loop.header) = edge;
  loop.blocks = no_blocks(cfg);
  loop.blocks.set(loop.header);
  std::vector<BlockId> work{loop.latch};
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    // Threads that come from outside of the header's descendants enter the loop elsewhere.
    if (loop.blocks.test(b) || !order.descends(b, loop.header)) continue;
    loop.blocks.set(b);
    const auto& before = cfg.block(b).predecessors;
    work.insert(work.end(), before.begin(), before.end());
  }
  for (std::size_t b = loop.blocks.find_first(); b != BlockSet::npos; b = loop.blocks.find_next(b)) {
    const auto& block = cfg.block(static_cast<BlockId>(b));
    if (std::any_of(block.successors.begin(), block.successors.end(),
                    [&](BlockId s) { return !loop.blocks.test(s); }))
      loop.exits.push_back(static_cast<BlockId>(b));
    if (b != loop.header)
      for (const BlockId from : block.predecessors)
        loop.several_entries |= alive.test(from) && !loop.blocks.test(from);
  }
  return loop;
}

}  // namespace

std::vector<CodeRange> code_ranges(const isa::Kernel& kernel) {
  std::vector<CodeRange> ranges;
  const auto size = static_cast<std::uint32_t>(kernel.code.size());
  const std::uint32_t own_end = kernel.functions.empty() ? size : kernel.functions.front().first;
  if (own_end > 0) ranges.push_back({0, 0, own_end, {0}});
  for (std::uint32_t f = 0; f < kernel.functions.size(); ++f) {
    const isa::FunctionCode& function = kernel.functions[f];
    if (function.end == function.first) continue;
    ranges.push_back({f + 1, function.first, function.end, {function.first, function.entry}});
  }
  return ranges;
}

std::vector<EdgeLoop> edge_loops(const ControlFlowGraph& cfg, const PostDominators& post_dominators,
                                 const std::vector<CodeRange>& ranges) {
  std::vector<EdgeLoop> loops;
  for (const CodeRange& range : ranges) {
    BlockSet alive = no_blocks(cfg);
    for (const std::uint32_t entry : range.entries) alive |= reachable_from(cfg, cfg.block_of(entry));
    const Order order = retreating(cfg, post_dominators, range.entries);
    for (const Edge& edge : order.edges) {
      loops.push_back(loop_of(cfg, edge, order, alive));
      loops.back().function = range.function;
    }
  }
  std::sort(loops.begin(), loops.end(), [](const EdgeLoop& a, const EdgeLoop& b) {
    return std::tie(a.header, a.latch) < std::tie(b.header, b.latch);
  });
  return loops;
}

}  // namespace heddle::analysis
