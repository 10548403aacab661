// What the kernels of this folder wait with, the same for nvcc and for clang with cuda_lite.h.
#pragma once

#define KERNEL extern "C" __global__ void
#define INLINED static __device__ __forceinline__

/// Reads and writes that bypass L1 and that no compiler removes.
INLINED int peek(const int* p) { return *(const volatile int*)p; }
INLINED void poke(int* p, int v) { *(volatile int*)p = v; }

/// The compiler knows nothing of the value behind this: loops keep the form in which they are written.
INLINED void keep(int& v) { asm volatile("" : "+r"(v)); }
INLINED void keep(float& v) { asm volatile("" : "+f"(v)); }

/// So many laps without memory.
INLINED void delay(int laps) {
  for (int i = 0; i < laps; ++i) keep(i);
}
INLINED void delay_cycles(int cycles) {
  const int start = clock();
  while (clock() - start < cycles) {
  }
}
INLINED void sleep_ns(int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

INLINED int warp_of_cta() { return threadIdx.x / 32; }
INLINED int lane() { return threadIdx.x % 32; }

INLINED void lock(int* l) {
  while (atomicCAS(l, 0, 1) != 0) {
  }
}
INLINED void unlock(int* l) {
  __threadfence();
  atomicExch(l, 0);
}
