// Atomics of all operations and types, in global and shared memory, with compare-and-swap loops, locks and counters.
#include "check.h"
struct Results {
  int add, sub, low, high, all_and, all_or, all_xor, swaps;
  unsigned up, down;
  unsigned long long wide, wide_max;
  float sum;
  double total, product;
  int locked;
};
__device__ int lock = 0;
__device__ unsigned ticket = 0;
__global__ void operate(Results* r, int* turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&r->add, i);
  atomicSub(&r->sub, 1);
  atomicMin(&r->low, 50 - i);
  atomicMax(&r->high, i * 3);
  atomicAnd(&r->all_and, ~(1 << i % 20));
  atomicOr(&r->all_or, 1 << i % 10);
  atomicXor(&r->all_xor, i);
  atomicInc(&r->up, 99);
  atomicDec(&r->down, 40);
  atomicAdd(&r->wide, 1ull << 33);
  atomicMax(&r->wide_max, static_cast<unsigned long long>(i) << 32);
  atomicAdd(&r->sum, 0.5f);
  atomicAdd(&r->total, 0.25);
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(&r->product);
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen, __double_as_longlong(__longlong_as_double(seen) * (i % 2 ? 2.0 : 0.5)));
  } while (old != seen);
  if (atomicExch(&turns[i % 64], i) >= 0) atomicAdd(&r->swaps, 1);
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    *static_cast<volatile int*>(&r->locked) = *static_cast<volatile int*>(&r->locked) + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
}
__global__ void last_block(const int* in, int* partial, int* out) {
  __shared__ int sum, last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += static_cast<volatile int*>(partial)[b];
    *out = total;
  }
}
int main() {
  Results host = {}, *r;
  host.low = 1000, host.all_and = -1, host.down = 40, host.product = 1;
  int *turns, numbers[256], *in, *out, total = 0;
  for (int i = 0; i < 256; ++i) numbers[i] = i;
  CHECK(cudaMalloc(&r, sizeof host));
  CHECK(cudaMalloc(&turns, 256));
  CHECK(cudaMemset(turns, 0xff, 256));
  CHECK(cudaMemcpy(r, &host, sizeof host, cudaMemcpyHostToDevice));
  operate<<<4, 64>>>(r, turns);
  CHECK(cudaMemcpy(&host, r, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d %x %x %d %d\n", host.add, host.sub, host.low, host.high, host.all_and, host.all_or, host.all_xor, host.swaps);
  std::printf("%u %u %llx %llx %g %g %g %d\n", host.up, host.down, host.wide, host.wide_max, host.sum, host.total, host.product, host.locked);
  CHECK(cudaMalloc(&in, sizeof numbers));
  CHECK(cudaMalloc(&out, 64));
  CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  for (int i = 0; i < 2; ++i) last_block<<<8, 32>>>(in, turns, out);
  CHECK(cudaMemcpy(&total, out, 4, cudaMemcpyDeviceToHost));
  std::printf("%d\n", total);
  return 0;
}
