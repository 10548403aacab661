// Host memory that kernels see: mapped, passed as it is, registered.
#include <vector>
#include "check.h"
__global__ void add(int* x, int n, int d) {
  const int i = threadIdx.x;
  if (i < n) x[i] += d;
}
int main() {
  int *mapped, *device, *pinned;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  CHECK(cudaHostAlloc(&mapped, 64 * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
  for (int i = 0; i < 64; ++i) mapped[i] = i;
  add<<<1, 64>>>(device, 64, 10);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", mapped[0], mapped[63]);
  CHECK(cudaMallocHost(&pinned, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) pinned[i] = 5;
  add<<<1, 64>>>(pinned + 2, 62, 1);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", pinned[1], pinned[2]);
  std::vector<int> plain(64, 3);
  CHECK(cudaHostRegister(plain.data(), 64 * sizeof(int), cudaHostRegisterMapped));
  int* alias;
  CHECK(cudaHostGetDevicePointer(&alias, plain.data(), 0));
  add<<<1, 64>>>(alias, 64, 4);
  plain[0] += 0;
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", plain[0], plain[63]);
  CHECK(cudaHostUnregister(plain.data()));
  std::printf("%s\n", cudaGetErrorName(cudaHostUnregister(plain.data())));
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, mapped));
  std::printf("%d\n", flags == cudaHostAllocMapped);
  // Memory of the host takes nothing of the device's, which is full.
  size_t left = 0, total = 0;
  void *most, *more;
  int *late, *managed;
  CHECK(cudaMemGetInfo(&left, &total));
  CHECK(cudaMalloc(&most, left - 16));
  CHECK(cudaMallocHost(&late, 64 * sizeof(int)));
  late[63] = 7;
  add<<<1, 64>>>(late, 64, 1);
  CHECK(cudaMallocManaged(&managed, 64 * sizeof(int)));
  managed[63] = 8;
  add<<<1, 64>>>(managed, 64, 1);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d, %s\n", late[63], managed[63], cudaGetErrorName(cudaMalloc(&more, 4096)));
  CHECK(cudaFree(most));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(late));
  CHECK(cudaMalloc(&more, 4096));
  CHECK(cudaFree(more));
  CHECK(cudaFreeHost(mapped));
  CHECK(cudaFreeHost(pinned));
  return 0;
}
