// What kernels get by value: large structures, arrays, bit fields, mixed alignments, references to constants, many parameters.
#include <cstring>
#include "check.h"
struct Mixed {
  char c;
  double d;
  short s[3];
  unsigned bits : 5, more : 11, rest : 16;
  float3 v;
  long long big;
  bool flag;
};
struct Large {
  int values[400];
  Mixed mixed[4];
};
template <class T, int N>
struct Array {
  T data[N];
  __host__ __device__ T& operator[](int i) { return data[i]; }
  __host__ __device__ const T& operator[](int i) const { return data[i]; }
};
struct alignas(16) Wide {
  float4 a;
  double2 b;
};
__global__ void take(char a, const Large large, short b, Wide wide, Array<unsigned char, 5> bytes, double* out) {
  const int i = threadIdx.x;
  const Mixed& m = large.mixed[i % 4];
  out[i] = a + b + large.values[i * 6] + m.c + m.d + m.s[2] + m.bits * 2 + m.more + m.rest + m.v.y + m.big % 1000 + m.flag + wide.a.w + wide.b.y +
           bytes[i % 5];
}
__global__ void many(int a, long b, float c, double d, char e, short f, unsigned g, int2 h, char3 i, float* j, int k, int l, int m, int n, int o, double p,
                     float q, bool r, unsigned long long s, int* t) {
  *t = a + b + c + d + e + f + g + h.x + h.y + i.z + k + l + m + n + o + p + q + r + s;
  *j = c * q;
}
template <class F>
__global__ void apply(F f, int* out) {
  out[threadIdx.x] = f(threadIdx.x);
}
struct Polynomial {
  int a, b, c;
  __device__ int operator()(int x) const { return (a * x + b) * x + c; }
};
int main() {
  Large large;
  std::memset(&large, 0, sizeof large);
  for (int i = 0; i < 400; ++i) large.values[i] = i;
  for (int i = 0; i < 4; ++i)
    large.mixed[i] = Mixed{static_cast<char>(i), i * 0.5, {1, 2, static_cast<short>(3 + i)}, 9u + i, 1000u, 5u, {1.f, 2.f + i, 3.f}, 123456789012ll + i, i == 2};
  Wide wide = {make_float4(1, 2, 3, 4), make_double2(5, 6)};
  Array<unsigned char, 5> bytes = {{10, 20, 30, 40, 250}};
  double *out, got[64];
  CHECK(cudaMalloc(&out, sizeof got));
  take<<<1, 64>>>(3, large, -7, wide, bytes, out);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    const Mixed& m = large.mixed[i % 4];
    const double want = 3 - 7 + i * 6 + m.c + m.d + m.s[2] + m.bits * 2 + m.more + m.rest + m.v.y + m.big % 1000 + m.flag + 4 + 6 + bytes[i % 5];
    wrong += got[i] != want;
  }
  int* t = reinterpret_cast<int*>(out) + 8;
  many<<<1, 1>>>(1, 2, 3, 4, 5, 6, 7, make_int2(8, 9), make_char3(1, 2, 10), reinterpret_cast<float*>(out), 11, 12, 13, 14, 15, 16, 17, true, 19, t);
  int sum = 0, values[32];
  float product = 0;
  CHECK(cudaMemcpy(&sum, t, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&product, out, 4, cudaMemcpyDeviceToHost));
  apply<<<1, 32>>>(Polynomial{2, -3, 5}, t);
  CHECK(cudaMemcpy(values, t, sizeof values, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) wrong += values[i] != (2 * i - 3) * i + 5;
  std::printf("%d wrong, %d %g\n", wrong, sum, product);
  return wrong;
}
