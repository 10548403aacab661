// Threads that wait for others of their own warp, as independent thread scheduling allows: a triangular solver without levels, locks of
// every kind, a hash table with a lock a bucket, flags between neighbours, a chain and a barrier of blocks.
#include <cmath>
#include <vector>
#include "check.h"

__global__ void solve(const int* row, const int* column, const float* value, const float* right, volatile float* x, volatile int* done, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = row[i]; j < row[i + 1] - 1;) {
    if (done[column[j]] == 0) continue;
    sum += value[j] * x[column[j]];
    ++j;
  }
  x[i] = (right[i] - sum) / value[row[i + 1] - 1];
  __threadfence();
  done[i] = 1;
}

__device__ int lock;
__device__ unsigned ticket, serving;

__global__ void flag_lock(volatile int* count) {
  for (bool leave = false; !leave;) {
    if (atomicCAS(&lock, 0, 1) != 0) continue;
    *count = *count + 1;
    __threadfence();
    leave = true;
    atomicExch(&lock, 0);
  }
}

__global__ void spin_lock(volatile int* count) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  *count = *count + 1;
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void ticket_lock(volatile int* count) {
  const unsigned mine = atomicAdd(&ticket, 1);
  while (atomicAdd(&serving, 0) != mine) {
  }
  *count = *count + 1;
  __threadfence();
  atomicAdd(&serving, 1);
}

__global__ void neighbours(volatile int* flag, int* out) {
  if (threadIdx.x % 2 == 1) {
    flag[threadIdx.x] = threadIdx.x;
  } else {
    while (flag[threadIdx.x + 1] == 0) {
    }
    out[threadIdx.x] = flag[threadIdx.x + 1];
  }
}

__global__ void chain(volatile int* flag, volatile int* sum) {
  if (threadIdx.x != 0) return;
  const int i = blockIdx.x;
  if (i > 0)
    while (flag[i - 1] == 0) {
    }
  __threadfence();
  sum[i] = (i > 0 ? sum[i - 1] : 0) + i;
  __threadfence();
  flag[i] = 1;
}

__device__ int arrived;

__global__ void blocks_meet(volatile int* out, int blocks) {
  __shared__ int next;
  out[blockIdx.x] = blockIdx.x + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < blocks) {
    }
    next = out[(blockIdx.x + 1) % blocks];
  }
  __syncthreads();
  if (threadIdx.x == 5) out[blocks + blockIdx.x] = next;
}

__global__ void insert(volatile unsigned* key, volatile unsigned* times, int* locks, int buckets, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned at = in[i] * 2654435761u % buckets;;) {
    if (atomicCAS(locks + at, 0, 1) != 0) continue;
    const bool here = key[at] == 0 || key[at] == in[i];
    if (here) {
      key[at] = in[i];
      times[at] = times[at] + 1;
    }
    __threadfence();
    atomicExch(locks + at, 0);
    if (here) return;
    at = (at + 1) % buckets;
  }
}

template <class T>
T* managed(size_t count) {
  T* memory;
  CHECK(cudaMallocManaged(&memory, count * sizeof(T)));
  for (size_t i = 0; i < count; ++i) memory[i] = 0;
  return memory;
}

int main() {
  constexpr int kRows = 300;
  int *row = managed<int>(kRows + 1), *column = managed<int>(4 * kRows), *done = managed<int>(kRows);
  float *value = managed<float>(4 * kRows), *right = managed<float>(kRows), *x = managed<float>(kRows);
  std::vector<float> reference(kRows);
  int filled = 0;
  for (int i = 0; i < kRows; ++i) {
    row[i] = filled;
    float sum = 0;
    for (const int back : {7, 2, 1}) {
      if (i < back) continue;
      column[filled] = i - back;
      value[filled++] = 0.25f;
      sum += 0.25f * reference[i - back];
    }
    column[filled] = i;
    value[filled++] = 2;
    right[i] = i % 7 + 1;
    reference[i] = (right[i] - sum) / 2;
  }
  row[kRows] = filled;
  solve<<<3, 128>>>(row, column, value, right, x, done, kRows);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < kRows; ++i) wrong += std::fabs(x[i] - reference[i]) > 1e-5f;
  std::printf("solver: %d wrong\n", wrong);

  int* words = managed<int>(2048);
  flag_lock<<<3, 64>>>(words);
  spin_lock<<<2, 48>>>(words + 1);
  ticket_lock<<<2, 40>>>(words + 2);
  neighbours<<<1, 64>>>(words + 100, words + 200);
  chain<<<40, 32>>>(words + 300, words + 400);
  blocks_meet<<<8, 64>>>(words + 500, 8);
  CHECK(cudaDeviceSynchronize());
  std::printf("locks: %d %d %d\n", words[0], words[1], words[2]);
  std::printf("neighbours: %d %d, chain: %d, blocks: %d %d\n", words[200], words[262], words[439], words[508], words[515]);

  constexpr int kBuckets = 101, kKeys = 300;
  unsigned *key = managed<unsigned>(kBuckets), *times = managed<unsigned>(kBuckets), *in = managed<unsigned>(kKeys);
  int* locks = managed<int>(kBuckets);
  for (int i = 0; i < kKeys; ++i) in[i] = i % 50 + 1;
  insert<<<3, 128>>>(key, times, locks, kBuckets, in, kKeys);
  CHECK(cudaDeviceSynchronize());
  int keys = 0, six = 0;
  for (int i = 0; i < kBuckets; ++i) {
    keys += key[i] != 0;
    six += times[i] == 6;
  }
  std::printf("table: %d keys, %d of them six times\n", keys, six);
  return wrong;
}
