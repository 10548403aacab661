// Thrust: vectors, sort, scan, reduction, transformations.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <cstdio>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
int main() {
  thrust::host_vector<int> host(300);
  for (int i = 0; i < 300; ++i) host[i] = (i * 7919) % 1009;
  thrust::device_vector<int> x = host, y(300), keys(300);
  thrust::transform(x.begin(), x.end(), y.begin(), Square());
  const int sum = thrust::reduce(y.begin(), y.end());
  thrust::inclusive_scan(x.begin(), x.end(), y.begin());
  const int last = y.back();
  thrust::sequence(keys.begin(), keys.end());
  thrust::sort_by_key(x.begin(), x.end(), keys.begin());
  bool sorted = true;
  host = x;
  for (int i = 1; i < 300; ++i) sorted = sorted && host[i - 1] <= host[i];
  std::printf("%d %d %d %d\n", sum, last, sorted, static_cast<int>(keys[0]));
  return sorted ? 0 : 1;
}
