// Functions whose arguments are others in toolkit 13, as libcudart.so.12 has them.
#include "runtime/advice.h"
#include "runtime/graphs.h"
#include "runtime/streams.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

HEDDLE_CUDA int cudaMemAdvise(const void* pointer, std::size_t bytes, int advice, int device) {
  return advise(pointer, bytes, advice, Location::of(device));
}
HEDDLE_CUDA int cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                     StreamHandle stream) {
  return prefetch(pointer, bytes, Location::of(device), stream);
}
HEDDLE_CUDA int cudaMemAdvise_v2(const void* pointer, std::size_t bytes, int advice, Location where) {
  return advise(pointer, bytes, advice, where);
}
HEDDLE_CUDA int cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes, Location where, unsigned,
                                        StreamHandle stream) {
  return prefetch(pointer, bytes, where, stream);
}
HEDDLE_CUDA int cudaGraphAddDependencies(Graph* graph, const GraphNode* const* from,
                                         const GraphNode* const* to, std::size_t count) {
  return add_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cudaGraphAddDependencies_v2(Graph* graph, const GraphNode* const* from,
                                            const GraphNode* const* to, const void*, std::size_t count) {
  return add_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cudaGraphRemoveDependencies(Graph* graph, const GraphNode* const* from,
                                            const GraphNode* const* to, std::size_t count) {
  return remove_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cudaGraphGetEdges(const Graph* graph, const GraphNode** from, const GraphNode** to,
                                  std::size_t* count) {
  return list_edges(graph, from, to, nullptr, count);
}
HEDDLE_CUDA int cudaGraphNodeGetDependencies(const GraphNode* node, const GraphNode** nodes,
                                             std::size_t* count) {
  return list_neighbours(node, nodes, nullptr, count, false);
}
HEDDLE_CUDA int cudaGraphNodeGetDependentNodes(const GraphNode* node, const GraphNode** nodes,
                                               std::size_t* count) {
  return list_neighbours(node, nodes, nullptr, count, true);
}
HEDDLE_CUDA int cudaGraphAddNode(GraphNode** made, Graph* graph, const GraphNode* const* needs,
                                 std::size_t count, void* parameters) {
  return add_any_node(made, graph, needs, count, parameters);
}
HEDDLE_CUDA int cudaStreamUpdateCaptureDependencies(StreamHandle stream, const GraphNode* const* needs,
                                                    std::size_t count, unsigned flags) {
  return change_capture(stream, needs, count, flags);
}
HEDDLE_CUDA int cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id) {
  return capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
/// The name that the header of toolkit 12 gives to cudaStreamGetCaptureInfo.
HEDDLE_CUDA int cudaStreamGetCaptureInfo_v2(StreamHandle stream, int* status, unsigned long long* id,
                                            Graph** graph, const GraphNode* const** dependencies,
                                            std::size_t* count) {
  return capture_info(stream, status, id, graph, dependencies, nullptr, count);
}
HEDDLE_CUDA int cudaStreamGetCaptureInfo_v2_ptsz(StreamHandle stream, int* status, unsigned long long* id,
                                                 Graph** graph, const GraphNode* const** dependencies,
                                                 std::size_t* count) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}
/// As the newest header of this toolkit names it.
HEDDLE_CUDA int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                        int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 12090, flags, status);
}
