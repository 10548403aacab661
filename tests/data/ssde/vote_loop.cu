// A waiting loop that the whole warp leaves by a vote: every out[i] is 528 (1 + ... + 32).
extern "C" __global__ void ssdevote(volatile int* flag, int* out) {
  int l = threadIdx.x & 31;
  if (threadIdx.x >= 32) {
    if (l == 0) for (int k = 0; k < 32; ++k) { __threadfence(); flag[k] = k + 1; }
  } else {
    int f = flag[l];
    while (__any_sync(~0u, f == 0)) { if (f == 0) f = flag[l]; }
    for (int o = 16; o; o /= 2) f += __shfl_xor_sync(~0u, f, o);
    flag[32 + l] = f;
    out[l] = f;
  }
}
