// Compiled to machine code and PTX: the machine code of all kernels is executed but that with gradients of three dimensions, which
// ptxas makes of fetches with offsets. Both use the same variables.
#include <cassert>
#include <cooperative_groups.h>
#include "../cu/check.h"
__device__ int counter = 5;
__constant__ float factor = 1.f;
__device__ float results[256];
static __device__ int own = 1;
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void plain(int* out) {
  if (fibonacci(threadIdx.x % 7) > 8) counter = 0;  // never; it takes the barrier registers that calls keep
  if (threadIdx.x == 0) counter += 100, own *= 3;
  if (threadIdx.x == 0) *out = counter;
  results[threadIdx.x] = threadIdx.x;
}
__global__ void texture(cudaTextureObject_t added) {
  results[threadIdx.x] = results[threadIdx.x] * factor + tex3DGrad<float>(added, threadIdx.x + 0.5f, 0.5f, 0.5f, make_float4(0, 0, 0, 0), make_float4(0, 0, 0, 0));
  if (threadIdx.x == 0) counter += 1, own += 1;
}
__global__ void printed(int number) { std::printf("printed %d %g %s\n", number, number * 0.5, "word"); }
__global__ void allocated(int* sum) {
  int* const own_block = static_cast<int*>(malloc(sizeof(int) * (threadIdx.x + 1)));
  own_block[threadIdx.x] = static_cast<int>(threadIdx.x) * 2;
  if (threadIdx.x % 3 == 0) printf("%s", "");
  atomicAdd(sum, own_block[threadIdx.x]);
  free(own_block);
}
__device__ int shape;
__global__ void without_parameters() { atomicAdd(&shape, blockDim.x * 100 + gridDim.x); }
struct Large {
  int values[1500];
};
__global__ void large(const __grid_constant__ Large given, int* sum) { atomicAdd(sum, given.values[threadIdx.x * 40]); }
__global__ void together(int* sums) {
  sums[1 + blockIdx.x] = blockIdx.x + 1;
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) sums[0] = sums[1] + sums[2] + sums[3];
}
__global__ void asserted(int number) { assert(number != 7); }
int main(int argc, char**) {
  int *out, count = 0;
  float host[256], given = 2, got[256];
  for (int i = 0; i < 256; ++i) host[i] = i % 17 == 0 ? 1.f : 0.f;
  CHECK(cudaMalloc(&out, 4));
  CHECK(cudaMemcpyToSymbol(factor, &given, sizeof given));
  printed<<<1, 1>>>(7);
  CHECK(cudaMemset(out, 0, 4));
  allocated<<<1, 64>>>(out);
  CHECK(cudaMemcpy(&count, out, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  const int sum = count;
  plain<<<1, 256>>>(out);
  cudaArray_t volume;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMalloc3DArray(&volume, &format, make_cudaExtent(256, 1, 1)));
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host, sizeof host, 256, 1);
  in.dstArray = volume;
  in.extent = make_cudaExtent(256, 1, 1);
  in.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&in));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = volume;
  cudaTextureDesc how = {};
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  texture<<<1, 256>>>(object);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&count, out, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(got, results, sizeof got));
  int other = 0;
  CHECK(cudaMemcpyFromSymbol(&other, own, sizeof other));
  std::printf("%d ", sum);
  std::printf("%d %g %g %g %d\n", count, got[0], got[17], got[200], other);
  // Kernels without parameters, with more than 4 KiB of them, and of cooperative launches.
  static Large given_large;
  for (int i = 0; i < 1500; ++i) given_large.values[i] = i;
  int shapes = 0, sums[2] = {}, *several;
  CHECK(cudaMalloc(&several, 4 * sizeof(int)));
  without_parameters<<<2, 8>>>();
  CHECK(cudaMemcpyFromSymbol(&shapes, shape, sizeof shapes));
  CHECK(cudaMemset(several, 0, 4 * sizeof(int)));
  large<<<1, 32>>>(given_large, several);
  CHECK(cudaMemcpy(&sums[0], several, sizeof(int), cudaMemcpyDeviceToHost));
  void* arguments[] = {&several};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(together), dim3(3), dim3(32), arguments, 0, nullptr));
  CHECK(cudaMemcpy(&sums[1], several, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", shapes, sums[0], sums[1]);
  if (argc > 1) asserted<<<1, 1>>>(7), std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
