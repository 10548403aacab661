// arch: 80
// bf16 alone and in pairs, with atomics; tf32 and 8-bit floats by conversion.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "check.h"

__global__ void arithmetic(const float* in, __nv_bfloat16* out) {
  const int i = threadIdx.x;
  const __nv_bfloat16 x = __float2bfloat16(in[i]), y = __float2bfloat16(in[63 - i]);
  out[i] = __hfma(x, y, __float2bfloat16(0.5f));
  out[64 + i] = __hmax(x, __hneg(y));
  out[128 + i] = __hadd(__habs(x), y);
  out[192 + i] = __hgt(x, y) ? hsqrt(__habs(x)) : __hsub(x, y);
}
__global__ void pairs(const float* in, __nv_bfloat162* out) {
  const int i = threadIdx.x;
  const __nv_bfloat162 x = __floats2bfloat162_rn(in[2 * i], in[2 * i + 1]), y = __floats2bfloat162_rn(in[63 - 2 * i], in[62 - 2 * i]);
  out[i] = __hfma2(x, y, x);
  out[32 + i] = __hmin2(x, y);
  out[64 + i] = __hge2(x, y);
  out[96 + i] = h2exp2(__hmul2(x, __float2bfloat162_rn(0.125f)));
}
__global__ void sums(__nv_bfloat16* one, __nv_bfloat162* two) {
  atomicAdd(one, __float2bfloat16(1.f));
  atomicAdd(two, __floats2bfloat162_rn(1.f, 2.f));
}
__global__ void conversions(const float* in, float* out, unsigned char* bytes) {
  const int i = threadIdx.x;
  unsigned tf32;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tf32) : "f"(in[i] * 1.001f));
  out[i] = __uint_as_float(tf32);
  out[64 + i] = __bfloat162float(__float2bfloat16_rz(in[i] * 1.003f));
  out[128 + i] = static_cast<float>(__bfloat162int_rn(__float2bfloat16(in[i] * 3.3f)));
  bytes[i] = __nv_fp8_e4m3(in[i] * 30.f).__x;
  bytes[64 + i] = __nv_fp8_e5m2(in[i] * 30.f).__x;
  out[192 + i] = static_cast<float>(__nv_fp8_e4m3(in[i])) + static_cast<float>(__nv_fp8_e5m2(in[i]));
}

int main() {
  float host[64], *in, *out, result[256];
  for (int i = 0; i < 64; ++i) host[i] = (i - 20) * 0.375f;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof result));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  unsigned short words[256];
  const auto digest = [](const void* data, int bytes) {
    unsigned hash = 2166136261u;
    for (int i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 16777619u;
    return hash;
  };
  arithmetic<<<1, 64>>>(in, reinterpret_cast<__nv_bfloat16*>(out));
  CHECK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
  int wrong = 0;
  const auto rounded = [](float v) { return __bfloat162float(__float2bfloat16(v)); };
  const auto value = [&](int i) { __nv_bfloat16_raw raw; raw.x = words[i]; return __bfloat162float(__nv_bfloat16(raw)); };
  for (int i = 0; i < 64; ++i) {
    const float x = rounded(host[i]), y = rounded(host[63 - i]);
    wrong += value(i) != rounded(x * y + 0.5f);
    wrong += value(64 + i) != (x > -y ? x : -y);
    wrong += value(128 + i) != rounded((x < 0 ? -x : x) + y);
    if (!(x > y)) wrong += value(192 + i) != rounded(x - y);
  }
  std::printf("arithmetic: %d wrong, %08x\n", wrong, digest(words, 384));
  pairs<<<1, 32>>>(in, reinterpret_cast<__nv_bfloat162*>(out));
  CHECK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
  std::printf("pairs: %08x\n", digest(words, 384));
  CHECK(cudaMemset(out, 0, 64));
  sums<<<2, 40>>>(reinterpret_cast<__nv_bfloat16*>(out), reinterpret_cast<__nv_bfloat162*>(out + 1));
  CHECK(cudaMemcpy(words, out, 8, cudaMemcpyDeviceToHost));
  std::printf("sums: %g, %g and %g\n", value(0), value(2), value(3));
  unsigned char bytes[128], *device;
  CHECK(cudaMalloc(&device, sizeof bytes));
  conversions<<<1, 64>>>(in, out, device);
  CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(bytes, device, sizeof bytes, cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int i = 0; i < 64; ++i) bad += bytes[i] != __nv_fp8_e4m3(host[i] * 30.f).__x;
  for (int i = 0; i < 64; ++i) bad += bytes[64 + i] != __nv_fp8_e5m2(host[i] * 30.f).__x;
  std::printf("conversions: %d bytes wrong, %08x\n", bad, digest(result, sizeof result));
  return 0;
}
