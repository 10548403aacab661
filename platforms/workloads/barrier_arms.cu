// A barrier in each arm of a branch: every thread changes its neighbour's element before the barrier and its
// own after it. Threads of both arms meet at the barrier.

// SIMT-safe: all threads of a warp take the same arm.
extern "C" __global__ void barrier_arms(const int* in, int* out) {
  __shared__ int element[256];
  int t = threadIdx.x, neighbour = (t + 1) % blockDim.x;
  int global = blockIdx.x * blockDim.x + t;
  element[t] = in[global];
  __syncthreads();
  if (t / 32 % 2 != 0) {
    element[neighbour] += 1;
    __syncthreads();
    asm volatile("" : "+r"(t));  // keeps clang from merging the arms and their barriers
    element[t] *= 3;
  } else {
    element[neighbour] -= 1;
    __syncthreads();
    element[t] *= 5;
  }
  out[global] = element[t];
}

// MIMD form: the lanes of a warp take different arms. On a SIMT stack the first arm's lanes wait at their
// barrier for those that have not run yet.
extern "C" __global__ void barrier_arms_mimd(const int* in, int* out) {
  __shared__ int element[256];
  int t = threadIdx.x, neighbour = (t + 1) % blockDim.x;
  int global = blockIdx.x * blockDim.x + t;
  element[t] = in[global];
  __syncthreads();
  if (t % 2 != 0) {
    element[neighbour] += 1;
    __syncthreads();
    asm volatile("" : "+r"(t));  // keeps clang from merging the arms and their barriers
    element[t] *= 3;
  } else {
    element[neighbour] -= 1;
    __syncthreads();
    element[t] *= 5;
  }
  out[global] = element[t];
}

// The test of [AWARE:G7]: a CTA is one warp, its odd and even lanes meet at a barrier in each arm.
extern "C" __global__ void barrier_divergent(volatile int* element) {
  volatile int* a = element + 32 * blockIdx.x;
  int t = threadIdx.x;
  if (t % 2 != 0) {
    a[(t + 1) % 32] = a[(t + 1) % 32] + 1;
    __syncthreads();
    asm volatile("" : "+r"(t));  // keeps clang from merging the arms and their barriers
    a[t] = a[t] + 3;
  } else {
    a[(t + 1) % 32] = a[(t + 1) % 32] - 1;
    __syncthreads();
    a[t] = a[t] - 3;
  }
}
