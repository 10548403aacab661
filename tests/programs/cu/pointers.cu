// Recursion, function pointers, virtual functions, local arrays.
#include "check.h"
struct Shape { __device__ virtual int area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { int a; __device__ explicit Square(int x) : a(x) {} __device__ int area() const override { return a * a; } };
struct Row : Shape { int a; __device__ explicit Row(int x) : a(x) {} __device__ int area() const override { return a; } };
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int twice(int x) { return 2 * x; }
__device__ int cube(int x) { return x * x * x; }
__device__ int (*table[2])(int) = {twice, cube};
__global__ void run(int* out) {
  const int t = threadIdx.x;
  const Square square(t);
  const Row row(t);
  const Shape* shape = t % 2 ? static_cast<const Shape*>(&square) : &row;
  int local[8];
  for (int i = 0; i < 8; ++i) local[(i * 3 + t) % 8] = i;
  out[t] = fibonacci(t % 7) + table[t % 2](t) + shape->area() + local[t % 8];
}
int main() {
  int *out, host[32], sum = 0;
  CHECK(cudaMalloc(&out, sizeof host));
  run<<<1, 32>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) sum += host[i];
  std::printf("%d %d %d\n", sum, host[5], host[31]);
  return 0;
}
