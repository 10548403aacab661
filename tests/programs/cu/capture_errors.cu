// What the capture of a stream does not allow: the call says so, and so does the end of the capture.
#include <atomic>
#include <thread>
#include "check.h"
__global__ void add(int* x, int d) { atomicAdd(x, d); }
static std::atomic<bool> go{false};
static int* x;
static cudaStream_t stream, other, third;
static cudaEvent_t event, second;
static const char* name(cudaError_t code) { return cudaGetErrorName(code) + 9; }  // without "cudaError"
static void begin(cudaStream_t in = stream) { CHECK(cudaStreamBeginCapture(in, cudaStreamCaptureModeGlobal)); }
static void end(cudaStream_t in = stream) {
  cudaGraph_t graph = nullptr;
  size_t nodes = 0;
  const cudaError_t code = cudaStreamEndCapture(in, &graph);
  if (code == cudaSuccess) CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  if (graph != nullptr) CHECK(cudaGraphDestroy(graph));
  if (code == cudaSuccess)
    std::printf("%zu nodes\n", nodes);
  else
    std::printf("%s%s\n", name(code), graph != nullptr ? " and a graph" : "");
  (void)cudaGetLastError();
}
static void fork(cudaStream_t from, cudaStream_t to, cudaEvent_t by) {
  CHECK(cudaEventRecord(by, from));
  CHECK(cudaStreamWaitEvent(to, by, 0));
}
static void waits() {
  cudaStreamCaptureStatus status;
  begin();
  std::printf("stream: %s, ", name(cudaStreamSynchronize(stream)));
  CHECK(cudaStreamIsCapturing(stream, &status));
  add<<<1, 1, 0, stream>>>(x, 1);
  std::printf("%d, %s, ", status == cudaStreamCaptureStatusInvalidated, name(cudaGetLastError()));
  end();
  begin();
  std::printf("query: %s, ", name(cudaStreamQuery(stream)));
  end();
  begin();
  std::printf("device: %s, ", name(cudaDeviceSynchronize()));
  end();
  begin();
  CHECK(cudaEventRecord(event, stream));
  std::printf("event: %s %s, ", name(cudaEventSynchronize(event)), name(cudaEventQuery(event)));
  end();
}
static void joins() {
  begin();
  fork(stream, other, event);
  add<<<1, 1, 0, other>>>(x, 1);
  std::printf("not joined: ");
  end();
  begin();
  fork(stream, other, event);
  fork(other, third, second);
  add<<<1, 1, 0, third>>>(x, 1);
  fork(third, other, second);
  add<<<1, 1, 0, other>>>(x, 1);
  fork(other, stream, event);
  std::printf("joined: ");
  end();
  begin();
  CHECK(cudaEventRecord(event, stream));
  std::printf("by the default stream: %s, ", name(cudaStreamWaitEvent(nullptr, event, 0)));
  end();
}
static void default_streams() {
  cudaStream_t blocking;
  CHECK(cudaStreamCreate(&blocking));
  begin(blocking);
  add<<<1, 1>>>(x, 1);
  std::printf("default stream: %s, ", name(cudaGetLastError()));
  end(blocking);
  begin();
  add<<<1, 1>>>(x, 10);  // waits for no stream that does not block
  CHECK(cudaGetLastError());
  std::printf("not blocking: ");
  end();
  begin(cudaStreamPerThread);
  add<<<1, 1, 0, cudaStreamPerThread>>>(x, 1);
  std::printf("per thread: ");
  end(cudaStreamPerThread);
  begin(blocking);
  fork(blocking, other, event);
  CHECK(cudaStreamDestroy(blocking));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(other, &status));
  std::printf("destroyed: %d\n", status != cudaStreamCaptureStatusNone);
}
static void information() {
  cudaStreamCaptureStatus status;
  unsigned long long id = 0, same = 0;
  begin();
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &id));
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &same));
  std::printf("%d %d, ", status == cudaStreamCaptureStatusActive, id != 0 && id == same);
  end();
}
/// Memory is not allocated or freed meanwhile, unless the capture or the thread allows it.
static void memory() {
  const auto allocate = [] {
    int* more = nullptr;
    cudaError_t code = cudaMalloc(&more, 64);
    if (code == cudaSuccess) code = cudaFree(more);
    return code;
  };
  cudaError_t code = cudaSuccess;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  begin();
  std::printf("malloc: %s, ", name(allocate()));
  end();
  begin();
  std::thread([&] { code = allocate(); }).join();
  std::printf("of another thread: %s, ", name(code));
  end();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::thread([&] { code = allocate(); }).join();
  CHECK(code);
  cudaGraph_t graph = nullptr;
  std::thread([&] { code = cudaStreamEndCapture(stream, &graph); }).join();
  std::printf("%s, %s, ", name(code), name(cudaFree(x)));
  end();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(allocate());
  end();
  begin();
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(allocate());
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  std::printf("%d, ", mode == cudaStreamCaptureModeRelaxed);
  end();
}
/// A copy that is captured while its stream has something to do reads its source when the graph is launched.
static void late_copy() {
  int source = 1, got = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaLaunchHostFunc(stream, [](void*) {
    while (!go) std::this_thread::yield();
  }, nullptr));
  begin();
  CHECK(cudaMemcpyAsync(x, &source, sizeof source, cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  source = 9;
  go = true;
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d copied\n", got);
}
int main() {
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  for (cudaStream_t* each : {&stream, &other, &third}) CHECK(cudaStreamCreateWithFlags(each, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreate(&second));
  waits();
  joins();
  default_streams();
  information();
  memory();
  add<<<1, 1, 0, other>>>(x, 100);  // captured no more
  CHECK(cudaDeviceSynchronize());
  int sum = 0;
  CHECK(cudaMemcpy(&sum, x, sizeof sum, cudaMemcpyDeviceToHost));
  std::printf("%d has run\n", sum);
  late_copy();
  return 0;
}
