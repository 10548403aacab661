// Pushes of excess flow along the edges of a grid, for a minimum cut by push and relabel: CudaCuts, CC of
// [KiloTM] §4.3. A push changes four words at once; relabelling needs no synchronisation.
//
// Node u of a grid has an edge to each neighbour: capacity[4 * u + d] is what is left of the one in direction d (0 right,
// 1 left, 2 down, 3 up), the way back is d ^ 1. sink[u]: what is left of its edge to the sink. Heights do not change while
// flow is pushed, so at most one end of an edge pushes.
#include "heddle_tx.h"

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

static __device__ __forceinline__ int cuts_neighbour(int u, int d, int width, int height) {
  int x = u % width;
  if (d == 0) return x + 1 < width ? u + 1 : -1;
  if (d == 1) return x > 0 ? u - 1 : -1;
  if (d == 2) return u + width < width * height ? u + width : -1;
  return u >= width ? u - width : -1;
}

// `move(flow, from, to, edge, back)` takes the flow from word `from` of excess and `edge`, and gives it to `to` and `back`:
// pointers, the last two null for the sink.
template <class Move>
static __device__ __forceinline__ void cuts_push(int width, int height, const int* label, volatile int* excess,
                                                 volatile int* capacity, int* sink, Move move) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= width * height) return;
  int left = excess[u];
  if (left <= 0) return;
  int mine = label[u];
  // Directions 0 to 3, then the sink.
#pragma unroll 1
  for (int d = 0; d < 5; d++) {
    int v = d < 4 ? cuts_neighbour(u, d, width, height) : u;
    int room = 0;
    if (d == 4)
      room = sink[u];
    else if (v >= 0 && mine == label[v] + 1)
      room = capacity[4 * u + d];
    int flow = min(left, room);
    if (flow > 0) {
      move(flow, &excess[u], d < 4 ? &excess[v] : nullptr, d < 4 ? &capacity[4 * u + d] : &sink[u],
           d < 4 ? &capacity[4 * v + (d ^ 1)] : nullptr);
      left -= flow;
    }
  }
}

// An atomic addition to each word.
extern "C" __global__ void cuts_push_atomic(int width, int height, const int* label, volatile int* excess,
                                            volatile int* capacity, int* sink, int* /*lock*/) {
  cuts_push(width, height, label, excess, capacity, sink,
            [](int flow, volatile int* from, volatile int* to, volatile int* edge, volatile int* back) {
              atomicAdd(const_cast<int*>(from), -flow);
              atomicAdd(const_cast<int*>(edge), -flow);
              if (to != nullptr) {
                atomicAdd(const_cast<int*>(to), flow);
                atomicAdd(const_cast<int*>(back), flow);
              }
            });
}

static __device__ __forceinline__ void cuts_move(int flow, volatile int* from, volatile int* to, volatile int* edge,
                                                 volatile int* back) {
  *from = *from - flow;
  *edge = *edge - flow;
  if (to != nullptr) {
    *to = *to + flow;
    *back = *back + flow;
  }
}

// One lock for the whole grid.
extern "C" __global__ void cuts_push_coarse(int width, int height, const int* label, volatile int* excess,
                                            volatile int* capacity, int* sink, int* lock) {
  cuts_push(width, height, label, excess, capacity, sink,
            [=](int flow, volatile int* from, volatile int* to, volatile int* edge, volatile int* back) {
              int done = 0;
              while (!done) {
                SPIN_LOCK();
                if (atomicCAS(lock, 0, 1) == 0) {
                  __threadfence();
                  cuts_move(flow, from, to, edge, back);
                  __threadfence();
                  atomicExch(lock, 0);
                  done = 1;
                }
                // Keeps the critical section inside the loop.
                asm volatile("" : "+r"(done));
              }
            });
}

// Each push a transaction.
extern "C" __global__ void cuts_push_tx(int width, int height, const int* label, volatile int* excess,
                                        volatile int* capacity, int* sink, int* /*lock*/) {
  cuts_push(width, height, label, excess, capacity, sink,
            [](int flow, volatile int* from, volatile int* to, volatile int* edge, volatile int* back) {
              tx_begin();
              cuts_move(flow, from, to, edge, back);
              tx_commit();
            });
}

// Nodes with excess and nowhere to push it rise above their lowest neighbour.
extern "C" __global__ void cuts_relabel(int width, int height, const int* label, int* next, const int* excess,
                                        const int* capacity, const int* sink) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= width * height) return;
  int mine = label[u];
  if (excess[u] > 0) {
    int lowest = sink[u] > 0 ? 0 : 1 << 29;
    for (int d = 0; d < 4; d++) {
      int v = cuts_neighbour(u, d, width, height);
      if (v >= 0 && capacity[4 * u + d] > 0) lowest = min(lowest, label[v]);
    }
    if (lowest >= mine && lowest < 1 << 29) mine = lowest + 1;
  }
  next[u] = mine;
}
