// What clang emits without the CUDA headers. Compiled to clang_features.ptx; the first line there has the
// command.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
__constant__ float coef[8];
__device__ int tab[4] = {1, 2, 3, 4};
__device__ int* ptab[2] = {&tab[1], tab};
static inline __device__ int tid() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
extern "C" __global__ void k1(float* a, double* b, char* c, short* s, long* l, unsigned char* u, int n) {
  int t = tid();
  if (t >= n) return;
  a[t] = a[t] / 3.f + coef[t & 7];
  b[t] = b[t] * 2 + 1. / b[t];
  c[t] = c[t] / 3 + 1;
  s[t] *= s[t];
  l[t] = l[t] / 7 % n;
  u[t] = a[t];
  a[t] += l[t];
  b[t] += (unsigned long)l[t];
  l[t] ^= (long)b[t];
  *ptab[t & 1] = 3;
  for (int i = 0; i < c[t]; i++)
    if (s[i] > n) {
      u[i] = 1;
      break;
    } else if (u[i])
      continue;
    else
      l[i]++;
}
extern "C" __global__ void k2(int* p, float* f, long* q) {
  __shared__ int s[64];
  int t = tid();
  s[t & 63] = p[t];
  __syncthreads();
  p[t] = s[(t + 1) & 63];
  __nvvm_atom_add_gen_i(p, 1);
  __nvvm_atom_cas_gen_i(p + 1, 0, 1);
  __nvvm_atom_xchg_gen_i(p + 2, 3);
  __nvvm_atom_max_gen_i(p, 4);
  __nvvm_atom_add_gen_f(f, 1.f);
  __nvvm_membar_gl();
  __nvvm_membar_cta();
  __nvvm_membar_sys();
  __nvvm_atom_inc_gen_ui((unsigned*)p, 4);
  __nvvm_atom_add_gen_i(s, 1);
}
struct B {
  int a[5];
  double d;
};
extern "C" __global__ void k3(B b, int* p, int i) {
  p[0] = b.a[i] + (int)b.d;
  int loc[16];
  for (int k = 0; k < 16; k++) loc[k] = p[k];
  loc[i] = 4;
  p[3] = loc[i ^ 1];
  switch (i) {
    case 1:
      p[1] = 2;
      break;
    case 2:
      p[4] = 4;
      break;
    case 3:
      p[5] = 5;
      break;
    case 4:
      p[7] = 6;
      break;
    case 5:
      p[9] = 1;
      break;
    case 8:
      p[2] = 7;
  }
}
typedef float f4 __attribute__((ext_vector_type(4)));
extern "C" __global__ void k4(f4* a, float* b) {
  int t = tid();
  f4 v = a[t];
  b[t] = v.x + v.y * v.z - v.w;
  a[t] = v * v;
  b[t] = __builtin_sqrtf(b[t]);
  b[1] = __builtin_fmaf(b[0], b[2], b[3]);
  b[2] = __builtin_fabsf(b[3]);
  int x = b[t];
  b[3] = __builtin_popcount(x) + __builtin_clz(x) + __builtin_ctz(x | 1);
  b[4] = __builtin_fminf(b[3], 1.f);
  volatile float* vb = b;
  vb[1] = 2;
}
extern "C" __global__ void k5(int* p) {
  int v = p[0];
  v += __nvvm_shfl_sync_down_i32(-1, v, 1, 31);
  v += __nvvm_vote_ballot_sync(-1, v > 0);
  p[1] = v;
  if (__nvvm_vote_any_sync(-1, v)) p[0] = 1;
}
