// Functions that this runtime does not have.
#pragma once

#include "runtime/runtime.h"

/// Of HEDDLE_INSTEAD, what a program may do instead.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): one line a function
#define HEDDLE_REFUSE(name) \
  HEDDLE_CUDA int name() { return heddle::runtime::refuse(#name, HEDDLE_INSTEAD); }
