// Limits that a program sets: the stack of a recursion, and the heap before a kernel uses it.
#include "check.h"
__device__ int depth(int n, volatile int* sink) {
  volatile int own[16];
  own[n % 16] = n;
  if (n == 0) return 0;
  return depth(n - 1, own) + 1 + (own[n % 16] - n) + *sink * 0;
}
__global__ void recursive(int* out, int n) {
  volatile int start = 1;
  out[threadIdx.x] = depth(n, &start);
}
__global__ void allocating(int* out, size_t bytes) {
  char* const block = static_cast<char*>(malloc(bytes));
  if (block != nullptr) block[bytes - 1] = 1;
  out[threadIdx.x] = block != nullptr;
  free(block);
}
static size_t limit(cudaLimit which) {
  size_t value = 0;
  CHECK(cudaDeviceGetLimit(&value, which));
  return value;
}
int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 65536));
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t{96} << 20));
  CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, size_t{4} << 20));
  std::printf("%zu %zu %zu\n", limit(cudaLimitStackSize), limit(cudaLimitMallocHeapSize), limit(cudaLimitPrintfFifoSize));
  int* out;
  CHECK(cudaMallocManaged(&out, 32 * sizeof(int)));
  recursive<<<1, 32>>>(out, 200);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", out[0], out[31]);
  allocating<<<1, 32>>>(out, size_t{2} << 20);
  CHECK(cudaDeviceSynchronize());
  int had = 0;
  for (int i = 0; i < 32; ++i) had += out[i];
  std::printf("%d blocks\n", had);
  // The heap has its place now; a stack may still change.
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t{8} << 20)));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitStackSize, 1024)));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitStackSize, size_t{1} << 30)));
  size_t left = 0, total = 0;
  void* whole = nullptr;
  CHECK(cudaMemGetInfo(&left, &total));
  std::printf("%s, ", cudaGetErrorName(cudaMalloc(&whole, total + 1)));
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&whole, total / 2)));
  CHECK(cudaDeviceReset());
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 0));
  std::printf("%zu\n", limit(cudaLimitMallocHeapSize));
  CHECK(cudaDeviceReset());
  std::printf("%zu\n", limit(cudaLimitMallocHeapSize));
  return 0;
}
