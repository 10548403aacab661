// Graphs and the capture of streams. What a node does is recorded from the call of the runtime that does the same in a stream.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/copy.h"
#include "runtime/graphs.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" {
int cudaLaunchKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, StreamHandle);
int cudaMemcpy3DAsync(const Copy3D*, StreamHandle);
int cudaMemcpyToSymbolAsync(const void*, const void*, std::size_t, std::size_t, int, StreamHandle);
int cudaMemcpyFromSymbolAsync(void*, const void*, std::size_t, std::size_t, int, StreamHandle);
int cudaLaunchHostFunc(StreamHandle, HostFunction, void*);
int cudaEventRecordWithFlags(EventHandle, StreamHandle, unsigned);
int cudaStreamWaitEvent(StreamHandle, EventHandle, unsigned);
}

namespace {

using Nodes = const GraphNode* const*;
constexpr unsigned kExternalEvent = 1;  // cudaEventRecordExternal, cudaEventWaitExternal: a node of its own
constexpr int kStepChanged = 2;         // cudaGraphExecUpdateErrorTopologyChanged

struct KernelNode {  // cudaKernelNodeParams
  const void* function = nullptr;
  Dim grid, block;
  unsigned shared = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};
struct FillNode {  // cudaMemsetParams
  void* to = nullptr;
  std::size_t pitch = 0;
  unsigned value = 0, element = 1;
  std::size_t width = 0, height = 0;
};
struct HostNode {  // cudaHostNodeParams
  HostFunction function = nullptr;
  void* data = nullptr;
};
struct UpdateResult {  // cudaGraphExecUpdateResultInfo
  int result = 0;
  const GraphNode *node = nullptr, *from = nullptr;
};

/// What a call leaves in a stream that is captured, as one list of operations.
template <class Call>
int record(std::vector<Stream::Entry>& entries, Call&& in_stream) {
  Capture capture;
  Stream* stream = nullptr;
  if (const int code = call([&](Runtime& runtime) {
        stream = runtime.streams.create(Streams::kNonBlocking, 0);
        stream->capture = &capture;
        return Code::kSuccess;
      });
      code != 0)
    return code;
  const int code = in_stream(stream);
  (void)call([&](Runtime& runtime) {
    stream->capture = nullptr;
    runtime.streams.destroy(runtime, stream);
    return Code::kSuccess;
  });
  entries = std::move(capture.entries);
  return code;
}

template <class Call>
int add_node(GraphNode** made, Graph* graph, Nodes needs, std::size_t count, int type, Call&& in_stream) {
  auto node = std::make_unique<GraphNode>();
  node->type = type;
  if (const int code = record(node->entries, in_stream); code != 0) return code;
  return call([&](Runtime& runtime) {
    if (made == nullptr || !runtime.graphs.holds(graph) || (needs == nullptr && count != 0))
      return Code::kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (graph->find(needs[i]) == nullptr) return Code::kInvalidValue;
      node->needs.push_back(needs[i]);
    }
    *made = node.get();
    graph->nodes.push_back(std::move(node));
    return Code::kSuccess;
  });
}

/// Other operations for a node of a graph, or of one that is instantiated already.
template <class Call>
int change_node(GraphExec* exec, const GraphNode* given, int type, Call&& in_stream) {
  std::vector<Stream::Entry> entries;
  if (const int code = record(entries, in_stream); code != 0) return code;
  return call([&](Runtime& runtime) {
    if (exec != nullptr) {
      GraphExec::Step* const step = runtime.graphs.holds(exec) ? exec->find(given) : nullptr;
      if (step == nullptr || step->type != type) return Code::kInvalidValue;
      step->entries = std::move(entries);
      return Code::kSuccess;
    }
    const Graph* const graph = runtime.graphs.graph_of(given);
    GraphNode* const node = graph == nullptr ? nullptr : graph->find(given);
    if (node == nullptr || node->type != type) return Code::kInvalidValue;
    node->entries = std::move(entries);
    return Code::kSuccess;
  });
}

int bad() { return static_cast<int>(last_error() = Code::kInvalidValue); }

// What nodes do, in a stream.

auto kernel_of(const KernelNode* node) {
  return [node](StreamHandle stream) {
    if (node == nullptr) return bad();
    if (node->extra != nullptr)
      return refuse("cudaGraphAddKernelNode with arguments in a buffer",
                    "Give pointers to the arguments (kernelParams).");
    return cudaLaunchKernel(node->function, node->grid, node->block, node->arguments, node->shared, stream);
  };
}
auto copy_of(const Copy3D* copy) {
  return [copy](StreamHandle stream) { return cudaMemcpy3DAsync(copy, stream); };
}
auto copy_of(void* to, const void* from, std::size_t bytes, int kind) {
  return [=](StreamHandle stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); };
}
auto copy_to(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind) {
  return
      [=](StreamHandle stream) { return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, stream); };
}
auto copy_from(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return
      [=](StreamHandle stream) { return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, stream); };
}
auto fill_of(const FillNode* node) {
  return [node](StreamHandle stream) {
    if (node == nullptr || (node->element != 1 && node->element != 2 && node->element != 4)) return bad();
    return call([&](Runtime& runtime) {
      const std::size_t bytes = node->width * node->element, pitch = node->height > 1 ? node->pitch : bytes;
      const auto to = reinterpret_cast<std::uint64_t>(node->to);
      return runtime.streams.run(
          runtime, stream,
          [&runtime, to, bytes, pitch, height = node->height, value = node->value, element = node->element] {
            return fill(runtime, {to, pitch, pitch * height}, value, {bytes, height, 1}, element);
          },
          Stream::kFillOperation);
    });
  };
}
auto host_of(const HostNode* node) {
  return [node](StreamHandle stream) {
    return node == nullptr ? bad() : cudaLaunchHostFunc(stream, node->function, node->data);
  };
}
auto record_of(EventHandle event) {
  return [event](StreamHandle stream) { return cudaEventRecordWithFlags(event, stream, kExternalEvent); };
}
auto wait_of(EventHandle event) {
  return [event](StreamHandle stream) { return cudaStreamWaitEvent(stream, event, kExternalEvent); };
}
int nothing(StreamHandle) { return 0; }

std::vector<Stream::Entry> all_of(const Graph& graph) {
  std::vector<Stream::Entry> entries;
  for (const GraphNode* const node : graph.ordered())
    entries.insert(entries.end(), node->entries.begin(), node->entries.end());
  return entries;
}

}  // namespace

// ---- Capture

HEDDLE_CUDA int cudaStreamBeginCapture(StreamHandle handle, int) {
  return call([&](Runtime& runtime) {
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    return runtime.streams.begin_capture(*stream);
  });
}
HEDDLE_CUDA int cudaStreamEndCapture(StreamHandle handle, Graph** made) {
  return call([&](Runtime& runtime) {
    if (made == nullptr) return Code::kInvalidValue;
    *made = nullptr;
    std::vector<Stream::Entry> entries;
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    if (const Code code = runtime.streams.end_capture(*stream, entries); code != Code::kSuccess) return code;
    Graph* const graph = runtime.graphs.create();
    for (Stream::Entry& each : entries) {  // in the order of the calls
      auto node = std::make_unique<GraphNode>();
      node->type = each.function == nullptr ? each.type : int{GraphNode::kHost};
      if (!graph->nodes.empty()) node->needs = {graph->nodes.back().get()};
      node->entries.push_back(std::move(each));
      graph->nodes.push_back(std::move(node));
    }
    *made = graph;
    return Code::kSuccess;
  });
}

// ---- Graphs and their nodes

HEDDLE_CUDA int cudaGraphCreate(Graph** graph, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (graph == nullptr || flags != 0) return Code::kInvalidValue;
    *graph = runtime.graphs.create();
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphDestroy(Graph* graph) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(graph)) return Code::kInvalidValue;
    runtime.graphs.destroy(graph);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphAddKernelNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                       const KernelNode* kernel) {
  return add_node(node, graph, needs, count, GraphNode::kKernel, kernel_of(kernel));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                       const Copy3D* copy) {
  return add_node(node, graph, needs, count, GraphNode::kCopy, copy_of(copy));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                         void* to, const void* from, std::size_t bytes, int kind) {
  return add_node(node, graph, needs, count, GraphNode::kCopy, copy_of(to, from, bytes, kind));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNodeToSymbol(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                               const void* symbol, const void* from, std::size_t bytes,
                                               std::size_t offset, int kind) {
  return add_node(node, graph, needs, count, GraphNode::kCopy, copy_to(symbol, from, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNodeFromSymbol(GraphNode** node, Graph* graph, Nodes needs,
                                                 std::size_t count, void* to, const void* symbol,
                                                 std::size_t bytes, std::size_t offset, int kind) {
  return add_node(node, graph, needs, count, GraphNode::kCopy, copy_from(to, symbol, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                       const FillNode* fill) {
  return add_node(node, graph, needs, count, GraphNode::kFill, fill_of(fill));
}
HEDDLE_CUDA int cudaGraphAddHostNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                     const HostNode* host) {
  return add_node(node, graph, needs, count, GraphNode::kHost, host_of(host));
}
HEDDLE_CUDA int cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count) {
  return add_node(node, graph, needs, count, GraphNode::kEmpty, nothing);
}
HEDDLE_CUDA int cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                            EventHandle event) {
  return add_node(node, graph, needs, count, GraphNode::kRecordEvent, record_of(event));
}
HEDDLE_CUDA int cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                          EventHandle event) {
  return add_node(node, graph, needs, count, GraphNode::kWaitEvent, wait_of(event));
}
HEDDLE_CUDA int cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                           const Graph* child) {
  return add_node(node, graph, needs, count, GraphNode::kGraph, [child](StreamHandle stream) {
    return call([&](Runtime& runtime) {
      if (!runtime.graphs.holds(child)) return Code::kInvalidValue;
      stream->capture->entries = all_of(*child);
      return Code::kSuccess;
    });
  });
}
int heddle::runtime::add_dependencies(Graph* graph, Nodes from, Nodes to, const void* edges,
                                      std::size_t count) {
  return call([&](Runtime& runtime) {
    if (edges != nullptr || !runtime.graphs.holds(graph)) return Code::kInvalidValue;
    if (count != 0 && (from == nullptr || to == nullptr)) return Code::kInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (graph->find(from[i]) == nullptr || graph->find(to[i]) == nullptr) return Code::kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) graph->find(to[i])->needs.push_back(from[i]);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphNodeGetType(const GraphNode* node, int* type) {
  return call([&](Runtime& runtime) {
    if (type == nullptr || runtime.graphs.graph_of(node) == nullptr) return Code::kInvalidValue;
    *type = node->type;
    return Code::kSuccess;
  });
}

namespace {

int list_nodes(const Graph* graph, const GraphNode** nodes, std::size_t* count, bool roots) {
  return call([&](Runtime& runtime) {
    if (count == nullptr || !runtime.graphs.holds(graph)) return Code::kInvalidValue;
    std::size_t found = 0;
    for (const auto& each : graph->nodes) {
      if (roots && !each->needs.empty()) continue;
      if (nodes != nullptr && found == *count) break;
      if (nodes != nullptr) nodes[found] = each.get();
      ++found;
    }
    if (nodes != nullptr)  // places that are left over have nullptr (CUDA runtime API, cudaGraphGetNodes)
      for (std::size_t i = found; i < *count; ++i) nodes[i] = nullptr;
    *count = found;
    return Code::kSuccess;
  });
}

}  // namespace

HEDDLE_CUDA int cudaGraphGetNodes(const Graph* graph, const GraphNode** nodes, std::size_t* count) {
  return list_nodes(graph, nodes, count, false);
}
HEDDLE_CUDA int cudaGraphGetRootNodes(const Graph* graph, const GraphNode** nodes, std::size_t* count) {
  return list_nodes(graph, nodes, count, true);
}
HEDDLE_CUDA int cudaGraphClone(Graph** made, const Graph* graph) {
  return call([&](Runtime& runtime) {
    if (made == nullptr || !runtime.graphs.holds(graph)) return Code::kInvalidValue;
    Graph* const copy = runtime.graphs.create();
    std::map<const GraphNode*, const GraphNode*> same;
    for (const auto& each : graph->nodes) {
      copy->nodes.push_back(std::make_unique<GraphNode>(*each));
      same[each.get()] = copy->nodes.back().get();
    }
    for (const auto& each : copy->nodes)
      for (const GraphNode*& need : each->needs) need = same[need];
    *made = copy;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphKernelNodeSetParams(const GraphNode* node, const KernelNode* kernel) {
  return change_node(nullptr, node, GraphNode::kKernel, kernel_of(kernel));
}
HEDDLE_CUDA int cudaGraphMemcpyNodeSetParams(const GraphNode* node, const Copy3D* copy) {
  return change_node(nullptr, node, GraphNode::kCopy, copy_of(copy));
}
HEDDLE_CUDA int cudaGraphMemcpyNodeSetParams1D(const GraphNode* node, void* to, const void* from,
                                               std::size_t bytes, int kind) {
  return change_node(nullptr, node, GraphNode::kCopy, copy_of(to, from, bytes, kind));
}
HEDDLE_CUDA int cudaGraphMemsetNodeSetParams(const GraphNode* node, const FillNode* fill) {
  return change_node(nullptr, node, GraphNode::kFill, fill_of(fill));
}
HEDDLE_CUDA int cudaGraphHostNodeSetParams(const GraphNode* node, const HostNode* host) {
  return change_node(nullptr, node, GraphNode::kHost, host_of(host));
}

// ---- Instantiated graphs

HEDDLE_CUDA int cudaGraphInstantiateWithFlags(GraphExec** exec, const Graph* graph,
                                              unsigned long long flags) {
  constexpr unsigned long long kFromDevice = 4, kKnown = 15;  // cudaGraphInstantiateFlags
  if ((flags & ~kKnown) != 0) return bad();
  if ((flags & kFromDevice) != 0)
    return refuse("cudaGraphInstantiate for launches from the device", "Launch the graph from the host.");
  return call([&](Runtime& runtime) {
    if (exec == nullptr || !runtime.graphs.holds(graph)) return Code::kInvalidValue;
    if (!graph->nodes.empty() && graph->ordered().empty()) return Code::kInvalidValue;  // a circle
    *exec = runtime.graphs.create_exec(*graph);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphInstantiate(GraphExec** exec, const Graph* graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
HEDDLE_CUDA int cudaGraphExecDestroy(GraphExec* exec) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(exec)) return Code::kInvalidValue;
    runtime.graphs.destroy(exec);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphLaunch(GraphExec* exec, StreamHandle stream) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(exec)) return Code::kInvalidValue;
    for (const GraphExec::Step& step : exec->steps) {
      if (!step.enabled) continue;
      for (const Stream::Entry& each : step.entries) {
        const Code code = runtime.streams.run(runtime, stream, each);
        if (code != Code::kSuccess) return code;
      }
    }
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphUpload(const GraphExec* exec, StreamHandle) {
  return call(
      [&](Runtime& runtime) { return runtime.graphs.holds(exec) ? Code::kSuccess : Code::kInvalidValue; });
}
HEDDLE_CUDA int cudaGraphNodeSetEnabled(GraphExec* exec, const GraphNode* node, unsigned enabled) {
  return call([&](Runtime& runtime) {
    GraphExec::Step* const step = runtime.graphs.holds(exec) ? exec->find(node) : nullptr;
    if (step == nullptr) return Code::kInvalidValue;
    step->enabled = enabled != 0;
    return Code::kSuccess;
  });
}
/// The operations of another graph of the same nodes, in the same order.
HEDDLE_CUDA int cudaGraphExecUpdate(GraphExec* exec, const Graph* graph, UpdateResult* result) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(exec) || !runtime.graphs.holds(graph)) return Code::kInvalidValue;
    const auto nodes = graph->ordered();
    const bool same =
        nodes.size() == exec->steps.size() &&
        std::equal(nodes.begin(), nodes.end(), exec->steps.begin(),
                   [](const GraphNode* node, const auto& step) { return node->type == step.type; });
    if (result != nullptr) *result = {same ? 0 : kStepChanged, nullptr, nullptr};
    if (!same) return Code::kGraphExecUpdateFailure;
    for (std::size_t i = 0; i < nodes.size(); ++i) exec->steps[i].entries = nodes[i]->entries;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphExecKernelNodeSetParams(GraphExec* exec, const GraphNode* node,
                                                 const KernelNode* kernel) {
  return exec == nullptr ? bad() : change_node(exec, node, GraphNode::kKernel, kernel_of(kernel));
}
HEDDLE_CUDA int cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, const GraphNode* node, const Copy3D* copy) {
  return exec == nullptr ? bad() : change_node(exec, node, GraphNode::kCopy, copy_of(copy));
}
HEDDLE_CUDA int cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, const GraphNode* node, void* to,
                                                   const void* from, std::size_t bytes, int kind) {
  return exec == nullptr ? bad() : change_node(exec, node, GraphNode::kCopy, copy_of(to, from, bytes, kind));
}
HEDDLE_CUDA int cudaGraphExecMemsetNodeSetParams(GraphExec* exec, const GraphNode* node,
                                                 const FillNode* fill) {
  return exec == nullptr ? bad() : change_node(exec, node, GraphNode::kFill, fill_of(fill));
}
HEDDLE_CUDA int cudaGraphExecHostNodeSetParams(GraphExec* exec, const GraphNode* node, const HostNode* host) {
  return exec == nullptr ? bad() : change_node(exec, node, GraphNode::kHost, host_of(host));
}
