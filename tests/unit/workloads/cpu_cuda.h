// CUDA's device language for the kernels' sources, as C++ on the fibers of workloads_cpu_fibers.h. Included
// by workloads_cpu_kernels.cpp alone. Its names are CUDA's.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "unit/workloads/cpu_fibers.h"
#include "workloads/half.h"

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
namespace heddle::workloads::testing::cuda {

using std::max;
using std::min;

struct alignas(16) float4 {
  float x, y, z, w;
};

template <class T>
T atomicAdd(T* p, T v) {
  return std::exchange(*p, static_cast<T>(*p + v));
}
template <class T>
T atomicMin(T* p, T v) {
  return std::exchange(*p, std::min(*p, v));
}
template <class T>
T atomicMax(T* p, T v) {
  return std::exchange(*p, std::max(*p, v));
}
inline unsigned atomicOr(unsigned* p, unsigned v) { return std::exchange(*p, *p | v); }
inline int atomicExch(int* p, int v) { return std::exchange(*p, v); }
inline int atomicCAS(int* p, int expected, int desired) {
  give_way();
  const int old = *p;
  if (old == expected) *p = desired;
  return old;
}
inline void __syncthreads() { wait_for_block(); }
inline void __threadfence() { give_way(); }
inline void __threadfence_block() {}
inline void __syncwarp() { (void)all_of_warp(true); }
inline int __all_sync(unsigned, int of_lane) { return all_of_warp(of_lane != 0) ? 1 : 0; }
inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} * b) >> 32);
}
inline int __popc(unsigned a) { return std::popcount(a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
// The approximations, as Heddle has them: the function's value, rounded once.
inline float exp2f(float a) { return static_cast<float>(std::exp2(double{a})); }
inline float __log2f(float a) { return static_cast<float>(std::log2(double{a})); }
inline float __cosf(float a) { return static_cast<float>(std::cos(double{a})); }
inline float rsqrtf(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }
inline int __dp4a(int a, int b, int c) {
  for (int byte = 0; byte < 4; ++byte) {
    const auto at = [byte](int word) {
      return static_cast<std::int8_t>(static_cast<unsigned>(word) >> 8 * byte);
    };
    c += at(a) * at(b);
  }
  return c;
}
struct __half2 {
  std::uint16_t low, high;
};
inline float __low2float(__half2 a) { return from_half(a.low); }
inline float __high2float(__half2 a) { return from_half(a.high); }
inline __half2 __hsub2(__half2 a, __half2 b) {
  return {to_half(__low2float(a) - __low2float(b)), to_half(__high2float(a) - __high2float(b))};
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  const auto fma = [](float x, float y, float z) { return to_half(double{x} * y + z); };
  return {fma(__low2float(a), __low2float(b), __low2float(c)),
          fma(__high2float(a), __high2float(b), __high2float(c))};
}
inline int clock() {
  static int now = 0;
  give_way();
  return now += 16;
}

}  // namespace heddle::workloads::testing::cuda
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
