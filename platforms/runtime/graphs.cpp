#include "runtime/graphs.h"

#include <algorithm>
#include <set>

namespace heddle::runtime {

GraphNode* Graph::find(const GraphNode* node) const {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) { return each.get() == node; });
  return found == nodes.end() ? nullptr : found->get();
}

std::vector<const GraphNode*> Graph::ordered() const {
  std::vector<const GraphNode*> order;
  std::set<const GraphNode*> done;
  while (order.size() < nodes.size()) {
    const auto next = std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) {
      return !done.contains(each.get()) &&
             std::all_of(each->needs.begin(), each->needs.end(),
                         [&](const GraphNode* need) { return done.contains(need); });
    });
    if (next == nodes.end()) return {};
    order.push_back(next->get());
    done.insert(next->get());
  }
  return order;
}

GraphExec::Step* GraphExec::find(const GraphNode* node) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return each.node == node; });
  return found == steps.end() ? nullptr : &*found;
}

Graph* Graphs::create() {
  auto graph = std::make_unique<Graph>();
  Graph* const handle = graph.get();
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

GraphExec* Graphs::create_exec(const Graph& graph) {
  auto exec = std::make_unique<GraphExec>();
  for (const GraphNode* const node : graph.ordered())
    exec->steps.push_back({node, node->type, true, node->entries});
  GraphExec* const handle = exec.get();
  execs_.emplace(handle, std::move(exec));
  return handle;
}

Graph* Graphs::graph_of(const GraphNode* node) const {
  for (const auto& [handle, graph] : graphs_)
    if (graph->find(node) != nullptr) return graph.get();
  return nullptr;
}

}  // namespace heddle::runtime
