// cuRAND's device functions: headers only.
#include <curand_kernel.h>
#include "check.h"
__global__ void draw(unsigned* out) {
  curandStatePhilox4_32_10_t philox;
  curand_init(1234, threadIdx.x, 0, &philox);
  curandState xorwow;
  curand_init(99, threadIdx.x, 0, &xorwow);
  out[threadIdx.x] = curand(&philox) ^ curand(&xorwow);
}
int main() {
  unsigned *out, host[16], all = 0;
  CHECK(cudaMalloc(&out, sizeof host));
  draw<<<1, 16>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned each : host) all = all * 31 + each;
  std::printf("%u %u\n", host[0], all);
  return 0;
}
