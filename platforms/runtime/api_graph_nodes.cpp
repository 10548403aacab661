// What is to be known of graphs and their nodes, nodes of all kinds by one function, memory of graphs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/graph_nodes.h"
#include "runtime/graphs.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

constexpr std::size_t kEdgeBytes = 8;                   // cudaGraphEdgeData
constexpr int kCooperative = 2, kClusterDimension = 4;  // cudaLaunchAttributeID

template <class Use>
int with_node(const GraphNode* given, int type, Use&& use) {
  return call([&](Runtime& runtime) {
    const Graph* const graph = runtime.graphs.graph_of(given);
    GraphNode* const node = graph == nullptr ? nullptr : graph->find(given);
    return node == nullptr || node->type != type ? Code::kInvalidValue : use(runtime, *node);
  });
}

/// What a node was made with. Of a captured operation only kernels and host functions are known.
template <class T>
int given_with(const GraphNode* node, int type, T* result) {
  return with_node(node, type, [&](Runtime&, const GraphNode& found) {
    const T* const given = std::get_if<T>(&found.given);
    if (result == nullptr) return Code::kInvalidValue;
    if (given == nullptr) return Code::kNotSupported;
    *result = *given;
    return Code::kSuccess;
  });
}

template <class List, class Write>
Code list(const List& all, std::size_t* count, bool wanted, Write&& write) {
  if (count == nullptr) return Code::kInvalidValue;
  if (wanted)  // places that are left over have nullptr (CUDA runtime API, cudaGraphGetEdges)
    for (std::size_t i = 0; i < *count; ++i) write(i, i < all.size() ? all[i] : typename List::value_type{});
  *count = wanted ? std::min(*count, all.size()) : all.size();
  return Code::kSuccess;
}

void no_data(void* edges, std::size_t index) {
  if (edges != nullptr) std::memset(static_cast<char*>(edges) + index * kEdgeBytes, 0, kEdgeBytes);
}

/// Whether each edge is there, or none is, and none is named twice.
bool are_edges(const Graph& graph, Nodes from, Nodes to, std::size_t count, bool there) {
  if (count != 0 && (from == nullptr || to == nullptr)) return false;
  std::set<std::pair<const GraphNode*, const GraphNode*>> once;
  for (std::size_t i = 0; i < count; ++i) {
    const GraphNode* const node = graph.find(to[i]);
    if (node == nullptr || graph.find(from[i]) == nullptr || from[i] == to[i]) return false;
    const bool has = std::find(node->needs.begin(), node->needs.end(), from[i]) != node->needs.end();
    if (has != there || !once.emplace(from[i], to[i]).second) return false;
  }
  return true;
}

}  // namespace

// ---- Dependencies

int heddle::runtime::add_dependencies(Graph* graph, Nodes from, Nodes to, std::size_t count) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(graph) || !are_edges(*graph, from, to, count, false))
      return Code::kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) graph->find(to[i])->needs.push_back(from[i]);
    return Code::kSuccess;
  });
}
int heddle::runtime::remove_dependencies(Graph* graph, Nodes from, Nodes to, std::size_t count) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(graph) || !are_edges(*graph, from, to, count, true)) return Code::kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) std::erase(graph->find(to[i])->needs, from[i]);
    return Code::kSuccess;
  });
}
int heddle::runtime::list_edges(const Graph* graph, const GraphNode** from, const GraphNode** to, void* edges,
                                std::size_t* count) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(graph) || (from == nullptr) != (to == nullptr)) return Code::kInvalidValue;
    return list(graph->edges(), count, from != nullptr, [&](std::size_t i, const auto& edge) {
      from[i] = edge.first;
      to[i] = edge.second;
      no_data(edges, i);
    });
  });
}
int heddle::runtime::list_neighbours(const GraphNode* node, const GraphNode** nodes, void* edges,
                                     std::size_t* count, bool dependent) {
  return call([&](Runtime& runtime) {
    const Graph* const graph = runtime.graphs.graph_of(node);
    if (graph == nullptr) return Code::kInvalidValue;
    std::vector<const GraphNode*> all;
    if (!dependent) all = node->needs;
    if (dependent)
      for (const auto& each : graph->nodes)
        if (std::find(each->needs.begin(), each->needs.end(), node) != each->needs.end())
          all.push_back(each.get());
    return list(all, count, nodes != nullptr, [&](std::size_t i, const GraphNode* each) {
      nodes[i] = each;
      no_data(edges, i);
    });
  });
}

// ---- Nodes

int heddle::runtime::add_any_node(GraphNode** made, Graph* graph, Nodes needs, std::size_t count,
                                  void* parameters) {
  return add_node(made, graph, needs, count, node_of(parameters));
}
HEDDLE_CUDA int cudaGraphNodeSetParams(const GraphNode* node, void* parameters) {
  return change_node(nullptr, node, node_of(parameters));
}
HEDDLE_CUDA int cudaGraphExecNodeSetParams(GraphExec* exec, const GraphNode* node, void* parameters) {
  return exec == nullptr ? bad() : change_node(exec, node, node_of(parameters));
}
HEDDLE_CUDA int cudaGraphDestroyNode(const GraphNode* node) {
  return call([&](Runtime& runtime) {
    Graph* const graph = runtime.graphs.graph_of(node);
    if (graph == nullptr || graph->captures != 0) return Code::kInvalidValue;
    runtime.graphs.drop(node->given);
    graph->remove(node);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphNodeFindInClone(const GraphNode** found, const GraphNode* original,
                                         const Graph* clone) {
  return call([&](Runtime& runtime) {
    if (found == nullptr || original == nullptr || !runtime.graphs.holds(clone)) return Code::kInvalidValue;
    for (const auto& each : clone->nodes)
      if (each->original == original) {
        *found = each.get();
        return Code::kSuccess;
      }
    return Code::kInvalidValue;
  });
}
HEDDLE_CUDA int cudaGraphKernelNodeGetParams(const GraphNode* node, KernelNode* result) {
  return with_node(node, GraphNode::kKernel, [&](Runtime&, const GraphNode& found) {
    if (result == nullptr || found.entries.empty() || !found.entries[0].launch) return Code::kInvalidValue;
    const Launch& launch = *found.entries[0].launch;
    *result = {launch.function,
               launch.grid,
               launch.block,
               static_cast<unsigned>(launch.shared),
               const_cast<void**>(launch.pointers.data()),
               nullptr};
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphMemcpyNodeGetParams(const GraphNode* node, Copy3D* result) {
  return given_with(node, GraphNode::kCopy, result);
}
HEDDLE_CUDA int cudaGraphMemsetNodeGetParams(const GraphNode* node, FillNode* result) {
  return given_with(node, GraphNode::kFill, result);
}
HEDDLE_CUDA int cudaGraphHostNodeGetParams(const GraphNode* node, HostNode* result) {
  return with_node(node, GraphNode::kHost, [&](Runtime&, const GraphNode& found) {
    if (result == nullptr || found.entries.empty()) return Code::kInvalidValue;
    *result = {found.entries[0].function, found.entries[0].data};
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphChildGraphNodeGetGraph(const GraphNode* node, Graph** result) {
  return given_with(node, GraphNode::kGraph, result);
}
HEDDLE_CUDA int cudaGraphEventRecordNodeGetEvent(const GraphNode* node, EventHandle* result) {
  return given_with(node, GraphNode::kRecordEvent, result);
}
HEDDLE_CUDA int cudaGraphEventWaitNodeGetEvent(const GraphNode* node, EventHandle* result) {
  return given_with(node, GraphNode::kWaitEvent, result);
}
HEDDLE_CUDA int cudaGraphEventRecordNodeSetEvent(const GraphNode* node, EventHandle event) {
  return change_node(nullptr, node, record_of(event));
}
HEDDLE_CUDA int cudaGraphEventWaitNodeSetEvent(const GraphNode* node, EventHandle event) {
  return change_node(nullptr, node, wait_of(event));
}
HEDDLE_CUDA int cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, const GraphNode* node,
                                                     EventHandle event) {
  return exec == nullptr ? bad() : change_node(exec, node, record_of(event));
}
HEDDLE_CUDA int cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, const GraphNode* node,
                                                   EventHandle event) {
  return exec == nullptr ? bad() : change_node(exec, node, wait_of(event));
}
HEDDLE_CUDA int cudaGraphMemcpyNodeSetParamsToSymbol(const GraphNode* node, const void* symbol,
                                                     const void* from, std::size_t bytes, std::size_t offset,
                                                     int kind) {
  return change_node(nullptr, node, copy_to_symbol(symbol, from, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphMemcpyNodeSetParamsFromSymbol(const GraphNode* node, void* to, const void* symbol,
                                                       std::size_t bytes, std::size_t offset, int kind) {
  return change_node(nullptr, node, copy_from_symbol(to, symbol, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, const GraphNode* node,
                                                         const void* symbol, const void* from,
                                                         std::size_t bytes, std::size_t offset, int kind) {
  return exec == nullptr ? bad() : change_node(exec, node, copy_to_symbol(symbol, from, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, const GraphNode* node, void* to,
                                                           const void* symbol, std::size_t bytes,
                                                           std::size_t offset, int kind) {
  return exec == nullptr ? bad() : change_node(exec, node, copy_from_symbol(to, symbol, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, const GraphNode* node,
                                                     const Graph* child) {
  return call([&](Runtime& runtime) {
    GraphExec::Step* const step = runtime.graphs.holds(exec) ? exec->find(node) : nullptr;
    if (step == nullptr || step->type != GraphNode::kGraph || !runtime.graphs.holds(child))
      return Code::kInvalidValue;
    step->entries = child->operations();
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphNodeGetEnabled(GraphExec* exec, const GraphNode* node, unsigned* enabled) {
  return call([&](Runtime& runtime) {
    const GraphExec::Step* const step = runtime.graphs.holds(exec) ? exec->find(node) : nullptr;
    if (step == nullptr || enabled == nullptr) return Code::kInvalidValue;
    *enabled = step->enabled ? 1 : 0;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphExecGetFlags(const GraphExec* exec, unsigned long long* flags) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(exec) || flags == nullptr) return Code::kInvalidValue;
    *flags = exec->flags;
    return Code::kSuccess;
  });
}

// ---- Attributes of kernels' nodes: of them only "cooperative" has an effect.

HEDDLE_CUDA int cudaGraphKernelNodeSetAttribute(const GraphNode* node, int attribute, const void* value) {
  if (value == nullptr) return bad();
  std::array<char, 64> bytes{};
  std::memcpy(bytes.data(), value, bytes.size());
  if (attribute == kClusterDimension) {
    Dim cluster;
    std::memcpy(&cluster, value, sizeof cluster);
    if (std::uint64_t{cluster.x} * cluster.y * cluster.z > 1)
      return refuse("cudaGraphKernelNodeSetAttribute with clusters", "Launch clusters of one block.");
  }
  if (attribute == kCooperative) {
    KernelNode kernel;
    if (const int code = cudaGraphKernelNodeGetParams(node, &kernel); code != 0) return code;
    if (const int code = change_node(nullptr, node, kernel_of(&kernel, bytes[0] != 0)); code != 0)
      return code;
  }
  return with_node(node, GraphNode::kKernel, [&](Runtime&, GraphNode& found) {
    found.attributes[attribute] = bytes;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphKernelNodeGetAttribute(const GraphNode* node, int attribute, void* value) {
  return with_node(node, GraphNode::kKernel, [&](Runtime&, GraphNode& found) {
    if (value == nullptr) return Code::kInvalidValue;
    std::array<char, 64>& bytes = found.attributes[attribute];
    if (attribute == kCooperative && !found.entries.empty() && found.entries[0].launch)  // also as captured
      bytes[0] = found.entries[0].launch->cooperative ? 1 : 0;
    std::memcpy(value, bytes.data(), bytes.size());
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphKernelNodeCopyAttributes(const GraphNode* to, const GraphNode* from) {
  std::map<int, std::array<char, 64>> attributes;
  int code = with_node(from, GraphNode::kKernel, [&](Runtime&, const GraphNode& found) {
    attributes = found.attributes;
    return Code::kSuccess;
  });
  for (const auto& [attribute, bytes] : attributes)
    if (code == 0) code = cudaGraphKernelNodeSetAttribute(to, attribute, bytes.data());
  return code;
}

// ---- Memory that graphs allocate

HEDDLE_CUDA int cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                         AllocationNode* given) {
  return add_node(node, graph, needs, count, allocation_of(given));
}
HEDDLE_CUDA int cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                        void* pointer) {
  return add_node(node, graph, needs, count, release_of(pointer));
}
HEDDLE_CUDA int cudaGraphMemAllocNodeGetParams(const GraphNode* node, AllocationNode* result) {
  return with_node(node, GraphNode::kAllocate, [&](Runtime&, const GraphNode& found) {
    if (result == nullptr || found.entries.empty()) return Code::kInvalidValue;
    const auto* const memory = static_cast<const GraphMemory*>(found.entries[0].data);
    *result = {};
    result->pool.type = result->pool.location_type = 1;  // pinned, on a device
    result->bytes = memory->bytes;
    result->pointer = reinterpret_cast<void*>(memory->address);  // NOLINT(performance-no-int-to-ptr)
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphMemFreeNodeGetParams(const GraphNode* node, void* result) {
  return with_node(node, GraphNode::kRelease, [&](Runtime&, const GraphNode& found) {
    if (result == nullptr || found.entries.empty()) return Code::kInvalidValue;
    const auto* const memory = static_cast<const GraphMemory*>(found.entries[0].data);
    std::memcpy(result, &memory->address, sizeof memory->address);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return call([&](Runtime& runtime) {
    if (device != 0) return Code::kInvalidDevice;
    if (value == nullptr || attribute < 0 || attribute >= Graphs::kMemoryCounts) return Code::kInvalidValue;
    std::memcpy(value, &runtime.graphs.memory_count(attribute), sizeof(std::uint64_t));
    return Code::kSuccess;
  });
}
/// The most so far begins again from what is there now.
HEDDLE_CUDA int cudaDeviceSetGraphMemAttribute(int device, int attribute, const void* value) {
  return call([&](Runtime& runtime) {
    if (device != 0) return Code::kInvalidDevice;
    if (value == nullptr || (attribute != 1 && attribute != 3)) return Code::kInvalidValue;
    runtime.graphs.memory_count(attribute) = runtime.graphs.memory_count(attribute - 1);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGraphMemTrim(int device) {
  return call([&](Runtime&) { return device == 0 ? Code::kSuccess : Code::kInvalidDevice; });
}

// ---- A graph as text (Graphviz)

HEDDLE_CUDA int cudaGraphDebugDotPrint(const Graph* graph, const char* path, unsigned) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(graph) || path == nullptr) return Code::kInvalidValue;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "w"), std::fclose);
    if (file == nullptr) return Code::kOperatingSystem;
    constexpr const char* kNames[] = {"kernel", "memcpy", "memset",     "host",
                                      "graph",  "empty",  "wait event", "record event",
                                      "",       "",       "mem alloc",  "mem free"};
    std::map<const GraphNode*, std::size_t> place;
    std::fprintf(file.get(), "digraph graph_0 {\n");
    for (const auto& each : graph->nodes) {
      place.emplace(each.get(), place.size());
      const auto type = static_cast<std::size_t>(each->type);
      std::fprintf(file.get(), "  node_%zu [shape=box label=\"%zu %s\"];\n", place[each.get()],
                   place[each.get()], type < std::size(kNames) ? kNames[type] : "");
    }
    for (const auto& [from, to] : graph->edges())
      std::fprintf(file.get(), "  node_%zu -> node_%zu;\n", place[from], place[to]);
    std::fprintf(file.get(), "}\n");
    return Code::kSuccess;
  });
}
