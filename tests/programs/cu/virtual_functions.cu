// Objects with virtual functions that a kernel makes, multiple inheritance, function pointers, recursion.
#include "check.h"
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Named {
  int name;
  __device__ explicit Named(int n) : name(n) {}
  __device__ virtual int label() const { return name; }
};
struct Square : Shape, Named {
  float side;
  __device__ explicit Square(float s) : Named(4), side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
  __device__ int label() const override { return Named::label() * 10; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius; }
};
__global__ void make(Shape** shapes, Named** named, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  if (i % 2 == 0) {
    Square* s = new Square(i);
    shapes[i] = s;
    named[i] = s;
  } else {
    shapes[i] = new Circle(i);
    named[i] = nullptr;
  }
}
__global__ void use(Shape** shapes, Named** named, float* areas, int* numbers, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  areas[i] = shapes[i]->area();
  numbers[i] = shapes[i]->corners() + (named[i] ? named[i]->label() : 0);
}
__global__ void drop(Shape** shapes) { delete shapes[threadIdx.x]; }
using Operation = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[2] = {plus, times};
__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void calls(int* out) {
  const int i = threadIdx.x;
  out[i] = operations[i % 2](i, 7);
  if (i == 31) out[i] = ackermann(2, 3);
}
int main() {
  const int n = 20;
  Shape** shapes;
  Named** named;
  float *areas, host_areas[n];
  int *numbers, host_numbers[32];
  CHECK(cudaMalloc(&shapes, n * sizeof *shapes));
  CHECK(cudaMalloc(&named, n * sizeof *named));
  CHECK(cudaMalloc(&areas, n * sizeof(float)));
  CHECK(cudaMalloc(&numbers, 32 * sizeof(int)));
  make<<<1, 32>>>(shapes, named, n);
  use<<<1, 32>>>(shapes, named, areas, numbers, n);
  CHECK(cudaMemcpy(host_areas, areas, sizeof host_areas, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host_numbers, numbers, n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host_areas[i] != (i % 2 ? 3.f : 1.f) * i * i || host_numbers[i] != (i % 2 ? 0 : 44);
  drop<<<1, n>>>(shapes);
  calls<<<1, 32>>>(numbers);
  CHECK(cudaMemcpy(host_numbers, numbers, sizeof host_numbers, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 31; ++i) wrong += host_numbers[i] != (i % 2 ? i * 7 : i + 7);
  std::printf("%d wrong, %d\n", wrong, host_numbers[31]);
  return wrong;
}
