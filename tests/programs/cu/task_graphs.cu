// Graphs of operations: captured from two streams that join by events, built of nodes, launched again, changed after instantiation.
#include <vector>
#include "check.h"
constexpr int kCount = 256;
__global__ void add(int* a, int b) { a[threadIdx.x] += b; }
__global__ void multiply(int* a, int b) { a[threadIdx.x] *= b; }
static void CUDART_CB called(void* count) { ++*static_cast<int*>(count); }
static void captured(cudaStream_t stream, int* device, int* host) {
  cudaStream_t other;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  int calls = 0;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(device, 0, kCount * 4, stream));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  add<<<1, kCount, 0, other>>>(device, 2);
  multiply<<<1, kCount, 0, other>>>(device, 3);
  CHECK(cudaEventRecord(join, other));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(other, &status));
  std::printf("%s, ", status == cudaStreamCaptureStatusActive ? "captured" : "not captured");
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  CHECK(cudaLaunchHostFunc(stream, called, &calls));
  CHECK(cudaMemcpyAsync(host, device, kCount * 4, cudaMemcpyDeviceToHost, stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  host[7] = -1;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  std::printf("%zu nodes, %d before, ", nodes, host[7]);
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d after %d calls\n", host[7], calls);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(other));
}
static void built(cudaStream_t stream, int* device, int* host) {
  cudaGraph_t graph, sums;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&sums, 0));
  int value = 5;
  void* arguments[] = {&device, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1), kernel.blockDim = dim3(kCount);
  kernel.kernelParams = arguments;
  cudaMemsetParams zero{};
  zero.dst = device, zero.value = 1, zero.elementSize = 4, zero.width = kCount, zero.height = 1;
  cudaGraphNode_t fill, first, child, second, copy, end;
  CHECK(cudaGraphAddKernelNode(&first, sums, nullptr, 0, &kernel));  // a graph within the other
  // Added before what it needs: dependencies order them.
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, device, kCount * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  CHECK(cudaGraphAddChildGraphNode(&child, graph, &fill, 1, sums));
  kernel.func = reinterpret_cast<void*>(multiply);
  CHECK(cudaGraphAddKernelNode(&second, graph, &child, 1, &kernel));
  CHECK(cudaGraphAddDependencies(graph, &second, &copy, nullptr, 1));
  CHECK(cudaGraphAddEmptyNode(&end, graph, &copy, 1));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d, ", host[9]);  // (1 + 5) * 5
  value = 7;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d, ", host[9]);  // (1 + 5) * 7
  size_t roots = 0;
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(child, &type));
  std::printf("%zu root, %s\n", roots, type == cudaGraphNodeTypeGraph ? "a graph" : "no graph");
  CHECK(cudaGraphAddDependencies(graph, &copy, &fill, nullptr, 1));
  cudaGraphExec_t circle;
  std::printf("a circle: %s, ", cudaGetErrorName(cudaGraphInstantiate(&circle, graph, 0)));
  std::printf("no capture: %s, ", cudaGetErrorName(cudaStreamEndCapture(stream, &sums)));
  cudaGraphExecUpdateResultInfo info;
  cudaGraph_t empty;
  CHECK(cudaGraphCreate(&empty, 0));
  std::printf("another graph: %s\n", cudaGetErrorName(cudaGraphExecUpdate(exec, empty, &info)));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}
int main() {
  int *device, *host;
  cudaStream_t stream;
  CHECK(cudaMalloc(&device, kCount * 4));
  CHECK(cudaMallocHost(&host, kCount * 4));
  CHECK(cudaStreamCreate(&stream));
  captured(stream, device, host);
  built(stream, device, host);
  return 0;
}
