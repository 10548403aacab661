// A histogram of bytes with one table for each warp in shared memory and no atomics: [SSDE:K12].
// Lanes that want the same counter write it all at once, each with its own tag in
// the upper bits; who finds another's tag afterwards tries again. Right only while the lanes of a warp execute
// together: it relies on lanes that are done waiting for those that are not.
enum { kBinsOfBytes = 256, kHistogramWarps = 4, kTagShift = 27 };

static __device__ __forceinline__ void histogram_add_byte(volatile unsigned* table, unsigned byte,
                                                          unsigned tag) {
  unsigned count;
  do {
    count = table[byte] & ((1u << kTagShift) - 1);
    count = tag | (count + 1);
    table[byte] = count;
  } while (table[byte] != count);
}

// kHistogramWarps warps a CTA. words: four bytes each.
extern "C" __global__ void histogram_bytes(const unsigned* words, int n, unsigned* bins) {
#if defined(__CUDACC__) || defined(__CUDA__)
  // Its loops look as if they could deadlock, and delaying their reconvergence would break them.
  asm volatile(".pragma \"heddle nossde\";");
#endif
  volatile __shared__ unsigned tables[kHistogramWarps * kBinsOfBytes];
  for (int i = threadIdx.x; i < kHistogramWarps * kBinsOfBytes; i += blockDim.x) tables[i] = 0;
  __syncthreads();
  volatile unsigned* table = tables + threadIdx.x / 32 * kBinsOfBytes;
  unsigned tag = threadIdx.x << kTagShift;  // the lane
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned word = words[i];
    histogram_add_byte(table, word & 255, tag);
    histogram_add_byte(table, word >> 8 & 255, tag);
    histogram_add_byte(table, word >> 16 & 255, tag);
    histogram_add_byte(table, word >> 24, tag);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBinsOfBytes; bin += blockDim.x) {
    unsigned sum = 0;
    for (int warp = 0; warp < kHistogramWarps; warp++)
      sum += tables[warp * kBinsOfBytes + bin] & ((1u << kTagShift) - 1);
    if (sum != 0) atomicAdd(&bins[bin], sum);
  }
}
