// Wrong handles and wrong moments are errors of the call; what a graph lends stays its own.
#include <cooperative_groups.h>
#include <atomic>
#include <cstdio>
#include <thread>
#include "check.h"
__global__ void add(int* x, int d) { atomicAdd(x, d); }
__global__ void meet(int* x) {
  atomicAdd(x, 1);
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) atomicAdd(x, 10 * *static_cast<volatile int*>(x));
}
static int* x;
static std::atomic<bool> go{false};
static const char* name(cudaError_t code) { return cudaGetErrorName(code) + 9; }  // without "cudaError"
static int value() {
  int host = 0;
  CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemset(x, 0, sizeof host));
  return host;
}
static void children() {
  int amount = 1;
  void* arguments[] = {&x, &amount};
  const cudaKernelNodeParams kernel = {reinterpret_cast<void*>(add), dim3(1), dim3(1), 0, arguments, nullptr};
  cudaGraph_t graph, child, other, lent;
  cudaGraphNode_t node, first, second, list[4];
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphCreate(&other, 0));
  CHECK(cudaGraphAddKernelNode(&node, child, nullptr, 0, &kernel));
  amount = 5;
  CHECK(cudaGraphAddKernelNode(&node, other, nullptr, 0, &kernel));
  CHECK(cudaGraphAddChildGraphNode(&first, graph, nullptr, 0, child));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  CHECK(cudaGraphChildGraphNodeGetGraph(first, &lent));
  std::printf("%s, ", name(cudaGraphDestroy(lent)));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = other;
  CHECK(cudaGraphExecNodeSetParams(exec, first, &params));
  CHECK(cudaGraphLaunch(exec, nullptr));
  std::printf("%d, ", value());
  CHECK(cudaGraphNodeSetParams(first, &params));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  size_t count = 4;
  CHECK(cudaGraphNodeGetDependencies(second, list, nullptr, &count));
  std::printf("%d, %zu %d\n", value(), count, list[0] == first && list[1] == nullptr && list[3] == nullptr);
  const cudaGraphNode_t twice[] = {first, first};
  cudaGraphExecUpdateResultInfo info;
  std::printf("%s %s %s ", name(cudaGraphAddEmptyNode(&node, graph, twice, 2)),
              name(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1)),
              name(cudaGraphNodeFindInClone(&node, nullptr, graph)));
  CHECK(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
  std::printf("%s ", name(cudaGraphExecUpdate(exec, graph, &info)));
  std::printf("%d, ", info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == second);
  CHECK(cudaGraphDestroyNode(first));
  std::printf("%s, ", name(cudaGraphExecUpdate(exec, graph, &info)));
  std::printf("%s\n", name(cudaGraphLaunch(exec, reinterpret_cast<cudaStream_t>(x))));
}
/// The capture's graph can lose nothing; a captured cooperative kernel stays one with other arguments.
static void captured(cudaStream_t stream) {
  cudaGraph_t graph, ended;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* last;
  size_t count = 0;
  void* arguments[] = {&x};
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaLaunchCooperativeKernel(meet, dim3(2), dim3(32), arguments, 0, stream));
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &count));
  const cudaGraphNode_t node = *last;
  std::printf("%s %s, ", name(cudaGraphDestroyNode(node)), name(cudaGraphDestroy(graph)));
  CHECK(cudaStreamEndCapture(stream, &ended));
  cudaKernelNodeParams kernel;
  CHECK(cudaGraphKernelNodeGetParams(node, &kernel));
  kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphKernelNodeSetParams(node, &kernel));
  cudaLaunchAttributeValue attribute = {};
  CHECK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &attribute));
  CHECK(cudaGraphInstantiate(&exec, ended, 0));
  CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d %d, ", attribute.cooperative, value());
  attribute.clusterDim = {2, 1, 1};
  std::printf("%s\n", name(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &attribute)));
  CHECK(cudaGraphDestroy(ended));
}
/// Launches that wait behind a host function free what the one before has allocated, each when it is its turn.
static void frees_first(cudaStream_t stream) {
  int *memory, *plain;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaMalloc(&plain, 4));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&memory, 64, stream));
  std::printf("%s, ", name(cudaFreeAsync(plain, stream)));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CHECK(cudaLaunchHostFunc(stream, [](void*) {
    while (!go) std::this_thread::yield();
  }, nullptr));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  go = true;
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(memory));
  std::printf("%s\n", name(cudaFree(memory)));
}
int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  children();
  captured(stream);
  frees_first(stream);
  return 0;
}
