// Functions that the driver has, which machine code calls through the table of addresses (bank 4).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

inline constexpr std::array<std::string_view, 4> kDriverFunctions = {"vprintf", "malloc", "free",
                                                                     "__assertfail"};

/// Code addresses of them, in the order of the list: behind the code of any kernel.
[[nodiscard]] constexpr std::uint64_t driver_address(std::size_t function) {
  return 0x7fff'0000u + function * 16;
}

[[nodiscard]] constexpr std::optional<std::size_t> driver_function(std::string_view name) {
  for (std::size_t i = 0; i < kDriverFunctions.size(); ++i)
    if (kDriverFunctions[i] == name) return i;
  return std::nullopt;
}

/// LEPC makes the return address of a call that reads the function's address from the table; unoptimized code calls it by name.
[[nodiscard]] constexpr bool calls_driver(const Instruction& in) {
  const Operand* const target = in.op == Opcode::kCall ? in.find(Role::kTarget) : nullptr;
  return in.op == Opcode::kLepc || (target != nullptr && target->kind == Operand::Kind::kAbsoluteTarget &&
                                    static_cast<std::uint64_t>(target->value) >= driver_address(0));
}

/// The function at a code address.
[[nodiscard]] constexpr std::optional<std::size_t> driver_function_at(std::uint64_t address) {
  for (std::size_t i = 0; i < kDriverFunctions.size(); ++i)
    if (driver_address(i) == address) return i;
  return std::nullopt;
}

}  // namespace heddle::sass
