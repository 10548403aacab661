// The driver interface's graphs, capture and pools, and its questions about functions. Structures are those of the runtime: kernel
// nodes, fills and host functions are laid out alike.
#include "runtime/advice.h"
#include "runtime/graphs.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" {
int cudaDeviceReset();
int cudaCtxResetPersistingL2Cache();
int cudaEventRecordWithFlags(void*, StreamHandle, unsigned);
int cudaFuncGetName(const char**, const void*);
int cudaFuncGetParamInfo(const void*, std::size_t, std::size_t*, std::size_t*);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, const void*, int, std::size_t, unsigned);
int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t*, const void*, int, int);
int cudaMemRangeGetAttribute(void*, std::size_t, int, const void*, std::size_t);
int cudaDeviceGetDefaultMemPool(void**, int);
int cudaDeviceGetMemPool(void**, int);
int cudaDeviceSetMemPool(int, void*);
int cudaMallocFromPoolAsync(void**, std::size_t, void*, StreamHandle);
int cudaMemPoolCreate(void**, const void*);
int cudaMemPoolDestroy(void*);
int cudaMemPoolTrimTo(void*, std::size_t);
int cudaMemPoolSetAttribute(void*, int, void*);
int cudaMemPoolGetAttribute(void*, int, void*);
int cudaStreamBeginCapture(StreamHandle, int);
int cudaStreamEndCapture(StreamHandle, Graph**);
int cudaStreamIsCapturing(StreamHandle, int*);
int cudaThreadExchangeStreamCaptureMode(int*);
int cudaStreamGetId(StreamHandle, unsigned long long*);
int cudaStreamGetDevice(StreamHandle, int*);
int cudaStreamAttachMemAsync(StreamHandle, void*, std::size_t, unsigned);
int cudaGraphCreate(Graph**, unsigned);
int cudaGraphDestroy(Graph*);
int cudaGraphClone(Graph**, const Graph*);
int cudaGraphInstantiateWithFlags(void**, Graph*, unsigned long long);
int cudaGraphExecDestroy(void*);
int cudaGraphLaunch(void*, StreamHandle);
int cudaGraphUpload(void*, StreamHandle);
int cudaGraphGetNodes(const Graph*, GraphNode**, std::size_t*);
int cudaGraphGetRootNodes(const Graph*, GraphNode**, std::size_t*);
int cudaGraphNodeGetType(const GraphNode*, int*);
int cudaGraphAddKernelNode(GraphNode**, Graph*, GraphNode* const*, std::size_t, const void*);
int cudaGraphAddMemsetNode(GraphNode**, Graph*, GraphNode* const*, std::size_t, const void*);
int cudaGraphAddHostNode(GraphNode**, Graph*, GraphNode* const*, std::size_t, const void*);
int cudaGraphAddEmptyNode(GraphNode**, Graph*, GraphNode* const*, std::size_t);
int cudaGraphAddChildGraphNode(GraphNode**, Graph*, GraphNode* const*, std::size_t, Graph*);
int cudaGraphExecKernelNodeSetParams(void*, GraphNode*, const void*);
}

// ---- The context, functions

HEDDLE_CUDA int cuDevicePrimaryCtxReset_v2(int device) {
  return device != 0 ? static_cast<int>(Code::kInvalidDevice) : cudaDeviceReset();
}
HEDDLE_CUDA int cuCtxResetPersistingL2Cache() { return cudaCtxResetPersistingL2Cache(); }
HEDDLE_CUDA int cuEventRecordWithFlags(void* event, StreamHandle stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, stream, flags);
}
HEDDLE_CUDA int cuFuncGetName(const char** name, const void* function) {
  return cudaFuncGetName(name, function);
}
HEDDLE_CUDA int cuFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                   std::size_t* bytes) {
  return cudaFuncGetParamInfo(function, index, offset, bytes);
}
HEDDLE_CUDA int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                     int threads, std::size_t shared,
                                                                     unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, flags);
}
HEDDLE_CUDA int cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                        int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads);
}
HEDDLE_CUDA int cuMemRangeGetAttribute(void* to, std::size_t bytes, int attribute, const void* from,
                                       std::size_t count) {
  return cudaMemRangeGetAttribute(to, bytes, attribute, from, count);
}

/// Their places are cudaMemLocation's.
HEDDLE_CUDA int cuMemAdvise_v2(const void* from, std::size_t bytes, int advice, Location where) {
  return advise(from, bytes, advice, where);
}
HEDDLE_CUDA int cuMemPrefetchAsync_v2(const void* from, std::size_t bytes, Location where, unsigned,
                                      StreamHandle stream) {
  return prefetch(from, bytes, where, stream);
}

// ---- Pools

HEDDLE_CUDA int cuDeviceGetDefaultMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
HEDDLE_CUDA int cuDeviceGetMemPool(void** pool, int device) { return cudaDeviceGetMemPool(pool, device); }
HEDDLE_CUDA int cuDeviceSetMemPool(int device, void* pool) { return cudaDeviceSetMemPool(device, pool); }
HEDDLE_CUDA int cuMemAllocFromPoolAsync(void** address, std::size_t bytes, void* pool, StreamHandle stream) {
  return cudaMallocFromPoolAsync(address, bytes, pool, stream);
}
HEDDLE_CUDA int cuMemPoolCreate(void** pool, const void* properties) {
  return cudaMemPoolCreate(pool, properties);
}
HEDDLE_CUDA int cuMemPoolDestroy(void* pool) { return cudaMemPoolDestroy(pool); }
HEDDLE_CUDA int cuMemPoolTrimTo(void* pool, std::size_t bytes) { return cudaMemPoolTrimTo(pool, bytes); }
HEDDLE_CUDA int cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
  return cudaMemPoolSetAttribute(pool, attribute, value);
}
HEDDLE_CUDA int cuMemPoolGetAttribute(void* pool, int attribute, void* value) {
  return cudaMemPoolGetAttribute(pool, attribute, value);
}

// ---- Streams, capture

HEDDLE_CUDA int cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  return cudaStreamBeginCapture(stream, mode);
}
HEDDLE_CUDA int cuStreamEndCapture(StreamHandle stream, Graph** graph) {
  return cudaStreamEndCapture(stream, graph);
}
HEDDLE_CUDA int cuStreamIsCapturing(StreamHandle stream, int* status) {
  return cudaStreamIsCapturing(stream, status);
}
HEDDLE_CUDA int cuThreadExchangeStreamCaptureMode(int* mode) {
  return cudaThreadExchangeStreamCaptureMode(mode);
}
HEDDLE_CUDA int cuStreamGetId(StreamHandle stream, unsigned long long* id) {
  return cudaStreamGetId(stream, id);
}
HEDDLE_CUDA int cuStreamGetDevice(StreamHandle stream, int* device) {
  return cudaStreamGetDevice(stream, device);
}
HEDDLE_CUDA int cuStreamAttachMemAsync(StreamHandle stream, void* address, std::size_t bytes,
                                       unsigned flags) {
  return cudaStreamAttachMemAsync(stream, address, bytes, flags);
}

// ---- Graphs

HEDDLE_CUDA int cuGraphCreate(Graph** graph, unsigned flags) { return cudaGraphCreate(graph, flags); }
HEDDLE_CUDA int cuGraphDestroy(Graph* graph) { return cudaGraphDestroy(graph); }
HEDDLE_CUDA int cuGraphClone(Graph** clone, const Graph* graph) { return cudaGraphClone(clone, graph); }
HEDDLE_CUDA int cuGraphInstantiateWithFlags(void** made, Graph* graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(made, graph, flags);
}
HEDDLE_CUDA int cuGraphExecDestroy(void* made) { return cudaGraphExecDestroy(made); }
HEDDLE_CUDA int cuGraphLaunch(void* made, StreamHandle stream) { return cudaGraphLaunch(made, stream); }
HEDDLE_CUDA int cuGraphUpload(void* made, StreamHandle stream) { return cudaGraphUpload(made, stream); }
HEDDLE_CUDA int cuGraphGetNodes(const Graph* graph, GraphNode** nodes, std::size_t* count) {
  return cudaGraphGetNodes(graph, nodes, count);
}
HEDDLE_CUDA int cuGraphGetRootNodes(const Graph* graph, GraphNode** nodes, std::size_t* count) {
  return cudaGraphGetRootNodes(graph, nodes, count);
}
HEDDLE_CUDA int cuGraphNodeGetType(const GraphNode* node, int* type) {
  return cudaGraphNodeGetType(node, type);
}
/// CUDA_KERNEL_NODE_PARAMS begins as cudaKernelNodeParams does.
HEDDLE_CUDA int cuGraphAddKernelNode_v2(GraphNode** made, Graph* graph, GraphNode* const* needs,
                                        std::size_t count, const void* parameters) {
  return cudaGraphAddKernelNode(made, graph, needs, count, parameters);
}
HEDDLE_CUDA int cuGraphExecKernelNodeSetParams_v2(void* instance, GraphNode* node, const void* parameters) {
  return cudaGraphExecKernelNodeSetParams(instance, node, parameters);
}
HEDDLE_CUDA int cuGraphAddMemsetNode(GraphNode** made, Graph* graph, GraphNode* const* needs,
                                     std::size_t count, const void* parameters, void*) {
  return cudaGraphAddMemsetNode(made, graph, needs, count, parameters);
}
HEDDLE_CUDA int cuGraphAddHostNode(GraphNode** made, Graph* graph, GraphNode* const* needs, std::size_t count,
                                   const void* parameters) {
  return cudaGraphAddHostNode(made, graph, needs, count, parameters);
}
HEDDLE_CUDA int cuGraphAddEmptyNode(GraphNode** made, Graph* graph, GraphNode* const* needs,
                                    std::size_t count) {
  return cudaGraphAddEmptyNode(made, graph, needs, count);
}
HEDDLE_CUDA int cuGraphAddChildGraphNode(GraphNode** made, Graph* graph, GraphNode* const* needs,
                                         std::size_t count, Graph* child) {
  return cudaGraphAddChildGraphNode(made, graph, needs, count, child);
}
/// A node's copy has another layout than the runtime's.
HEDDLE_CUDA int cuGraphAddMemcpyNode() {
  return refuse("cuGraphAddMemcpyNode",
                "Capture the copy from a stream, or add it with cudaGraphAddMemcpyNode.");
}
// Edges' own data is not kept (graphs.h).
HEDDLE_CUDA int cuGraphAddDependencies_v2(Graph* graph, const GraphNode* const* from,
                                          const GraphNode* const* to, const void*, std::size_t count) {
  return add_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cuGraphRemoveDependencies_v2(Graph* graph, const GraphNode* const* from,
                                             const GraphNode* const* to, const void*, std::size_t count) {
  return remove_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cuGraphGetEdges_v2(const Graph* graph, const GraphNode** from, const GraphNode** to,
                                   void* edges, std::size_t* count) {
  return list_edges(graph, from, to, edges, count);
}
HEDDLE_CUDA int cuGraphNodeGetDependencies_v2(const GraphNode* node, const GraphNode** nodes, void* edges,
                                              std::size_t* count) {
  return list_neighbours(node, nodes, edges, count, false);
}
HEDDLE_CUDA int cuGraphNodeGetDependentNodes_v2(const GraphNode* node, const GraphNode** nodes, void* edges,
                                                std::size_t* count) {
  return list_neighbours(node, nodes, edges, count, true);
}
HEDDLE_CUDA int cuStreamGetCaptureInfo_v3(StreamHandle stream, int* status, unsigned long long* id,
                                          Graph** graph, const GraphNode* const** dependencies,
                                          const void** edges, std::size_t* count) {
  return capture_info(stream, status, id, graph, dependencies, edges, count);
}
HEDDLE_CUDA int cuStreamUpdateCaptureDependencies_v2(StreamHandle stream, const GraphNode* const* needs,
                                                     const void*, std::size_t count, unsigned flags) {
  return change_capture(stream, needs, count, flags);
}
