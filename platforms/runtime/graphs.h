// Graphs: operations of streams, kept to be launched again. A captured stream, or the call that adds a node, has recorded them; a graph
// that is launched hands them to a stream one after another, in an order that the dependencies allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/streams.h"

namespace heddle::runtime {

struct GraphNode {
  enum Type : int {
    kKernel,
    kCopy,
    kFill,
    kHost,
    kGraph,
    kEmpty,
    kWaitEvent,
    kRecordEvent
  };  ///< cudaGraphNodeType
  int type = kEmpty;
  std::vector<Stream::Entry> entries;
  std::vector<const GraphNode*> needs;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order in which they were added
  [[nodiscard]] GraphNode* find(const GraphNode* node) const;
  /// In an order that the dependencies allow: of those that may come next, the one added first. Empty: they form a circle.
  [[nodiscard]] std::vector<const GraphNode*> ordered() const;
};

/// A graph as it was when it was instantiated. Nodes stand for those of that graph, which may be gone.
struct GraphExec {
  struct Step {
    const GraphNode* node = nullptr;
    int type = GraphNode::kEmpty;
    bool enabled = true;
    std::vector<Stream::Entry> entries;
  };
  std::vector<Step> steps;
  [[nodiscard]] Step* find(const GraphNode* node);
};

/// cudaGraphAddDependencies of all toolkits. None has edges of its own (`edges` is nullptr). All pairs are added, or none.
int add_dependencies(Graph* graph, const GraphNode* const* from, const GraphNode* const* to,
                     const void* edges, std::size_t count);

class Graphs {
 public:
  Graph* create();
  GraphExec* create_exec(const Graph& graph);
  [[nodiscard]] bool holds(const Graph* graph) const { return graphs_.contains(graph); }
  [[nodiscard]] bool holds(const GraphExec* exec) const { return execs_.contains(exec); }
  /// The graph that has the node; nullptr: none.
  [[nodiscard]] Graph* graph_of(const GraphNode* node) const;
  void destroy(const Graph* graph) { graphs_.erase(graph); }
  void destroy(const GraphExec* exec) { execs_.erase(exec); }

 private:
  std::map<const Graph*, std::unique_ptr<Graph>> graphs_;
  std::map<const GraphExec*, std::unique_ptr<GraphExec>> execs_;
};

}  // namespace heddle::runtime
