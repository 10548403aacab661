// What 128-bit atomics take their turns by (decode/memory.cpp).
#pragma once

#include "frontend/ptx/ast.h"

namespace heddle::ptx {

inline constexpr const char* kAtomicLock = "atomic$lock";

/// A module with atomics or strong stores of 128 bits gets a global variable of that name.
void place_atomic_lock(Module& module);

}  // namespace heddle::ptx
