// The first program of every course.
#include <vector>
#include "check.h"
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i * 0.5f, b[i] = 3.f * i;
  float *x, *y, *z;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&z, n * sizeof(float)));
  CHECK(cudaMemcpy(x, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(y, b.data(), n * sizeof(float), cudaMemcpyDefault));
  add<<<(n + 255) / 256, 256>>>(x, y, z, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), z, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != 3.5f * i;
  std::printf("%d of %d wrong\n", wrong, n);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaFree(z));
  CHECK(cudaDeviceReset());
  return wrong != 0;
}
