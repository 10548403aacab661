// A = L U in tiles: the diagonal one by a warp, its row and column by halves of blocks, the rest by products.
#include <algorithm>
#include <cmath>
#include <vector>
#include "check.h"
constexpr int kSize = 64, kTile = 16;
__global__ void diagonal(float* m, int o) {
  __shared__ float s[kTile][kTile];
  const int t = threadIdx.x;
  for (int i = 0; i < kTile; ++i) s[i][t] = m[(o + i) * kSize + o + t];
  __syncthreads();
  for (int i = 0; i < kTile - 1; ++i) {
    if (t > i) {
      for (int j = 0; j < i; ++j) s[t][i] -= s[t][j] * s[j][i];
      s[t][i] /= s[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j <= i; ++j) s[i + 1][t] -= s[i + 1][j] * s[j][t];
    __syncthreads();
  }
  for (int i = 0; i < kTile; ++i) m[(o + i) * kSize + o + t] = s[i][t];
}
__global__ void perimeter(float* m, int o) {
  __shared__ float d[kTile][kTile], s[kTile][kTile];
  const int t = threadIdx.x % kTile, next = o + (blockIdx.x + 1) * kTile;
  const bool row = threadIdx.x < kTile;
  __shared__ float c[kTile][kTile];
  for (int i = 0; i < kTile; ++i) {
    if (row) d[i][t] = m[(o + i) * kSize + o + t], s[i][t] = m[(o + i) * kSize + next + t];
    if (!row) c[i][t] = m[(next + i) * kSize + o + t];
  }
  __syncthreads();
  if (row) {
    for (int i = 1; i < kTile; ++i)
      for (int j = 0; j < i; ++j) s[i][t] -= d[i][j] * s[j][t];
  } else {
    for (int i = 0; i < kTile; ++i) {
      for (int j = 0; j < i; ++j) c[t][i] -= c[t][j] * d[j][i];
      c[t][i] /= d[i][i];
    }
  }
  __syncthreads();
  for (int i = 0; i < kTile; ++i) {
    if (row) m[(o + i) * kSize + next + t] = s[i][t];
    if (!row) m[(next + i) * kSize + o + t] = c[i][t];
  }
}
__global__ void inner(float* m, int o) {
  const int x = o + (blockIdx.x + 1) * kTile + threadIdx.x, y = o + (blockIdx.y + 1) * kTile + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < kTile; ++i) sum += m[y * kSize + o + i] * m[(o + i) * kSize + x];
  m[y * kSize + x] -= sum;
}
int main() {
  std::vector<float> host(kSize * kSize), got(host.size());
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) host[y * kSize + x] = (x == y ? 40.f : 0.f) + static_cast<float>((x * 7 + y * 13) % 9);
  float* device;
  CHECK(cudaMalloc(&device, host.size() * 4));
  CHECK(cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  for (int o = 0; o < kSize; o += kTile) {
    const int rest = (kSize - o) / kTile - 1;
    diagonal<<<1, kTile>>>(device, o);
    if (rest == 0) break;
    perimeter<<<rest, 2 * kTile>>>(device, o);
    inner<<<dim3(rest, rest), dim3(kTile, kTile)>>>(device, o);
  }
  CHECK(cudaMemcpy(got.data(), device, got.size() * 4, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) {
      double sum = 0;
      for (int k = 0; k <= std::min(x, y); ++k) sum += (k == y ? 1.0 : got[y * kSize + k]) * got[k * kSize + x];
      worst = std::fmax(worst, std::fabs(sum - host[y * kSize + x]));
    }
  std::printf("%s\n", worst < 1e-3 ? "equal" : "not equal");
  return worst < 1e-3 ? 0 : 1;
}
