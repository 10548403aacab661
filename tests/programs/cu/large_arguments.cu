// Arguments beyond 4 KiB, by value and as __grid_constant__.
#include "check.h"
struct Table {
  int values[6000];
};
__global__ void constant(const __grid_constant__ Table table, int* sum) {
  int s = 0;
  for (int i = threadIdx.x; i < 6000; i += 32) s += table.values[i];
  atomicAdd(sum, s);
}
__global__ void copied(Table table, int* sum, int step) {  // an index that is not known
  int s = 0;
  for (int i = threadIdx.x; i < 6000; i += 32) s += table.values[i * step % 6000];
  atomicAdd(sum, s);
}
int main() {
  static Table table;
  int expected = 0;
  for (int i = 0; i < 6000; ++i) expected += table.values[i] = i % 13;
  int* sum;
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  *sum = 0;
  constant<<<1, 32>>>(table, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d\n", *sum - expected);
  copied<<<1, 32>>>(table, sum, 7);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d\n", *sum - 2 * expected);
  return 0;
}
