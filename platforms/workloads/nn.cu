// The k nearest of many records to a place on a map: all distances, then k times the least that is left.
enum { kNnBlock = 256 };

extern "C" __global__ void nn_distances(const float* x, const float* y, int n, float at_x, float at_y,
                                        float* distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float dx = x[i] - at_x, dy = y[i] - at_y;
  distance[i] = __fsqrt_rn(__fmaf_rn(dx, dx, __fmul_rn(dy, dy)));
}

// One CTA of 256 threads. Of equal distances the first record. Distances that were taken become -1.
extern "C" __global__ void nn_select(float* distance, int n, int k, int* nearest) {
  __shared__ float least[kNnBlock];
  __shared__ int where[kNnBlock];
  int t = threadIdx.x;
  for (int round = 0; round < k; round++) {
    float best = -1.0f;
    int at = -1;
    for (int i = t; i < n; i += kNnBlock) {
      float d = distance[i];
      if (d >= 0.0f && (at < 0 || d < best)) {
        best = d;
        at = i;
      }
    }
    least[t] = best;
    where[t] = at;
    __syncthreads();
    for (int half = kNnBlock / 2; half > 0; half /= 2) {
      if (t < half) {
        float other = least[t + half];
        int there = where[t + half];
        bool better =
            there >= 0 && (where[t] < 0 || other < least[t] || (other == least[t] && there < where[t]));
        if (better) {
          least[t] = other;
          where[t] = there;
        }
      }
      __syncthreads();
    }
    if (t == 0) {
      nearest[round] = where[0];
      distance[where[0]] = -1.0f;
    }
    __syncthreads();
  }
}
