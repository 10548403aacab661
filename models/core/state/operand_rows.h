// Operands of instructions as a warp's rows hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

/// A row of kLanes values, or of predicates. `constants`: rows of the launch.
[[nodiscard]] inline const std::byte* row_of(const std::byte* constants, const WarpContext& warp,
                                             const isa::Operand& operand) {
  switch (operand.space) {
    case isa::RowSpace::kRegister:
      return warp.registers.data() + operand.offset;
    case isa::RowSpace::kConstant:
      return constants + operand.offset;
    case isa::RowSpace::kSpecial:
      return warp.special.data() + operand.offset;
  }
  return nullptr;
}

/// What lane `lane` holds in a row of 32 or 64 bits.
[[nodiscard]] inline std::uint64_t lane_of(const std::byte* constants, const WarpContext& warp,
                                           const isa::Operand& operand, unsigned lane) {
  const std::size_t bytes = operand.width == isa::RowWidth::k64 ? 8 : 4;
  std::uint64_t value = 0;
  std::memcpy(&value, row_of(constants, warp, operand) + lane * bytes, bytes);
  return value;
}

/// Lanes for which a guard, or a guard and a second one, hold.
[[nodiscard]] inline LaneMask guard_of(const std::byte* constants, const WarpContext& warp,
                                       const isa::Instruction& instruction) {
  std::uint32_t lanes;
  std::memcpy(&lanes, row_of(constants, warp, instruction.guard), sizeof lanes);
  LaneMask holds(instruction.guard.negated ? ~lanes : lanes);
  if (instruction.guard2.present) [[unlikely]] {
    std::memcpy(&lanes, row_of(constants, warp, instruction.guard2), sizeof lanes);
    holds &= LaneMask(instruction.guard2.negated ? ~lanes : lanes);
  }
  return holds;
}

/// Predicates of `lanes` in a row of them take the bits of a mask.
inline void set_predicates(std::byte* row, LaneMask lanes, std::uint32_t bits) {
  std::uint32_t values = 0;
  std::memcpy(&values, row, sizeof values);
  values = (values & ~lanes.bits()) | (bits & lanes.bits());
  std::memcpy(row, &values, sizeof values);
}

/// Gives lanes the result of a barrier's reduction: a predicate, or a word.
inline void write_reduction(WarpContext& warp, const isa::Operand& dst, LaneMask lanes,
                            std::uint32_t result) {
  std::byte* const row = warp.registers.data() + dst.offset;
  if (dst.width == isa::RowWidth::kPredicate)
    return set_predicates(row, lanes, result != 0 ? lanes.bits() : 0);
  lanes.for_each([&](unsigned lane) { std::memcpy(row + lane * sizeof result, &result, sizeof result); });
}

}  // namespace heddle::core
