// Bytes and halves of a word at once, and what the video instructions do.
#include "check.h"
__global__ void words(unsigned a, unsigned b, unsigned* out) {
  a += threadIdx.x * 0x01030507u;
  b ^= threadIdx.x * 0x11010101u;
  unsigned sum = 0;
  sum = sum * 31 + __vabs2(a);
  sum = sum * 31 + __vabs4(a);
  sum = sum * 31 + __vabsdiffu4(a, b);
  sum = sum * 31 + __vabsdiffs2(a, b);
  sum = sum * 31 + __vadd4(a, b);
  sum = sum * 31 + __vaddss2(a, b);
  sum = sum * 31 + __vaddus4(a, b);
  sum = sum * 31 + __vavgu4(a, b);
  sum = sum * 31 + __vcmpeq4(a, b);
  sum = sum * 31 + __vcmpgts2(a, b);
  sum = sum * 31 + __vhaddu4(a, b);
  sum = sum * 31 + __vmaxs4(a, b);
  sum = sum * 31 + __vminu2(a, b);
  sum = sum * 31 + __vneg2(a);
  sum = sum * 31 + __vsads4(a, b);
  sum = sum * 31 + __vsadu2(a, b);
  sum = sum * 31 + __vsetgeu4(a, b);
  sum = sum * 31 + __vsub2(a, b);
  sum = sum * 31 + __vsubss4(a, b);
  sum = sum * 31 + __vimax3_s32(int(a), int(b), 7);
  sum = sum * 31 + __viaddmin_u32(a, b, 1000);
  sum = sum * 31 + __vibmax_u32(a, b, reinterpret_cast<bool*>(&out[64]));
  sum = sum * 31 + __dp4a(int(a), int(b), 5);
  sum = sum * 31 + __dp2a_lo(int(a), int(b), 5);
  sum = sum * 31 + __dp2a_hi(a, b, 5u);
  sum = sum * 31 + __sad(int(a), int(b), 5u);
  sum = sum * 31 + __mulhi(int(a), int(b)) + __umul24(a, b) + __hadd(int(a), int(b)) + __rhadd(int(a), int(b));
  sum = sum * 31 + __funnelshift_lc(a, b, 37) + __funnelshift_r(a, b, threadIdx.x) + __byte_perm(a, b, 0x7531);
  out[threadIdx.x] = sum;
}
int main() {
  unsigned *out, all = 0;
  CHECK(cudaMallocManaged(&out, 65 * sizeof *out));
  words<<<1, 64>>>(0x80ff7f01u, 0x12fe8180u, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) all = all * 17 + out[i];
  std::printf("%08x %08x %08x\n", out[0], out[63], all);
  return 0;
}
