// Kernels as templates, functors, lambdas of the device, structures by value.
#include "check.h"
template <class T> struct Scale { T factor; __host__ __device__ T operator()(T x) const { return factor * x; } };
struct alignas(16) Large { double a[5]; short b; };
template <class T, class F, int kStride> __global__ void apply(T* x, int n, F f, Large large) {
  for (int i = threadIdx.x * kStride; i < n; i += blockDim.x * kStride) x[i] = f(x[i]) + static_cast<T>(large.a[i % 5]) + large.b;
}
template <class T> int run() {
  T *x, host[20];
  CHECK(cudaMalloc(&x, sizeof host));
  for (int i = 0; i < 20; ++i) host[i] = static_cast<T>(i);
  CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  const Large large{{1, 2, 3, 4, 5}, 10};
  apply<T, Scale<T>, 1><<<1, 7>>>(x, 20, Scale<T>{3}, large);
  apply<T, Scale<T>, 2><<<1, 7>>>(x, 20, Scale<T>{2}, large);
  CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 20; ++i) {
    T want = static_cast<T>(3 * i + i % 5 + 1 + 10);
    if (i % 2 == 0) want = static_cast<T>(2 * want + i % 5 + 1 + 10);
    wrong += host[i] != want;
  }
  return wrong;
}
int main() {
  const int wrong = run<float>() + run<double>() + run<int>() + run<long long>() + run<unsigned short>();
  std::printf("%d wrong\n", wrong);
  return wrong;
}
