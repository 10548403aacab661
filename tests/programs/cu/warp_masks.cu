// arch: 80
#include "check.h"
// Lanes that name several masks at one place, and operations of the whole warp behind them; lanes that come to such a place by two ways.
__device__ unsigned mask_of(int lane, int kind) {
  return kind == 0 ? (lane < 16 ? 0x0000ffffu : 0xffff0000u) : kind == 1 ? 0xffu << (lane & 24) : (lane & 1) ? 0xaaaaaaaau : 0x55555555u;
}
__device__ int fold(unsigned mask, int value, int first, int last) {
  for (int distance = first; distance < last; distance *= 2) value = value * 5 + __shfl_xor_sync(mask, value, distance);
  return value;
}
__global__ void shuffle(const int* in, int* out, int kind) {
  const int lane = threadIdx.x % 32;
  const unsigned mask = mask_of(lane, kind);
  const int folded = fold(mask, in[threadIdx.x], kind == 2 ? 2 : 1, kind == 1 ? 8 : 16);
  int all = folded;
  for (int distance = 16; distance != 0; distance /= 2) all += __shfl_down_sync(0xffffffffu, all, distance);
  __syncwarp(mask);
  int sum = folded;
  for (int distance = 1; distance < 8; distance *= 2) {
    const int below = __shfl_up_sync(mask, sum, 2 * distance, 32);
    if (lane % 8 >= 2 * distance) sum += below;
  }
  out[threadIdx.x] = sum + (lane == 0 ? all : 0);
}
// nvcc puts shuffles of the whole warp behind the WARPSYNC at which each half names itself.
__global__ void whole_and_halves(const int* in, int* out) {
  const int value = in[threadIdx.x];
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  const int total = __reduce_add_sync(0xffffffffu, value);
  int all = value;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    int above = __shfl_down_sync(0xffffffffu, all, distance);
    if (lane + distance >= 20) above = 0;
    all ^= above;
  }
  const unsigned half = 0xffffu << (lane & 16);
  int sum = value;
#pragma unroll
  for (int distance = 1; distance < 16; distance *= 2)
    asm volatile(
        "{\n .reg .pred p;\n .reg .b32 r;\n shfl.sync.up.b32 r|p, %0, %1, 0x1000, %2;\n @p add.s32 %0, %0, r;\n}"
        : "+r"(sum)
        : "r"(distance), "r"(half));
  out[threadIdx.x] = sum + (lane == 0 ? 7 * all + total : 0);
}
__global__ void vote(const int* in, int* out, int kind) {
  const int lane = threadIdx.x % 32, value = in[threadIdx.x];
  const unsigned mask = mask_of(lane, kind);
  unsigned found = __any_sync(mask, value % 5 == 0) + 2 * __all_sync(mask, value % 31 != 0);
  found = found * 7 + __ballot_sync(mask, value & 1);
  found = found * 7 + __match_any_sync(mask, value & 3);
  int same;
  found = found * 7 + __match_all_sync(mask, lane & 16, &same) + same;
  out[threadIdx.x] = found;
}
__global__ void two_ways(const int* in, int* out, int kind) {
  const unsigned mask = mask_of(threadIdx.x % 32, kind);
  int value = in[threadIdx.x];
  if (value & 1) {
    value = value * 3 + 1;
    out[threadIdx.x] = value;
  } else {
    value /= 2;
    out[threadIdx.x] = -value;
  }
  value += 3 * __shfl_xor_sync(mask, value, 4);
  value += value % 3 != 0 ? __shfl_xor_sync(mask, value, 2) : 2 * __shfl_xor_sync(mask, value, 2);
  out[threadIdx.x] ^= value + __shfl_down_sync(0xffffffffu, value, 3);
}
int main() {
  int host[64], *in, *out;
  for (int i = 0; i < 64; ++i) host[i] = (i * 7919 + 13) % 1009;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  const auto show = [&] {
    int got[64];
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    unsigned hash = 0;
    for (int each : got) hash = hash * 31 + each;
    std::printf(" %08x", hash);
  };
  for (int kind = 0; kind < 3; ++kind) {
    shuffle<<<1, 64>>>(in, out, kind);
    show();
    whole_and_halves<<<1, 64>>>(in, out);
    show();
    vote<<<1, 64>>>(in, out, kind);
    show();
    two_ways<<<1, 64>>>(in, out, kind);
    show();
    std::printf("\n");
  }
  return 0;
}
