#include "analysis/dominators.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>
#include <stdexcept>

namespace heddle::analysis {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// One block per endless loop that has to be connected to the exit.
std::vector<BlockId> endless_loop_ends(const ControlFlowGraph& cfg) {
  const std::size_t nodes = cfg.block_count() + 1;
  Graph forward(nodes);
  for (BlockId b = 0; b < cfg.block_count(); ++b)
    for (const BlockId to : cfg.block(b).successors) boost::add_edge(b, to, forward);
  std::vector<std::uint32_t> component(nodes);
  const auto components = boost::strong_components(
      forward,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, forward)));
  std::vector<bool> leaves(static_cast<std::size_t>(components), false);
  std::vector<BlockId> last(static_cast<std::size_t>(components), kNoBlock);
  for (BlockId b = 0; b < cfg.block_count(); ++b) {
    last[component[b]] = b;
    for (const BlockId to : cfg.block(b).successors)
      if (component[to] != component[b]) leaves[component[b]] = true;
  }
  std::vector<BlockId> ends;
  for (BlockId b = 0; b < cfg.block_count(); ++b)
    if (!leaves[component[b]] && last[component[b]] == b) ends.push_back(b);
  return ends;
}

std::vector<BlockId> tree_of(const Graph& graph, BlockId root) {
  if (boost::num_vertices(graph) > DominatorTree::kMostBlocks + 1)
    throw std::length_error("too many basic blocks");
  std::vector<Graph::vertex_descriptor> parent(boost::num_vertices(graph), Graph::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      graph, root, boost::make_iterator_property_map(parent.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<BlockId> out(parent.size(), kNoBlock);
  for (std::size_t i = 0; i < parent.size(); ++i)
    if (parent[i] != Graph::null_vertex()) out[i] = static_cast<BlockId>(parent[i]);
  return out;
}

}  // namespace

DominatorTree DominatorTree::dominators(const ControlFlowGraph& cfg) {
  if (cfg.block_count() == 0) return {cfg.exit(), {kNoBlock}};
  // Boost (1.74) treats an unreachable predecessor as the root, so edges from unreachable blocks must be left
  // out.
  Graph graph(cfg.block_count() + 1);
  std::vector<bool> reached(cfg.block_count() + 1, false);
  std::vector<BlockId> work{0};
  reached[0] = true;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId to : cfg.block(b).successors) {
      boost::add_edge(b, to, graph);
      if (!reached[to]) work.push_back(to);
      reached[to] = true;
    }
  }
  return {0, tree_of(graph, 0)};
}

DominatorTree DominatorTree::post_dominators(const ControlFlowGraph& cfg) {
  // With endless loops connected, every block reaches the exit: none is unreachable in the reversed graph.
  Graph reversed(cfg.block_count() + 1);
  for (BlockId b = 0; b < cfg.block_count(); ++b)
    for (const BlockId to : cfg.block(b).successors) boost::add_edge(to, b, reversed);
  for (const BlockId b : endless_loop_ends(cfg)) boost::add_edge(cfg.exit(), b, reversed);
  return {cfg.exit(), tree_of(reversed, cfg.exit())};
}

DominatorTree DominatorTree::of(const std::vector<std::vector<BlockId>>& successors, BlockId root) {
  Graph graph(successors.size());
  for (BlockId from = 0; from < successors.size(); ++from)
    for (const BlockId to : successors[from]) boost::add_edge(from, to, graph);
  return {root, tree_of(graph, root)};
}

DominatorTree::DominatorTree(BlockId root, std::vector<BlockId> parent)
    : root_(root), parent_(std::move(parent)), enter_(parent_.size(), 0), leave_(parent_.size(), 0) {
  // Preorder numbers answer dominates() in constant time. Linked lists of children avoid recursion: the tree
  // can be as deep as the kernel has blocks.
  std::vector<BlockId> child(parent_.size(), kNoBlock);
  std::vector<BlockId> sibling(parent_.size(), kNoBlock);
  for (BlockId b = static_cast<BlockId>(parent_.size()); b-- > 0;) {
    if (parent_[b] == kNoBlock) continue;
    sibling[b] = child[parent_[b]];
    child[parent_[b]] = b;
  }
  std::uint32_t number = 1;
  BlockId at = root_;
  enter_[at] = number;
  while (true) {
    if (child[at] != kNoBlock) {
      at = child[at];
      enter_[at] = ++number;
      continue;
    }
    while (at != root_ && sibling[at] == kNoBlock) {
      leave_[at] = number;
      at = parent_[at];
    }
    leave_[at] = number;
    if (at == root_) break;
    at = sibling[at];
    enter_[at] = ++number;
  }
}

bool DominatorTree::dominates(BlockId above, BlockId below) const {
  return enter_[above] != 0 && enter_[above] <= enter_[below] && enter_[below] <= leave_[above];
}

base::Pc reconvergence_pc(const ControlFlowGraph& cfg, const DominatorTree& post_dominators,
                          std::uint32_t instruction) {
  const BlockId meet = post_dominators.parent(cfg.block_of(instruction));
  return meet == kNoBlock || meet == cfg.exit() ? base::kNoPc : base::Pc(cfg.block(meet).first);
}

}  // namespace heddle::analysis
