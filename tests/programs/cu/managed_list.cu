// Structures with pointers in managed memory: a tree that the host builds and kernels search and change, and __managed__ variables.
#include <new>
#include "check.h"
struct Node {
  int key, hits;
  Node *left, *right;
};
__managed__ int found = 0;
__managed__ Node* root = nullptr;
__managed__ double table[16];
static void insert(Node** at, int key) {
  while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  void* memory;
  CHECK(cudaMallocManaged(&memory, sizeof(Node)));
  *at = new (memory) Node{key, 0, nullptr, nullptr};
}
__global__ void search(int n) {
  const int key = threadIdx.x;
  if (key >= n) return;
  for (Node* node = root; node; node = key < node->key ? node->left : node->right)
    if (node->key == key) {
      atomicAdd(&node->hits, 1 + key);
      atomicAdd(&found, 1);
      break;
    }
  if (key < 16) table[key] += key * 0.5;
}
static int sum(const Node* node) { return node ? node->hits + sum(node->left) + sum(node->right) : 0; }
int main() {
  for (int i = 0; i < 16; ++i) table[i] = i;
  for (int i = 0; i < 40; ++i) insert(&root, (i * 37) % 101);
  search<<<1, 128>>>(101);
  CHECK(cudaDeviceSynchronize());
  const int first = sum(root);
  insert(&root, 1000);
  for (int i = 0; i < 10; ++i) insert(&root, 2 + (40 + i) * 37 % 101 * 0 + 200 + i);
  search<<<1, 128>>>(101);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d found, %d twice %s, table %g\n", found, first, sum(root) == 2 * first ? "as much" : "not", table[15]);
  return 0;
}
