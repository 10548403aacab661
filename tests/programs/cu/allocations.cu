// As much memory as the device has, no more; cudaMemGetInfo says so, also of arrays, rows and memory in the order of a stream.
#include <vector>
#include "check.h"
int main() {
  cudaDeviceProp properties;
  std::size_t free = 0, total = 0, before = 0, pitch = 0;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaMemGetInfo(&before, &total));
  const auto taken = [&] { CHECK(cudaMemGetInfo(&free, &total)); return before - free; };
  void *block = nullptr, *rows, *in_order;
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocPitch(&rows, &pitch, 1000, 1000));
  const std::size_t of_rows = taken();
  CHECK(cudaMallocArray(&array, &format, 1024, 1024));
  const std::size_t of_array = taken() - of_rows;
  CHECK(cudaMallocAsync(&in_order, 1 << 20, nullptr));
  std::printf("%d %d %d %d\n", total == properties.totalGlobalMem, of_rows >= pitch * 1000, of_array >= 4 << 20, taken() - of_rows - of_array >= 1 << 20);
  std::vector<void*> blocks;
  cudaError_t error = cudaSuccess;
  const std::size_t bytes = total / 8;
  while (blocks.size() < 100 && (error = cudaMalloc(&block, bytes)) == cudaSuccess) blocks.push_back(block);
  std::printf("%zu %s %d\n", blocks.size(), cudaGetErrorName(error), taken() >= blocks.size() * bytes);
  std::printf("%s %s\n", cudaGetErrorName(cudaMallocAsync(&block, bytes, nullptr)), cudaGetErrorName(cudaMallocPitch(&block, &pitch, bytes, 1)));
  for (void* each : blocks) CHECK(cudaFree(each));
  CHECK(cudaFree(rows));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeAsync(in_order, nullptr));
  std::printf("%zu %s\n", taken(), cudaGetErrorName(cudaMalloc(&block, total + 1)));
  return 0;
}
