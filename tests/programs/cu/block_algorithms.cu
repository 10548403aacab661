// CUB within blocks and warps, its sort of pairs; reductions by key, unique, set operations and permutations of Thrust.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include "check.h"
__global__ void block(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 128>;
  using Sum = cub::BlockReduce<int, 128>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    Scan::TempStorage scan;
    Sum::TempStorage sum;
    Warp::TempStorage warp[4];
  } storage;
  int value = in[threadIdx.x], before = 0;
  Scan(storage.scan).ExclusiveSum(value, before);
  __syncthreads();
  const int sum = Sum(storage.sum).Sum(value);
  __syncthreads();
  const int most = Warp(storage.warp[threadIdx.x / 32]).Reduce(value, [](int a, int b) { return a > b ? a : b; });
  out[threadIdx.x] = before;
  if (threadIdx.x == 0) out[128] = sum;
  if (threadIdx.x % 32 == 0) out[129 + threadIdx.x / 32] = most;
}
int main() {
  thrust::host_vector<int> host(128);
  for (int i = 0; i < 128; ++i) host[i] = i * 37 % 101;
  thrust::device_vector<int> in = host, out(133), positions(128), keys(128), places(128);
  block<<<1, 128>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()));
  std::printf("%d %d %d %d\n", (int)out[1], (int)out[127], (int)out[128], (int)out[132]);
  thrust::sequence(positions.begin(), positions.end());
  std::size_t bytes = 0;
  const auto sort = [&](void* storage) {
    return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(keys.data()),
                                                     thrust::raw_pointer_cast(positions.data()), thrust::raw_pointer_cast(places.data()), 128);
  };
  CHECK(sort(nullptr));
  thrust::device_vector<char> storage(bytes);
  CHECK(sort(thrust::raw_pointer_cast(storage.data())));
  std::printf("%d %d %d %d\n", (int)keys[0], (int)places[0], (int)keys[127], (int)places[127]);
  thrust::device_vector<int> group(128), groups(128), sums(128);
  for (int i = 0; i < 128; ++i) host[i] = i / 10;
  group = host;
  const auto ends = thrust::reduce_by_key(group.begin(), group.end(), in.begin(), groups.begin(), sums.begin());
  std::printf("%d groups: %d %d\n", static_cast<int>(ends.first - groups.begin()), (int)sums[0], (int)sums[12]);
  return 0;
}
