// libcu++: atomics of all scopes and orders, a semaphore between blocks, a latch, references to plain memory.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>
#include <type_traits>
#include "check.h"
__device__ cuda::atomic<int, cuda::thread_scope_device> total{0};
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> places{2};
using Latch = cuda::latch<cuda::thread_scope_block>;
__device__ int inside, most_inside;
__global__ void kernel(int* plain, double* sum) {
  __shared__ std::aligned_storage_t<sizeof(Latch), alignof(Latch)> place;
  Latch& ready = reinterpret_cast<Latch&>(place);
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> tickets;
  __shared__ int board[64];
  if (threadIdx.x == 0) new (&place) Latch(blockDim.x), tickets.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  board[tickets.fetch_add(1, cuda::memory_order_relaxed)] = 1;
  ready.arrive_and_wait();
  int seen = 0;
  for (int i = 0; i < 64; ++i) seen += board[i];
  total.fetch_add(seen, cuda::memory_order_acq_rel);
  cuda::atomic_ref<int, cuda::thread_scope_system> most(plain[0]);
  most.fetch_max(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
  cuda::atomic_ref<double, cuda::thread_scope_device>(*sum).fetch_add(0.5);
  if (threadIdx.x != 0) return;
  places.acquire();
  atomicMax(&most_inside, atomicAdd(&inside, 1) + 1);
  __nanosleep(200);
  atomicSub(&inside, 1);
  places.release();
  cuda::atomic_ref<int, cuda::thread_scope_device> once(plain[1]);
  int expected = 0;
  if (once.compare_exchange_strong(expected, 7)) atomicAdd(&plain[2], 1);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}
int main() {
  int* plain;
  double* sum;
  CHECK(cudaMallocManaged(&plain, 3 * sizeof(int)));
  CHECK(cudaMallocManaged(&sum, sizeof(double)));
  for (int i = 0; i < 3; ++i) plain[i] = 0;
  *sum = 0;
  kernel<<<5, 64>>>(plain, sum);
  CHECK(cudaDeviceSynchronize());
  int all = 0, most = 0;
  CHECK(cudaMemcpyFromSymbol(&all, total, sizeof all));
  CHECK(cudaMemcpyFromSymbol(&most, most_inside, sizeof most));
  std::printf("%d %d %d %d %g, %s inside\n", all, plain[0], plain[1], plain[2], *sum, most >= 1 && most <= 2 ? "at most two" : "too many");
  return 0;
}
