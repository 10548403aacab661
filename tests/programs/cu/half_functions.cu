// Functions of halves and pairs of halves.
#include <cuda_fp16.h>
#include "check.h"
#include <cmath>
__global__ void evaluate(float* out) {
  const int i = threadIdx.x;
  const __half x = __float2half(i * 0.25f + 0.5f);
  const __half2 pair = __halves2half2(x, __hneg(x));
  float values[12] = {__half2float(hexp(x)), __half2float(hlog2(x)), __half2float(hrsqrt(x)), __half2float(hsqrt(x)),
                      __half2float(hsin(x)), __half2float(hrcp(x)), __half2float(hceil(x)), __half2float(hrint(x)),
                      __low2float(__hfma2(pair, pair, pair)), __high2float(h2exp2(pair)), __half2float(__hmax(x, __float2half(2.f))),
                      static_cast<float>(__half2int_rn(x) + __hgt(x, __float2half(1.f)) + 2 * __hbeq2(pair, pair))};
  for (int k = 0; k < 12; ++k) out[k * 16 + i] = values[k];
}
int main() {
  float *device, got[192];
  CHECK(cudaMalloc(&device, sizeof got));
  evaluate<<<1, 16>>>(device);
  CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 12; ++k) {
    int wrong = 0;
    for (int i = 0; i < 16; ++i) {
      const double x = i * 0.25 + 0.5;
      const double expected[12] = {std::exp(x), std::log2(x), 1 / std::sqrt(x), std::sqrt(x), std::sin(x), 1 / x, std::ceil(x), std::nearbyint(x),
                                   x * x + x, std::exp2(-x), std::fmax(x, 2.0), std::nearbyint(x) + (x > 1) + 2};
      wrong += std::fabs(got[k * 16 + i] - expected[k]) > 1.5e-3 * (0.1 + std::fabs(expected[k]));
    }
    std::printf("%d ", wrong);
  }
  std::printf("\n");
  return 0;
}
