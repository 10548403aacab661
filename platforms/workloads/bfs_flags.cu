// Breadth-first searches that keep their frontier in flags of 32 bits, one thread per node. The graph is that of bfs.cu.

// Set to 1 if a launch has activated a node; the host clears it before each step and stops when it stays 0.
__device__ int bfs_over;

// One kernel per step, with a race (BFSr, [GPUDet:G16]): the thread of a neighbour reads active and visited while this
// one writes active and cost, and clears active itself. Every reachable node is visited; what its cost is in the end
// depends on who comes first.
extern "C" __global__ void bfs_race(const int* first_edge, const int* edges, int* active, int* visited,
                                    int* cost, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  if (!active[v]) return;
  active[v] = 0;
  visited[v] = 1;
  int end = first_edge[v + 1];
  for (int e = first_edge[v]; e < end; e++) {
    int neighbour = edges[e];
    if (!visited[neighbour]) {
      cost[neighbour] = cost[v] + 1;
      active[neighbour] = 1;
      bfs_over = 1;
    }
  }
}

// Two kernels per step, race-free (BFSf): the first marks what becomes active, the second makes it so. Those that write
// the same node in one launch write the same value.
extern "C" __global__ void bfs_expand(const int* first_edge, const int* edges, int* active, int* updating,
                                      const int* visited, int* cost, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  if (!active[v]) return;
  active[v] = 0;
  int end = first_edge[v + 1];
  for (int e = first_edge[v]; e < end; e++) {
    int neighbour = edges[e];
    if (!visited[neighbour]) {
      cost[neighbour] = cost[v] + 1;
      updating[neighbour] = 1;
    }
  }
}

extern "C" __global__ void bfs_update(int* active, int* updating, int* visited, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  if (!updating[v]) return;
  active[v] = 1;
  visited[v] = 1;
  updating[v] = 0;
  bfs_over = 1;
}
