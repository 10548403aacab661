// The driver's functions as code of a kernel: what stands behind kDriverFunctions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontend/sass/lower/rows.h"
#include "isa/kernel.h"

namespace heddle::sass {

/// Instructions of each.
inline constexpr std::uint32_t kDriverInstructions = 6;

/// Appends the code of that function. Arguments are in R4 and following, a pair at an even register for 64 bits, the result in R4 and
/// R5, the return address in R20 and R21.
void append_driver_function(std::size_t function, KernelRows& rows, isa::Kernel& kernel, std::uint32_t line);

}  // namespace heddle::sass
