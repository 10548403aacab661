// Fetches at random coordinates, NaNs and infinities among them, against the arithmetic of the CUDA C++ Programming Guide.
#include <cmath>
#include <cstring>
#include <vector>
#include "check.h"
__global__ void fetch1(cudaTextureObject_t t, const float* at, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float4>(t, at[i]);
}
__global__ void fetch2(cudaTextureObject_t t, const float* at, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float4>(t, at[i], at[n + i]);
}
__global__ void fetch3(cudaTextureObject_t t, const float* at, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<float4>(t, at[i], at[n + i], at[2 * n + i]);
}
static unsigned state = 1;
static unsigned random_bits() { return state = state * 1664525u + 1013904223u; }
static float random_float() { return (random_bits() >> 8) / 16777216.f; }

struct Picture {
  int size[3] = {1, 1, 1}, dimensions = 1;
  bool bytes = false;  // of unsigned normalised bytes, else floats
  std::vector<float> texels;
};
// The two texels along a direction, -1 for the border, and the share of the second.
static float pair_of(float x, int size, cudaTextureAddressMode mode, bool normalised, bool linear, int (&index)[2]) {
  double u = std::isnan(x) ? 0 : x;
  if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) mode = cudaAddressModeClamp;
  if (normalised) {
    if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
      if (std::isinf(u)) u = 0;
      const double whole = std::floor(u);
      u -= whole;
      if (mode == cudaAddressModeMirror && std::fmod(whole, 2) != 0) u = 1 - u;
    }
    u *= size;
  }
  u = std::fmin(std::fmax(u, -1e9), 1e9);
  const double start = linear ? std::floor(u - 0.5) : std::floor(u);
  for (int i = 0; i < 2; ++i) {
    long long t = static_cast<long long>(start) + i;
    if (mode == cudaAddressModeWrap) t = ((t % size) + size) % size;
    if (mode == cudaAddressModeWrap && !linear && start >= size) t = size - 1;
    if (mode == cudaAddressModeBorder && (t < 0 || t >= size))
      index[i] = -1;
    else
      index[i] = static_cast<int>(t < 0 ? 0 : t >= size ? size - 1 : t);
  }
  return linear ? static_cast<float>(std::floor((u - 0.5 - start) * 256 + 0.5) / 256) : 0;
}
static float expected(const Picture& p, const float (&at)[3], const cudaTextureDesc& d, int c) {
  int index[3][2] = {};
  float share[3] = {};
  for (int k = 0; k < p.dimensions; ++k)
    share[k] = pair_of(at[k], p.size[k], d.addressMode[k], d.normalizedCoords, d.filterMode == cudaFilterModeLinear, index[k]);
  double sum = 0;
  for (int z = 0; z < (p.dimensions > 2 ? 2 : 1); ++z)
    for (int y = 0; y < (p.dimensions > 1 ? 2 : 1); ++y)
      for (int x = 0; x < 2; ++x) {
        double weight = x ? share[0] : 1 - static_cast<double>(share[0]);
        if (p.dimensions > 1) weight *= y ? share[1] : 1 - static_cast<double>(share[1]);
        if (p.dimensions > 2) weight *= z ? share[2] : 1 - static_cast<double>(share[2]);
        const int i = index[0][x], j = index[1][y], k = index[2][z];
        double value = d.borderColor[c];
        if (i >= 0 && j >= 0 && k >= 0) value = p.texels[((k * p.size[1] + j) * p.size[0] + i) * 4 + c];
        if (p.bytes && i >= 0 && j >= 0 && k >= 0) value /= 255;
        if (weight != 0) sum += weight * value;
      }
  return static_cast<float>(sum);
}
int main() {
  const int n = 96;
  std::vector<float> at(3 * n);
  std::vector<float4> results(n);
  float *device_at;
  float4* device_out;
  CHECK(cudaMalloc(&device_at, at.size() * sizeof(float)));
  CHECK(cudaMalloc(&device_out, n * sizeof(float4)));
  int wrong = 0, fetches = 0;
  for (int dimensions = 1; dimensions <= 3; ++dimensions)
    for (const bool bytes : {false, true}) {
      Picture p;
      p.dimensions = dimensions;
      p.bytes = bytes;
      const int sizes[] = {19, 21, 5};
      size_t texels = 1;
      for (int k = 0; k < dimensions; ++k) texels *= p.size[k] = sizes[k];
      std::vector<unsigned char> raw(texels * 4);
      for (size_t i = 0; i < texels * 4; ++i)
        p.texels.push_back(bytes ? raw[i] = static_cast<unsigned char>(random_bits() >> 24) : random_float() * 100 - 50);
      const cudaChannelFormatDesc format = bytes ? cudaCreateChannelDesc<uchar4>() : cudaCreateChannelDesc<float4>();
      cudaArray_t array;
      const cudaExtent extent = make_cudaExtent(p.size[0], dimensions > 1 ? p.size[1] : 0, dimensions > 2 ? p.size[2] : 0);
      CHECK(cudaMalloc3DArray(&array, &format, extent, 0));
      cudaMemcpy3DParms copy = {};
      const size_t texel = bytes ? 4 : 16;
      copy.srcPtr = make_cudaPitchedPtr(bytes ? static_cast<void*>(raw.data()) : p.texels.data(), p.size[0] * texel, p.size[0], p.size[1]);
      copy.dstArray = array;
      copy.extent = make_cudaExtent(p.size[0], p.size[1], p.size[2]);
      copy.kind = cudaMemcpyHostToDevice;
      CHECK(cudaMemcpy3D(&copy));
      for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder})
        for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear})
          for (const int normalised : {0, 1}) {
            cudaResourceDesc resource = {};
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = array;
            cudaTextureDesc d = {};
            for (auto& each : d.addressMode) each = mode;
            d.filterMode = filter;
            d.readMode = bytes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
            d.normalizedCoords = normalised;
            for (int c = 0; c < 4; ++c) d.borderColor[c] = c + 0.25f;
            cudaTextureObject_t t;
            CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
            for (int k = 0; k < dimensions; ++k)
              for (int i = 0; i < n; ++i) {
                float x = random_float() * 3 - 1;
                if (i % 32 == 3) x = std::nanf("");
                if (i % 32 == 5) x = INFINITY;
                if (i % 32 == 7) x = -INFINITY;
                if (i % 32 == 9) x = -1e-30f;
                if (i % 32 == 11) x = 1;
                if (i % 32 == 13) x = 3e38f;
                at[k * n + i] = normalised ? x : x * p.size[k];
              }
            CHECK(cudaMemcpy(device_at, at.data(), at.size() * sizeof(float), cudaMemcpyHostToDevice));
            if (dimensions == 1) fetch1<<<1, n>>>(t, device_at, device_out, n);
            if (dimensions == 2) fetch2<<<1, n>>>(t, device_at, device_out, n);
            if (dimensions == 3) fetch3<<<1, n>>>(t, device_at, device_out, n);
            CHECK(cudaMemcpy(results.data(), device_out, n * sizeof(float4), cudaMemcpyDeviceToHost));
            for (int i = 0; i < n; ++i)
              for (int c = 0; c < 4; ++c) {
                const float here[3] = {at[i], at[n + i], at[2 * n + i]};
                const float want = expected(p, here, d, c), got = (&results[i].x)[c];
                ++fetches;
                if (std::memcmp(&want, &got, sizeof want) != 0 && ++wrong <= 5)
                  std::printf("%dD bytes %d mode %d filter %d norm %d (%g %g %g): %.9g, not %.9g\n", dimensions, bytes,
                              mode, filter, normalised, here[0], here[1], here[2], got, want);
              }
            CHECK(cudaDestroyTextureObject(t));
          }
      CHECK(cudaFreeArray(array));
    }
  std::printf("%d of %d components wrong\n", wrong, fetches);
  return wrong != 0;
}
