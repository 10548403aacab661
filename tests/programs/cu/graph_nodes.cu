// Nodes that wait for an event of another stream, behind host functions; and calls for nodes that are wrong, which add nothing.
#include <atomic>
#include <thread>
#include "check.h"
__global__ void add(int* x, int d) { *x += d; }
static std::atomic<int> passed{0};
static void CUDART_CB pass(void* gate) {
  while (passed < *static_cast<int*>(gate)) std::this_thread::yield();
}
static const char* name(cudaError_t code) { return cudaGetErrorName(code); }
static void waiting(cudaStream_t stream, cudaStream_t other) {
  int first = 1, second = 2, third = 3, out = -1, *x;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t wait, copy;
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &wait, 1, &out, x, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  // Both streams have a host function; that of the graph's stream returns first.
  CHECK(cudaLaunchHostFunc(stream, pass, &first));
  CHECK(cudaLaunchHostFunc(other, pass, &second));
  add<<<1, 1, 0, other>>>(x, 5);
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaGraphLaunch(exec, stream));
  add<<<1, 1, 0, stream>>>(x, 1);
  CHECK(cudaEventRecord(event, stream));  // later: the graph does not wait for it
  passed = 1;
  std::printf("%s, ", name(cudaStreamQuery(stream)));
  passed = 2;
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d copied, ", out);
  // The program goes on before the event.
  CHECK(cudaLaunchHostFunc(other, pass, &third));
  add<<<1, 1, 0, other>>>(x, 10);
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  CHECK(cudaMemcpyAsync(&out, x, sizeof out, cudaMemcpyDeviceToHost, stream));
  std::printf("%d before, ", out);
  passed = 3;
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d after\n", out);
}
static void wrong() {
  cudaGraph_t graph;
  cudaGraphNode_t nodes[3], all[2], none = nullptr, gone;
  CHECK(cudaGraphCreate(&graph, 0));
  for (cudaGraphNode_t& each : nodes) CHECK(cudaGraphAddEmptyNode(&each, graph, nullptr, 0));
  const auto no_event = reinterpret_cast<cudaEvent_t>(&graph);
  const auto no_graph = reinterpret_cast<cudaGraph_t>(&graph);
  gone = reinterpret_cast<cudaGraphNode_t>(&graph);
  std::printf("%s, ", name(cudaGraphAddEventWaitNode(&none, graph, nullptr, 0, no_event)));
  std::printf("%s, %d, ", name(cudaGraphAddChildGraphNode(&none, graph, nullptr, 0, no_graph)), none == nullptr);
  std::printf("%s, ", name(cudaGraphAddDependencies(graph, nullptr, nullptr, nullptr, 1)));
  const cudaGraphNode_t from[] = {nodes[0], nodes[1]}, to[] = {nodes[1], gone};
  std::printf("%s\n", name(cudaGraphAddDependencies(graph, from, to, nullptr, 2)));
  size_t roots = 0, count = 2, nodes_in_all = 0;
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes_in_all));
  CHECK(cudaGraphGetNodes(graph, all, &count));
  std::printf("%zu roots of %zu nodes, %zu given\n", roots, nodes_in_all, count);
  cudaGraphExec_t exec;
  std::printf("%s, ", name(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch)));
  std::printf("%s\n", name(cudaGraphInstantiate(&exec, graph, 64)));
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}
int main() {
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  waiting(stream, other);
  wrong();
  return 0;
}
