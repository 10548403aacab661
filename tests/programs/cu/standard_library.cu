// The toolkit's C++ standard library in kernels: tuples, optionals, spans, atomics, complex numbers, algorithms.
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <new>
#include "check.h"
namespace std_ = cuda::std;
__device__ std_::optional<int> root(int square) {
  for (int i = 0; i * i <= square; ++i)
    if (i * i == square) return i;
  return std_::nullopt;
}
__global__ void roots(std_::array<int, 64> numbers, int* out) {
  const std_::optional<int> found = root(numbers[threadIdx.x]);
  out[threadIdx.x] = found.value_or(-1);
}
__global__ void tuples(std_::tuple<int, float, char>* out) {
  const auto [a, b, c] = std_::make_tuple(int(threadIdx.x), threadIdx.x * 0.5f, char('a' + threadIdx.x));
  out[threadIdx.x] = std_::make_tuple(a + 1, b * 2, c);
}
__global__ void counted(std_::atomic<int>* count, std_::atomic<int>* highest) {
  count->fetch_add(1, std_::memory_order_relaxed);
  int seen = highest->load();
  const int own = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  while (seen < own && !highest->compare_exchange_weak(seen, own)) {
  }
}
__global__ void rotated(std_::span<float> parts) {
  const std_::complex<float> turn(0.f, 1.f);
  std_::complex<float> at(parts[2 * threadIdx.x], parts[2 * threadIdx.x + 1]);
  at = at * turn + std_::complex<float>(1.f, 0.f);
  parts[2 * threadIdx.x] = at.real();
  parts[2 * threadIdx.x + 1] = std_::norm(at);
}
__global__ void visited(double* out) {
  std_::variant<int, double> value;
  if (threadIdx.x % 2 == 0) value = int(threadIdx.x);
  else value = threadIdx.x * 0.25;
  out[threadIdx.x] = std_::visit([](auto each) { return static_cast<double>(each) + sizeof each; }, value);
}
int main() {
  int* out;
  int got[64];
  CHECK(cudaMallocManaged(&out, sizeof got));
  std_::array<int, 64> numbers;
  for (int i = 0; i < 64; ++i) numbers[i] = i * 3;
  roots<<<1, 64>>>(numbers, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i)
    if (out[i] >= 0) std::printf("%d ", out[i]);
  std_::tuple<int, float, char>* tuple;
  CHECK(cudaMallocManaged(&tuple, 8 * sizeof *tuple));
  tuples<<<1, 8>>>(tuple);
  CHECK(cudaDeviceSynchronize());
  std::printf("\n%d %g %c\n", std_::get<0>(tuple[7]), std_::get<1>(tuple[7]), std_::get<2>(tuple[7]));
  std_::atomic<int>* counts;
  CHECK(cudaMallocManaged(&counts, 2 * sizeof *counts));
  new (counts) std_::atomic<int>(0);
  new (counts + 1) std_::atomic<int>(std_::numeric_limits<int>::min());
  counted<<<5, 32>>>(counts, counts + 1);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", counts[0].load(), counts[1].load());
  float* parts;
  CHECK(cudaMallocManaged(&parts, 8 * sizeof *parts));
  for (int i = 0; i < 8; ++i) parts[i] = static_cast<float>(i);
  rotated<<<1, 4>>>(std_::span<float>(parts, 8));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i) std::printf("%g ", parts[i]);
  double* numbers_out;
  CHECK(cudaMallocManaged(&numbers_out, 4 * sizeof *numbers_out));
  visited<<<1, 4>>>(numbers_out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 4; ++i) std::printf("%g ", numbers_out[i]);
  std::printf("\n");
  return 0;
}
