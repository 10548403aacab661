// Compiled to machine code and PTX: one kernel's machine code is executed, the other's (tensor cores) is not. Both use the same variables.
#include <mma.h>
#include "../cu/check.h"
using namespace nvcuda;
__device__ int counter = 5;
__constant__ float factor = 1.f;
__device__ float results[256];
static __device__ int own = 1;
__global__ void plain(int* out) {
  if (threadIdx.x == 0) counter += 100, own *= 3;
  if (threadIdx.x == 0) *out = counter;
  results[threadIdx.x] = threadIdx.x;
}
__global__ void tensor(const __half* a, const __half* b) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(c, results, 16, wmma::mem_row_major);
  for (int i = 0; i < c.num_elements; ++i) c.x[i] *= factor;
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(results, c, 16, wmma::mem_row_major);
  if (threadIdx.x == 0) counter += 1, own += 1;
}
int main() {
  int *out, count = 0;
  __half *matrix, host[256];
  float given = 2, got[256];
  for (int i = 0; i < 256; ++i) host[i] = __float2half(i % 17 == 0 ? 1.f : 0.f);  // the identity
  CHECK(cudaMalloc(&out, 4));
  CHECK(cudaMalloc(&matrix, sizeof host));
  CHECK(cudaMemcpy(matrix, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(factor, &given, sizeof given));
  plain<<<1, 256>>>(out);
  tensor<<<1, 32>>>(matrix, matrix);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&count, out, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(got, results, sizeof got));
  int other = 0;
  CHECK(cudaMemcpyFromSymbol(&other, own, sizeof other));
  std::printf("%d %g %g %g %d\n", count, got[0], got[17], got[200], other);
  return 0;
}
