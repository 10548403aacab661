// For programs whose calls must all succeed.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                \
  do {                                                                             \
    const cudaError_t error_ = (call);                                             \
    if (error_ != cudaSuccess) {                                                   \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(error_), \
                  cudaGetErrorString(error_));                                     \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)
