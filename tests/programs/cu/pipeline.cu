// Three stages in streams that wait for each other's events, over pinned buffers, with a callback at the end of each piece.
#include "check.h"
constexpr int kPieces = 6, kItems = 512;
__global__ void produce(int* x, int piece) { x[threadIdx.x + blockIdx.x * blockDim.x] = piece * 1000 + threadIdx.x + blockIdx.x * blockDim.x; }
__global__ void square(const int* x, long long* y) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  y[i] = static_cast<long long>(x[i]) * x[i];
}
__global__ void total(const long long* y, unsigned long long* sum) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  atomicAdd(sum, static_cast<unsigned long long>(y[i]));
}
static int order[kPieces], finished = 0;
static void CUDART_CB note(void* piece) { order[finished++] = static_cast<int>(reinterpret_cast<size_t>(piece)); }
int main() {
  int* x[2];
  long long* y[2];
  unsigned long long *sums, *host;
  for (auto& each : x) CHECK(cudaMalloc(&each, kItems * sizeof(int)));
  for (auto& each : y) CHECK(cudaMalloc(&each, kItems * sizeof(long long)));
  CHECK(cudaMalloc(&sums, kPieces * sizeof *sums));
  CHECK(cudaMemset(sums, 0, kPieces * sizeof *sums));
  CHECK(cudaMallocHost(&host, kPieces * sizeof *host));
  cudaStream_t stage[3];
  int low, high;
  CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
  for (int s = 0; s < 3; ++s) CHECK(cudaStreamCreateWithPriority(&stage[s], cudaStreamNonBlocking, s == 2 ? high : low));
  cudaEvent_t made[2], squared[2], used[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaEventCreateWithFlags(&made[i], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&squared[i], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
  }
  for (int p = 0; p < kPieces; ++p) {
    const int b = p % 2;
    if (p > 1) CHECK(cudaStreamWaitEvent(stage[0], squared[b], 0));
    produce<<<kItems / 128, 128, 0, stage[0]>>>(x[b], p);
    CHECK(cudaEventRecord(made[b], stage[0]));
    CHECK(cudaStreamWaitEvent(stage[1], made[b], 0));
    if (p > 1) CHECK(cudaStreamWaitEvent(stage[1], used[b], 0));
    square<<<kItems / 128, 128, 0, stage[1]>>>(x[b], y[b]);
    CHECK(cudaEventRecord(squared[b], stage[1]));
    CHECK(cudaStreamWaitEvent(stage[2], squared[b], 0));
    total<<<kItems / 64, 64, 0, stage[2]>>>(y[b], sums + p);
    CHECK(cudaEventRecord(used[b], stage[2]));
    CHECK(cudaMemcpyAsync(host + p, sums + p, sizeof *host, cudaMemcpyDeviceToHost, stage[2]));
    CHECK(cudaLaunchHostFunc(stage[2], note, reinterpret_cast<void*>(static_cast<size_t>(p))));
  }
  CHECK(cudaDeviceSynchronize());
  int wrong = finished != kPieces;
  for (int p = 0; p < kPieces; ++p) {
    unsigned long long sum = 0;
    for (long long i = 0; i < kItems; ++i) sum += (p * 1000 + i) * (p * 1000 + i);
    wrong += host[p] != sum || order[p] != p;
  }
  std::printf("%d wrong, last sum %llu\n", wrong, host[kPieces - 1]);
  return wrong;
}
