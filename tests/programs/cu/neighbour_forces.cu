// Molecular dynamics with a list of neighbours; correlation of columns; a step of a neural network.
#include "check.h"
#include <cmath>
#include <vector>
struct Atom {
  float x, y, z;
};
__global__ void forces(const Atom* atoms, const int* list, int neighbours, Atom* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Atom force = {0, 0, 0};
  for (int k = 0; k < neighbours; ++k) {
    const Atom other = atoms[list[k * n + i]], own = atoms[i];
    const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= 16.f) continue;
    const float inverse = 1.f / r2, six = inverse * inverse * inverse, f = inverse * six * (1.5f * six - 2.f);
    force.x += dx * f, force.y += dy * f, force.z += dz * f;
  }
  out[i] = force;
}
__global__ void correlate(const float* data, float* out, int rows, int columns) {
  __shared__ float partial[3][32];
  const int a = blockIdx.x, b = blockIdx.y;
  float ab = 0, aa = 0, bb = 0;
  for (int r = threadIdx.x; r < rows; r += 32) {
    const float x = data[r * columns + a], y = data[r * columns + b];
    ab += x * y, aa += x * x, bb += y * y;
  }
  partial[0][threadIdx.x] = ab, partial[1][threadIdx.x] = aa, partial[2][threadIdx.x] = bb;
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    if (threadIdx.x < step)
      for (auto& each : partial) each[threadIdx.x] += each[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[a * columns + b] = partial[0][0] * rsqrtf(partial[1][0] * partial[2][0]);
}
int main() {
  const int n = 125, neighbours = 20, rows = 100, columns = 6;
  std::vector<Atom> atoms(n), got(n);
  std::vector<int> list(n * neighbours);
  for (int i = 0; i < n; ++i) {
    atoms[i] = {i % 5 * 1.1f, i / 5 % 5 * 1.2f, i / 25 * 1.3f};
    for (int k = 0; k < neighbours; ++k) list[k * n + i] = (i + k * 3 + 1) % n;
  }
  Atom *a, *f;
  int* l;
  CHECK(cudaMalloc(&a, n * sizeof(Atom)));
  CHECK(cudaMalloc(&f, n * sizeof(Atom)));
  CHECK(cudaMalloc(&l, list.size() * sizeof(int)));
  CHECK(cudaMemcpy(a, atoms.data(), n * sizeof(Atom), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(l, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice));
  forces<<<4, 32>>>(a, l, neighbours, f, n);
  CHECK(cudaMemcpy(got.data(), f, n * sizeof(Atom), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    double x = 0, scale = 1;
    for (int k = 0; k < neighbours; ++k) {
      const Atom o = atoms[list[k * n + i]];
      const double dx = atoms[i].x - o.x, dy = atoms[i].y - o.y, dz = atoms[i].z - o.z, r2 = dx * dx + dy * dy + dz * dz;
      if (r2 >= 16) continue;
      const double six = 1 / (r2 * r2 * r2), term = dx / r2 * six * (1.5 * six - 2);
      x += term, scale += std::fabs(term);
    }
    wrong += std::fabs(got[i].x - x) > 1e-4 * scale;
  }
  std::vector<float> data(rows * columns), result(columns * columns);
  for (int i = 0; i < rows * columns; ++i) data[i] = std::sin(i * 0.7f) + (i % columns) * 0.1f;
  float *d, *c;
  CHECK(cudaMalloc(&d, data.size() * 4));
  CHECK(cudaMalloc(&c, result.size() * 4));
  CHECK(cudaMemcpy(d, data.data(), data.size() * 4, cudaMemcpyHostToDevice));
  correlate<<<dim3(columns, columns), 32>>>(d, c, rows, columns);
  CHECK(cudaMemcpy(result.data(), c, result.size() * 4, cudaMemcpyDeviceToHost));
  int unlike = 0;
  for (int i = 0; i < columns; ++i) {
    unlike += std::fabs(result[i * columns + i] - 1) > 1e-5f;
    for (int k = 0; k < i; ++k) unlike += std::fabs(result[i * columns + k] - result[k * columns + i]) > 1e-6f;
  }
  std::printf("%d wrong forces, %d unlike\n", wrong, unlike);
  return 0;
}
