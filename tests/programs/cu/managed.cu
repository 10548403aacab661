// Managed memory: a list that host and device walk, a __managed__ variable, many small allocations.
#include "check.h"
struct Node { int value; Node* next; };
__managed__ int calls = 5;
__global__ void doubled(Node* list, int* sum) {
  ++calls;
  for (Node* at = list; at != nullptr; at = at->next) *sum += at->value *= 2;
}
__global__ void told(volatile float* large, int last) {
  large[last] = large[0] + 1;
  __threadfence_system();
}
int main() {
  Node* list = nullptr;
  int* sum;
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  *sum = 0;
  for (int i = 1; i <= 300; ++i) {
    Node* node;
    CHECK(cudaMallocManaged(&node, sizeof(Node)));
    node->value = i;
    node->next = list;
    list = node;
  }
  doubled<<<1, 1>>>(list, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d\n", *sum, list->value, calls);
  list->value = 7;
  *sum = 1;
  calls = 10;
  doubled<<<1, 1>>>(list, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d\n", *sum, list->value, calls);
  float* large;
  CHECK(cudaMallocManaged(&large, 3 << 20));
  CHECK(cudaMemset(large, 0, 3 << 20));
  CHECK(cudaMemPrefetchAsync(large, 3 << 20, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, large + 5));
  std::printf("%d %d\n", attributes.type == cudaMemoryTypeManaged, attributes.devicePointer == attributes.hostPointer);
  large[0] = 41;
  const int last = (3 << 18) - 1;
  told<<<1, 1>>>(large, last);
  const volatile float* const seen = large;  // without a call of CUDA
  while (seen[last] == 0) continue;
  std::printf("%g %g\n", large[last], large[1]);
  while (list != nullptr) {
    Node* next = list->next;
    CHECK(cudaFree(list));
    list = next;
  }
  CHECK(cudaFree(large));
  return 0;
}
