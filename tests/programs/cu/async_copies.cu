// arch: 80
// Asynchronous copies: groups with several stages, copies with zeros, cuda::pipeline, cuda::barrier and memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include "check.h"
namespace cg = cooperative_groups;

constexpr int kThreads = 64, kStages = 3, kTiles = 8;

__device__ unsigned shared_address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

__global__ void staged(const int* in, int* out) {
  __shared__ int tile[kStages][kThreads];
  const int me = threadIdx.x;
  const auto fetch = [&](int t) {
    if (t < kTiles)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[t % kStages][me])),
                   "l"(in + t * kThreads + me) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int t = 0; t < kStages - 1; ++t) fetch(t);
  int sum = 0;
  for (int t = 0; t < kTiles; ++t) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    sum += tile[t % kStages][kThreads - 1 - me] * (t + 1);
    fetch(t + kStages - 1);
    __syncthreads();
  }
  out[me] = sum;
}

// Sixteen bytes of which only some are read, and none where the predicate says so.
__global__ void with_zeros(const int4* in, int4* out, int count) {
  __shared__ int4 tile[kThreads];
  const int me = threadIdx.x;
  tile[me] = make_int4(-1, -1, -1, -1);
  const int bytes = min(max(count - 4 * me, 0), 4) * 4;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&tile[me])), "l"(in + me), "r"(bytes)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[me] = tile[me];
}

// Halves of the warp copy different numbers of groups.
__global__ void apart(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  const int me = threadIdx.x;
  if (me % 2 == 0) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(shared_address(&tile[0][me])),
                 "l"(in + me) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(shared_address(&tile[1][me])),
                 "l"(in + me + 64) : "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    out[me] = tile[0][me];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[me] += tile[1][me];
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(shared_address(&tile[0][me])),
                 "l"(in + me) : "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[me] = -tile[0][me];
  }
}

__global__ void pipelined(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  auto pipe = cuda::make_pipeline();
  int sum = 0;
  const auto fetch = [&](int t) {
    pipe.producer_acquire();
    if (t < kTiles) cuda::memcpy_async(&tile[t % 2][threadIdx.x], in + t * kThreads + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int t = 0; t < kTiles; ++t) {
    fetch(t + 1);
    pipe.consumer_wait();
    sum += tile[t % 2][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void at_barrier(const int* in, int* out) {
  __shared__ int tile[kThreads];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  int sum = 0;
  for (int t = 0; t < kTiles; ++t) {
    cuda::memcpy_async(block, tile, in + t * kThreads, sizeof tile, barrier);
    barrier.arrive_and_wait();
    sum += tile[kThreads - 1 - threadIdx.x];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

__global__ void grouped(const int* in, int* out) {
  __shared__ int tile[kThreads];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

int main() {
  constexpr int kCount = kThreads * kTiles;
  int host[kCount], result[4 * kThreads], *in, *out;
  for (int i = 0; i < kCount; ++i) host[i] = i * 7 % 101;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof result));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  const auto show = [&](const char* name, int count, auto expected) {
    CHECK(cudaMemcpy(result, out, count * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += result[i] != expected(i);
    std::printf("%s: %d wrong\n", name, wrong);
  };
  const auto column = [&](int i, bool weighted) {
    int sum = 0;
    for (int t = 0; t < kTiles; ++t) sum += host[t * kThreads + i] * (weighted ? t + 1 : 1);
    return sum;
  };
  staged<<<1, kThreads>>>(in, out);
  show("staged", kThreads, [&](int i) { return column(kThreads - 1 - i, true); });
  with_zeros<<<1, kThreads>>>(reinterpret_cast<int4*>(in), reinterpret_cast<int4*>(out), 90);
  show("with zeros", 4 * kThreads, [&](int i) { return i < 90 ? host[i] : 0; });
  apart<<<1, kThreads>>>(in, out);
  show("apart", kThreads, [&](int i) { return i % 2 == 0 ? host[i] + host[i + 64] : -host[i]; });
  pipelined<<<1, kThreads>>>(in, out);
  show("pipelined", kThreads, [&](int i) { return column(i, false); });
  at_barrier<<<1, kThreads>>>(in, out);
  show("at a barrier", kThreads, [&](int i) { return column(kThreads - 1 - i, false); });
  grouped<<<1, kThreads>>>(in, out);
  show("grouped", kThreads, [&](int i) { return host[kThreads - 1 - i]; });
  return 0;
}
