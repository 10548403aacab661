// Bits of numbers, unions, bit fields, and integer intrinsics of CUDA.
#include "check.h"
#include <cstdint>
#include <cstring>
union Word {
  float real;
  std::uint32_t bits;
  struct {
    std::uint32_t fraction : 23, exponent : 8, sign : 1;
  } parts;
};
struct Packed {
  unsigned a : 5, b : 11;
  int c : 7;
  unsigned long long d : 33;
};
__global__ void reinterpret(std::uint32_t* out) {
  const int i = threadIdx.x;
  const float x = (i - 7.5f) * 1.5f;
  const double y = x * 1e10;
  Word word;
  word.real = x;
  Packed packed = {};
  packed.a = i;
  packed.b = i * 77;
  packed.c = -i;
  packed.d = 0x123456789ull * i;
  unsigned value = __float_as_int(x) ^ __float_as_uint(x * 2) ^ __double2hiint(y) ^ __double2loint(y);
  value += word.parts.exponent * 3 + word.parts.sign + (word.parts.fraction & 0xff);
  value ^= static_cast<unsigned>(__double_as_longlong(__hiloint2double(i + 0x40000000, i)) >> 20);
  value += packed.a + packed.b * 5 + packed.c * 7 + static_cast<unsigned>(packed.d >> 7);
  value += __uhadd(i, 9u) + __urhadd(i, 9u) + __hadd(-i, 4) + __rhadd(-i, 4) + __sad(i, -3, 100u) + __usad(i, 40u, 7u);
  value += __fns(0x00ff00f0u, 0, i + 1) * 3 + __funnelshift_lc(i, 0x80000001u, 5) + __brev(i) + __mulhi(i << 20, 1 << 25) + __mul24(i, -5);
  value += static_cast<unsigned>(__mul64hi(0x7fffffffffffll * i, 1ll << 40)) + __ffs(i << 3) + __clzll(i) + __popcll(0xffull << i);
  out[i] = value;
}
int main() {
  std::uint32_t *device, got[16], sum = 0;
  CHECK(cudaMalloc(&device, sizeof got));
  reinterpret<<<1, 16>>>(device);
  CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 16; ++i) sum = sum * 31 + got[i];
  std::printf("%u %u %u\n", got[0], got[9], sum);
  return 0;
}
