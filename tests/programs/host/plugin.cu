// A library with a kernel and a variable, which programs load and let go.
__device__ int calls = 10;
static __global__ void count(int* out, int number) { *out = atomicAdd(&calls, number) + number; }
extern "C" int run(int number) {
  int *out, got = 0;
  if (cudaMallocManaged(&out, sizeof *out) != cudaSuccess) return -1;
  count<<<1, 1>>>(out, number);
  if (cudaDeviceSynchronize() == cudaSuccess) got = *out;
  cudaFree(out);
  return got;
}
