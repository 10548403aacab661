// Communication within the warp and the block, timers, and memory qualifiers,
// as compilers emit them. Compiled to nvcc_warp.ptx; the first line there has
// the command.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(int *v, unsigned *m, unsigned long long *w) {
  int i = threadIdx.x;
  m[i] = __match_any_sync(0xffffffffu, v[i] & 3);
  int all = 0;
  m[i + 64] = __match_all_sync(0xffffffffu, v[i] >> 31, &all) + all;
  m[i + 128] = __match_any_sync(0xffffffffu, w[i] & 1);
  m[i + 192] = __ballot_sync(0xffffffffu, v[i] > 3) ^ __activemask();
  m[i + 256] =
      __all_sync(0xffffffffu, v[i]) + __any_sync(0xffffffffu, v[i]) * 2;
  v[i + 64] = __shfl_xor_sync(0xffffffffu, v[i], 5) +
              __shfl_up_sync(0xffffffffu, v[i], 2) +
              __shfl_down_sync(0xffffffffu, v[i], 3, 16) +
              __shfl_sync(0xffffffffu, v[i], 7, 8);
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  v[i + 128] = tile.shfl_down(v[i], 1) + tile.any(v[i] > 2) +
               tile.thread_rank() + tile.meta_group_rank();
  if (v[i] & 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
      atomicAdd(&v[192], (int)active.size());
    v[i + 256] = active.shfl(v[i], 0);
    active.sync();
  }
  __syncwarp(0xffffffffu);
  block.sync();
  v[i + 320] = __syncthreads_count(v[i] > 4) + __syncthreads_and(v[i] > 0) +
               __syncthreads_or(v[i] < 0);
  __nanosleep(100);
  __nanosleep(v[i] & 31);
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  w[i + 64] = clock64() + clock() + t;
  __threadfence_block();
  __threadfence();
  __threadfence_system();
}
extern "C" __global__ void memory(const float4 *__restrict__ in, float4 *out,
                                  int *p, unsigned long long *w, float *f,
                                  double *d) {
  int i = threadIdx.x;
  __shared__ int s[64];
  s[i] = i;
  __syncthreads();
  out[i] = __ldg(in + i);
  out[i + 64] = __ldcs(in + i);
  __stcg(out + 128 + i, __ldcg(in + i));
  __stwt(out + 192 + i, __ldlu(in + i));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
  atomicAdd(p, 1);
  atomicSub(p + 1, 2);
  atomicMin(p + 2, i);
  atomicMax((unsigned *)p + 3, (unsigned)i);
  atomicInc((unsigned *)p + 4, 17);
  atomicDec((unsigned *)p + 5, 17);
  atomicExch(p + 6, i);
  atomicCAS(p + 7, 0, i);
  atomicAnd(p + 8, i);
  atomicOr(p + 9, i);
  atomicXor(p + 10, i);
  atomicAdd(f, 1.5f);
  atomicAdd(d, 1.5);
  atomicAdd(w, 1ull);
  atomicMin(w + 1, 5ull);
  atomicMax((long long *)w + 2, 5ll);
  atomicAnd(w + 3, 5ull);
  atomicCAS(w + 4, 0ull, 7ull);
  atomicCAS((unsigned short *)(p + 11), (unsigned short)0, (unsigned short)3);
  atomicAdd_block(p + 12, 1);
  atomicAdd_system(p + 13, 1);
  atomicAdd(&s[i / 2], 3);
  volatile int *q = p + 14;
  *q = *q + s[(i + 1) & 63];
  int r = __shfl_sync(~0u, atomicAdd(p + 15, 1), 0);
  p[16 + i] = r + (__isGlobal(p) ? 1 : 0) + (__isShared(s) ? 2 : 0) +
              (__isLocal(&r) ? 4 : 0);
}
