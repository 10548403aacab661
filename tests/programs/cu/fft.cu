// Fast Fourier transforms of rows in shared memory (Stockham), forwards and back; sincospif; cuComplex.
#include <cuComplex.h>
#include <cmath>
#include <vector>
#include "check.h"
constexpr int kPoints = 128;
__global__ void transform(const cuFloatComplex* in, cuFloatComplex* out, float direction) {
  __shared__ cuFloatComplex buffer[2][kPoints];
  const int t = threadIdx.x, row = blockIdx.x * kPoints;
  buffer[0][t] = in[row + t];
  buffer[0][t + kPoints / 2] = in[row + t + kPoints / 2];
  int from = 0;
  for (int length = 1; length < kPoints; length *= 2, from = 1 - from) {
    __syncthreads();
    const int k = t % length;
    float s, c;
    sincospif(direction * k / length, &s, &c);
    const cuFloatComplex a = buffer[from][t], b = cuCmulf(buffer[from][t + kPoints / 2], make_cuFloatComplex(c, s));
    const int to = (t - k) * 2 + k;
    buffer[1 - from][to] = cuCaddf(a, b);
    buffer[1 - from][to + length] = cuCsubf(a, b);
  }
  __syncthreads();
  out[row + t] = buffer[from][t];
  out[row + t + kPoints / 2] = buffer[from][t + kPoints / 2];
}
int main() {
  const int rows = 3, n = rows * kPoints;
  std::vector<cuFloatComplex> x(n), y(n), back(n);
  for (int i = 0; i < n; ++i) x[i] = make_cuFloatComplex((i * 37 % 101) / 50.f - 1, (i * 53 % 89) / 44.f - 1);
  cuFloatComplex *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof *a));
  CHECK(cudaMalloc(&b, n * sizeof *b));
  CHECK(cudaMemcpy(a, x.data(), n * sizeof *a, cudaMemcpyHostToDevice));
  transform<<<rows, kPoints / 2>>>(a, b, -1);
  CHECK(cudaMemcpy(y.data(), b, n * sizeof *a, cudaMemcpyDeviceToHost));
  transform<<<rows, kPoints / 2>>>(b, a, 1);
  CHECK(cudaMemcpy(back.data(), a, n * sizeof *a, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < kPoints; ++k) {
      double re = 0, im = 0;
      for (int i = 0; i < kPoints; ++i) {
        const double w = -2 * M_PI * k * i / kPoints;
        const cuFloatComplex v = x[r * kPoints + i];
        re += v.x * std::cos(w) - v.y * std::sin(w), im += v.x * std::sin(w) + v.y * std::cos(w);
      }
      const int at = r * kPoints + k;
      worst = std::fmax(worst, std::fabs(re - y[at].x) + std::fabs(im - y[at].y));
      worst = std::fmax(worst, std::fabs(back[at].x / kPoints - x[at].x) + std::fabs(back[at].y / kPoints - x[at].y));
    }
  std::printf("%s\n", worst < 1e-3 ? "near" : "far");
  return worst >= 1e-3;
}
