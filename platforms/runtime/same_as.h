// Names of the interface that are other names of the same function.
#pragma once

#include "runtime/abi.h"

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a jump has the arguments of any function
#define HEDDLE_SAME_AS(name, function)                                                        \
  __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n  jmp " #function \
          "@PLT\n"                                                                            \
          ".size " #name ", . - " #name "\n");
