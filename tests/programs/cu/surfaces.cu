// Surfaces: loads and stores of all sizes and dimensions, boundary modes, a picture that a kernel makes and a texture reads.
#include <vector>
#include "check.h"
__global__ void draw(cudaSurfaceObject_t s, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(make_uchar4(x, y, x ^ y, 255), s, x * static_cast<int>(sizeof(uchar4)), y);
}
__global__ void edges(cudaSurfaceObject_t s, int width, int height, int* out) {
  const int x = static_cast<int>(threadIdx.x) - 2;
  uchar4 clamped, zero;
  surf2Dread(&clamped, s, x * 4, -3, cudaBoundaryModeClamp);
  surf2Dread(&zero, s, x * 4, height - 1, cudaBoundaryModeZero);
  out[threadIdx.x] = clamped.x * 1000 + zero.x;
  surf2Dwrite(make_uchar4(9, 9, 9, 9), s, (width + x) * 4, 0, cudaBoundaryModeZero);
}
__global__ void smooth(cudaTextureObject_t t, float4* out, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float4>(t, x + 1.f, y + 1.f);
}
__global__ void volume(cudaSurfaceObject_t s) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  surf3Dwrite(make_float2(x + 10 * y, z), s, x * 8, y, z);
  __syncthreads();
  if (x == 0) {
    const float2 back = surf3Dread<float2>(s, 0, y, z);
    surf3Dwrite(make_float2(back.x + 0.5f, back.y), s, 0, y, z);
  }
}
__global__ void layers(cudaSurfaceObject_t s) {
  surf2DLayeredwrite(static_cast<short>(threadIdx.x + 100 * blockIdx.x), s, threadIdx.x * 2, 1, blockIdx.x);
}
__global__ void row(cudaSurfaceObject_t s) {
  const int i = threadIdx.x;
  const long long wide = surf1Dread<long long>(s, (i / 2) * 8);
  if (i % 2 == 0) surf1Dwrite(wide + 1, s, (i / 2) * 8);
}
static cudaSurfaceObject_t surface(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &resource));
  return s;
}
int main() {
  const int width = 37, height = 25;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>(), pairs = cudaCreateChannelDesc<float2>(),
                              shorts = cudaCreateChannelDesc<short>(), ints = cudaCreateChannelDesc<int>();
  cudaArray_t picture, block, stack, line;
  CHECK(cudaMallocArray(&picture, &bytes, width, height, cudaArraySurfaceLoadStore));
  const cudaSurfaceObject_t s = surface(picture);
  draw<<<dim3(3, 2), dim3(16, 16)>>>(s, width, height);
  int* out;
  CHECK(cudaMalloc(&out, 4096 * 4));
  edges<<<1, 8>>>(s, width, height, out);
  int found[16];
  CHECK(cudaMemcpy(found, out, 32, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; ++i) std::printf("%d ", found[i]);
  std::vector<uchar4> texels(width * height);
  CHECK(cudaMemcpy2DFromArray(texels.data(), width * 4, picture, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const uchar4 t = texels[y * width + x];
      if (y == 0 && x >= width - 2)
        wrong += t.x != 9;
      else
        wrong += t.x != x || t.y != y || t.z != (x ^ y);
    }
  std::printf("\npicture %d wrong\n", wrong);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = picture;
  cudaTextureDesc d = {};
  d.filterMode = cudaFilterModeLinear;
  d.readMode = cudaReadModeNormalizedFloat;
  for (auto& each : d.addressMode) each = cudaAddressModeClamp;
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
  smooth<<<4, 16>>>(t, reinterpret_cast<float4*>(out), 16);
  std::vector<float4> filtered(64);
  CHECK(cudaMemcpy(filtered.data(), out, 1024, cudaMemcpyDeviceToHost));
  std::printf("%.5f %.5f %.5f\n", filtered[20].x * 255, filtered[20].y * 255, filtered[37].z * 255);

  CHECK(cudaMalloc3DArray(&block, &pairs, make_cudaExtent(6, 5, 4), cudaArraySurfaceLoadStore));
  volume<<<4, dim3(6, 5)>>>(surface(block));
  std::vector<float2> values(120);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = block;
  copy.dstPtr = make_cudaPitchedPtr(values.data(), 48, 6, 5);
  copy.extent = make_cudaExtent(6, 5, 4);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  wrong = 0;
  for (int i = 0; i < 120; ++i)
    wrong += values[i].x != i % 6 + 10 * (i / 6 % 5) + (i % 6 == 0 ? 0.5f : 0.f) || values[i].y != i / 30;
  CHECK(cudaMalloc3DArray(&stack, &shorts, make_cudaExtent(16, 2, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
  layers<<<3, 16>>>(surface(stack));
  std::vector<short> layer(96);
  copy = {};
  copy.srcArray = stack;
  copy.dstPtr = make_cudaPitchedPtr(layer.data(), 32, 16, 2);
  copy.extent = make_cudaExtent(16, 2, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (int i = 0; i < 96; ++i) wrong += layer[i] != (i / 16 % 2 == 0 ? 0 : i % 16 + 100 * (i / 32));
  std::printf("volume and layers %d wrong\n", wrong);
  CHECK(cudaMallocArray(&line, &ints, 16, 0, cudaArraySurfaceLoadStore));
  int start[16], end[16];
  for (int i = 0; i < 16; ++i) start[i] = 10 * i;
  CHECK(cudaMemcpyToArray(line, 0, 0, start, sizeof start, cudaMemcpyHostToDevice));
  row<<<1, 16>>>(surface(line));
  CHECK(cudaMemcpyFromArray(end, line, 0, 0, sizeof end, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", end[0], end[1], end[14]);
  // Outside, where the mode is to trap.
  layers<<<1, 32>>>(surface(stack));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
