// Every thread adds one to a counter under one spin lock, written as for a MIMD machine: [SSDE:K0].
// On a SIMT stack the winner waits behind the loop for its warp's losers, who wait
// for the lock: it hangs.

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

extern "C" __global__ void spin_increment(int* lock, volatile int* counter) {
  do {
    SPIN_LOCK();
  } while (atomicCAS(lock, 0, 1) != 0);
  __threadfence();
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}
