// Random kernels without structure: blocks that go to any other block, loops with several entries among them, tables,
// functions that return early, threads that end anywhere. Every thread ends: each block costs it one of its turns.
#pragma once

#include <cstdint>

#include "generator/generated_kernel.h"

namespace heddle::generator {

/// What a thread has gone through is hashed into its word of "out"; blocks are counted in "counters".
[[nodiscard]] GeneratedKernel generate_unstructured(std::uint64_t seed);

}  // namespace heddle::generator
