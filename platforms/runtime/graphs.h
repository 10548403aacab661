// Graphs: operations of streams, kept to be launched again. A captured stream, or the call that adds a node, has recorded them; a graph
// that is launched hands them to a stream one after another, in an order that the dependencies allow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/streams.h"

namespace heddle::runtime {

struct Graph;

struct FillNode {  ///< cudaMemsetParams
  void* to = nullptr;
  std::size_t pitch = 0;
  unsigned value = 0, element = 1;
  std::size_t width = 0, height = 0;
};
struct HostNode {  ///< cudaHostNodeParams
  HostFunction function = nullptr;
  void* data = nullptr;
};

struct GraphNode {
  enum Type : int {
    kKernel,
    kCopy,
    kFill,
    kHost,
    kGraph,
    kEmpty,
    kWaitEvent,
    kRecordEvent,
    kAllocate = 10,
    kRelease
  };  ///< cudaGraphNodeType
  /// With what the node was made, as far as its operations do not say it. A child graph is the node's own.
  using Given = std::variant<std::monostate, Copy3D, FillNode, HostNode, EventHandle, Graph*>;
  int type = kEmpty;
  std::vector<Stream::Entry> entries;
  std::vector<const GraphNode*> needs;
  Given given;
  std::map<int, std::array<char, 64>> attributes;               ///< cudaGraphKernelNodeSetAttribute
  const GraphNode* original = nullptr;                          ///< in the graph of which this is a clone
  [[nodiscard]] std::vector<Stream::Entry> operations() const;  ///< with those of a child graph
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order in which they were added
  bool of_node = false;                           ///< a child, which its node destroys
  unsigned captures = 0;                          ///< that add nodes to it: it loses none meanwhile
  GraphNode* add(std::unique_ptr<GraphNode> node);
  void remove(const GraphNode* node);
  [[nodiscard]] GraphNode* find(const GraphNode* node) const;
  /// In an order that the dependencies allow: of those that may come next, the one added first. Empty: they form a circle.
  [[nodiscard]] std::vector<const GraphNode*> ordered() const;
  [[nodiscard]] std::vector<std::pair<const GraphNode*, const GraphNode*>> edges() const;  ///< from, to
  [[nodiscard]] std::vector<Stream::Entry> operations() const;

 private:
  std::map<const GraphNode*, GraphNode*> known_;
};

/// A graph as it was when it was instantiated. Nodes stand for those of that graph, which may be gone.
struct GraphExec {
  struct Step {
    const GraphNode* node = nullptr;
    int type = GraphNode::kEmpty;
    std::vector<Stream::Entry> entries;
    std::vector<std::size_t> needs;  ///< steps
    bool enabled = true;
  };
  std::vector<Step> steps;
  [[nodiscard]] static std::vector<Step> steps_of(const Graph& graph);
  unsigned long long flags = 0;  ///< cudaGraphInstantiateFlags
  [[nodiscard]] Step* find(const GraphNode* node);
};

/// Memory of a node that allocates. It lies at one place as long as there is a graph that allocates it.
struct GraphMemory {
  Runtime* runtime = nullptr;
  std::uint64_t address = 0, bytes = 0;
  bool allocated = false;  ///< a launch has, and nothing has given it back
  ~GraphMemory();
};

/// Functions of all toolkits, which pass edges' own data from 13 on. It is not kept: a node waits for the whole of those before it.
int add_dependencies(Graph* graph, const GraphNode* const* from, const GraphNode* const* to,
                     std::size_t count);
int remove_dependencies(Graph* graph, const GraphNode* const* from, const GraphNode* const* to,
                        std::size_t count);
int list_edges(const Graph* graph, const GraphNode** from, const GraphNode** to, void* edges,
               std::size_t* count);
/// What a node waits for, or (`dependent`) what waits for it.
int list_neighbours(const GraphNode* node, const GraphNode** nodes, void* edges, std::size_t* count,
                    bool dependent);
int add_any_node(GraphNode** made, Graph* graph, const GraphNode* const* needs, std::size_t count,
                 void* parameters);

class Graphs {
 public:
  Graph* create();
  Graph* clone(const Graph& graph);
  GraphExec* create_exec(const Graph& graph, unsigned long long flags);
  [[nodiscard]] bool holds(const Graph* graph) const { return graphs_.contains(graph); }
  [[nodiscard]] bool holds(const GraphExec* exec) const { return execs_.contains(exec); }
  /// The graph that has the node; nullptr: none.
  [[nodiscard]] Graph* graph_of(const GraphNode* node) const;
  /// The capture's graph so far: its operations one behind the other.
  [[nodiscard]] Graph& graph_of(Capture& capture);
  void destroy(const Graph* graph);
  /// A child graph that no node has any more.
  void drop(const GraphNode::Given& given);
  /// A capture that added to the graph has ended.
  void let_go(Graph& graph, bool keep);
  void destroy(const GraphExec* exec) { execs_.erase(exec); }

  /// Memory that the captured stream's graph allocates when it is launched, and gives back.
  Code allocate(Runtime& runtime, Stream& stream, void** pointer, std::size_t bytes);
  Code release(Stream& stream, void* pointer);
  /// Of a pointer that a graph has allocated, outside of graphs; nullptr: it is none.
  [[nodiscard]] GraphMemory* memory_at(const void* pointer) const;
  /// The program, or a node, does not need it any more.
  Code give_back(GraphMemory& memory);
  /// Bytes that are allocated now, and that graphs have: each with the most so far (cudaGraphMemAttributeType).
  [[nodiscard]] std::uint64_t& memory_count(int attribute) { return counts_.at(attribute); }
  static constexpr int kMemoryCounts = 4;

 private:
  friend struct GraphMemory;
  void count_memory(std::uint64_t used, std::uint64_t reserved);
  std::map<const Graph*, std::unique_ptr<Graph>> graphs_;
  std::map<const GraphExec*, std::unique_ptr<GraphExec>> execs_;
  std::map<std::uint64_t, std::weak_ptr<GraphMemory>> memory_;  ///< by address
  std::array<std::uint64_t, kMemoryCounts> counts_{};
};

}  // namespace heddle::runtime
