// Tables of functions in constant and global memory, dense switches, goto into and out of loops, if constexpr, assumptions.
#include "check.h"
#include <type_traits>
using Operation = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int power(int a, int b) {
  int result = 1;
  for (int i = 0; i < (b & 7); ++i) result *= a;
  return result;
}
__device__ __noinline__ int larger(int a, int b) { return a > b ? a : b; }
__constant__ Operation constant_table[4] = {add, subtract, power, larger};
__device__ Operation global_table[4] = {larger, power, subtract, add};
template <class T>
__device__ T twice(T x) {
  if constexpr (std::is_integral_v<T>)
    return x << 1;
  else
    return x + x;
}
__device__ int machine(const unsigned char* program, int n) {
  int stack = 1, steps = 0;
again:
  for (int pc = 0; pc < n; ++pc) {
    ++steps;
    switch (program[pc]) {
      case 0: stack += 3; break;
      case 1: stack *= 5; break;
      case 2: stack ^= 0x55; break;
      case 3: stack -= pc; break;
      case 4: stack = stack % 1000 + 1; break;
      case 5: if (steps < 40) goto again; break;
      case 6: if (stack & 1) goto done; break;
      case 7: stack = stack << 2 | 1; break;
      case 8: pc += stack & 1; break;
      default: stack = -stack;
    }
  }
done:
  return stack * 100 + steps;
}
__global__ void run(const unsigned char* program, int* out) {
  const int i = threadIdx.x;
  __builtin_assume(i < 64);
  int value = constant_table[i & 3](i, 3) + global_table[i / 4 & 3](i, 5);
  value += twice(i) + static_cast<int>(twice(i * 0.5f));
  out[i] = value;
  out[64 + i] = machine(program + i % 5, 20);
}
int main() {
  unsigned char program[32], *code;
  int *device, got[128];
  for (int i = 0; i < 32; ++i) program[i] = i * 7 % 10;
  CHECK(cudaMalloc(&code, sizeof program));
  CHECK(cudaMalloc(&device, sizeof got));
  CHECK(cudaMemcpy(code, program, sizeof program, cudaMemcpyHostToDevice));
  run<<<1, 64>>>(code, device);
  CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i += 7) std::printf("%d ", got[i]);
  std::printf("\n");
  for (int i = 64; i < 69; ++i) std::printf("%d ", got[i]);
  std::printf("\n");
  return 0;
}
