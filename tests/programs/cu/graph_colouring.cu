// Irregular graphs: colouring by random priorities, PageRank in fixed point, connected components.
#include "check.h"
#include <vector>
__host__ __device__ inline unsigned hash(unsigned x) {
  x = (x ^ 61u) ^ (x >> 16);
  x *= 9u;
  x ^= x >> 4;
  x *= 0x27d4eb2du;
  return x ^ (x >> 15);
}
__global__ void colour(const int* rows, const int* columns, int* colours, int round, int n, int* left) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || colours[v] >= 0) return;
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    const int u = columns[e], c = colours[u];
    if ((c < 0 || c == round) && (hash(u) > hash(v) || (hash(u) == hash(v) && u > v))) {
      atomicAdd(left, 1);
      return;
    }
  }
  colours[v] = round;
}
__global__ void rank(const int* rows, const int* columns, const unsigned* from, unsigned* to, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const unsigned share = from[v] / max(1, rows[v + 1] - rows[v]);
  for (int e = rows[v]; e < rows[v + 1]; ++e) atomicAdd(to + columns[e], share);
}
__global__ void join(const int* rows, const int* columns, int* labels, int n, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  for (int e = rows[v]; e < rows[v + 1]; ++e)
    if (atomicMin(labels + columns[e], labels[v]) > labels[v]) *changed = 1;
}
int main() {
  const int n = 300;
  std::vector<std::vector<int>> neighbours(n);
  for (int v = 0; v < n; ++v)
    for (int k = 0; k < 2; ++k) {
      const int u = static_cast<int>(hash(v * 2 + k) % 100 + v / 100 * 100);  // three components at least
      if (u != v) neighbours[v].push_back(u), neighbours[u].push_back(v);
    }
  std::vector<int> rows(1, 0), columns, colours(n, -1), labels(n);
  for (auto& each : neighbours) {
    columns.insert(columns.end(), each.begin(), each.end());
    rows.push_back(static_cast<int>(columns.size()));
  }
  for (int v = 0; v < n; ++v) labels[v] = v;
  int *r, *c, *device, *flag, left = 1, round = 0;
  unsigned* ranks[2];
  CHECK(cudaMalloc(&r, rows.size() * 4));
  CHECK(cudaMalloc(&c, columns.size() * 4));
  CHECK(cudaMalloc(&device, n * 4));
  CHECK(cudaMalloc(&flag, 4));
  for (auto& each : ranks) CHECK(cudaMalloc(&each, n * 4));
  CHECK(cudaMemcpy(r, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(c, columns.data(), columns.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device, colours.data(), n * 4, cudaMemcpyHostToDevice));
  for (; left != 0; ++round) {
    CHECK(cudaMemset(flag, 0, 4));
    colour<<<(n + 63) / 64, 64>>>(r, c, device, round, n, flag);
    CHECK(cudaMemcpy(&left, flag, 4, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(colours.data(), device, n * 4, cudaMemcpyDeviceToHost));
  int clashes = 0;
  for (int v = 0; v < n; ++v)
    for (int u : neighbours[v]) clashes += colours[u] == colours[v];
  std::vector<unsigned> rank_of(n, 1u << 20), expected(n, 1u << 20);
  CHECK(cudaMemcpy(ranks[0], rank_of.data(), n * 4, cudaMemcpyHostToDevice));
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaMemset(ranks[(i + 1) % 2], 0, n * 4));
    rank<<<(n + 63) / 64, 64>>>(r, c, ranks[i % 2], ranks[(i + 1) % 2], n);
    std::vector<unsigned> next(n, 0);
    for (int v = 0; v < n; ++v)
      for (int u : neighbours[v]) next[u] += expected[v] / std::max<int>(1, neighbours[v].size());
    expected = next;
  }
  CHECK(cudaMemcpy(rank_of.data(), ranks[1], n * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(device, labels.data(), n * 4, cudaMemcpyHostToDevice));
  for (left = 1; left != 0;) {
    CHECK(cudaMemset(flag, 0, 4));
    join<<<(n + 63) / 64, 64>>>(r, c, device, n, flag);
    CHECK(cudaMemcpy(&left, flag, 4, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(labels.data(), device, n * 4, cudaMemcpyDeviceToHost));
  int components = 0;
  for (int v = 0; v < n; ++v) components += labels[v] == v;
  std::printf("%s, %d clashes, ranks %s, %d components\n", round < 40 ? "few rounds" : "many rounds", clashes,
              rank_of == expected ? "right" : "wrong", components);
  return 0;
}
