// An instruction as the interpreter runs it: decoded (frontend/sass), with its operands and modifiers found.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "frontend/sass/instruction.h"

namespace heddle::oracle::machine_code {

using sass::Arch;
using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using sass::Role;

class Values;
/// What an instruction does that reads and writes registers of its own lane only.
using LaneFunction = void (*)(Values&);

inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::kUnused) + 1;
inline constexpr std::size_t kModifiers = static_cast<std::size_t>(Modifier::kLessEqual) + 1;

struct Op {
  sass::Instruction instruction;
  std::array<std::int8_t, kRoles> at{};              ///< index of the operand with a role; -1: there is none
  std::array<std::uint16_t, kModifiers> modifier{};  ///< codes; 0 for those that the form does not have
  LaneFunction lane = nullptr;                       ///< nullptr: the warp executes it (machine.h)

  [[nodiscard]] const Operand* find(Role role) const {
    const std::int8_t index = at[static_cast<std::size_t>(role)];
    return index < 0 ? nullptr : &instruction.operand[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::uint16_t value(Modifier which) const {
    return modifier[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] bool has(Modifier which) const { return value(which) != 0; }
};

/// Finds operands, modifiers and the lane function. `problem`: why the interpreter cannot run it, by name; empty: it can.
[[nodiscard]] Op make_op(const sass::Instruction& instruction, std::string& problem);

// Of each group; nullptr: the operation is of another one.
[[nodiscard]] LaneFunction integer_function(Opcode op);
[[nodiscard]] LaneFunction bit_function(Opcode op);
[[nodiscard]] LaneFunction float_function(Opcode op);
[[nodiscard]] LaneFunction double_function(Opcode op);
[[nodiscard]] LaneFunction half_function(Opcode op);
[[nodiscard]] LaneFunction conversion_function(Opcode op);
[[nodiscard]] LaneFunction move_function(Opcode op);

}  // namespace heddle::oracle::machine_code
