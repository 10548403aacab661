// Distances of many records to one, with the records' features packed: four 8-bit integers or two f16 a word.
#ifdef __NVCC__
#include <cuda_fp16.h>
#endif

// feature[w * n + i]: word w of record i. The dot product with the query, by dp4a.
extern "C" __global__ void nn_dots_int8(const int* feature, const int* query, int words, int n, int* dot) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int w = 0; w < words; w++) sum = __dp4a(feature[w * n + i], query[w], sum);
  dot[i] = sum;
}

// The square of the distance to the query, summed in f16 in two halves and joined in f32.
extern "C" __global__ void nn_squares_half(const __half2* feature, const __half2* query, int words, int n,
                                           float* square) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 sum = __hsub2(query[0], query[0]);  // 0 in both halves
  for (int w = 0; w < words; w++) {
    __half2 difference = __hsub2(feature[w * n + i], query[w]);
    sum = __hfma2(difference, difference, sum);
  }
  square[i] = __low2float(sum) + __high2float(sum);
}
