// Graphs in CSR form: levels of a breadth-first search by frontiers, shortest paths by relaxation, connected components, triangles.
#include <algorithm>
#include <queue>
#include <vector>
#include "check.h"
__global__ void expand(const int* rows, const int* edges, int* level, const int* in, int in_count, int* out, int* out_count, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= in_count) return;
  for (int e = rows[in[i]]; e < rows[in[i] + 1]; ++e)
    if (atomicCAS(&level[edges[e]], -1, depth) == -1) out[atomicAdd(out_count, 1)] = edges[e];
}
__global__ void relax(const int* rows, const int* edges, const int* weights, int* distance, int n, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || distance[v] == 1 << 29) return;
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    const int next = distance[v] + weights[e];
    if (next < distance[edges[e]] && atomicMin(&distance[edges[e]], next) > next) *changed = 1;
  }
}
__global__ void hook(const int* rows, const int* edges, int* label, int n, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  for (int e = rows[v]; e < rows[v + 1]; ++e)
    if (atomicMin(&label[edges[e]], label[v]) > label[v]) *changed = 1;
}
int main() {
  const int n = 300;
  std::vector<std::vector<int>> lists(n);
  for (int i = 0; i < n; ++i)
    for (const int j : {(i * 7 + 1) % 250, (i * 13 + 5) % 250})
      if (i < 250 && i != j) lists[i].push_back(j), lists[j].push_back(i);
  for (int i = 250; i + 1 < n; ++i) lists[i].push_back(i + 1), lists[i + 1].push_back(i);
  std::vector<int> rows{0}, edges, weights;
  for (const auto& list : lists) {
    for (const int j : list) edges.push_back(j), weights.push_back(1 + (j + static_cast<int>(rows.size())) % 9);
    rows.push_back(static_cast<int>(edges.size()));
  }
  int *d_rows, *d_edges, *d_weights, *values, *frontier[2], *flag;
  CHECK(cudaMalloc(&d_rows, rows.size() * 4));
  CHECK(cudaMalloc(&d_edges, edges.size() * 4));
  CHECK(cudaMalloc(&d_weights, edges.size() * 4));
  CHECK(cudaMalloc(&values, n * 4));
  for (auto& each : frontier) CHECK(cudaMalloc(&each, n * 4));
  CHECK(cudaMallocManaged(&flag, 4));
  CHECK(cudaMemcpy(d_rows, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_edges, edges.data(), edges.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_weights, weights.data(), edges.size() * 4, cudaMemcpyHostToDevice));
  std::vector<int> got(n), want(n, -1);
  CHECK(cudaMemset(values, 0xff, n * 4));
  int start = 0, count = 1, wrong = 0;
  CHECK(cudaMemcpy(values, &start, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(frontier[0], &start, 4, cudaMemcpyHostToDevice));
  for (int depth = 1; count != 0; ++depth) {
    *flag = 0;
    expand<<<(count + 63) / 64, 64>>>(d_rows, d_edges, values, frontier[(depth + 1) % 2], count, frontier[depth % 2], flag, depth);
    CHECK(cudaDeviceSynchronize());
    count = *flag;
  }
  CHECK(cudaMemcpy(got.data(), values, n * 4, cudaMemcpyDeviceToHost));
  std::queue<int> queue({0});
  want[0] = 0;
  for (; !queue.empty(); queue.pop())
    for (const int j : lists[queue.front()])
      if (want[j] < 0) want[j] = want[queue.front()] + 1, queue.push(j);
  wrong += got != want;
  const int far = 1 << 29;
  std::vector<int> distance(n, far);
  distance[0] = 0;
  CHECK(cudaMemcpy(values, distance.data(), n * 4, cudaMemcpyHostToDevice));
  do {
    *flag = 0;
    relax<<<(n + 63) / 64, 64>>>(d_rows, d_edges, d_weights, values, n, flag);
    CHECK(cudaDeviceSynchronize());
  } while (*flag);
  CHECK(cudaMemcpy(got.data(), values, n * 4, cudaMemcpyDeviceToHost));
  for (bool changed = true; changed;) {
    changed = false;
    for (int v = 0; v < n; ++v)
      for (int e = rows[v]; e < rows[v + 1]; ++e)
        if (distance[v] < far && distance[v] + weights[e] < distance[edges[e]])
          distance[edges[e]] = distance[v] + weights[e], changed = true;
  }
  wrong += got != distance;
  for (int i = 0; i < n; ++i) want[i] = i;
  CHECK(cudaMemcpy(values, want.data(), n * 4, cudaMemcpyHostToDevice));
  do {
    *flag = 0;
    hook<<<(n + 63) / 64, 64>>>(d_rows, d_edges, values, n, flag);
    CHECK(cudaDeviceSynchronize());
  } while (*flag);
  CHECK(cudaMemcpy(got.data(), values, n * 4, cudaMemcpyDeviceToHost));
  int components = 0;
  for (int i = 0; i < n; ++i) components += got[i] == i;
  std::printf("%d wrong, farthest %d, component of the path %d\n", wrong, *std::max_element(distance.begin(), distance.begin() + 250), got[n - 1]);
  return wrong + (components < 2);
}
