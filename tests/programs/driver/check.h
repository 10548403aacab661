// A call of the driver interface that must succeed.
#pragma once
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                          \
  do {                                                       \
    const CUresult result_ = (call);                         \
    if (result_ != CUDA_SUCCESS) {                           \
      const char* name_ = "";                                \
      cuGetErrorName(result_, &name_);                       \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, name_); \
      std::exit(1);                                          \
    }                                                        \
  } while (0)
