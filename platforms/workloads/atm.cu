// Bank transfers under two locks, one per account, taken in ascending order and given back when the second
// one is busy: [SSDE:K3]. The releases are inside the loop, so that no lane waits for its
// own warp.

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

struct Transfer {
  int from;
  int to;  // never the same account as `from`
  int amount;
};

// balance is volatile: other CTAs change it during the kernel and L1 caches are not coherent.
extern "C" __global__ void bank_transfer(const Transfer* transfers, int n, volatile int* balance,
                                         int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    int from = transfers[t].from, to = transfers[t].to, amount = transfers[t].amount;
    // Ordered, so that two lanes of a warp cannot take each other's second lock for ever.
    int first = from < to ? from : to;
    int second = from < to ? to : from;
    int done = 0;
    while (!done) {
      SPIN_LOCK();
      if (atomicCAS(&locks[first], 0, 1) == 0) {
        if (atomicCAS(&locks[second], 0, 1) == 0) {
          __threadfence();
          balance[from] = balance[from] - amount;
          balance[to] = balance[to] + amount;
          __threadfence();
          atomicExch(&locks[second], 0);
          atomicExch(&locks[first], 0);
          done = 1;
        } else {
          atomicExch(&locks[first], 0);
        }
      }
      // Without this both compilers move the critical section behind the loop: the SIMT-deadlock form.
      asm volatile("" : "+r"(done));
    }
  }
}

// MIMD form, each lock released behind its own waiting loop ([SSDE:K4]): hangs on a SIMT stack.
extern "C" __global__ void bank_transfer_mimd(const Transfer* transfers, int n, volatile int* balance,
                                              int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    int from = transfers[t].from, to = transfers[t].to, amount = transfers[t].amount;
    int first = from < to ? from : to;
    int second = from < to ? to : from;
    do {
      SPIN_LOCK();
    } while (atomicCAS(&locks[first], 0, 1) != 0);
    do {
      SPIN_LOCK();
    } while (atomicCAS(&locks[second], 0, 1) != 0);
    __threadfence();
    balance[from] = balance[from] - amount;
    balance[to] = balance[to] + amount;
    __threadfence();
    atomicExch(&locks[second], 0);
    atomicExch(&locks[first], 0);
  }
}

// K1 with one lock for all accounts: locks[0].
extern "C" __global__ void bank_transfer_coarse(const Transfer* transfers, int n, volatile int* balance,
                                                int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    int from = transfers[t].from, to = transfers[t].to, amount = transfers[t].amount;
    int done = 0;
    while (!done) {
      SPIN_LOCK();
      if (atomicCAS(locks, 0, 1) == 0) {
        __threadfence();
        balance[from] = balance[from] - amount;
        balance[to] = balance[to] + amount;
        __threadfence();
        atomicExch(locks, 0);
        done = 1;
      }
      // Keeps the critical section inside the loop.
      asm volatile("" : "+r"(done));
    }
  }
}
