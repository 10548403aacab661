// Task queues under locks, drained by all threads: the loop of Radiosity, [SSDE:K11]. The
// lock is given back in two places, one of which leaves the loop. MIMD form: hangs on a SIMT stack.

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

// Thread t takes tasks from queue t modulo `queues` until the queue is empty or it has had `limit` of them.
// Queue q holds tasks q * length .. q * length + length - 1; next[q]: the first that nobody took. A task is a
// number, its result the steps that it needs to 1 in Collatz's sequence.
extern "C" __global__ void task_drain(const unsigned* tasks, int queues, int length, int limit,
                                      volatile int* next, volatile int* closed, int* locks, int* result) {
  int q = (blockIdx.x * blockDim.x + threadIdx.x) % queues;
  int taken = 0;
  do {
    do {
      SPIN_LOCK();
    } while (atomicCAS(&locks[q], 0, 1) != 0);
    __threadfence();
    int at = next[q];
    if (at == length) {
      closed[q] = 1;
      __threadfence();
      atomicExch(&locks[q], 0);
      break;
    }
    next[q] = at + 1;
    __threadfence();
    atomicExch(&locks[q], 0);
    unsigned x = tasks[q * length + at];
    int steps = 0;
    while (x != 1) {
      x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      steps++;
    }
    result[q * length + at] = steps;
    taken++;
  } while (taken < limit);
}
