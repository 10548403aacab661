// Integer and bit intrinsics against the host's arithmetic.
#include <cstdint>
#include "check.h"
constexpr int kResults = 24;
__host__ __device__ unsigned mixed(unsigned i) { return i * 2654435761u ^ i << 13 ^ i >> 3; }
__global__ void operate(unsigned long long* out) {
  const unsigned i = threadIdx.x, a = mixed(i), b = mixed(i + 77);
  const long long wide = static_cast<long long>(a) << 32 | b;
  unsigned long long* o = out + i * kResults;
  *o++ = __popc(a);
  *o++ = __popcll(wide);
  *o++ = __clz(a >> (i % 32));
  *o++ = __clzll(wide >> (i % 64));
  *o++ = __ffs(a << (i % 32));
  *o++ = __ffsll(wide << (i % 64));
  *o++ = __brev(a);
  *o++ = __brevll(wide);
  *o++ = __umulhi(a, b);
  *o++ = static_cast<unsigned>(__mulhi(static_cast<int>(a), static_cast<int>(b)));
  *o++ = __umul64hi(wide, wide * 3);
  *o++ = __funnelshift_l(a, b, i);
  *o++ = __funnelshift_rc(a, b, i);
  *o++ = __byte_perm(a, b, 0x5140 + i % 8);
  *o++ = __sad(static_cast<int>(a), static_cast<int>(b), 5);
  *o++ = static_cast<unsigned>(__dp4a(static_cast<int>(a), static_cast<int>(b), 9));
  *o++ = __vsadu4(a, b);
  *o++ = __vadd4(a, b);
  *o++ = __vmaxs2(a, b);
  *o++ = static_cast<unsigned>(__hadd(static_cast<int>(a), static_cast<int>(b)));
  *o++ = __urhadd(a, b);
  *o++ = a / (b | 1) + a % (b | 1);
  *o++ = static_cast<unsigned long long>(wide / (static_cast<int>(a) | 1));
  *o++ = static_cast<unsigned long long>(wide % (b | 1));
}
static int wrong = 0;
static void expect(unsigned i, int k, unsigned long long got, unsigned long long want) {
  if (got != want && ++wrong < 8) std::printf("result %d of thread %u: %llx, not %llx\n", k, i, got, want);
}
int main() {
  unsigned long long *out, host[64 * kResults];
  CHECK(cudaMalloc(&out, sizeof host));
  operate<<<1, 64>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned a = mixed(i), b = mixed(i + 77);
    const long long wide = static_cast<long long>(a) << 32 | b;
    const unsigned long long* g = host + i * kResults;
    const auto reversed = [](unsigned long long x, int bits) {
      unsigned long long r = 0;
      for (int k = 0; k < bits; ++k) r |= (x >> k & 1) << (bits - 1 - k);
      return r;
    };
    int k = 0;
    const auto next = [&](unsigned long long want) { expect(i, k, g[k], want), ++k; };
    next(__builtin_popcount(a));
    next(__builtin_popcountll(wide));
    next(a >> (i % 32) ? __builtin_clz(a >> (i % 32)) : 32);
    next(wide >> (i % 64) ? __builtin_clzll(wide >> (i % 64)) : 64);
    next(__builtin_ffs(a << (i % 32)));
    next(__builtin_ffsll(static_cast<unsigned long long>(wide) << (i % 64)));
    next(reversed(a, 32));
    next(reversed(wide, 64));
    next(static_cast<unsigned long long>(a) * b >> 32);
    next(static_cast<unsigned>(static_cast<long long>(static_cast<int>(a)) * static_cast<int>(b) >> 32));
    next(static_cast<unsigned long long>(static_cast<unsigned __int128>(static_cast<unsigned long long>(wide)) * static_cast<unsigned long long>(wide * 3) >> 64));
    const unsigned long long pair = static_cast<unsigned long long>(b) << 32 | a;
    next(static_cast<unsigned>(pair << (i % 32) >> 32));
    next(i >= 32 ? b : static_cast<unsigned>(pair >> i));
    unsigned permuted = 0;
    for (int n = 0; n < 4; ++n) permuted |= static_cast<unsigned>(pair >> ((0x5140 + i % 8) >> 4 * n & 7) * 8 & 255) << 8 * n;
    next(permuted);
    const long long difference = static_cast<long long>(static_cast<int>(a)) - static_cast<int>(b);
    next(static_cast<unsigned>((difference < 0 ? -difference : difference) + 5));
    int dot = 9;
    unsigned sad = 0, sums = 0, most = 0;
    for (int n = 0; n < 4; ++n) {
      const unsigned x = a >> 8 * n & 255, y = b >> 8 * n & 255;
      dot += static_cast<int8_t>(x) * static_cast<int8_t>(y);
      sad += x > y ? x - y : y - x;
      sums |= (x + y & 255) << 8 * n;
    }
    for (int n = 0; n < 2; ++n) {
      const int16_t x = static_cast<int16_t>(a >> 16 * n), y = static_cast<int16_t>(b >> 16 * n);
      most |= static_cast<unsigned>(static_cast<uint16_t>(x > y ? x : y)) << 16 * n;
    }
    next(static_cast<unsigned>(dot));
    next(sad);
    next(sums);
    next(most);
    next(static_cast<unsigned>(static_cast<long long>(static_cast<int>(a)) + static_cast<int>(b) >> 1));
    next((static_cast<unsigned long long>(a) + b + 1) >> 1);
    next(a / (b | 1) + a % (b | 1));
    next(wide / (static_cast<int>(a) | 1));
    next(wide % (b | 1));
  }
  std::printf("%d wrong\n", wrong);
  return wrong;
}
