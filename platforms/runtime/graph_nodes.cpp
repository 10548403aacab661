#include "runtime/graph_nodes.h"

#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "runtime/copy.h"

extern "C" {
using heddle::runtime::Copy3D;
using heddle::runtime::Dim;
using heddle::runtime::EventHandle;
using heddle::runtime::HostFunction;
using heddle::runtime::StreamHandle;
int cudaLaunchKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
int cudaLaunchCooperativeKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, StreamHandle);
int cudaMemcpy3DAsync(const Copy3D*, StreamHandle);
int cudaMemcpyToSymbolAsync(const void*, const void*, std::size_t, std::size_t, int, StreamHandle);
int cudaMemcpyFromSymbolAsync(void*, const void*, std::size_t, std::size_t, int, StreamHandle);
int cudaLaunchHostFunc(StreamHandle, HostFunction, void*);
int cudaEventRecordWithFlags(EventHandle, StreamHandle, unsigned);
int cudaStreamWaitEvent(StreamHandle, EventHandle, unsigned);
}

namespace heddle::runtime {
namespace {

/// What a call leaves in a stream that is captured, as one list of operations.
int record(std::vector<Stream::Entry>& entries, const std::function<int(StreamHandle)>& in_stream) {
  if (!in_stream) return 0;
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

NodeCall refused(int code) {
  return {GraphNode::kEmpty, [code](StreamHandle) { return code; }, {}, {}};
}

Code set_needs(const Graph& graph, Nodes needs, std::size_t count, GraphNode& node) {
  if (needs == nullptr && count != 0) return Code::kInvalidValue;
  std::set<const GraphNode*> once;
  for (std::size_t i = 0; i < count; ++i) {
    if (graph.find(needs[i]) == nullptr || !once.insert(needs[i]).second) return Code::kInvalidValue;
    node.needs.push_back(needs[i]);
  }
  return Code::kSuccess;
}

/// The operations of a node, or (`exec`) of its step; nullptr: there is none of the type.
std::vector<Stream::Entry>* entries_of(Runtime& runtime, GraphExec* exec, const GraphNode* given, int type) {
  if (exec != nullptr) {
    GraphExec::Step* const step = runtime.graphs.holds(exec) ? exec->find(given) : nullptr;
    return step == nullptr || step->type != type ? nullptr : &step->entries;
  }
  const Graph* const graph = runtime.graphs.graph_of(given);
  GraphNode* const node = graph == nullptr ? nullptr : graph->find(given);
  return node == nullptr || node->type != type ? nullptr : &node->entries;
}

bool is_cooperative(GraphExec* exec, const GraphNode* node) {
  bool answer = false;
  (void)call([&](Runtime& runtime) {
    const auto* const entries = entries_of(runtime, exec, node, GraphNode::kKernel);
    answer = entries != nullptr && !entries->empty() && entries->front().launch != nullptr &&
             entries->front().launch->cooperative;
    return Code::kSuccess;
  });
  return answer;
}

}  // namespace

int bad() { return static_cast<int>(last_error() = Code::kInvalidValue); }

int add_node(GraphNode** made, Graph* graph, Nodes needs, std::size_t count, const NodeCall& given) {
  auto node = std::make_unique<GraphNode>();
  node->type = given.type;
  node->given = given.given;
  const int recorded = record(node->entries, given.in_stream);
  return call([&](Runtime& runtime) {
    auto code = static_cast<Code>(recorded);
    if (code == Code::kSuccess)
      code = made == nullptr || !runtime.graphs.holds(graph) ? Code::kInvalidValue
                                                             : set_needs(*graph, needs, count, *node);
    if (code == Code::kSuccess) {
      *made = graph->add(std::move(node));
    } else {
      runtime.graphs.drop(given.given);
      node.reset();  // what it has taken is given back in this call
    }
    return code;
  });
}

int change_node(GraphExec* exec, const GraphNode* changed, const NodeCall& given) {
  std::vector<Stream::Entry> entries;
  const bool cooperative = given.cooperative && is_cooperative(exec, changed);
  const int recorded = record(entries, cooperative ? given.cooperative : given.in_stream);
  return call([&](Runtime& runtime) {
    auto code = static_cast<Code>(recorded);
    auto* const old = entries_of(runtime, exec, changed, given.type);
    if (code == Code::kSuccess && given.type >= GraphNode::kAllocate) code = Code::kNotSupported;  // as CUDA
    if (code == Code::kSuccess && old == nullptr) code = Code::kInvalidValue;
    if (code == Code::kSuccess && exec == nullptr) {
      GraphNode& node = *runtime.graphs.graph_of(changed)->find(changed);
      runtime.graphs.drop(node.given);
      node.given = given.given;
    } else {
      if (Graph* const* const child = std::get_if<Graph*>(&given.given)) entries = (*child)->operations();
      runtime.graphs.drop(given.given);
    }
    if (code == Code::kSuccess) std::swap(*old, entries);
    entries.clear();  // what they have taken is given back in this call
    return code;
  });
}

NodeCall kernel_of(const KernelNode* node, bool cooperative) {
  return {GraphNode::kKernel,
          [node, cooperative](StreamHandle stream) {
            if (node == nullptr) return bad();
            if (node->extra != nullptr)
              return refuse("cudaGraphAddKernelNode with arguments in a buffer",
                            "Give pointers to the arguments (kernelParams).");
            return (cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(
                node->function, node->grid, node->block, node->arguments, node->shared, stream);
          },
          {},
          {}};
}
NodeCall kernel_of(const KernelNode* node) {
  NodeCall made = kernel_of(node, false);
  made.cooperative = kernel_of(node, true).in_stream;
  return made;
}

NodeCall copy_of(const Copy3D* copy) {
  if (copy == nullptr) return refused(bad());
  return {
      GraphNode::kCopy, [copy](StreamHandle stream) { return cudaMemcpy3DAsync(copy, stream); }, *copy, {}};
}
NodeCall copy_of(void* to, const void* from, std::size_t bytes, int kind) {
  Copy3D same;
  same.from = {const_cast<void*>(from), bytes, bytes, 1};
  same.to = {to, bytes, bytes, 1};
  same.extent = {bytes, 1, 1};
  same.kind = kind;
  return {GraphNode::kCopy,
          [=](StreamHandle stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); },
          same,
          {}};
}
NodeCall copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                        int kind) {
  return {
      GraphNode::kCopy,
      [=](StreamHandle stream) { return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, stream); },
      {},
      {}};
}
NodeCall copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return {
      GraphNode::kCopy,
      [=](StreamHandle stream) { return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, stream); },
      {},
      {}};
}

NodeCall fill_of(const FillNode* given) {
  if (given == nullptr || (given->element != 1 && given->element != 2 && given->element != 4))
    return refused(bad());
  const auto in_stream = [node = *given](StreamHandle stream) {
    return call([&](Runtime& runtime) {
      const std::size_t bytes = node.width * node.element, pitch = node.height > 1 ? node.pitch : bytes;
      const auto to = reinterpret_cast<std::uint64_t>(node.to);
      return runtime.streams.run(
          runtime, stream,
          [&runtime, node, to, bytes, pitch] {
            return fill(runtime, {to, pitch, pitch * node.height}, node.value, {bytes, node.height, 1},
                        node.element);
          },
          Stream::kFillOperation);
    });
  };
  return {GraphNode::kFill, in_stream, *given, {}};
}
NodeCall host_of(const HostNode* node) {
  if (node == nullptr) return refused(bad());
  return {
      GraphNode::kHost,
      [given = *node](StreamHandle stream) { return cudaLaunchHostFunc(stream, given.function, given.data); },
      *node,
      {}};
}
NodeCall record_of(EventHandle event) {
  return {GraphNode::kRecordEvent,
          [event](StreamHandle stream) { return cudaEventRecordWithFlags(event, stream, kExternalEvent); },
          event,
          {}};
}
NodeCall wait_of(EventHandle event) {
  return {GraphNode::kWaitEvent,
          [event](StreamHandle stream) { return cudaStreamWaitEvent(stream, event, kExternalEvent); },
          event,
          {}};
}
NodeCall child_of(const Graph* child) {
  NodeCall made{GraphNode::kGraph, {}, {}, {}};
  if (const int code = call([&](Runtime& runtime) {
        if (!runtime.graphs.holds(child)) return Code::kInvalidValue;
        Graph* const copy = runtime.graphs.clone(*child);
        copy->of_node = true;
        made.given = copy;
        return Code::kSuccess;
      });
      code != 0)
    return refused(code);
  return made;
}

NodeCall allocation_of(AllocationNode* node) {
  if (node == nullptr) return refused(bad());
  const auto in_stream = [node](StreamHandle stream) {
    return call([&](Runtime& runtime) {
      return runtime.graphs.allocate(runtime, *stream, &node->pointer, node->bytes);
    });
  };
  return {GraphNode::kAllocate, in_stream, {}, {}};
}
NodeCall release_of(void* pointer) {
  const auto in_stream = [pointer](StreamHandle stream) {
    return call([&](Runtime& runtime) { return runtime.graphs.release(*stream, pointer); });
  };
  return {GraphNode::kRelease, in_stream, {}, {}};
}

NodeCall node_of(void* parameters) {
  if (parameters == nullptr) return refused(bad());
  int type = 0;
  std::memcpy(&type, parameters, sizeof type);
  constexpr std::size_t kUnion = 16, kOfCopy = kUnion + 16;  // bytes before them (cudaGraphNodeParams)
  auto* const at = static_cast<std::byte*>(parameters) + kUnion;
  void* first = nullptr;  // of several kinds all that they have
  std::memcpy(&first, at, sizeof first);
  switch (type) {
    case GraphNode::kKernel:
      return kernel_of(reinterpret_cast<const KernelNode*>(at));
    case GraphNode::kCopy:
      return copy_of(reinterpret_cast<const Copy3D*>(static_cast<std::byte*>(parameters) + kOfCopy));
    case GraphNode::kFill:
      return fill_of(reinterpret_cast<const FillNode*>(at));
    case GraphNode::kHost:
      return host_of(reinterpret_cast<const HostNode*>(at));
    case GraphNode::kGraph:
      return child_of(static_cast<const Graph*>(first));
    case GraphNode::kEmpty:
      return {};
    case GraphNode::kWaitEvent:
      return wait_of(static_cast<EventHandle>(first));
    case GraphNode::kRecordEvent:
      return record_of(static_cast<EventHandle>(first));
    case GraphNode::kAllocate:
      return allocation_of(reinterpret_cast<AllocationNode*>(at));
    case GraphNode::kRelease:
      return release_of(first);
    default:
      return refused(refuse("cudaGraphAddNode with a conditional or external node",
                            "Decide on the host what to launch."));
  }
}

}  // namespace heddle::runtime
