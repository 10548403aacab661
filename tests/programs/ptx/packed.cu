// sums, minima and maxima of two 16-bit integers, and .relu, as sm_90 has them
// In PTX .relu may stand before the type as well.
__device__ unsigned relu_first(unsigned x, unsigned y) {
  unsigned two, one;
  asm("max.relu.s16x2 %0, %1, %2;" : "=r"(two) : "r"(x), "r"(y));
  asm("min.relu.s32 %0, %1, %2;" : "=r"(one) : "r"(x), "r"(y));
  return two ^ one;
}
__global__ void packed(const unsigned* a, const unsigned* b, unsigned* out) {
  const unsigned i = threadIdx.x, x = a[i], y = b[i];
  unsigned* const to = out + i * 9;
  to[0] = __vadd2(x, y);
  to[1] = __vmins2(x, y);
  to[2] = __vmaxs2(x, y);
  to[3] = __vminu2(x, y);
  to[4] = __vmaxu2(x, y);
  to[5] = __vimax_s16x2_relu(x, y);
  to[6] = __vimin_s16x2_relu(x, y);
  to[7] = __vimin_s32_relu(x, y) ^ __vimax_s32_relu(x, y);
  to[8] = relu_first(x, y);
}
