// Intrinsics whose instructions compilers emit for data: half precision, bit
// fields, dot products, wide integers. Compiled to nvcc_intrinsics.ptx; the
// first line there has the command.
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half2 *a, const __half2 *b,
                                  __half2 *c, __half *d, float *f,
                                  unsigned *m) {
  int i = threadIdx.x;
  __half2 x = a[i], y = b[i];
  c[i] = __hfma2(x, y, __hadd2(x, y));
  c[i + 32] = __hmul2_sat(x, __hneg2(y));
  c[i + 64] = __habs2(__hsub2_sat(x, y));
  c[i + 96] = __floats2half2_rn(f[i], f[i + 32]);
  c[i + 128] = h2exp2(x);
  c[i + 160] = __heq2(x, y);
  c[i + 192] = __hmin2(x, y);
  c[i + 224] = h2sqrt(x);
  c[i + 256] = h2sin(y);
  c[i + 288] = __h2div(x, y);
  d[i] = __hdiv(__low2half(x), __high2half(y));
  d[i + 32] = hlog(__low2half(x));
  d[i + 64] = __float2half_rz(f[i]);
  d[i + 96] = __hmax(__low2half(x), __high2half(x));
  d[i + 128] = htanh_approx(d[i]);
  m[i] = __hbeq2(x, y) + (__hgt(__low2half(x), __low2half(y)) ? 2 : 0) +
         (__hisnan(d[i]) ? 4 : 0) + __heq2_mask(x, y);
  f[i] = __half2float(d[i]) + __high2float(x);
  f[i + 64] = (float)__half2int_rn(d[i]) + (float)__half2ull_rz(d[i + 32]);
  atomicAdd(&c[0], x);
  atomicAdd(&d[0], d[i]);
}
extern "C" __global__ void integers(unsigned *a, int *b,
                                    unsigned long long *w) {
  int i = threadIdx.x;
  unsigned x = a[i], y = a[i + 32], z = a[i + 64];
  a[i] = __dp4a(x, y, z) ^ __dp2a_lo(x, y, z) ^ __dp2a_hi(x, y, z);
  b[i] = __dp4a((int)x, (int)y, b[i]) ^ __dp2a_lo((int)x, (int)y, b[i + 32]);
  a[i + 96] = __funnelshift_l(x, y, z) + __funnelshift_rc(x, y, z) +
              __funnelshift_lc(x, y, z) + __funnelshift_r(x, y, z);
  a[i + 128] = __ffs(x) + __clz(y) + __popc(z) + __brev(x) +
               __byte_perm(x, y, z) + __fns(x, y & 31, (int)z % 5);
  a[i + 160] = __umulhi(x, y) + __mul24(x, y) + __umul24(y, z) +
               __usad(x, y, z) + __sad((int)x, (int)y, z) + __vadd4(x, y) +
               __vabsdiffu2(x, y);
  a[i + 192] = (x & y) | (~y & z) ^ x;
  b[i + 64] = __hadd((int)x, (int)y) + __rhadd((int)y, (int)x) +
              __mulhi((int)x, (int)y);
  unsigned long long p = w[i], q = w[i + 32];
  unsigned __int128 product = (unsigned __int128)p * q + w[i + 64];
  product += ((unsigned __int128)q << 64) | p;
  product -= ((unsigned __int128)p << 64) | (q >> 1);
  w[i + 96] = (unsigned long long)product;
  w[i + 128] = (unsigned long long)(product >> 64);
  w[i + 160] =
      __umul64hi(p, q) + __popcll(p) + __clzll(q) + __brevll(p) + __ffsll(q);
  w[i + 192] = p / (q | 1) + p % (q | 1);
  asm("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.cc.u32 t, t, %3; addc.u32 %0, "
      "t, 0; }"
      : "=r"(a[i + 224])
      : "r"(x), "r"(y), "r"(z));
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;"
      : "=r"(a[i + 256]), "=r"(a[i + 288])
      : "r"(x), "r"(y), "r"(z));
}
extern "C" __global__ void floats(float *f, double *d, int *n, unsigned *u) {
  int i = threadIdx.x;
  float x = f[i], y = f[i + 32];
  f[i + 64] = __fadd_rd(x, y) + __fmul_ru(x, y) + __fmaf_rz(x, y, x) +
              __fdiv_rn(x, y) + __frcp_rd(x) + __fsqrt_ru(y) + __saturatef(x);
  f[i + 96] = __sinf(x) + __cosf(y) + __logf(x) + __expf(y) + __powf(x, y) +
              __tanf(x) + rsqrtf(y) + tanhf(x) + __fdividef(x, y);
  f[i + 128] = sinf(x) + cosf(y) + expf(x) + logf(y) + cbrtf(x) + erff(y) +
               fmodf(x, y) + truncf(x) + rintf(y) + floorf(x);
  d[i + 32] = __dadd_rd(d[i], 1.5) + __dmul_ru(d[i], x) +
              __fma_rz(d[i], d[i], y) + __ddiv_rd(d[i], 3.0) + __drcp_ru(d[i]) +
              __dsqrt_rz(d[i]);
  d[i + 64] = exp(d[i]) + log(d[i]) + rsqrt(d[i]) + copysign(d[i], (double)x);
  n[i] = __float2int_rn(x) + __float2int_ru(y) + __double2int_rd(d[i]) +
         (isnan(x) ? 1 : 0) + (isinf(y) ? 1 : 0) + signbit(x) + ilogbf(x);
  u[i] = __float2uint_rz(x) + (unsigned)__double2ull_rn(d[i]) +
         __float_as_uint(y) + __double2hiint(d[i]) + __double2loint(d[i]);
}
