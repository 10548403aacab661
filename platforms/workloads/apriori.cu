// Pairs of items that occur together in records, counted in a chained hash table of candidates that grows as they are found:
// the second level of Apriori, AP of [KiloTM] §4.3. A record has up to 6 items: item i is bits 10 * i to 10 * i + 9, how
// many there are the upper 4 bits.
#include "heddle_tx.h"

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

enum { kAprioriPairs = 15 };  // of a record, at most

struct AprioriCandidate {
  unsigned pair;   // first item * 65536 + second item
  unsigned count;  // records that have both
  unsigned next;   // index of the next candidate of the chain plus one; 0: end
};

static __device__ __forceinline__ unsigned apriori_bucket(unsigned pair, unsigned hash_shift) {
  return (pair * 2654435761u) >> hash_shift;
}

// Counts a pair; if it is new, candidate `fresh` is put in front of its chain.
template <class Candidates, class Heads>
static __device__ __forceinline__ void apriori_count(unsigned pair, unsigned fresh, Candidates candidates,
                                                     Heads heads, unsigned bucket) {
  unsigned first = heads[bucket];
  unsigned link = first;
  while (link != 0 && candidates[link - 1].pair != pair) link = candidates[link - 1].next;
#ifdef __CUDA_ARCH__
  // The lanes of a warp go on together: compilers jump out of the loop to what follows for each lane by itself.
  asm volatile("" : "+r"(link));
#endif
  if (link != 0) {
    candidates[link - 1].count = candidates[link - 1].count + 1;
  } else {
    candidates[fresh].pair = pair;
    candidates[fresh].count = 1;
    candidates[fresh].next = first;
    heads[bucket] = fresh + 1;
  }
}

// with_pair(pair, number of the pair within the record) for all pairs of a record.
template <class WithPair>
static __device__ __forceinline__ void apriori_pairs(unsigned long long record, WithPair with_pair) {
  unsigned count = (unsigned)(record >> 60);
  unsigned number = 0;
#pragma unroll 1
  for (unsigned i = 0; i + 1 < count; i++) {
    unsigned first = (unsigned)(record >> 10 * i & 1023) << 16;
#pragma unroll 1
    for (unsigned j = i + 1; j < count; j++) with_pair(first + (unsigned)(record >> 10 * j & 1023), number++);
  }
}

// A lock for each bucket, taken for a pair at a time.
extern "C" __global__ void apriori_fine(const unsigned long long* records, unsigned n, volatile AprioriCandidate* candidates,
                                        volatile unsigned* heads, int* locks, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += stride)
    apriori_pairs(records[r], [=](unsigned pair, unsigned number) {
      unsigned bucket = apriori_bucket(pair, hash_shift);
      int done = 0;
      while (!done) {
        SPIN_LOCK();
        if (atomicCAS(&locks[bucket], 0, 1) == 0) {
          __threadfence();
          apriori_count(pair, r * kAprioriPairs + number, candidates, heads, bucket);
          __threadfence();
          atomicExch(&locks[bucket], 0);
          done = 1;
        }
        // Keeps the critical section inside the loop.
        asm volatile("" : "+r"(done));
      }
    });
}

// One lock for the whole table, locks[0], taken for a record at a time.
extern "C" __global__ void apriori_coarse(const unsigned long long* records, unsigned n, volatile AprioriCandidate* candidates,
                                          volatile unsigned* heads, int* locks, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += stride) {
    unsigned long long record = records[r];
    int done = 0;
    while (!done) {
      SPIN_LOCK();
      if (atomicCAS(locks, 0, 1) == 0) {
        __threadfence();
        apriori_pairs(record, [=](unsigned pair, unsigned number) {
          apriori_count(pair, r * kAprioriPairs + number, candidates, heads, apriori_bucket(pair, hash_shift));
        });
        __threadfence();
        atomicExch(locks, 0);
        done = 1;
      }
      // Keeps the critical section inside the loop.
      asm volatile("" : "+r"(done));
    }
  }
}

// Each record a transaction.
extern "C" __global__ void apriori_tx(const unsigned long long* records, unsigned n, AprioriCandidate* candidates, unsigned* heads,
                                      int* /*locks*/, unsigned hash_shift) {
#if defined(__CUDACC__) || defined(__CUDA__)
  // Its loops wait for nobody, and the transformation would jump out of the transaction.
  asm volatile(".pragma \"heddle nossde\";");
#endif
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += stride) {
    unsigned long long record = records[r];
    tx_begin();
    apriori_pairs(record, [=](unsigned pair, unsigned number) {
      apriori_count(pair, r * kAprioriPairs + number, candidates, heads, apriori_bucket(pair, hash_shift));
    });
    tx_commit();
  }
}
