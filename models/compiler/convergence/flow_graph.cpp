#include "compiler/convergence/flow_graph.h"

#include <algorithm>

namespace heddle::compiler {

NodeId FlowGraph::add_node() {
  nodes_.emplace_back();
  return size() - 1;
}

void FlowGraph::add_edge(NodeId from, NodeId to) {
  auto& successors = nodes_[from].successors;
  if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
  successors.push_back(to);
  nodes_[to].predecessors.push_back(from);
}

NodeId FlowGraph::add_node_before(NodeId to, const std::vector<NodeId>& from) {
  const NodeId node = add_node();
  for (const NodeId before : from) {
    auto& successors = nodes_[before].successors;
    std::replace(successors.begin(), successors.end(), to, node);
    std::erase(nodes_[to].predecessors, before);
    nodes_[node].predecessors.push_back(before);
  }
  add_edge(node, to);
  return node;
}

void FlowGraph::remove_unreachable() {
  NodeSet reached = from(0, none());
  for (NodeId node = 0; node < size(); ++node) {
    if (!reached.test(node)) nodes_[node] = {};
    std::erase_if(nodes_[node].predecessors, [&](NodeId each) { return !reached.test(each); });
  }
}

void FlowGraph::spread(NodeSet& reached, std::vector<NodeId> work, const NodeSet& avoid) const {
  while (!work.empty()) {
    const NodeId node = work.back();
    work.pop_back();
    if (reached.test(node) || avoid.test(node)) continue;
    reached.set(node);
    work.insert(work.end(), nodes_[node].successors.begin(), nodes_[node].successors.end());
  }
}

NodeSet FlowGraph::behind(NodeId start, const NodeSet& avoid) const {
  NodeSet reached = none();
  spread(reached, nodes_[start].successors, avoid);
  return reached;
}

NodeSet FlowGraph::behind(NodeId start, NodeId avoid) const {
  NodeSet set = none();
  set.set(avoid);
  return behind(start, set);
}

NodeSet FlowGraph::from(NodeId start, const NodeSet& avoid) const {
  NodeSet reached = none();
  spread(reached, {start}, avoid);
  return reached;
}

NodeSet FlowGraph::before(NodeId to, NodeId avoid) const {
  NodeSet reached = none();
  if (to == avoid) return reached;
  std::vector<NodeId> work = nodes_[to].predecessors;
  while (!work.empty()) {
    const NodeId node = work.back();
    work.pop_back();
    if (reached.test(node) || node == avoid || node == to) continue;
    reached.set(node);
    work.insert(work.end(), nodes_[node].predecessors.begin(), nodes_[node].predecessors.end());
  }
  return reached;
}

DominatorTree FlowGraph::dominators() const {
  std::vector<std::vector<NodeId>> successors;
  successors.reserve(nodes_.size());
  for (const FlowNode& node : nodes_) successors.push_back(node.successors);
  return DominatorTree::of(successors, 0);
}

namespace {

/// Back edges of one header, by the loop that they belong to, outermost first.
std::vector<std::vector<NodeId>> loops_of(const FlowGraph& graph, NodeId header,
                                          std::vector<NodeId> latches) {
  std::vector<NodeSet> ahead;
  for (const NodeId latch : latches) ahead.push_back(graph.before(latch, header));
  // Within an iteration.
  const auto leads = [&](std::size_t from, std::size_t to) {
    return latches[from] == header ? latches[to] != header : ahead[to].test(latches[from]);
  };
  std::vector<std::vector<NodeId>> loops;
  std::vector<bool> placed(latches.size(), false);
  for (std::size_t left = latches.size(); left != 0;) {
    // Outermost are those whose iteration no other one's end can still follow.
    std::vector<std::size_t> outer;
    for (std::size_t i = 0; i < latches.size(); ++i) {
      if (placed[i]) continue;
      const auto continues = [&](std::size_t k) {
        return !placed[k] && k != i && leads(i, k) && !leads(k, i);
      };
      bool inner = false;
      for (std::size_t k = 0; k < latches.size(); ++k) inner = inner || continues(k);
      if (!inner) outer.push_back(i);
    }
    auto& loop = loops.emplace_back();
    for (const std::size_t i : outer) {
      placed[i] = true;
      loop.push_back(latches[i]);
      --left;
    }
  }
  return loops;
}

}  // namespace

std::vector<LoopNodes> separate_loops(FlowGraph& graph, bool one_a_header) {
  const DominatorTree dominators = graph.dominators();
  const NodeId nodes = graph.size();
  std::vector<LoopNodes> all;
  for (NodeId header = 0; header < nodes; ++header) {
    std::vector<NodeId> latches;
    std::vector<NodeId> outside;
    for (const NodeId from : graph[header].predecessors)
      (dominators.dominates(header, from) ? latches : outside).push_back(from);
    if (latches.empty()) continue;
    LoopNodes loop;
    loop.header = header;
    const auto loops =
        one_a_header ? std::vector<std::vector<NodeId>>{latches} : loops_of(graph, header, latches);
    loop.before.push_back(graph.add_node_before(header, outside));
    for (std::size_t i = 0; i < loops.size(); ++i) {
      std::vector<NodeId> back = loops[i];
      loop.latches.push_back(back.size() > 1 ? graph.add_node_before(header, back) : kNoNode);
      if (back.size() > 1) back = {loop.latches.back()};
      if (i + 1 == loops.size()) break;
      back.push_back(loop.before.back());
      loop.before.push_back(graph.add_node_before(header, back));
    }
    all.push_back(std::move(loop));
  }
  return all;
}

}  // namespace heddle::compiler
