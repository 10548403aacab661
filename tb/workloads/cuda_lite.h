// The part of CUDA's device language that the kernels of this folder use, for clang without a CUDA
// installation. compile.sh puts it in front of each .cu with -include; nvcc and the CPU build of the tests
// bring their own.
#pragma once

#ifndef __NVCC__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
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
HEDDLE_LITE int atomicCAS(int* p, int expected, int desired) {
  return __nvvm_atom_cas_gen_i(p, expected, desired);
}
HEDDLE_LITE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }

// As assembly, not as __nvvm_membar_*(): clang merges those of two branch arms, and the branch with them.
HEDDLE_LITE void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
HEDDLE_LITE void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
HEDDLE_LITE float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
// __syncthreads() is a builtin of clang.

#undef HEDDLE_LITE
#undef HEDDLE_LITE_INDEX

#endif  // __NVCC__
