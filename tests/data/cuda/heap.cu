// malloc, free, new and delete in kernels; assert.
#include <assert.h>

#include <cstdio>

struct Node {
  int value;
  Node* next;
};

// Every thread makes a list of `length` nodes of its own, sums it up and frees it.
extern "C" __global__ void lists(int length, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node* list = nullptr;
  for (int k = 0; k < length; ++k) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    if (node == nullptr) break;
    node->value = i + k;
    node->next = list;
    list = node;
  }
  int sum = 0;
  while (list != nullptr) {
    sum += list->value;
    Node* next = list->next;
    free(list);
    list = next;
  }
  sums[i] = sum;
}

// Blocks live on after the launch.
extern "C" __global__ void keep(int** kept) {
  int* block = new int[4];
  for (int k = 0; k < 4; ++k) block[k] = 10 * threadIdx.x + k;
  kept[threadIdx.x] = block;
}
extern "C" __global__ void use(int** kept, int* sums) {
  const int* block = kept[threadIdx.x];
  sums[threadIdx.x] = block[0] + block[1] + block[2] + block[3];
  delete[] block;
}

// The number of blocks of that size until malloc gives none.
extern "C" __global__ void exhaust(unsigned long long bytes, int* count) {
  int n = 0;
  while (void* p = malloc(bytes)) ++n;
  *count = n;
}

extern "C" __global__ void twice(void** out) {
  void* p = malloc(24);
  *out = p;
  free(p);
  free(p);
}
extern "C" __global__ void wild(char* buffer) { free(buffer + 16); }
extern "C" __global__ void beyond(int n) {
  char* p = static_cast<char*>(malloc(40));
  p[n] = 1;
}
extern "C" __global__ void after(int* out) {
  int* p = static_cast<int*>(malloc(40));
  p[0] = 1;
  free(p);
  *out = p[0];
}

extern "C" __global__ void asserts(const int* values) { assert(values[threadIdx.x] < 100); }
