// Machine code may address what a card has allocated for a CTA, which is more than its kernel asks for: a vector reaches past the last
// variable, and dynamic memory begins at a multiple of 16 bytes.
#include <cstdio>

__global__ void past_the_end(float* out) {
  __shared__ float five[5];
  if (threadIdx.x < 5) five[threadIdx.x] = static_cast<float>(threadIdx.x + 1);
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(five)) + 16 * (threadIdx.x / 32);
  float of_one[4];
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(of_one[0]), "=f"(of_one[1]), "=f"(of_one[2]), "=f"(of_one[3])
               : "r"(at));
  if (threadIdx.x % 32 == 0)  // the third warp's are all past the end
    for (int i = 0; i < 4; ++i) out[threadIdx.x / 32 * 4 + i] = of_one[i];
}

__global__ void dynamic_part(int* out, int words) {
  extern __shared__ int dynamic[];
  __shared__ char odd[5];
  if (threadIdx.x < 5) odd[threadIdx.x] = static_cast<char>(threadIdx.x * 10);
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) dynamic[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = dynamic[words - 1] * 100 + odd[4];
}

int main() {
  float* values = nullptr;
  int* number = nullptr;
  cudaMalloc(&values, 12 * sizeof(float));
  cudaMalloc(&number, sizeof(int));
  past_the_end<<<1, 96>>>(values);
  dynamic_part<<<1, 32, 31 * sizeof(int)>>>(number, 31);
  float host[12] = {};
  int last = 0;
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaMemcpy(&last, number, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%g %g %d %s\n", host[3], host[4], last, cudaGetErrorName(error));
  return 0;
}
