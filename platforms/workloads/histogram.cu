// Histogram of bytes, four to a word: 256 bins.
enum { kBins = 256 };

// Each CTA counts in shared memory and adds its counts to the result once.
extern "C" __global__ void histogram_shared(const unsigned* words, unsigned n, unsigned* bins) {
  __shared__ unsigned local[kBins];
  for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned word = words[i];
    atomicAdd(&local[word & 0xff], 1u);
    atomicAdd(&local[(word >> 8) & 0xff], 1u);
    atomicAdd(&local[(word >> 16) & 0xff], 1u);
    atomicAdd(&local[word >> 24], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) {
    unsigned count = local[i];
    if (count != 0) atomicAdd(&bins[i], count);
  }
}

// Every byte is an atomic at the L2.
extern "C" __global__ void histogram_global(const unsigned* words, unsigned n, unsigned* bins) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned word = words[i];
    atomicAdd(&bins[word & 0xff], 1u);
    atomicAdd(&bins[(word >> 8) & 0xff], 1u);
    atomicAdd(&bins[(word >> 16) & 0xff], 1u);
    atomicAdd(&bins[word >> 24], 1u);
  }
}
