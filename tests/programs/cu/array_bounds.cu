// Arrays: rows wider than any buffer between program and device, sizes and pitches that no array has.
#include "check.h"
#include <vector>
__global__ void add(cudaTextureObject_t values, float* sum, int width) {
  for (int x = threadIdx.x; x < width; x += blockDim.x) atomicAdd(sum, tex2D<float>(values, x + 0.5f, 0.5f));
}
int main() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), quads = cudaCreateChannelDesc<float4>();
  cudaArray_t array = nullptr;
  const auto say = [](const char* what, cudaError_t error) { std::printf("%s: %s\n", what, cudaGetErrorName(error)); };
  // A row of 4-component texels as wide as the device allows: there and back.
  const std::size_t width = properties.maxTexture2D[0];
  std::vector<float> there(4 * width), back(4 * width);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<float>(i % 1021);
  CHECK(cudaMallocArray(&array, &quads, width, 3));
  for (int y = 0; y < 3; ++y)
    CHECK(cudaMemcpy2DToArray(array, 0, y, there.data(), 16 * width, 16 * width, 1, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DFromArray(back.data(), 16 * width, array, 0, 2, 16 * width, 1, cudaMemcpyDeviceToHost));
  std::printf("%s\n", there == back ? "the same" : "another");
  say("a width that wraps", cudaMemcpy2DToArray(array, 0, 0, there.data(), 16, static_cast<std::size_t>(-1), 1, cudaMemcpyHostToDevice));
  say("rows that wrap", cudaMemcpy2DToArray(array, 16, 0, there.data(), 16, 16, static_cast<std::size_t>(-1) / 8, cudaMemcpyHostToDevice));
  say("a row too far", cudaMemcpy2DToArray(array, 0, 3, there.data(), 16, 16, 1, cudaMemcpyHostToDevice));
  say("no description", cudaGetChannelDesc(nullptr, array));
  CHECK(cudaFreeArray(array));
  say("too wide", cudaMallocArray(&array, &floats, std::size_t{1} << 27, std::size_t{1} << 27));
  say("nothing", cudaMallocArray(&array, &floats, 0, 0));
  // A pitch that is no multiple of a texel.
  float* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4096));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = floats;
  resource.res.pitch2D.width = 8;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = 66;
  cudaTextureDesc how = {};
  cudaTextureObject_t object = 0;
  say("a pitch of 66 bytes", cudaCreateTextureObject(&object, &resource, &how, nullptr));
  // Behind work of its stream an object is still there.
  resource.res.pitch2D.pitchInBytes = 64;
  std::vector<float> ones(1024, 1.f);
  CHECK(cudaMemcpy(memory, ones.data(), 4096, cudaMemcpyHostToDevice));
  CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  float *sum, got = 0;
  CHECK(cudaMalloc(&sum, 4));
  CHECK(cudaMemset(sum, 0, 4));
  add<<<1, 32>>>(object, sum, 8);
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaMemcpy(&got, sum, 4, cudaMemcpyDeviceToHost));
  std::printf("%g\n", got);
  return 0;
}
