// What a program asks of graphs: nodes made by one function, their parameters and edges, a capture's graph, memory of graphs.
#include <cstdio>
#include <vector>
#include "check.h"
__global__ void scale(int* x, int factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
static void CUDART_CB count(void* data) { ++*static_cast<int*>(data); }
static void any_nodes() {
  const int n = 100;
  int *x, factor = 3, length = n, calls = 0, out = 0;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill, kernel, host, copy;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeMemset;
  params.memset = {x, 0, 7, 4, n, 1};
  CHECK(cudaGraphAddNode(&fill, graph, nullptr, nullptr, 0, &params));
  void* arguments[] = {&x, &factor, &length};
  params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(scale);
  params.kernel.gridDim = dim3(2);
  params.kernel.blockDim = dim3(64);
  params.kernel.kernelParams = arguments;
  CHECK(cudaGraphAddNode(&kernel, graph, &fill, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeHost;
  params.host.fn = count;
  params.host.userData = &calls;
  CHECK(cudaGraphAddNode(&host, graph, &kernel, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(x + n - 1, 4, 4, 1);
  params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(&out, 4, 4, 1);
  params.memcpy.copyParams.extent = make_cudaExtent(4, 1, 1);
  params.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddNode(&copy, graph, &kernel, nullptr, 1, &params));
  size_t edges = 0, needs = 0, dependent = 0;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  std::vector<cudaGraphNode_t> from(edges), to(edges);
  CHECK(cudaGraphGetEdges(graph, from.data(), to.data(), nullptr, &edges));
  CHECK(cudaGraphNodeGetDependencies(copy, nullptr, nullptr, &needs));
  CHECK(cudaGraphNodeGetDependentNodes(kernel, nullptr, nullptr, &dependent));
  std::printf("%zu edges, first %d, %zu before, %zu behind\n", edges, from[0] == fill && to[0] == kernel, needs, dependent);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  unsigned long long flags = 0;
  CHECK(cudaGraphExecGetFlags(exec, &flags));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("%d, %d calls, flags %llu\n", out, calls, flags);
  // The parameters as they were given; with others, and without the host's node.
  cudaKernelNodeParams kept = {};
  CHECK(cudaGraphKernelNodeGetParams(kernel, &kept));
  std::printf("%d, grid %u, block %u, factor %d\n", kept.func == reinterpret_cast<void*>(scale), kept.gridDim.x, kept.blockDim.x,
              *static_cast<int*>(kept.kernelParams[1]));
  int other = 5;
  kept.kernelParams[1] = &other;
  CHECK(cudaGraphKernelNodeSetParams(kernel, &kept));
  CHECK(cudaGraphDestroyNode(host));
  cudaGraph_t clone;
  cudaGraphNode_t cloned;
  cudaMemsetParams value = {};
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&cloned, fill, clone));
  CHECK(cudaGraphMemsetNodeGetParams(cloned, &value));
  value.value += 1;
  CHECK(cudaGraphMemsetNodeSetParams(cloned, &value));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, clone, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("%d, %d calls\n", out, calls);
  CHECK(cudaGraphRemoveDependencies(graph, &kernel, &copy, nullptr, 1));
  std::printf("%s\n", cudaGetErrorName(cudaGraphRemoveDependencies(graph, &kernel, &copy, nullptr, 1)));
  CHECK(cudaFree(x));
}
/// A node of the program's own between two that are captured.
static void in_a_capture(cudaStream_t stream) {
  const int n = 32;
  int *x, factor = 10, length = n, out = 0;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  cudaGraph_t graph, ended;
  const cudaGraphNode_t* last;
  const cudaGraphEdgeData* data;
  size_t count = 0, nodes = 0;
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(x, 0, n * sizeof(int), stream));
  scale<<<1, 32, 0, stream>>>(x, 1, n);
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, &data, &count));
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  std::printf("%zu nodes, waits for %zu, ", nodes, count);
  cudaGraphNode_t fill, kernel;
  cudaMemsetParams value = {x, 0, 4, 4, n, 1};
  void* arguments[] = {&x, &factor, &length};
  cudaKernelNodeParams params = {reinterpret_cast<void*>(scale), dim3(1), dim3(32), 0, arguments, nullptr};
  CHECK(cudaGraphAddMemsetNode(&fill, graph, last, count, &value));
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &params));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &kernel, nullptr, 1, cudaStreamSetCaptureDependencies));
  scale<<<1, 32, 0, stream>>>(x, 2, n);
  CHECK(cudaMemcpyAsync(&out, x, sizeof out, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &ended));
  CHECK(cudaGraphGetNodes(ended, nullptr, &nodes));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, ended, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d %zu nodes, %d\n", ended == graph, nodes, out);
  CHECK(cudaFree(x));
}
static void memory(cudaStream_t stream) {
  const int n = 64;
  int factor = 6, length = n, out[n] = {}, *later;
  cudaGraph_t graph;
  cudaGraphNode_t allocated, fill, kernel, copy, freed;
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = n * sizeof(int);
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &params));
  int* x = static_cast<int*>(params.dptr);
  cudaMemsetParams value = {x, 0, 7, 4, n, 1};
  CHECK(cudaGraphAddMemsetNode(&fill, graph, &allocated, 1, &value));
  void* arguments[] = {&x, &factor, &length};
  cudaKernelNodeParams launch = {reinterpret_cast<void*>(scale), dim3(1), dim3(n), 0, arguments, nullptr};
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, out, x, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&freed, graph, &copy, 1, x));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  unsigned long long used = 1, most = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
  std::printf("%d, %llu bytes now, %d\n", out[n - 1], used, most >= sizeof out);
  // Memory that the program gives back: a second launch before that is an error.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&later, n * sizeof(int), stream));
  CHECK(cudaMemsetAsync(later, 0, n * sizeof(int), stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  std::printf("%s, ", cudaGetErrorName(cudaGraphLaunch(exec, stream)));
  CHECK(cudaMemcpy(out, later, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(later));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaFreeAsync(later, stream));
  std::printf("%d, %s\n", out[0], cudaGetErrorName(cudaFree(later)));
}
int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  any_nodes();
  in_a_capture(stream);
  memory(stream);
  return 0;
}
