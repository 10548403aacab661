// What 128-bit atomics take their turns by (decode/memory.cpp).
#pragma once

#include <cstdint>

#include "frontend/ptx/ast.h"

namespace heddle::ptx {

inline constexpr const char* kAtomicLocks = "atomic$locks";
inline constexpr std::uint64_t kAtomicLockCount = 1024, kAtomicLockBytes = 4;

/// A module with atomics or strong stores of 128 bits gets a global variable of that name.
void place_atomic_locks(Module& module);

}  // namespace heddle::ptx
