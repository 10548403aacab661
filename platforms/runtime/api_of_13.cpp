// Functions whose arguments are others in toolkit 12, as libcudart.so.13 has them.
#include "runtime/advice.h"
#include "runtime/graphs.h"
#include "runtime/streams.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

HEDDLE_CUDA int cudaMemAdvise(const void* pointer, std::size_t bytes, int advice, Location where) {
  return advise(pointer, bytes, advice, where);
}
HEDDLE_CUDA int cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, Location where, unsigned,
                                     StreamHandle stream) {
  return prefetch(pointer, bytes, where, stream);
}
HEDDLE_CUDA int cudaGraphAddDependencies(Graph* graph, const GraphNode* const* from,
                                         const GraphNode* const* to, const void*, std::size_t count) {
  return add_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cudaGraphRemoveDependencies(Graph* graph, const GraphNode* const* from,
                                            const GraphNode* const* to, const void*, std::size_t count) {
  return remove_dependencies(graph, from, to, count);
}
HEDDLE_CUDA int cudaGraphGetEdges(const Graph* graph, const GraphNode** from, const GraphNode** to,
                                  void* edges, std::size_t* count) {
  return list_edges(graph, from, to, edges, count);
}
HEDDLE_CUDA int cudaGraphNodeGetDependencies(const GraphNode* node, const GraphNode** nodes, void* edges,
                                             std::size_t* count) {
  return list_neighbours(node, nodes, edges, count, false);
}
HEDDLE_CUDA int cudaGraphNodeGetDependentNodes(const GraphNode* node, const GraphNode** nodes, void* edges,
                                               std::size_t* count) {
  return list_neighbours(node, nodes, edges, count, true);
}
HEDDLE_CUDA int cudaGraphAddNode(GraphNode** made, Graph* graph, const GraphNode* const* needs, const void*,
                                 std::size_t count, void* parameters) {
  return add_any_node(made, graph, needs, count, parameters);
}
HEDDLE_CUDA int cudaStreamUpdateCaptureDependencies(StreamHandle stream, const GraphNode* const* needs,
                                                    const void*, std::size_t count, unsigned flags) {
  return change_capture(stream, needs, count, flags);
}
HEDDLE_CUDA int cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id,
                                         Graph** graph, const GraphNode* const** dependencies,
                                         const void** edges, std::size_t* count) {
  return capture_info(stream, status, id, graph, dependencies, edges, count);
}
/// As the newest header of this toolkit names it.
HEDDLE_CUDA int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                        int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 13000, flags, status);
}
