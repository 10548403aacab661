// Clusters of points: the nearest centre in constant memory, sums by atomics, the host decides when it ends.
#include <cmath>
#include <vector>
#include "check.h"
constexpr int kPoints = 600, kClusters = 5, kMost = 20;
__constant__ float2 centres[kClusters];
__global__ void assign(const float2* points, int* cluster, float* sums, int* counts, int* moved) {
  __shared__ float part[2 * kClusters];
  __shared__ int count[kClusters];
  for (int i = threadIdx.x; i < 2 * kClusters; i += blockDim.x) part[i] = 0;
  if (threadIdx.x < kClusters) count[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool changes = false;
  if (i < kPoints) {
    const float2 p = points[i];
    int best = 0;
    float least = 1e30f;
    for (int c = 0; c < kClusters; ++c) {
      const float dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
      if (d < least) least = d, best = c;
    }
    changes = cluster[i] != best;
    cluster[i] = best;
    atomicAdd(&part[2 * best], p.x);
    atomicAdd(&part[2 * best + 1], p.y);
    atomicAdd(&count[best], 1);
  }
  const int all = __syncthreads_count(changes);
  if (threadIdx.x == 0) atomicAdd(moved, all);
  if (threadIdx.x < 2 * kClusters) atomicAdd(&sums[threadIdx.x], part[threadIdx.x]);
  if (threadIdx.x < kClusters) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}
int main() {
  std::vector<float2> points(kPoints);
  for (int i = 0; i < kPoints; ++i)  // whole numbers around five places: sums are exact
    points[i] = make_float2(static_cast<float>(i % 5 * 100 + i * 37 % 19), static_cast<float>(i % 5 * i % 5 * 60 + i * 53 % 23));
  float2 now[kClusters];
  for (int c = 0; c < kClusters; ++c) now[c] = points[c * 7];
  float2* d_points;
  int *cluster, *counts, *moved;
  float* sums;
  CHECK(cudaMalloc(&d_points, kPoints * sizeof(float2)));
  CHECK(cudaMalloc(&cluster, kPoints * 4));
  CHECK(cudaMallocManaged(&sums, 2 * kClusters * 4));
  CHECK(cudaMallocManaged(&counts, kClusters * 4));
  CHECK(cudaMallocManaged(&moved, 4));
  CHECK(cudaMemset(cluster, 0xff, kPoints * 4));
  CHECK(cudaMemcpy(d_points, points.data(), kPoints * sizeof(float2), cudaMemcpyHostToDevice));
  int rounds = 0;
  do {
    CHECK(cudaMemcpyToSymbol(centres, now, sizeof now));
    for (int i = 0; i < 2 * kClusters; ++i) sums[i] = 0;
    for (int c = 0; c < kClusters; ++c) counts[c] = 0;
    *moved = 0;
    assign<<<(kPoints + 127) / 128, 128>>>(d_points, cluster, sums, counts, moved);
    CHECK(cudaDeviceSynchronize());
    for (int c = 0; c < kClusters; ++c)
      if (counts[c] != 0) now[c] = make_float2(sums[2 * c] / counts[c], sums[2 * c + 1] / counts[c]);
  } while (*moved != 0 && ++rounds < kMost);
  std::vector<int> got(kPoints);
  CHECK(cudaMemcpy(got.data(), cluster, kPoints * 4, cudaMemcpyDeviceToHost));
  int wrong = 0, all = 0;
  for (int i = 0; i < kPoints; ++i) {
    const auto distance = [&](int c) { return std::hypot(points[i].x - now[c].x, points[i].y - now[c].y); };
    for (int c = 0; c < kClusters; ++c) wrong += distance(c) < distance(got[i]) - 1e-3f;
  }
  for (int c = 0; c < kClusters; ++c) all += counts[c];
  std::printf("%s, %d points, %d wrong\n", rounds < kMost ? "settled" : "not settled", all, wrong);
  return wrong;
}
