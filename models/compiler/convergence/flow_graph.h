// Control flow of one function as the placement of regions sees it: where the lanes of a warp may part, end or
// wait for each other.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <vector>

#include "analysis/dominators.h"

namespace heddle::compiler {

using NodeId = analysis::BlockId;
using analysis::DominatorTree;
inline constexpr NodeId kNoNode = analysis::kNoBlock;
using NodeSet = boost::dynamic_bitset<>;

struct FlowNode {
  std::vector<NodeId> successors;    ///< distinct
  std::vector<NodeId> predecessors;  ///< distinct
  bool parts = false;  ///< its lanes may go on at different successors, or, after a call, at different times
  bool ends = false;   ///< all of its lanes exit or return; it has no successors
  bool only_exits = false;         ///< all of its lanes exit at once
  bool may_exit = false;           ///< some of its lanes may exit while others go on
  std::uint32_t stores = 0;        ///< of the instructions, to memory
  std::uint32_t instructions = 0;  ///< without jumps; 0: nothing but a way to elsewhere
};

/// Node 0 is the entry, where no edge leads to. All nodes are reachable from it.
class FlowGraph {
 public:
  explicit FlowGraph(std::size_t nodes) : nodes_(nodes) {}

  [[nodiscard]] NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  [[nodiscard]] FlowNode& operator[](NodeId node) { return nodes_[node]; }
  [[nodiscard]] const FlowNode& operator[](NodeId node) const { return nodes_[node]; }
  NodeId add_node();
  void add_edge(NodeId from, NodeId to);
  /// A new node on these edges to `to`.
  NodeId add_node_before(NodeId to, const std::vector<NodeId>& from);
  void remove_unreachable();

  [[nodiscard]] NodeSet none() const { return NodeSet(nodes_.size()); }
  /// Nodes that the successors of `from` lead to, themselves included, without entering a node of `avoid`.
  [[nodiscard]] NodeSet behind(NodeId from, const NodeSet& avoid) const;
  [[nodiscard]] NodeSet behind(NodeId from, NodeId avoid) const;
  /// `start` and the nodes that it leads to, in the same way. Nothing if it is in `avoid`.
  [[nodiscard]] NodeSet from(NodeId start, const NodeSet& avoid) const;
  /// Nodes that lead to `to` without entering `avoid`, neither of them included.
  [[nodiscard]] NodeSet before(NodeId to, NodeId avoid) const;

  [[nodiscard]] DominatorTree dominators() const;

 private:
  void spread(NodeSet& reached, std::vector<NodeId> work, const NodeSet& avoid) const;
  std::vector<FlowNode> nodes_;
};

/// Every loop gets a node of its own before its header, where only lanes pass that come from outside, and one for all
/// its back edges if there are several. Loops with a common header are separated if one continues where the other's
/// iteration ends; or they are `one_a_header`, as for ptxas.
struct LoopNodes {
  NodeId header = kNoNode;
  /// Nodes between the outside and the header, outermost first: the way in, then a node per loop inside
  /// another one with the same header. Back edges of the loop i (0: outermost) lead to `before[i + 1]`, those of
  /// the innermost to the header.
  std::vector<NodeId> before;
  std::vector<NodeId> latches;  ///< by loop; kNoNode: there is one back edge only
};
[[nodiscard]] std::vector<LoopNodes> separate_loops(FlowGraph& graph, bool one_a_header = false);

}  // namespace heddle::compiler
