// Searches in a B+ tree. A node has up to 16 keys, ascending. Child i of an inner node leads to the keys from
// its key i - 1 to below its key i. Leaves hold a value for each key and the index of the next leaf.
enum { kBtreeKeys = 16 };

struct BtreeNode {
  int keys;  // how many
  int leaf;  // 0: inner node
  int key[kBtreeKeys];
  int link[kBtreeKeys + 1];  // inner: children, one more than keys; leaf: values, then the next leaf or -1
};

// A CTA of 16 threads a query: each looks at one key of the node, the one in front of the query moves on.
extern "C" __global__ void btree_find(const BtreeNode* nodes, int root, const int* query, int* value) {
  // volatile: clang 14 moves loads of shared variables over barriers.
  volatile __shared__ int next;
  int wanted = query[blockIdx.x];
  int t = threadIdx.x;
  int at = root;
  while (!nodes[at].leaf) {
    const BtreeNode& node = nodes[at];
    bool not_before = t < node.keys && node.key[t] <= wanted;
    bool after = t + 1 >= node.keys || node.key[t + 1] > wanted;
    if (t == 0 && !not_before) next = node.link[0];
    if (not_before && after) next = node.link[t + 1];
    __syncthreads();
    at = next;
    __syncthreads();
  }
  if (t == 0) value[blockIdx.x] = -1;
  __syncthreads();
  if (t < nodes[at].keys && nodes[at].key[t] == wanted) value[blockIdx.x] = nodes[at].link[t];
}

// A thread a query: the number of keys from low to high, and the sum of their values.
extern "C" __global__ void btree_range(const BtreeNode* nodes, int root, const int* low, const int* high,
                                       int n, int* count, int* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int first = low[i], last = high[i];
  int at = root;
  while (!nodes[at].leaf) {
    int child = 0;
    while (child < nodes[at].keys && nodes[at].key[child] <= first) child++;
    at = nodes[at].link[child];
  }
  int found = 0, total = 0;
  while (at >= 0) {
    int k = 0;
    for (; k < nodes[at].keys; k++) {
      int key = nodes[at].key[k];
      if (key > last) break;
      if (key < first) continue;
      found++;
      total += nodes[at].link[k];
    }
    if (k < nodes[at].keys) break;
    at = nodes[at].link[kBtreeKeys];
  }
  count[i] = found;
  sum[i] = total;
}
