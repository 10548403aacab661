// Chains of one operation, timed by warp 0 in the third round, when instruction caches have the code. What an H100 reads is in
// tests/regression/cli_cubin_cases.py. nvcc -O3 -arch=sm_90 -cubin
#define CHAIN(NAME, TYPE, OPERATION)                                             \
  extern "C" __global__ void NAME(unsigned* cycles, TYPE* sink, TYPE a, TYPE b) { \
    TYPE x = a + (TYPE)threadIdx.x;                                               \
    unsigned begin = 0, end = 0;                                                  \
    _Pragma("unroll 1") for (int round = 0; round < 3; ++round) {                 \
      asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");              \
      _Pragma("unroll") for (int i = 0; i < 128; ++i) { OPERATION; }               \
      asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");                \
    }                                                                             \
    if (threadIdx.x == 0) *cycles = end - begin;                                  \
    sink[threadIdx.x] = x;                                                        \
  }

CHAIN(chain_ffma, float, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b)))
CHAIN(chain_imad, int, asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)))
CHAIN(chain_add, int, asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(b)))
CHAIN(chain_dfma, double, asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b)))
CHAIN(chain_shuffle, int, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(x)))
CHAIN(chain_redux, int, asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x)))
CHAIN(chain_barrier, int, asm volatile("bar.sync 0;" ::: "memory"); x += b)
CHAIN(chain_convert, double, {
  float single;
  asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(single) : "d"(x));
  asm volatile("cvt.f64.f32 %0, %1;" : "=d"(x) : "f"(single));
})
CHAIN(chain_special, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))

// `n` words that L1 has are loaded at once, each by one of two loads whose guards exclude each other.
extern "C" __global__ void chain_loads(unsigned* cycles, unsigned* sink, const unsigned* words, int through_l1) {
  unsigned value[16], begin = 0, end = 0, sum = 0;
  const unsigned* const mine = words + threadIdx.x;
  _Pragma("unroll 1") for (int round = 0; round < 3; ++round) {
    __syncthreads();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
    _Pragma("unroll") for (int i = 0; i < 16; ++i) {
      if (through_l1)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value[i]) : "l"(mine + i * 1024) : "memory");
      else
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value[i]) : "l"(mine + i * 1024) : "memory");
    }
    _Pragma("unroll") for (int i = 0; i < 16; ++i) sum += value[i];
    asm volatile("" : "+r"(sum));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  }
  if (threadIdx.x == 0) *cycles = end - begin;
  sink[threadIdx.x] = sum;
}
