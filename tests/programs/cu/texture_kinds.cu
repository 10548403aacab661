// Layers, cubes, gathers, integer formats, linear and pitched memory, half floats, queries and copies of arrays.
#include <cuda_fp16.h>
#include <cstring>
#include <vector>
#include "check.h"
__global__ void layers(cudaTextureObject_t one, cudaTextureObject_t two, int* out) {
  const int i = threadIdx.x;
  out[i] = tex1DLayered<int>(one, i % 8 + 0.5f, i / 8) + 1000 * tex2DLayered<int>(two, i % 4 + 0.5f, i / 4 % 4 + 0.5f, i / 16);
}
__global__ void cube(cudaTextureObject_t t, float* out) {
  const float d[6][3] = {{1, .5f, -.5f}, {-1, .5f, .5f}, {.5f, 1, .5f}, {-.5f, -1, .5f}, {.5f, .5f, 1}, {.5f, -.5f, -1}};
  const float* v = d[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(t, v[0], v[1], v[2]);
}
__global__ void gather(cudaTextureObject_t t, int4* out) {
  out[threadIdx.x] = tex2Dgather<int4>(t, 1.f + threadIdx.x, 2.f, 0);
}
__global__ void linear(cudaTextureObject_t t, cudaTextureObject_t pitched, uchar4* out, float* floats) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch<uchar4>(t, i - 2);
  floats[i] = tex2D<float>(pitched, i % 5 + 0.5f, i / 5 + 0.5f) + tex2DLod<float>(pitched, 0.5f, 0.5f, 3.f) * 100;
}
__global__ void halves(cudaTextureObject_t t, float2* out) { out[threadIdx.x] = tex1D<float2>(t, threadIdx.x + 0.75f); }
__global__ void shorts(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); }
// A fetch of one dimension from an array of two has 0 for its second coordinate; one of two from an array of one leaves it out.
__global__ void other_dimensions(cudaTextureObject_t one, cudaTextureObject_t two, cudaTextureObject_t edged, float* out) {
  const int i = threadIdx.x;
  out[i] = tex1D<float>(two, i + 0.75f);
  out[4 + i] = tex2D<float>(one, i + 0.75f, 3.f * i);
  out[8 + i] = tex1D<float>(edged, i + 0.75f);
}
__global__ void ask(cudaTextureObject_t t, int* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
  asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
}
static cudaTextureObject_t object(const cudaResourceDesc& resource, bool linear, cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc d = {};
  for (auto& each : d.addressMode) each = cudaAddressModeClamp;
  d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.readMode = read;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
  return t;
}
static cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
template <class T>
static cudaArray_t array_of(const T* values, int x, int y, int z, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(x, y, z), flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(values), x * sizeof(T), x, y == 0 ? 1 : y);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(x, y == 0 ? 1 : y, z == 0 ? 1 : z);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}
int main() {
  std::vector<int> numbers(256);
  for (int i = 0; i < 256; ++i) numbers[i] = i;
  void* out;
  int ints[256];
  float floats[64];
  CHECK(cudaMalloc(&out, 4096));
  layers<<<1, 32>>>(object(of_array(array_of(numbers.data(), 8, 0, 4, cudaArrayLayered)), false),
                    object(of_array(array_of(numbers.data(), 4, 4, 2, cudaArrayLayered)), false), static_cast<int*>(out));
  CHECK(cudaMemcpy(ints, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 32; ++i) wrong += ints[i] != i + 1000 * i;
  std::vector<float> faces(24);
  for (int i = 0; i < 24; ++i) faces[i] = i / 4 + (i % 4) * 0.1f;
  cube<<<1, 6>>>(object(of_array(array_of(faces.data(), 2, 2, 6, cudaArrayCubemap)), false), static_cast<float*>(out));
  CHECK(cudaMemcpy(floats, out, 6 * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("layers %d wrong; faces", wrong);
  for (int i = 0; i < 6; ++i) std::printf(" %.1f", floats[i]);
  gather<<<1, 4>>>(object(of_array(array_of(numbers.data(), 16, 16, 0, cudaArrayTextureGather)), false), static_cast<int4*>(out));
  CHECK(cudaMemcpy(ints, out, 64, cudaMemcpyDeviceToHost));
  std::printf("\ngather %d %d %d %d, %d %d %d %d\n", ints[0], ints[1], ints[2], ints[3], ints[12], ints[13], ints[14], ints[15]);

  cudaResourceDesc resource = {};
  uchar4* memory;
  CHECK(cudaMalloc(&memory, 256));
  CHECK(cudaMemcpy(memory, numbers.data(), 256, cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.linear.sizeInBytes = 10 * sizeof(uchar4);
  const cudaTextureObject_t bytes = object(resource, false);
  float* rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, 5 * sizeof(float), 3));
  float values[15];
  for (int i = 0; i < 15; ++i) values[i] = 1 + i;
  CHECK(cudaMemcpy2D(rows, pitch, values, 20, 20, 3, cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 5;
  resource.res.pitch2D.height = 3;
  resource.res.pitch2D.pitchInBytes = pitch;
  linear<<<1, 15>>>(bytes, object(resource, false), static_cast<uchar4*>(out), static_cast<float*>(out) + 64);
  uchar4 texels[15];
  CHECK(cudaMemcpy(texels, out, sizeof texels, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(floats, static_cast<float*>(out) + 64, sizeof values, cudaMemcpyDeviceToHost));
  std::printf("linear");
  for (int i = 0; i < 15; ++i) std::printf(" %d", texels[i].x);
  std::printf("; pitched %g %g %g\n", floats[0], floats[7], floats[14]);

  std::vector<__half2> half_texels(8);
  for (int i = 0; i < 8; ++i) half_texels[i] = __floats2half2_rn(i * 0.5f, -i);
  const cudaChannelFormatDesc half_format = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t half_array;
  CHECK(cudaMallocArray(&half_array, &half_format, 8));
  CHECK(cudaMemcpy2DToArray(half_array, 0, 0, half_texels.data(), 32, 32, 1, cudaMemcpyHostToDevice));
  halves<<<1, 8>>>(object(of_array(half_array), true), static_cast<float2*>(out));
  CHECK(cudaMemcpy(floats, out, 64, cudaMemcpyDeviceToHost));
  std::printf("halves %g %g %g %g\n", floats[0], floats[1], floats[6], floats[15]);
  const short levels[4] = {-32768, -32767, 0, 32767};
  shorts<<<1, 4>>>(object(of_array(array_of(levels, 4, 0, 0, 0)), true, cudaReadModeNormalizedFloat), static_cast<float*>(out));
  CHECK(cudaMemcpy(floats, out, 16, cudaMemcpyDeviceToHost));
  std::printf("shorts %g %g %g %g\n", floats[0], floats[1], floats[2], floats[3]);

  float line[4] = {1, 2, 4, 8};
  cudaResourceDesc edged = of_array(array_of(line, 4, 1, 0, 0));
  cudaTextureDesc border = {};
  for (auto& each : border.addressMode) each = cudaAddressModeBorder;
  border.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t edges = 0;
  CHECK(cudaCreateTextureObject(&edges, &edged, &border, nullptr));
  other_dimensions<<<1, 4>>>(object(of_array(array_of(line, 4, 0, 0, 0)), true), object(of_array(array_of(line, 4, 1, 0, 0)), true), edges, static_cast<float*>(out));
  CHECK(cudaMemcpy(floats, out, 48, cudaMemcpyDeviceToHost));
  std::printf("rows");
  for (int i = 0; i < 12; ++i) std::printf(" %g", floats[i]);

  const cudaArray_t volume = array_of(numbers.data(), 5, 6, 7, 0);
  ask<<<1, 1>>>(object(of_array(volume), false), static_cast<int*>(out));
  CHECK(cudaMemcpy(ints, out, 12, cudaMemcpyDeviceToHost));
  std::printf("\nvolume %d %d %d\n", ints[0], ints[1], ints[2]);
  // Part of a volume to memory, an array to an array, and back.
  cudaMemcpy3DParms part = {};
  part.srcArray = volume;
  part.srcPos = make_cudaPos(1, 2, 3);
  part.dstPtr = make_cudaPitchedPtr(ints, 3 * sizeof(int), 3, 2);
  part.extent = make_cudaExtent(3, 2, 2);
  part.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&part));
  std::printf("part");
  for (int i = 0; i < 12; ++i) std::printf(" %d", ints[i]);
  const cudaArray_t from = array_of(numbers.data(), 40, 50, 0, 0);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t to;
  CHECK(cudaMallocArray(&to, &format, 40, 50, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DArrayToArray(to, 8, 3, from, 4, 1, 16, 5));
  CHECK(cudaMemcpy2DFromArray(ints, 24, to, 4, 2, 24, 7, cudaMemcpyDeviceToHost));
  std::printf("\nacross");
  for (int i = 0; i < 42; i += 7) std::printf(" %d", ints[i]);
  cudaExtent extent;
  unsigned flags;
  cudaChannelFormatDesc told;
  CHECK(cudaArrayGetInfo(&told, &extent, &flags, to));
  std::printf("\ninfo %d %zu %zu %zu %u; %s\n", told.x, extent.width, extent.height, extent.depth, flags,
              cudaGetErrorName(cudaFreeArray(reinterpret_cast<cudaArray_t>(out))));
  cudaMipmappedArray_t levels_of;
  std::printf("%s\n", cudaGetErrorName(cudaMallocMipmappedArray(&levels_of, &format, make_cudaExtent(4, 4, 0), 2, 0)));
  return 0;
}
