// A separable filter: rows from a texture over pitched memory, columns from shared memory; the radius is a parameter of a template.
#include <cmath>
#include <vector>
#include "check.h"
constexpr int kWidth = 64, kHeight = 40, kMostRadius = 8;
__constant__ float weights[2 * kMostRadius + 1];
template <int kRadius>
__global__ void rows(cudaTextureObject_t in, float* out, size_t pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += weights[kRadius + k] * tex2D<float>(in, x + k + 0.5f, y + 0.5f);
  reinterpret_cast<float*>(reinterpret_cast<char*>(out) + y * pitch)[x] = sum;
}
template <int kRadius>
__global__ void columns(const float* in, float* out, size_t pitch) {
  extern __shared__ float tile[];  // a column of threads, with its border
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * blockDim.y - kRadius, rows = blockDim.y + 2 * kRadius;
  const char* const bytes = reinterpret_cast<const char*>(in);
  for (int r = threadIdx.y; r < rows; r += blockDim.y) {
    const int y = min(max(first + r, 0), kHeight - 1);
    tile[r * blockDim.x + threadIdx.x] = reinterpret_cast<const float*>(bytes + y * pitch)[x];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += weights[kRadius + k] * tile[(threadIdx.y + kRadius + k) * blockDim.x + threadIdx.x];
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  reinterpret_cast<float*>(reinterpret_cast<char*>(out) + y * pitch)[x] = sum;
}
template <int kRadius>
int wrong(const std::vector<float>& host, cudaTextureObject_t texture, float* middle, float* out, size_t pitch) {
  float w[2 * kRadius + 1];
  for (int k = -kRadius; k <= kRadius; ++k) w[kRadius + k] = 1.f / (1 << (k < 0 ? -k : k));
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  const dim3 grid(kWidth / 32, kHeight / 8), block(32, 8);
  rows<kRadius><<<grid, block>>>(texture, middle, pitch);
  columns<kRadius><<<grid, block, (8 + 2 * kRadius) * 32 * sizeof(float)>>>(middle, out, pitch);
  CHECK(cudaGetLastError());
  std::vector<float> got(host.size());
  CHECK(cudaMemcpy2D(got.data(), kWidth * 4, out, pitch, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
  const auto clamp = [](int v, int most) { return v < 0 ? 0 : v > most ? most : v; };
  int different = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      double sum = 0;
      for (int j = -kRadius; j <= kRadius; ++j)
        for (int i = -kRadius; i <= kRadius; ++i)
          sum += double{w[kRadius + j]} * w[kRadius + i] * host[clamp(y + j, kHeight - 1) * kWidth + clamp(x + i, kWidth - 1)];
      different += std::fabs(sum - got[y * kWidth + x]) > 1e-2;
    }
  return different;
}
int main() {
  std::vector<float> host(kWidth * kHeight);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i * 7919 % 256);
  float *in, *middle, *out;
  size_t pitch = 0;
  for (float** each : {&in, &middle, &out}) CHECK(cudaMallocPitch(each, &pitch, kWidth * 4, kHeight));
  CHECK(cudaMemcpy2D(in, pitch, host.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {in, cudaCreateChannelDesc<float>(), kWidth, kHeight, pitch};
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  const int two = wrong<2>(host, texture, middle, out, pitch), eight = wrong<8>(host, texture, middle, out, pitch);
  std::printf("%d and %d wrong\n", two, eight);
  return two + eight;
}
