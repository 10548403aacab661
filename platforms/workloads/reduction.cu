// Sum of n floats: each thread strides over the input, each CTA (a power of two of threads) adds its threads'
// sums up in a tree in dynamic shared memory and writes one result. Run a second time on those results with
// one CTA.
extern "C" __global__ void reduce_sum(const float* in, float* out, unsigned n) {
  extern __shared__ float partial[];
  unsigned t = threadIdx.x;
  unsigned stride = gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += stride) sum += in[i];
  partial[t] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
