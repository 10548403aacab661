// Half precision in pairs and alone.
#include <cuda_fp16.h>
#include "check.h"
__global__ void axpy(const __half2* x, __half2* y, __half a) { const int i = threadIdx.x; y[i] = __hfma2(__half2half2(a), x[i], y[i]); }
__global__ void convert(const float* in, __half* out) { out[threadIdx.x] = __float2half(in[threadIdx.x]); }
int main() {
  float in[64], *f;
  for (int i = 0; i < 64; ++i) in[i] = i * 0.25f;
  __half *x, *y, host[64];
  CHECK(cudaMalloc(&f, sizeof in));
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMalloc(&y, sizeof host));
  CHECK(cudaMemcpy(f, in, sizeof in, cudaMemcpyHostToDevice));
  convert<<<1, 64>>>(f, x);
  convert<<<1, 64>>>(f, y);
  axpy<<<1, 32>>>(reinterpret_cast<__half2*>(x), reinterpret_cast<__half2*>(y), __float2half(2.f));
  CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += __half2float(host[i]) != 0.75f * i;
  std::printf("%d wrong\n", wrong);
  return wrong;
}
