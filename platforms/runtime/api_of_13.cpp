// Functions whose arguments are others in toolkit 12, as libcudart.so.13 has them.
#include "runtime/graphs.h"
#include "runtime/streams.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

HEDDLE_CUDA int cudaGraphAddDependencies(Graph* graph, const GraphNode* const* from,
                                         const GraphNode* const* to, const void* edges, std::size_t count) {
  return add_dependencies(graph, from, to, edges, count);
}
HEDDLE_CUDA int cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id,
                                         Graph** graph, const GraphNode* const** dependencies,
                                         const void** edges, std::size_t* count) {
  return capture_info(stream, status, id,
                      graph != nullptr || dependencies != nullptr || edges != nullptr || count != nullptr);
}
/// As the newest header of this toolkit names it.
HEDDLE_CUDA int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                        int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 13000, flags, status);
}
