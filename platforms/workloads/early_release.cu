// Critical sections that are left in two places: [SSDE:K10]. Deposits into accounts; what
// is not positive is refused and counted. MIMD form: the locks hang on a SIMT stack.

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

// One lock; a refused deposit gives it back and leaves the kernel at once.
extern "C" __global__ void early_return(const int* account, const int* amount, int n, volatile int* balance,
                                        volatile int* refused, int* locks, int* receipt) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int where = account[t], change = amount[t];
  do {
    SPIN_LOCK();
  } while (atomicCAS(&locks[where], 0, 1) != 0);
  __threadfence();
  if (change <= 0) {
    refused[where] = refused[where] + 1;
    __threadfence();
    atomicExch(&locks[where], 0);
    return;
  }
  balance[where] = balance[where] + change;
  __threadfence();
  atomicExch(&locks[where], 0);
  receipt[t] = change;
}

// Two locks, the account's and that of the branch office it belongs to, given back in both arms.
extern "C" __global__ void early_release(const int* account, const int* amount, int n, int offices,
                                         volatile int* balance, volatile int* refused, volatile int* office,
                                         int* locks, int* office_locks) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int where = account[t], change = amount[t];
  int above = where % offices;
  do {
    SPIN_LOCK();
  } while (atomicCAS(&locks[where], 0, 1) != 0);
  do {
    SPIN_LOCK();
  } while (atomicCAS(&office_locks[above], 0, 1) != 0);
  __threadfence();
  if (change <= 0) {
    refused[where] = refused[where] + 1;
    __threadfence();
    atomicExch(&locks[where], 0);
    atomicExch(&office_locks[above], 0);
  } else {
    balance[where] = balance[where] + change;
    office[above] = office[above] + change;
    __threadfence();
    atomicExch(&locks[where], 0);
    atomicExch(&office_locks[above], 0);
    asm volatile("" : "+r"(t));  // keeps the arms apart
  }
}
