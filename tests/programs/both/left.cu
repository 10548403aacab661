// Three launches in three streams. The second has more local memory than addresses (1.5 TiB): it alone has an error, then or when the program waits.
#include "../cu/check.h"
__global__ void add(int* sum, int number) { atomicAdd(sum, number); }
__global__ void deep(int* sum) {
  volatile char own[400000];
  for (int i = 0; i < 400000; i += 1000) own[i] = static_cast<char>(i);
  atomicAdd(sum, own[clock() % 400]);
}
int main() {
  int *sums, got[2];
  CHECK(cudaMalloc(&sums, sizeof got));
  CHECK(cudaMemset(sums, 0, sizeof got));
  cudaStream_t streams[3];
  for (cudaStream_t& each : streams) CHECK(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
  add<<<1, 64, 0, streams[0]>>>(&sums[0], 1);
  deep<<<4096, 1024, 0, streams[1]>>>(&sums[0]);
  const cudaError_t at_launch = cudaGetLastError();
  add<<<1, 64, 0, streams[2]>>>(&sums[1], 2);
  const cudaError_t at_wait = cudaDeviceSynchronize();
  (void)cudaGetLastError();
  CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%s %d %d\n", cudaGetErrorName(at_launch != cudaSuccess ? at_launch : at_wait), got[0], got[1]);
  return 0;
}
