// Monte-Carlo pricing of swaptions in the LIBOR market model: each thread moves its forward rates, in local memory, along
// one path of random numbers and values a portfolio at its end. No shared memory, no barriers, one store.
extern "C" __global__ void libor_paths(const float* volatility, const float* normals, const float* strikes,
                                       int rates, int steps, int options, float* value, int paths) {
  float rate[40];
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < rates; i++) rate[i] = 0.051f;
  for (int n = 0; n < steps; n++) {
    float kick = __fmul_rn(0.5f, normals[n * paths + path]);  // square root of the interval
    float drift = 0.0f;
    for (int i = n + 1; i < rates; i++) {
      float sigma = volatility[i - n - 1];
      float step = __fmul_rn(0.25f, sigma);
      drift = drift + __fmul_rn(step, rate[i]) / __fmaf_rn(0.25f, rate[i], 1.0f);
      float move = __fmaf_rn(step, drift, __fmul_rn(sigma, __fmaf_rn(-0.5f, step, kick)));
      rate[i] = __fmul_rn(rate[i], exp2f(__fmul_rn(1.4426950f, move)));
    }
  }
  float bond = 1.0f, annuity = 0.0f, total = 0.0f;
  int next = 0;
  for (int i = steps; i < rates; i++) {
    bond = bond / __fmaf_rn(0.25f, rate[i], 1.0f);
    annuity = __fmaf_rn(0.25f, bond, annuity);
    if (next < options && i - steps == 2 * next + 1) {
      float swap = __fmaf_rn(strikes[next], annuity, bond) - 1.0f;
      if (swap < 0.0f) total = __fmaf_rn(-100.0f, swap, total);
      next++;
    }
  }
  value[path] = total;
}
