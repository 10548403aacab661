// The part of CUDA's device language that the kernels of this folder use, and all of CUDA's intrinsics of the
// warp (tests/data/warp has each), for clang without a CUDA installation. compile.sh puts it in front of each
// .cu with -include; nvcc and the CPU build of the tests bring their own.
#pragma once

#ifndef __NVCC__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define HEDDLE_LITE static __attribute__((device, always_inline))

// threadIdx.x and its kin read special registers: properties, so that no object exists.
#define HEDDLE_LITE_INDEX(variable, sreg)                            \
  struct HeddleLite_##variable {                                     \
    __declspec(property(get = get_x)) unsigned x;                    \
    __declspec(property(get = get_y)) unsigned y;                    \
    __declspec(property(get = get_z)) unsigned z;                    \
    static __attribute__((device, always_inline)) unsigned get_x() { \
      return __nvvm_read_ptx_sreg_##sreg##_x();                      \
    }                                                                \
    static __attribute__((device, always_inline)) unsigned get_y() { \
      return __nvvm_read_ptx_sreg_##sreg##_y();                      \
    }                                                                \
    static __attribute__((device, always_inline)) unsigned get_z() { \
      return __nvvm_read_ptx_sreg_##sreg##_z();                      \
    }                                                                \
  };                                                                 \
  extern const __attribute__((device, weak)) HeddleLite_##variable variable

HEDDLE_LITE_INDEX(threadIdx, tid);
HEDDLE_LITE_INDEX(blockIdx, ctaid);
HEDDLE_LITE_INDEX(blockDim, ntid);
HEDDLE_LITE_INDEX(gridDim, nctaid);

struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};

HEDDLE_LITE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
HEDDLE_LITE unsigned atomicAdd(unsigned* p, unsigned v) { return __nvvm_atom_add_gen_i((int*)p, v); }
HEDDLE_LITE unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_add_gen_ll((long long*)p, v);
}
HEDDLE_LITE int atomicCAS(int* p, int expected, int desired) {
  return __nvvm_atom_cas_gen_i(p, expected, desired);
}
HEDDLE_LITE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
HEDDLE_LITE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
HEDDLE_LITE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
HEDDLE_LITE unsigned atomicOr(unsigned* p, unsigned v) { return __nvvm_atom_or_gen_i((int*)p, v); }
HEDDLE_LITE unsigned long long atomicMin(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_min_gen_ull(p, v);
}

// As assembly, not as __nvvm_membar_*(): clang merges those of two branch arms, and the branch with them.
HEDDLE_LITE void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
HEDDLE_LITE void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
HEDDLE_LITE void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }

// Roundings that no compiler fuses.
HEDDLE_LITE float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
HEDDLE_LITE float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
HEDDLE_LITE float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
// The approximations of the special-function unit, one instruction each.
HEDDLE_LITE float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
HEDDLE_LITE float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
HEDDLE_LITE float __cosf(float a) { return __nvvm_cos_approx_f(a); }
HEDDLE_LITE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }

HEDDLE_LITE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
HEDDLE_LITE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
HEDDLE_LITE int min(int a, int b) { return a < b ? a : b; }
HEDDLE_LITE int max(int a, int b) { return a > b ? a : b; }
HEDDLE_LITE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
HEDDLE_LITE int __popc(unsigned a) { return __builtin_popcount(a); }
HEDDLE_LITE int __ffs(int a) { return __builtin_ffs(a); }
HEDDLE_LITE int __dp4a(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

// A pair of f16, as in cuda_fp16.h.
struct __half2 {
  unsigned bits;
};
HEDDLE_LITE __half2 __hsub2(__half2 a, __half2 b) {
  __half2 d;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(d.bits) : "r"(a.bits), "r"(b.bits));
  return d;
}
HEDDLE_LITE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  __half2 d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
  return d;
}
HEDDLE_LITE float __low2float(__half2 a) {
  float d;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }" : "=f"(d) : "r"(a.bits));
  return d;
}
HEDDLE_LITE float __high2float(__half2 a) {
  float d;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high; }" : "=f"(d) : "r"(a.bits));
  return d;
}

// Within the warp, as CUDA has them from 9.0 on. The builtins need a later PTX than the one clang 14 assumes
// without a CUDA installation.
static const int warpSize = 32;
HEDDLE_LITE void __syncwarp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
HEDDLE_LITE void __syncwarp(unsigned lanes) { asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory"); }
HEDDLE_LITE int __all_sync(unsigned lanes, int of_lane) {
  int all;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.all.pred p, p, %2; selp.s32 %0, 1, 0, p; }"
               : "=r"(all)
               : "r"(of_lane), "r"(lanes)
               : "memory");
  return all;
}

HEDDLE_LITE int __any_sync(unsigned lanes, int of_lane) {
  int any;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.any.pred p, p, %2; selp.s32 %0, 1, 0, p; }"
               : "=r"(any)
               : "r"(of_lane), "r"(lanes)
               : "memory");
  return any;
}
HEDDLE_LITE unsigned __ballot_sync(unsigned lanes, int of_lane) {
  unsigned ballot;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
               : "=r"(ballot)
               : "r"(of_lane), "r"(lanes)
               : "memory");
  return ballot;
}
HEDDLE_LITE unsigned __activemask() {
  unsigned lanes;
  asm volatile("activemask.b32 %0;" : "=r"(lanes)::"memory");
  return lanes;
}

// Shuffles. Operand c of shfl holds the segments of `width` lanes, and the lane within them at which reading
// ends: the last one, of __shfl_up_sync the first.
#define HEDDLE_LITE_SHUFFLE_AS(name, type, bits, lane_type)                                     \
  HEDDLE_LITE type name(unsigned lanes, type value, lane_type lane, int width = warpSize) {     \
    return __builtin_bit_cast(type, name(lanes, __builtin_bit_cast(bits, value), lane, width)); \
  }
#define HEDDLE_LITE_SHUFFLE(name, mode, end, lane_type)                                             \
  HEDDLE_LITE unsigned name(unsigned lanes, unsigned value, lane_type lane, int width = warpSize) { \
    unsigned result;                                                                                \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                       \
                 : "=r"(result)                                                                     \
                 : "r"(value), "r"(lane), "r"((warpSize - width) << 8 | end), "r"(lanes));          \
    return result;                                                                                  \
  }                                                                                                 \
  HEDDLE_LITE unsigned long long name(unsigned lanes, unsigned long long value, lane_type lane,     \
                                      int width = warpSize) {                                       \
    unsigned high = name(lanes, (unsigned)(value >> 32), lane, width);                              \
    return (unsigned long long)high << 32 | name(lanes, (unsigned)value, lane, width);              \
  }                                                                                                 \
  HEDDLE_LITE_SHUFFLE_AS(name, int, unsigned, lane_type)                                            \
  HEDDLE_LITE_SHUFFLE_AS(name, float, unsigned, lane_type)                                          \
  HEDDLE_LITE_SHUFFLE_AS(name, long, unsigned long long, lane_type)                                 \
  HEDDLE_LITE_SHUFFLE_AS(name, unsigned long, unsigned long long, lane_type)                        \
  HEDDLE_LITE_SHUFFLE_AS(name, long long, unsigned long long, lane_type)                            \
  HEDDLE_LITE_SHUFFLE_AS(name, double, unsigned long long, lane_type)
HEDDLE_LITE_SHUFFLE(__shfl_sync, "idx", 31, int)
HEDDLE_LITE_SHUFFLE(__shfl_up_sync, "up", 0, unsigned)
HEDDLE_LITE_SHUFFLE(__shfl_down_sync, "down", 31, unsigned)
HEDDLE_LITE_SHUFFLE(__shfl_xor_sync, "bfly", 31, int)
#undef HEDDLE_LITE_SHUFFLE
#undef HEDDLE_LITE_SHUFFLE_AS

// The lanes that have the same value, and whether all have it.
#define HEDDLE_LITE_MATCH(type, bits, constraint)                                                     \
  HEDDLE_LITE unsigned __match_any_sync(unsigned lanes, type value) {                                 \
    unsigned same;                                                                                    \
    asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(same) : constraint(value), "r"(lanes)); \
    return same;                                                                                      \
  }                                                                                                   \
  HEDDLE_LITE unsigned __match_all_sync(unsigned lanes, type value, int* all) {                       \
    unsigned same;                                                                                    \
    asm volatile("{ .reg .pred p; match.all.sync." bits " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"      \
                 : "=r"(same), "=r"(*all)                                                             \
                 : constraint(value), "r"(lanes));                                                    \
    return same;                                                                                      \
  }
HEDDLE_LITE_MATCH(int, "b32", "r")
HEDDLE_LITE_MATCH(unsigned, "b32", "r")
HEDDLE_LITE_MATCH(float, "b32", "f")
HEDDLE_LITE_MATCH(long, "b64", "l")
HEDDLE_LITE_MATCH(unsigned long, "b64", "l")
HEDDLE_LITE_MATCH(long long, "b64", "l")
HEDDLE_LITE_MATCH(unsigned long long, "b64", "l")
HEDDLE_LITE_MATCH(double, "b64", "d")
#undef HEDDLE_LITE_MATCH

// Barriers of the block that reduce. __syncthreads() itself is a builtin of clang.
HEDDLE_LITE int __syncthreads_count(int of_thread) { return __nvvm_bar0_popc(of_thread); }
HEDDLE_LITE int __syncthreads_and(int of_thread) { return __nvvm_bar0_and(of_thread); }
HEDDLE_LITE int __syncthreads_or(int of_thread) { return __nvvm_bar0_or(of_thread); }

HEDDLE_LITE int clock() { return __nvvm_read_ptx_sreg_clock(); }
HEDDLE_LITE long long clock64() {
  long long cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}
HEDDLE_LITE void __nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}

#undef HEDDLE_LITE
#undef HEDDLE_LITE_INDEX

#endif  // __NVCC__
