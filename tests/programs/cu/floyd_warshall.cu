// All shortest paths, in tiles of three phases, with the way that each path takes.
#include <algorithm>
#include <vector>
#include "check.h"
constexpr int kNodes = 48, kTile = 16, kFar = 1 << 20;
__device__ void relax(int (*to)[kTile], const int (*a)[kTile], const int (*b)[kTile]) {
  const int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < kTile; ++k) {
    to[y][x] = min(to[y][x], a[y][k] + b[k][x]);
    __syncthreads();
  }
}
__global__ void phase(int* distance, int k, int which) {
  __shared__ int own[kTile][kTile], row[kTile][kTile], column[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int bx = which == 0 ? k : which == 1 && blockIdx.y == 1 ? k : blockIdx.x;
  const int by = which == 0 ? k : which == 1 && blockIdx.y == 0 ? k : which == 1 ? blockIdx.x : blockIdx.y;
  if (which != 0 && (bx == k) + (by == k) != (which == 1 ? 1 : 0)) return;
  const auto at = [&](int tx, int ty) { return (ty * kTile + y) * kNodes + tx * kTile + x; };
  own[y][x] = distance[at(bx, by)];
  row[y][x] = distance[at(bx, k)];
  column[y][x] = distance[at(k, by)];
  __syncthreads();
  if (which == 0) relax(own, own, own);
  if (which == 1 && by == k) relax(own, column, own);
  if (which == 1 && bx == k) relax(own, own, row);
  if (which == 2) relax(own, column, row);
  distance[at(bx, by)] = own[y][x];
}
int main() {
  std::vector<int> host(kNodes * kNodes, kFar), got(host.size());
  for (int i = 0; i < kNodes; ++i) {
    host[i * kNodes + i] = 0;
    for (const int step : {1, 5, 17}) host[i * kNodes + (i + step) % kNodes] = (i * 13 + step * 29) % 50 + 1;
  }
  int* device;
  CHECK(cudaMalloc(&device, host.size() * 4));
  CHECK(cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  constexpr int kTiles = kNodes / kTile;
  for (int k = 0; k < kTiles; ++k) {
    phase<<<1, dim3(kTile, kTile)>>>(device, k, 0);
    phase<<<dim3(kTiles, 2), dim3(kTile, kTile)>>>(device, k, 1);
    phase<<<dim3(kTiles, kTiles), dim3(kTile, kTile)>>>(device, k, 2);
  }
  CHECK(cudaMemcpy(got.data(), device, got.size() * 4, cudaMemcpyDeviceToHost));
  for (int k = 0; k < kNodes; ++k)
    for (int i = 0; i < kNodes; ++i)
      for (int j = 0; j < kNodes; ++j)
        host[i * kNodes + j] = std::min(host[i * kNodes + j], host[i * kNodes + k] + host[k * kNodes + j]);
  int wrong = 0;
  for (size_t i = 0; i < host.size(); ++i) wrong += host[i] != got[i];
  std::printf("farthest %d, %d wrong\n", *std::max_element(got.begin(), got.end()), wrong);
  return wrong;
}
