// Travelling salesman by hill climbing: each climber starts from a random tour, improves it by reversing
// parts of it (2-opt) until no reversal helps, and then reports it under one global lock, which the lanes of
// a warp take one after the other: [SSDE:K5].

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

enum { kTspCities = 80 };  // at most

extern "C" __global__ void tsp_climb(const int* distance, int cities, int climbers, unsigned seed, int* lock,
                                     volatile int* best_length, volatile int* best_climber,
                                     volatile int* best_tour) {
  unsigned char tour[kTspCities];
  int stride = gridDim.x * blockDim.x;
  for (int climber = blockIdx.x * blockDim.x + threadIdx.x; climber < climbers; climber += stride) {
    unsigned random = seed + climber * 2654435761u;
    for (int i = 0; i < cities; i++) tour[i] = i;
    for (int i = cities - 1; i > 0; i--) {
      random = random * 1664525u + 1013904223u;
      int j = __umulhi(random, i + 1);
      unsigned char swapped = tour[i];
      tour[i] = tour[j];
      tour[j] = swapped;
    }
    int improved = 1;
    while (improved) {
      improved = 0;
      for (int i = 0; i < cities - 2; i++) {
        for (int j = i + 2; j < cities; j++) {
          int next = j + 1 == cities ? 0 : j + 1;
          if (next == i) continue;
          int a = tour[i], b = tour[i + 1], c = tour[j], d = tour[next];
          int gain = distance[a * cities + b] + distance[c * cities + d] - distance[a * cities + c] -
                     distance[b * cities + d];
          if (gain <= 0) continue;
          for (int left = i + 1, right = j; left < right; left++, right--) {
            unsigned char swapped = tour[left];
            tour[left] = tour[right];
            tour[right] = swapped;
          }
          improved = 1;
        }
      }
    }
    int length = distance[tour[cities - 1] * cities + tour[0]];
    for (int i = 0; i + 1 < cities; i++) length += distance[tour[i] * cities + tour[i + 1]];

    for (int lane = 0; lane < 32; lane++) {
      if ((int)(threadIdx.x % 32) == lane) {
        do {
          SPIN_LOCK();
        } while (atomicCAS(lock, 0, 1) != 0);
        __threadfence();
        int best = *best_length;
        // Of equal tours the one of the first climber, so that the result does not depend on the order.
        if (length < best || (length == best && climber < *best_climber)) {
          *best_length = length;
          *best_climber = climber;
          for (int i = 0; i < cities; i++) best_tour[i] = tour[i];
        }
        __threadfence();
        atomicExch(lock, 0);
      }
      // Keeps the lanes' turns apart.
      asm volatile("" : "+r"(lane));
    }
  }
}
