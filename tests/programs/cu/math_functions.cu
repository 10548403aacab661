// The math library in single and double precision, against the host's, within the errors that CUDA documents.
#include <cmath>
#include "check.h"
constexpr int kFunctions = 22;
template <class T>
__host__ __device__ void all(T x, T y, T* out) {
  *out++ = sin(x), *out++ = cos(x), *out++ = tan(x), *out++ = exp(x), *out++ = log(fabs(x) + T(0.01));
  *out++ = pow(fabs(x) + T(0.5), y), *out++ = sqrt(fabs(x)), *out++ = cbrt(x), *out++ = atan2(y, x), *out++ = asin(x / 40);
  *out++ = sinh(x / 4), *out++ = tanh(x), *out++ = erf(x / 8), *out++ = tgamma(fabs(x) / 4 + T(0.7)), *out++ = fmod(x, y), *out++ = hypot(x, y);
  *out++ = floor(x) + ceil(y) + trunc(x) + round(y), *out++ = log1p(fabs(x)), *out++ = expm1(x / 16), *out++ = fma(x, y, x), *out++ = rint(x * 8) / 8;
  *out++ = ldexp(x, 3) + fmax(x, y) - fmin(x, y);
}
template <class T>
__global__ void compute(T* out) {
  const int i = threadIdx.x;
  all<T>(T(i) * T(1.25) - 39, T(i % 7) - T(2.5), out + i * kFunctions);
}
__global__ void quick(float* out) {
  const float x = 0.1f + threadIdx.x * 0.05f;
  out[threadIdx.x] = __sinf(x) + __cosf(x) + __expf(-x) + __logf(x) + __fdividef(1.f, x) + __powf(x, 1.5f) + rsqrtf(x) + __frcp_rn(x) +
                     __fsqrt_rn(x) + __fadd_rz(x, 1e-9f) + __saturatef(x);
}
template <class T>
static int compare(double allowed) {
  static T host[64 * kFunctions], want[kFunctions];
  T* out;
  CHECK(cudaMalloc(&out, sizeof host));
  compute<T><<<1, 64>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    all<T>(T(i) * T(1.25) - 39, T(i % 7) - T(2.5), want);
    for (int f = 0; f < kFunctions; ++f) {
      const double a = host[i * kFunctions + f], b = want[f];
      const bool equal = (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= allowed * std::fmax(std::fabs(b), 1e-30);
      if (!equal && ++wrong < 6) std::printf("function %d of %g: %.17g, not %.17g\n", f, i * 1.25 - 39, a, b);
    }
  }
  return wrong;
}
int main() {
  const int single_wrong = compare<float>(3e-6), double_wrong = compare<double>(3e-15);
  float *out, host[32];
  CHECK(cudaMalloc(&out, sizeof host));
  quick<<<1, 32>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  int quick_wrong = 0;
  for (int i = 0; i < 32; ++i) {
    const double x = 0.1f + i * 0.05f;
    const double want = std::sin(x) + std::cos(x) + std::exp(-x) + std::log(x) + 1 / x + std::pow(x, 1.5) + 1 / std::sqrt(x) + 1 / x + std::sqrt(x) + x +
                        std::fmin(x, 1);
    quick_wrong += std::fabs(host[i] - want) > 1e-5 * want;
  }
  std::printf("%d, %d and %d wrong\n", single_wrong, double_wrong, quick_wrong);
  return 0;
}
