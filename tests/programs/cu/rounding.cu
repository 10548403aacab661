// Arithmetic with a rounding of its own, rare functions, the place of a thread in the machine.
#include "check.h"
#include <cmath>
__global__ void rounded(double a, double b, double* out) {
  out[0] = __dadd_rd(a, b) - __dadd_ru(a, b);
  out[1] = __dmul_rz(a, b) - __dmul_ru(a, b);
  out[2] = __ddiv_rd(a, b) - __ddiv_ru(a, b);
  out[3] = __dsqrt_ru(a) - __dsqrt_rd(a);
  out[4] = __fma_rn(a, b, -a * b);
  out[5] = __fadd_ru(0.1f, 0.2f) - __fadd_rd(0.1f, 0.2f);
  out[6] = __frcp_ru(3.f) - __frcp_rd(3.f);
  out[7] = __frsqrt_rn(2.f);
  out[8] = __fmaf_rz(0.1f, 0.2f, 0.3f) - __fmaf_ru(0.1f, 0.2f, 0.3f);
  out[9] = __drcp_rz(7.0) - __drcp_ru(7.0);
  out[10] = __float2int_ru(1.25f) + 10 * __double2int_rd(-1.25) + 100 * __float2uint_rz(-3.f);
  out[11] = static_cast<double>(__double2ll_ru(1e15 + 0.5)) - static_cast<double>(__ll2double_rd((1ll << 53) + 1));
  out[12] = __uint2float_rz(0xffffffffu) - __uint2float_ru(0xfffffeffu);
}
__global__ void rare(double* out) {
  const double x = 0.25 * (threadIdx.x + 1);
  out[threadIdx.x] = erfinv(x * 0.1) + erfcx(x) + normcdf(x) + normcdfinv(0.1 * x) + rcbrt(x) + cospi(x) + sinpi(x) + lgamma(x) + tgamma(x) +
                     j0(x) + y1(x) + jn(2, x) + cyl_bessel_i0(x) + nextafter(x, 1.0) + remainder(x, 0.7) + logb(x) + rhypot(x, 1.0) +
                     norm3d(x, x, 1.0) + exp10(x);
}
__global__ void where(unsigned* out) {
  unsigned sm, warp, lane, warps, grid;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%nsmid;" : "=r"(grid));
  asm("mov.u32 %0, %%nwarpid;" : "=r"(warps));
  if (sm >= grid || warp >= warps || lane != threadIdx.x % 32) atomicAdd(out, 1);
  atomicAdd(out + 1, lane);
}
int main() {
  double *out, sum = 0;
  unsigned* counts;
  CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
  CHECK(cudaMallocManaged(&counts, 2 * sizeof *counts));
  rounded<<<1, 1>>>(1.0 / 3, 3e-9, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 13; ++i) std::printf("%.6g ", out[i]);
  rare<<<1, 16>>>(out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i) sum += out[i];
  std::printf("\n%.9g\n", sum);
  counts[0] = counts[1] = 0;
  where<<<7, 96>>>(counts);
  CHECK(cudaDeviceSynchronize());
  std::printf("%u %u\n", counts[0], counts[1]);
  return 0;
}
