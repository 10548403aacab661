// A loop that is left in its middle, through a block of its own: [SSDE:K13], the shape for
// which lanes meet again before their immediate post-dominator.

static __device__ __forceinline__ unsigned unstructured_mix(unsigned x, unsigned by) {
  x = (x ^ by) * 2654435761u;
  x ^= x >> 15;
  x = (x + by) * 2246822519u;
  return x ^ x >> 13;
}

// A: a step; with odds of 1 to 7 B, which ends the walk; otherwise C. D: the result. A walk has at most
// `limit` steps.
extern "C" __global__ void unstructured_walk(const unsigned* in, unsigned* out, int n, int limit) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned x = in[i], sum = 0;
    int steps = 0;
    do {
      x = unstructured_mix(x, 0x9e3779b9u);  // A
      steps++;
      if (x % 8 == 0) {
        sum = unstructured_mix(sum, x);  // B
        sum = unstructured_mix(sum, x >> 7);
        sum = unstructured_mix(sum, x >> 14);
        asm volatile("" : "+r"(sum));  // keeps B a block
        break;
      } else {
        sum += unstructured_mix(x, sum);  // C
        asm volatile("" : "+r"(sum));
      }
    } while (steps < limit && sum % 32 != 0);
    out[i] = unstructured_mix(sum, steps);  // D
  }
}

// Left from within a branch of the loop's body: A; with odds of 1 to 1 B, which ends the walk with odds of 1 to 31; then C. The
// post-dominator of the first branch is behind the loop: lanes that went to B meet the others again only when all have left, or
// at C if somebody says that they are likely to ([TBC] §3.4).
extern "C" __global__ void unstructured_search(const unsigned* in, unsigned* out, int n, int limit) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned x = in[i], sum = 0;
    int steps = 0;
    do {
      x = unstructured_mix(x, 0x9e3779b9u);  // A
      steps++;
      if (x % 2 == 0) {
        sum = unstructured_mix(sum, x);  // B
        asm volatile("" : "+r"(sum));
        if (x % 64 == 0) break;
      }
      sum += unstructured_mix(x, sum);  // C
      sum = unstructured_mix(sum, x >> 7);
      sum = unstructured_mix(sum, x >> 14);
      asm volatile("" : "+r"(sum));
    } while (steps < limit);
    out[i] = unstructured_mix(sum, steps);  // D
  }
}
