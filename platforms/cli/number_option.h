// Numbers on the command line. CLI11 accepts -1 for an unsigned number and wraps it, takes 010 for eight, saturates what is
// too large, and does not say what it expects.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace heddle::cli {

/// For CLI::Option::transform(): a whole number from `min` to `max`, in decimal, or in hexadecimal behind 0x.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t min = 0,
                                          std::uint64_t max = std::numeric_limits<std::uint64_t>::max());

}  // namespace heddle::cli
