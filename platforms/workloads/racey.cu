// Racey (Hill and Xu) for a GPU ([GPUDet:G18]): threads mix words of a shared array into their signatures and
// back, without any synchronisation, so that every change of the order of two accesses changes all that follows.

// A value below 2^27 with a check of its bits in the five above them: a word that no thread has written is seen.
static __device__ __forceinline__ unsigned racey_seal(unsigned value) {
  unsigned fold = value ^ (value >> 5) ^ (value >> 10) ^ (value >> 15) ^ (value >> 20) ^ (value >> 25);
  return value | (fold & 31u) << 27;
}

// Below 103072243.
static __device__ __forceinline__ unsigned racey_mix(unsigned i, unsigned j) {
  return (i + (j & 0x7ffffffu) * 103995407u) % 103072243u;
}

// words is volatile, so that each access reaches the L2.
extern "C" __global__ void racey(volatile unsigned* words, unsigned count, unsigned rounds,
                                 unsigned* signature) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mixed = thread;
  for (unsigned round = 0; round < rounds; round++) {
    mixed = racey_mix(mixed, words[mixed % count]);
    unsigned second = mixed % count;
    mixed = racey_mix(mixed, words[second]);
    words[second] = racey_seal(mixed);
  }
  signature[thread] = racey_seal(mixed);
}
