// What is ahead of what in the code of a kernel. Lanes meet again if those that are behind run first, and what joins two sides of a branch is
// behind neither. Compilers put rare blocks at the end of a function, so PCs do not say it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/kernel.h"

namespace heddle::functional {

/// By PC: a place of its own, behind all that can lead there but for the jumps back of loops; a loop is before what follows it. Functions are
/// ordered by themselves.
[[nodiscard]] std::vector<std::uint32_t> code_order(const isa::Kernel& kernel);
/// The PC itself: for code that says where its lanes meet.
[[nodiscard]] std::vector<std::uint32_t> order_of_addresses(const isa::Kernel& kernel);

}  // namespace heddle::functional
