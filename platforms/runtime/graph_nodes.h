// What the nodes of a graph do. Each is recorded from the call of the runtime that does the same in a stream.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/graphs.h"
#include "runtime/runtime.h"

namespace heddle::runtime {

using Nodes = const GraphNode* const*;
constexpr unsigned kExternalEvent = 1;  ///< cudaEventRecordExternal, cudaEventWaitExternal: a node of its own

struct KernelNode {  ///< cudaKernelNodeParams
  const void* function = nullptr;
  Dim grid, block;
  unsigned shared = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};
struct AllocationNode {  ///< cudaMemAllocNodeParams
  struct Pool {          ///< cudaMemPoolProps
    int type = 0, handles = 0, location_type = 0, location = 0;
    void* security = nullptr;
    std::size_t most = 0;
    unsigned char others[56] = {};
  } pool;
  const void* access = nullptr;
  std::size_t access_count = 0;
  std::size_t bytes = 0;
  void* pointer = nullptr;
};

/// A node that is to be made or changed.
struct NodeCall {
  int type = GraphNode::kEmpty;
  std::function<int(StreamHandle)> in_stream;  ///< none: the node does nothing
  GraphNode::Given given;
  std::function<int(StreamHandle)> cooperative;  ///< of a kernel: instead, if the node that it changes is
};

/// Not cooperative, unless it changes a node that is.
NodeCall kernel_of(const KernelNode* node);
NodeCall kernel_of(const KernelNode* node, bool cooperative);
NodeCall copy_of(const Copy3D* copy);
NodeCall copy_of(void* to, const void* from, std::size_t bytes, int kind);
NodeCall copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                        int kind);
NodeCall copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind);
NodeCall fill_of(const FillNode* node);
NodeCall host_of(const HostNode* node);
NodeCall record_of(EventHandle event);
NodeCall wait_of(EventHandle event);
NodeCall child_of(const Graph* child);
/// Takes the memory at once, so that its address is known; it is there for the program once the graph has run.
NodeCall allocation_of(AllocationNode* node);
NodeCall release_of(void* pointer);
/// cudaGraphNodeParams; kinds that there are not are refused by name.
NodeCall node_of(void* parameters);

int add_node(GraphNode** made, Graph* graph, Nodes needs, std::size_t count, const NodeCall& node);
/// Other operations for a node of a graph, or (`exec`) of one that is instantiated already.
int change_node(GraphExec* exec, const GraphNode* given, const NodeCall& node);
/// cudaErrorInvalidValue, also as the thread's last error.
int bad();

}  // namespace heddle::runtime
