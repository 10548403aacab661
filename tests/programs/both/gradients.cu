// One kernel's machine code is executed, the other's has a fetch with gradients in three dimensions.
#include <cstdio>

__device__ int count;
__device__ float sum;

__global__ void counts() { atomicAdd(&count, 1); }
__global__ void fetches(cudaTextureObject_t from) {
  atomicAdd(&sum, tex3DGrad<float>(from, threadIdx.x + 0.5f, 0.5f, 0.5f, make_float4(0, 0, 0, 0), make_float4(0, 0, 0, 0)));
}

int main() {
  int counted = 0;
  counts<<<1, 64>>>();
  const cudaError_t first = cudaGetLastError();
  cudaMemcpyFromSymbol(&counted, count, sizeof counted);
  std::printf("%d %s\n", counted, cudaGetErrorName(first));

  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i);
  cudaArray_t volume;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&volume, &format, make_cudaExtent(64, 1, 1));
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(values, sizeof values, 64, 1);
  in.dstArray = volume;
  in.extent = make_cudaExtent(64, 1, 1);
  in.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&in);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = volume;
  cudaTextureDesc how = {};
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &how, nullptr);
  float summed = 0;
  fetches<<<1, 64>>>(object);
  const cudaError_t second = cudaGetLastError();
  cudaMemcpyFromSymbol(&summed, sum, sizeof summed);
  std::printf("%g %s\n", summed, cudaGetErrorName(second));
}
