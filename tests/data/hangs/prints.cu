// A kernel that prints so many times, or for ever with 0.
#ifdef __NVCC__
#include <cstdio>
#define PRINT() printf("waiting\n")
#else
extern "C" __attribute__((device)) int vprintf(const char*, const void*);
#define PRINT() vprintf("waiting\n", nullptr)
#endif
#include "waiting.h"

KERNEL print_loop(int* out, int times) {
  int n = 0;
  do {
    PRINT();
    ++n;
  } while (times == 0 || n < times);
  out[threadIdx.x] = 7;
}
