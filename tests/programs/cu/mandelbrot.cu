// Points that leave after different numbers of steps: divergence, in float and double, as a template of the number.
#include <vector>
#include "check.h"
constexpr int kWidth = 48, kHeight = 32, kMost = 100;
__device__ float product(float a, float b) { return __fmul_rn(a, b); }  // not fused, as on the host
__device__ double product(double a, double b) { return __dmul_rn(a, b); }
__host__ __device__ inline int at(int x, int y) { return y * kWidth + x; }
template <class T>
__global__ void escape(unsigned short* steps, T left, T top, T pixel) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= kWidth || y >= kHeight) return;
  const T cx = left + product(pixel, T(x)), cy = top + product(pixel, T(y));
  T a = 0, b = 0;
  int n = 0;
  while (n < kMost && product(a, a) + product(b, b) <= T(4)) {
    const T next = product(a, a) - product(b, b) + cx;
    b = product(T(2), product(a, b)) + cy;
    a = next;
    ++n;
  }
  steps[at(x, y)] = static_cast<unsigned short>(n);
}
template <class T>
int wrong(unsigned short* device) {
  const T left = T(-2), top = T(-1), pixel = T(0.0625);
  CHECK(cudaMemset(device, 0xff, kWidth * kHeight * 2));
  escape<T><<<dim3(3, 4), dim3(16, 8)>>>(device, left, top, pixel);
  std::vector<unsigned short> got(kWidth * kHeight);
  CHECK(cudaMemcpy(got.data(), device, got.size() * 2, cudaMemcpyDeviceToHost));
  int different = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      volatile T a = 0, b = 0;  // rounded at each step
      int n = 0;
      for (; n < kMost; ++n) {
        volatile T aa = a * a, bb = b * b, ab = a * b;
        volatile T sum = aa + bb, difference = aa - bb, twice = T(2) * ab;
        if (sum > T(4)) break;
        a = difference + (left + pixel * x);
        b = twice + (top + pixel * y);
      }
      different += got[at(x, y)] != n;
    }
  return different;
}
int main() {
  unsigned short* device;
  CHECK(cudaMalloc(&device, kWidth * kHeight * 2));
  const int one = wrong<float>(device), two = wrong<double>(device);
  std::printf("float %d wrong, double %d wrong\n", one, two);
  return one + two;
}
