// Loads and stores with cache operators, atomics of doubles, barriers that reduce, blocks of three dimensions.
#include "check.h"
__global__ void move(const int* __restrict__ in, int* __restrict__ out, double* sum, int* flags) {
  const int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) + blockIdx.x * 96;
  int value = __ldg(in + i);
  value += __ldcs(in + i) + __ldcg(in + i) + __ldca(in + i) + __ldcv(in + i) + __ldlu(in + i);
  const int4 four = __ldg(reinterpret_cast<const int4*>(in) + i / 4);
  __stcs(out + i, value + four.z);
  __stwt(out + i + 192, value - four.w);
  __stcg(out + i + 384, 7 * value);
  atomicAdd(sum, 0.25 * value);
  atomicAdd_block(flags + 3, 1);
  atomicInc(reinterpret_cast<unsigned*>(flags + 4), 100);
  atomicMax(flags + 5, value);
  if (__syncthreads_or(value == 600)) flags[0] = 1;
  if (__syncthreads_and(value >= 0)) flags[1] = 1;
  const int odd = __syncthreads_count(value & 1);
  if (i % 96 == 0) atomicAdd(flags + 2, odd);
}
int main() {
  int *in, *out, *flags, host[192], got[576], marks[6];
  double *sum, total = 0;
  for (int i = 0; i < 192; ++i) host[i] = i * 5 % 101;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof got));
  CHECK(cudaMalloc(&flags, sizeof marks));
  CHECK(cudaMalloc(&sum, sizeof total));
  CHECK(cudaMemset(flags, 0, sizeof marks));
  CHECK(cudaMemset(sum, 0, sizeof total));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  move<<<2, dim3(8, 4, 3)>>>(in, out, sum, flags);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(marks, flags, sizeof marks, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %g\n", got[17], got[209], got[401], total);
  for (int each : marks) std::printf("%d ", each);
  std::printf("\n");
  return 0;
}
