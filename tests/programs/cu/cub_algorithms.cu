// CUB: device-wide reduction, scan, histogram-like selection.
#include <cub/cub.cuh>
#include "check.h"
struct Even { __host__ __device__ bool operator()(int x) const { return x % 2 == 0; } };
int main() {
  const int n = 1000;
  int host[n], *in, *out, *count;
  for (int i = 0; i < n; ++i) host[i] = (i * 37) % 101;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMalloc(&count, sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  void* scratch = nullptr;
  std::size_t bytes = 0, room = 0;
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, count, n));
  room = bytes;
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, n));
  room = bytes > room ? bytes : room;
  CHECK(cub::DeviceSelect::If(nullptr, bytes, in, out, count, n, Even()));
  room = bytes > room ? bytes : room;
  CHECK(cudaMalloc(&scratch, room));
  int sum = 0, last = 0, even = 0;
  CHECK(cub::DeviceReduce::Sum(scratch, room, in, count, n));
  CHECK(cudaMemcpy(&sum, count, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cub::DeviceScan::ExclusiveSum(scratch, room, in, out, n));
  CHECK(cudaMemcpy(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost));
  CHECK(cub::DeviceSelect::If(scratch, room, in, out, count, n, Even()));
  CHECK(cudaMemcpy(&even, count, sizeof even, cudaMemcpyDeviceToHost));
  int want = 0, evens = 0;
  for (int x : host) want += x, evens += x % 2 == 0;
  std::printf("%d %d %d\n", sum == want, last == want - host[n - 1], even == evens);
  return 0;
}
