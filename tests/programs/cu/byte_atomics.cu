// Atomics of bytes and halves made from those of words, as programs and compilers make them. The words reach past buffers of odd size.
#include "check.h"

__device__ unsigned char first[3], second[5];
__device__ unsigned short counter;

__device__ void add_byte(unsigned char* at, unsigned value) {
  const size_t place = reinterpret_cast<size_t>(at);
  unsigned* const word = reinterpret_cast<unsigned*>(place & ~size_t{3});
  const unsigned shift = place % 4 * 8;
  unsigned old = *word, seen;
  do {
    seen = old;
    const unsigned sum = ((seen >> shift & 0xff) + value) & 0xff;
    old = atomicCAS(word, seen, (seen & ~(0xffu << shift)) | sum << shift);
  } while (old != seen);
}

__global__ void bytes(unsigned char* buffer, int count) {
  add_byte(buffer + threadIdx.x % count, 1);
  add_byte(first + threadIdx.x % 3, 2);
  add_byte(second + threadIdx.x % 5, 3);
}

__global__ void halves(unsigned short* one) {  // machine code has atomics of words only
  for (unsigned short* const at : {one, &counter}) {
    unsigned short old = *at, seen;
    do {
      seen = old;
      old = atomicCAS(at, seen, static_cast<unsigned short>(seen + 3));
    } while (old != seen);
  }
}

int main() {
  unsigned char *buffer, got[7], of_first[3], of_second[5];
  unsigned short *one, of_one, of_counter;
  CHECK(cudaMalloc(&buffer, sizeof got));
  CHECK(cudaMalloc(&one, sizeof *one));
  CHECK(cudaMemset(buffer, 0, sizeof got));
  CHECK(cudaMemset(one, 0, sizeof *one));
  bytes<<<3, 70>>>(buffer, sizeof got);
  halves<<<2, 64>>>(one);
  CHECK(cudaMemcpy(got, buffer, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&of_one, one, sizeof of_one, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(of_first, first, sizeof of_first));
  CHECK(cudaMemcpyFromSymbol(of_second, second, sizeof of_second));
  CHECK(cudaMemcpyFromSymbol(&of_counter, counter, sizeof of_counter));
  for (const unsigned char byte : got) std::printf("%u ", byte);
  for (const unsigned char byte : of_first) std::printf("%u ", byte);
  for (const unsigned char byte : of_second) std::printf("%u ", byte);
  std::printf("%u %u\n", of_one, of_counter);
  return 0;
}
