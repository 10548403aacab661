// For the tests of machine code with its program's lines: nvcc 13.0 -arch=sm_90 -O3 -lineinfo -cubin lines.cu
extern "C" __global__ void sum_of_squares(const float* x, float* out, unsigned n) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned k = first; k < n; k += gridDim.x * blockDim.x)
    sum += x[k] * x[k];
  out[first] = sum;
}

extern "C" __global__ void await(volatile unsigned* flag) {
  while (*flag == 0) {
  }
}
