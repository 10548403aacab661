// Functions of the CUDA math library that few programs use, beside the host's.
#include "check.h"
#include <cmath>
namespace {
constexpr int kFunctions = 14, kPoints = 64;
}
__host__ __device__ inline double value_of(int function, double x) {
  int exponent = 0, quotient = 0;
  double whole = 0;
  switch (function) {
    case 0: return lgamma(x + 0.1);
    case 1: return tgamma(x * 0.5 + 0.5);
    case 2: return nextafter(x, 10.0) - x;
    case 3: return frexp(x * 37, &exponent) + exponent;
    case 4: return modf(x * 3.7, &whole) - whole;
    case 5: return remquo(x * 11, 1.7, &quotient) + (quotient & 7);
    case 6: return ilogb(x * 1000 + 1);
    case 7: return j0(x * 3);
    case 8: return j1(x * 2);
    case 9: return hypot(x, 2 - x);
    case 10: return erfc(x) + erf(x * 0.5);
    case 11: return log1p(x) + expm1(x * 0.25);
    case 12: return cbrt(x) + asinh(x);
    default: return fma(x, 3.0, fdim(x, 1.0)) + scalbn(x, 3) + logb(x * 100 + 1);
  }
}
__global__ void evaluate(double* out) { out[blockIdx.x * kPoints + threadIdx.x] = value_of(blockIdx.x, threadIdx.x * 0.05 + 0.01); }
__global__ void cuda_only(float* out) {
  const float x = threadIdx.x * 0.125f;
  out[threadIdx.x] = norm3df(x, 2.f, 3.f) + rnorm3df(1.f, x, 2.f) + rhypotf(x, 1.f) + normcdff(x - 1.f) + cyl_bessel_i0f(x * 0.5f) + erfcxf(x) + sinpif(x) + exp10f(-x);
}
int main() {
  double *device, host[kFunctions * kPoints];
  float *others, got[32];
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMalloc(&others, sizeof got));
  evaluate<<<kFunctions, kPoints>>>(device);
  cuda_only<<<1, 32>>>(others);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got, others, sizeof got, cudaMemcpyDeviceToHost));
  for (int function = 0; function < kFunctions; ++function) {
    int wrong = 0;
    for (int i = 0; i < kPoints; ++i) {
      const double expected = value_of(function, i * 0.05 + 0.01), is = host[function * kPoints + i];
      wrong += !(std::fabs(is - expected) <= 1e-11 * (1 + std::fabs(expected)));
    }
    std::printf("%d ", wrong);
  }
  int wrong = 0;
  for (int i = 0; i < 32; ++i) {
    const double x = i * 0.125;
    const double expected = std::sqrt(x * x + 13) + 1 / std::sqrt(x * x + 5) + 1 / std::sqrt(x * x + 1) + 0.5 * std::erfc((1 - x) / std::sqrt(2.0)) +
                            std::cyl_bessel_i(0.0, x * 0.5) + std::exp(x * x) * std::erfc(x) + std::sin(3.14159265358979 * x) + std::pow(10.0, -x);
    wrong += std::fabs(got[i] - expected) > 2e-5 * (1 + expected);
  }
  std::printf("\n%d\n", wrong);
  return 0;
}
