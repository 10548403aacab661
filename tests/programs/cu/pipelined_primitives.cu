// arch: 80
// Copies in the background by the primitives interface, and block-wide reductions of sm_80.
#include <cuda_pipeline_primitives.h>
#include "check.h"
__global__ void staged(const int* in, int* out) {
  __shared__ int tile[2][64];
  int sum = 0;
  __pipeline_memcpy_async(&tile[0][threadIdx.x], in + threadIdx.x, sizeof(int));
  __pipeline_commit();
  for (int i = 0; i < 4; ++i) {
    if (i < 3) __pipeline_memcpy_async(&tile[(i + 1) % 2][threadIdx.x], in + (i + 1) * 64 + threadIdx.x, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[i % 2][63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void reduced(unsigned* out) {
  const unsigned lane = threadIdx.x, odd = lane % 2 ? 0xaaaaaaaau : 0x55555555u;
  unsigned all = __reduce_add_sync(odd, lane);
  all = all * 31 + __reduce_max_sync(odd, lane ^ 5) + __reduce_min_sync(odd, lane + 3);
  all = all * 31 + __reduce_and_sync(odd, lane | 8) + __reduce_or_sync(odd, lane) + __reduce_xor_sync(odd, lane * 3);
  all += static_cast<unsigned>(__reduce_min_sync(odd, -static_cast<int>(lane)));
  out[lane] = all;
}
int main() {
  int *in, *out;
  unsigned* all;
  CHECK(cudaMallocManaged(&in, 256 * sizeof *in));
  CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
  CHECK(cudaMallocManaged(&all, 32 * sizeof *all));
  for (int i = 0; i < 256; ++i) in[i] = i;
  staged<<<1, 64>>>(in, out);
  reduced<<<1, 32>>>(all);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %u %u\n", out[0], out[63], all[0], all[1]);
  return 0;
}
