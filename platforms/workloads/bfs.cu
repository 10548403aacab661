// One level of a breadth-first search, one thread per node. The graph is in CSR form: the neighbours of v are
// edges[first_edge[v]] .. edges[first_edge[v + 1] - 1]. level[v] is -1 until v is reached. Several threads
// may reach the same node at once: all of them write the same level, so the result does not depend on who is
// first. level is volatile, because other CTAs write it during the kernel and L1 caches are not coherent.

// Set to 1 if this level reached a new node; the host clears it before each level and stops when it stays 0.
__device__ int bfs_changed;

extern "C" __global__ void bfs_level(const int* first_edge, const int* edges, volatile int* level, int nodes,
                                     int depth) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  if (level[v] != depth) return;
  int end = first_edge[v + 1];
  for (int e = first_edge[v]; e < end; e++) {
    int neighbour = edges[e];
    if (level[neighbour] < 0) {
      level[neighbour] = depth + 1;
      bfs_changed = 1;
    }
  }
}
