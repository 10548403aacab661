// Graphs and the capture of streams. What a node does is recorded from the call of the runtime that does the same in a stream.
#include <algorithm>
#include <cstring>

#include "runtime/graph_nodes.h"
#include "runtime/graphs.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

constexpr int kEdgesChanged = 2, kTypeChanged = 3;  // cudaGraphExecUpdateResult

struct UpdateResult {  // cudaGraphExecUpdateResultInfo
  int result = 0;
  const GraphNode *node = nullptr, *from = nullptr;
};

bool has_all(const Graph& graph, Nodes nodes, std::size_t count) {
  if (nodes == nullptr) return count == 0;
  return std::all_of(nodes, nodes + count,
                     [&](const GraphNode* each) { return graph.find(each) != nullptr; });
}

}  // namespace

// ---- Capture

HEDDLE_CUDA int cudaStreamBeginCapture(StreamHandle handle, int mode) {
  return call([&](Runtime& runtime) {
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    return runtime.streams.begin_capture(*stream, mode);
  });
}
HEDDLE_CUDA int cudaStreamEndCapture(StreamHandle handle, Graph** made) {
  return call([&](Runtime& runtime) {
    if (made == nullptr) return Code::kInvalidValue;
    *made = nullptr;
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    Capture* const capture = stream->capture;
    const bool ends = capture != nullptr && capture->origin == stream;
    const bool given = ends && capture->graph_given;
    Graph* const graph = ends ? &runtime.graphs.graph_of(*capture) : nullptr;
    const Code code = runtime.streams.end_capture(*stream);
    if (code == Code::kSuccess) *made = graph;
    if (ends && code != Code::kStreamCaptureWrongThread)
      runtime.graphs.let_go(*graph, given || code == Code::kSuccess);
    return code;
  });
}
HEDDLE_CUDA int cudaStreamBeginCaptureToGraph(StreamHandle handle, Graph* graph, Nodes needs, const void*,
                                              std::size_t count, int mode) {
  return call([&](Runtime& runtime) {
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    if (!runtime.graphs.holds(graph) || !has_all(*graph, needs, count)) return Code::kInvalidValue;
    const Code code = runtime.streams.begin_capture(*stream, mode);
    if (code != Code::kSuccess) return code;
    stream->capture->graph = graph;
    stream->capture->graph_given = true;
    ++graph->captures;
    stream->capture->last.assign(needs, needs + count);
    return Code::kSuccess;
  });
}
int heddle::runtime::capture_info(StreamHandle handle, int* status, unsigned long long* id, Graph** graph,
                                  const GraphNode* const** needs, const void** edges, std::size_t* count) {
  return call([&](Runtime& runtime) {
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    if (status == nullptr) return Code::kInvalidValue;
    Capture* const capture = stream->capture;
    *status = capture_status(*stream);
    if (capture == nullptr) return runtime.streams.implicit(*stream);
    if (id != nullptr) *id = capture->id;
    Graph& made = runtime.graphs.graph_of(*capture);
    if (graph != nullptr) *graph = &made;
    if (needs != nullptr) *needs = capture->last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = capture->last.size();
    return Code::kSuccess;
  });
}
int heddle::runtime::change_capture(StreamHandle handle, Nodes needs, std::size_t count, unsigned flags) {
  return call([&](Runtime& runtime) {
    constexpr unsigned kReplace = 1;  // cudaStreamSetCaptureDependencies
    Stream* const stream = runtime.streams.find(handle);
    if (stream == nullptr) return Code::kInvalidResourceHandle;
    if (stream->capture == nullptr) return Code::kIllegalState;
    if (flags > kReplace || !has_all(runtime.graphs.graph_of(*stream->capture), needs, count))
      return Code::kInvalidValue;
    auto& last = stream->capture->last;
    if (flags == kReplace) last.clear();
    last.insert(last.end(), needs, needs + count);
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
    if (!runtime.graphs.holds(graph) || graph->of_node || graph->captures != 0) return Code::kInvalidValue;
    runtime.graphs.destroy(graph);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphAddKernelNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                       const KernelNode* kernel) {
  return add_node(node, graph, needs, count, kernel_of(kernel));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                       const Copy3D* copy) {
  return add_node(node, graph, needs, count, copy_of(copy));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                         void* to, const void* from, std::size_t bytes, int kind) {
  return add_node(node, graph, needs, count, copy_of(to, from, bytes, kind));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNodeToSymbol(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                               const void* symbol, const void* from, std::size_t bytes,
                                               std::size_t offset, int kind) {
  return add_node(node, graph, needs, count, copy_to_symbol(symbol, from, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphAddMemcpyNodeFromSymbol(GraphNode** node, Graph* graph, Nodes needs,
                                                 std::size_t count, void* to, const void* symbol,
                                                 std::size_t bytes, std::size_t offset, int kind) {
  return add_node(node, graph, needs, count, copy_from_symbol(to, symbol, bytes, offset, kind));
}
HEDDLE_CUDA int cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                       const FillNode* fill) {
  return add_node(node, graph, needs, count, fill_of(fill));
}
HEDDLE_CUDA int cudaGraphAddHostNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                     const HostNode* host) {
  return add_node(node, graph, needs, count, host_of(host));
}
HEDDLE_CUDA int cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count) {
  return add_node(node, graph, needs, count, NodeCall{});
}
HEDDLE_CUDA int cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                            EventHandle event) {
  return add_node(node, graph, needs, count, record_of(event));
}
HEDDLE_CUDA int cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                          EventHandle event) {
  return add_node(node, graph, needs, count, wait_of(event));
}
HEDDLE_CUDA int cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, Nodes needs, std::size_t count,
                                           const Graph* child) {
  return add_node(node, graph, needs, count, child_of(child));
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
    *made = runtime.graphs.clone(*graph);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphKernelNodeSetParams(const GraphNode* node, const KernelNode* kernel) {
  return change_node(nullptr, node, kernel_of(kernel));
}
HEDDLE_CUDA int cudaGraphMemcpyNodeSetParams(const GraphNode* node, const Copy3D* copy) {
  return change_node(nullptr, node, copy_of(copy));
}
HEDDLE_CUDA int cudaGraphMemcpyNodeSetParams1D(const GraphNode* node, void* to, const void* from,
                                               std::size_t bytes, int kind) {
  return change_node(nullptr, node, copy_of(to, from, bytes, kind));
}
HEDDLE_CUDA int cudaGraphMemsetNodeSetParams(const GraphNode* node, const FillNode* fill) {
  return change_node(nullptr, node, fill_of(fill));
}
HEDDLE_CUDA int cudaGraphHostNodeSetParams(const GraphNode* node, const HostNode* host) {
  return change_node(nullptr, node, host_of(host));
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
    *exec = runtime.graphs.create_exec(*graph, flags);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphInstantiate(GraphExec** exec, const Graph* graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
/// cudaGraphInstantiateParams {flags, stream of the upload, node and kind of an error}.
HEDDLE_CUDA int cudaGraphInstantiateWithParams(GraphExec** exec, const Graph* graph, void* parameters) {
  if (parameters == nullptr) return bad();
  unsigned long long flags = 0;
  std::memcpy(&flags, parameters, sizeof flags);
  constexpr std::size_t kNode = 16, kResult = 24;
  std::memset(static_cast<char*>(parameters) + kNode, 0, kResult - kNode);
  const int code = cudaGraphInstantiateWithFlags(exec, graph, flags);
  const int result = code == 0 ? 0 : 1;  // cudaGraphInstantiateError
  std::memcpy(static_cast<char*>(parameters) + kResult, &result, sizeof result);
  return code;
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
    if (runtime.streams.find(stream) == nullptr) return Code::kInvalidResourceHandle;
    constexpr unsigned long long kFreesFirst = 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch
    const bool frees_first = (exec->flags & kFreesFirst) != 0;
    for (const GraphExec::Step& step : exec->steps) {
      if (!step.enabled) continue;
      for (const Stream::Entry& each : step.entries) {
        Stream::Entry entry = each;
        if (frees_first && each.type == GraphNode::kAllocate)
          entry.operation = [&runtime, allocate = each.operation,
                             memory = static_cast<GraphMemory*>(each.data)] {
            (void)runtime.graphs.give_back(*memory);  // if it is allocated
            return allocate();
          };
        const Code code = runtime.streams.run(runtime, stream, entry);
        if (code != Code::kSuccess) return code;
      }
    }
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphUpload(const GraphExec* exec, StreamHandle stream) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(exec)) return Code::kInvalidValue;
    return runtime.streams.find(stream) == nullptr ? Code::kInvalidResourceHandle : Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphNodeSetEnabled(GraphExec* exec, const GraphNode* node, unsigned enabled) {
  return call([&](Runtime& runtime) {
    GraphExec::Step* const step = runtime.graphs.holds(exec) ? exec->find(node) : nullptr;
    if (step == nullptr || step->type > GraphNode::kFill) return Code::kInvalidValue;  // kernel, copy, fill
    step->enabled = enabled != 0;
    return Code::kSuccess;
  });
}
/// The operations of another graph of the same nodes and edges, in the same order.
HEDDLE_CUDA int cudaGraphExecUpdate(GraphExec* exec, const Graph* graph, UpdateResult* result) {
  return call([&](Runtime& runtime) {
    if (!runtime.graphs.holds(exec) || !runtime.graphs.holds(graph)) return Code::kInvalidValue;
    std::vector<GraphExec::Step> steps = GraphExec::steps_of(*graph);
    UpdateResult answer{steps.size() == exec->steps.size() ? 0 : kEdgesChanged, nullptr, nullptr};
    for (std::size_t i = 0; i < steps.size() && answer.result == 0; ++i) {
      const GraphExec::Step& old = exec->steps[i];
      answer.result = steps[i].type != old.type     ? kTypeChanged
                      : steps[i].needs != old.needs ? kEdgesChanged
                                                    : 0;
      if (answer.result != 0) answer.node = steps[i].node;
    }
    if (result != nullptr) *result = answer;
    if (answer.result != 0) return Code::kGraphExecUpdateFailure;
    for (std::size_t i = 0; i < steps.size(); ++i) exec->steps[i].entries = std::move(steps[i].entries);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGraphExecKernelNodeSetParams(GraphExec* exec, const GraphNode* node,
                                                 const KernelNode* kernel) {
  return exec == nullptr ? bad() : change_node(exec, node, kernel_of(kernel));
}
HEDDLE_CUDA int cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, const GraphNode* node, const Copy3D* copy) {
  return exec == nullptr ? bad() : change_node(exec, node, copy_of(copy));
}
HEDDLE_CUDA int cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, const GraphNode* node, void* to,
                                                   const void* from, std::size_t bytes, int kind) {
  return exec == nullptr ? bad() : change_node(exec, node, copy_of(to, from, bytes, kind));
}
HEDDLE_CUDA int cudaGraphExecMemsetNodeSetParams(GraphExec* exec, const GraphNode* node,
                                                 const FillNode* fill) {
  return exec == nullptr ? bad() : change_node(exec, node, fill_of(fill));
}
HEDDLE_CUDA int cudaGraphExecHostNodeSetParams(GraphExec* exec, const GraphNode* node, const HostNode* host) {
  return exec == nullptr ? bad() : change_node(exec, node, host_of(host));
}
