// Code that depends on the architecture, by macros and by if target.
#include <nv/target>
#include <cuda/std/type_traits>
#include "check.h"
__host__ __device__ int side() {
  NV_IF_TARGET(NV_IS_DEVICE, (return 1;), (return 2;))
}
__device__ int newer() {
  NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return 90;), NV_PROVIDES_SM_75, (return 75;), NV_ANY_TARGET, (return 0;))
}
template <class T, int N>
struct Vector {
  T at[N];
  template <class F>
  __host__ __device__ constexpr auto map(F f) const {
    Vector<decltype(f(at[0])), N> made{};
    for (int i = 0; i < N; ++i) made.at[i] = f(at[i]);
    return made;
  }
};
struct Halved {
  __host__ __device__ double operator()(int number) const { return number * 0.5; }
};
union Parts {
  double number;
  struct {
    unsigned low, high;
  } words;
};
struct Packed {
  unsigned low : 3, middle : 13, high : 16;
};
__global__ void all(int* out, double* numbers) {
  out[0] = side();
  out[1] = newer();
#if __CUDA_ARCH__ >= 700
  out[2] = __CUDA_ARCH__ / 10;
#endif
  const Vector<int, 4> four{{1, 2, 3, static_cast<int>(threadIdx.x) + 4}};
  const auto halves = four.map(Halved{});
  for (int i = 0; i < 4; ++i) numbers[i] = halves.at[i];
  Parts parts;
  parts.number = 1.5;
  parts.words.high ^= 0x80000000u;
  numbers[4] = parts.number;
  Packed packed{};
  packed.low = 13, packed.middle = 0x1fff, packed.high = 7;
  packed.middle += 2;
  out[3] = packed.low + packed.middle * 10 + packed.high * 100;
}
int main() {
  int* out;
  double* numbers;
  CHECK(cudaMallocManaged(&out, 16));
  CHECK(cudaMallocManaged(&numbers, 5 * sizeof *numbers));
  all<<<1, 1>>>(out, numbers);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d %d %d\n", out[0], side(), out[1], out[2], out[3]);
  for (int i = 0; i < 5; ++i) std::printf("%g ", numbers[i]);
  std::printf("\n");
  return 0;
}
