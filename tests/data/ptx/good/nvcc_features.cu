// What nvcc emits: one kernel per family of instructions. Compiled to nvcc_features.ptx; the first line there
// has the command.
#include <cstdint>
struct S {
  int a;
  float b;
  double c;
  char d[5];
};
__constant__ float coef[16] = {1, 2, 3};
__constant__ int ctab[4];
__device__ int counter;
__device__ int* gp = &counter;
__device__ S gs = {1, 2.0f, 3.0, {1, 2, 3}};
__device__ const char* msg = "hello";
struct __attribute__((packed)) P {
  char c;
  int* p;
};
__device__ P pk = {1, &counter};
extern __shared__ float dyn[];
extern __shared__ double dyn2[];
__shared__ int modsh[33];
extern "C" __global__ void k_types(char* c, short* s, int* i, long long* l, float* f, double* d, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  c[t] = c[t] * 3 + (char)i[t];
  s[t] = s[t] / 7;
  i[t] = i[t] / n + i[t] % 13;
  l[t] = l[t] * i[t] / 3 % n;
  f[t] = f[t] / 3.0f + sqrtf(f[t]);
  d[t] = d[t] / 3.0 + sqrt(d[t]) * (double)i[t];
  l[t] ^= (long long)f[t];
  f[t] += (float)l[t];
  d[t] += (double)(unsigned long long)l[t];
  s[t] += (short)d[t];
  c[t] = (signed char)f[t];
}
extern "C" __global__ void k_struct(S in, S* out, int idx) {
  out->a = in.a + in.d[idx];
  out->c = in.c * in.b;
}
extern "C" __global__ void k_shared(float* f) {
  __shared__ float a[32][33];
  int t = threadIdx.x;
  a[t][t / 2] = f[t];
  dyn[t] = f[t + 1];
  modsh[t] = 1;
  __syncthreads();
  f[t] = a[t / 2][t] + dyn[31 - t] + coef[t & 15] + ctab[t & 3] + modsh[t ^ 1];
}
extern "C" __global__ void k_local(int* o, int n) {
  int a[20];
  for (int i = 0; i < 20; i++) a[i] = i * n;
  for (int i = 0; i < n; i++) a[(i * 7) % 20] ^= a[i % 20];
  o[threadIdx.x] = a[n % 20];
}
extern "C" __global__ void k_atomics(int* p, unsigned* u, unsigned long long* q, float* f, double* d) {
  atomicAdd(p, 1);
  u[1] = atomicInc(u, 7);
  u[2] = atomicDec(u, 7);
  u[3] = atomicExch(u, 9);
  u[4] = atomicCAS(u, 1, 2);
  atomicMin(p, 4);
  p[2] = atomicMax(p, 3);
  atomicAnd(u, 1);
  atomicOr(u, 2);
  atomicXor(u, 3);
  q[1] = atomicAdd(q, 5ull);
  q[2] = atomicCAS(q, 1ull, 2ull);
  atomicMax(q, 7ull);
  f[1] = atomicAdd(f, 1.f);
  atomicAdd(d, 2.0);
  *gp = 3;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  atomicAdd(&counter, 1);
  __shared__ int x;
  atomicAdd(&x, 1);
  __syncthreads();
  p[5] = x;
  atomicAdd_block(p, 1);
  atomicAdd_system(p, 1);
}
extern "C" __global__ void k_warp(int* p) {
  int v = p[threadIdx.x];
  v += __shfl_down_sync(~0u, v, 4);
  v += __shfl_xor_sync(~0u, v, 1);
  v += __shfl_sync(~0u, v, 3, 8);
  v += __shfl_up_sync(~0u, v, 1);
  if (__any_sync(~0u, v > 3)) v++;
  if (__all_sync(~0u, v < 9)) v--;
  v += __ballot_sync(~0u, v & 1);
  v += __activemask();
  __syncwarp();
  v += __popc(v) + __clz(v) + __brev(v);
  v += __byte_perm(v, 3, 0x1234);
  v += __funnelshift_l(v, 3, 5) + __mul24(v, 3) + __umulhi(v, 7) + __sad(v, 3, 4);
  p[threadIdx.x] = v;
}
extern "C" __global__ void k_math(float* f) {
  float x = f[0];
  f[1] = sinf(x);
  f[2] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + rsqrtf(x) + __frcp_rn(x) + exp2f(x) +
         __fdividef(x, 3.f) + fminf(x, 2) + fmaxf(x, 4) + fabsf(x) + floorf(x) + ceilf(x) + rintf(x) +
         truncf(x) + roundf(x) + copysignf(x, f[3]) + __saturatef(x) + powf(x, f[4]);
  f[5] = isnan(x) ? 1 : 2;
  f[6] = fmodf(x, 3.0f);
}
extern "C" __global__ void k_dmath(double* f) {
  double x = f[0];
  f[2] = exp(x) + log(x) + 1 / x + fmin(x, 2.0) + floor(x);
  f[3] = fma(x, x, x);
}
extern "C" __global__ void k_vec(float4* a, int2* b, double2* c, uchar4* d, short2* e) {
  int t = threadIdx.x;
  a[t].x += 1;
  a[t + 1] = a[t];
  b[t + 1] = b[t];
  c[t + 1] = c[t];
  d[t + 1] = d[t];
  e[t + 1] = e[t];
  float4 z = __ldg(a + t + 2);
  a[t + 3] = z;
  a[t].y = __ldcg(&a[t + 9].z);
  __stcs(&a[t].w, 1.f);
  __stwt(&a[t].w, 1.f);
  a[t + 5].x = __ldca(&a[t].x) + __ldcs(&a[t].x) + __ldlu(&a[t].x) + __ldcv(&a[t].x);
}
extern "C" __global__ void k_vol(volatile int* p, const int* __restrict__ q, long long* l) {
  while (p[0] == 0)
    ;
  p[1] = q[3];
  l[0] = clock64();
  l[1] = clock();
  asm volatile(
      "{ .reg .pred q; .reg .b32 z; setp.eq.s32 q, %1, 1; @q bra LAB; mov.u32 z, 3; mov.u32 %0, z; LAB: }"
      : "=r"(((int*)l)[8])
      : "r"(q[1]));
  unsigned m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  l[3] = m;
  __nanosleep(100);
  if (q[7]) __trap();
}
extern "C" __global__ void __launch_bounds__(128, 2) k_switch(int* p, int n) {
  switch (n) {
    case 0:
      p[0] = 1;
      break;
    case 1:
      p[1] = 4;
      break;
    case 2:
      p[3] = 5;
      break;
    case 3:
      p[0] = 8;
      break;
    case 4:
      p[9] = 1;
    case 5:
      p[7] = 77;
      break;
    case 6:
      p[2] = 1;
      break;
    case 9:
      p[3] = 4;
      break;
    default:
      p[22] = 0;
  }
}
extern "C" __global__ void k_generic(int* p, int c) {
  __shared__ int s[4];
  int l[4];
  s[0] = 1;
  int* q = c == 0 ? p : c == 1 ? s : l;
  q[c] = 4;
  __syncthreads();
  p[3] = s[2] + l[c & 3] + __isShared(q) + __isGlobal(q) + __isLocal(q);
}
#include <cuda/atomic>
extern "C" __global__ void k_cudaatomic(int* p) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(*p);
  a.store(3, cuda::memory_order_release);
  p[1] = a.load(cuda::memory_order_acquire);
  a.fetch_add(1, cuda::memory_order_acq_rel);
  a.fetch_add(1);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  int e = 3;
  a.compare_exchange_strong(e, 4, cuda::memory_order_relaxed);
  p[3] = e;
}
