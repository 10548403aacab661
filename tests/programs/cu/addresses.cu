// Addresses as data: a function's, a variable's, a buffer's, of a list in the heap, each read by the host.
#include "check.h"
struct Item { int value; Item* next; };
__device__ int twice(int x) { return 2 * x; }
__device__ int (*function)(int) = twice;
__device__ int variable[4];
__device__ int* inside = variable + 2;
__device__ Item* list;
__global__ void build(int n) {
  for (int i = 0; i < n; ++i) list = new Item{i, list};
}
__global__ void where(int core, int** to, int* from) {
  unsigned here;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(here));
  *to = from + (core ? here : 5);
}
__global__ void use(int (*f)(int), int* out) { *out = f(list->next->value + 20); }
int main(int argc, char**) {
  int *buffer, **slot, *at, result = 0, (*called)(int);
  Item* head;
  CHECK(cudaMalloc(&buffer, 1024));
  CHECK(cudaMalloc(&slot, sizeof *slot));
  build<<<1, 1>>>(3);
  CHECK(cudaMemcpyFromSymbol(&called, function, sizeof called));
  CHECK(cudaMemcpyFromSymbol(&at, inside, sizeof at));
  CHECK(cudaMemcpyFromSymbol(&head, list, sizeof head));
  use<<<1, 1>>>(called, buffer);
  CHECK(cudaMemcpy(&result, buffer, sizeof result, cudaMemcpyDeviceToHost));
  where<<<1, 1>>>(argc > 1, slot, buffer);
  CHECK(cudaMemcpy(&at, slot, sizeof at, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", result, argc > 1 || at == buffer + 5);
  return 0;
}
