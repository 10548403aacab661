// Price of an up-and-out call option by Monte-Carlo: each thread follows some random paths of the stock, step
// by step; a path ends early when the stock reaches the barrier. One sum a CTA (a power of two of threads).
struct McOption {
  float start, strike, barrier;
  float drift, volatility;  // of the base-2 logarithm, per step
};

__constant__ McOption mc_option;

static __device__ __forceinline__ unsigned mc_random(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// seed[i]: of thread i, not 0.
extern "C" __global__ void mc_paths(const unsigned* seed, int paths, int steps, float* payoff,
                                    unsigned* steps_done) {
  __shared__ float sum[256];
  int t = threadIdx.x;
  int thread = blockIdx.x * blockDim.x + t;
  unsigned state = seed[thread];
  float total = 0.0f;
  unsigned work = 0;
  for (int path = 0; path < paths; path++) {
    float stock = mc_option.start;
    int step = 0;
    for (; step < steps; step++) {
      // Box-Muller; 24 bits each, the first never 0.
      float u = __fmul_rn((float)((mc_random(state) >> 8) + 1), 5.9604645e-08f);
      float v = __fmul_rn((float)(mc_random(state) >> 8), 5.9604645e-08f);
      float radius = __fsqrt_rn(__fmul_rn(-1.3862944f, __log2f(u)));
      float normal = __fmul_rn(radius, __cosf(__fmul_rn(6.2831855f, v)));
      stock = __fmul_rn(stock, exp2f(__fmaf_rn(mc_option.volatility, normal, mc_option.drift)));
      if (stock >= mc_option.barrier) break;
    }
    if (step == steps) total += fmaxf(stock - mc_option.strike, 0.0f);
    work += step;
  }
  steps_done[thread] = work;
  sum[t] = total;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < (int)half) sum[t] += sum[t + half];
    __syncthreads();
  }
  if (t == 0) payoff[blockIdx.x] = sum[0];
}
