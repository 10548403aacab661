// Operands of instructions as the rows hold them, and whose access it is, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/memory/access_check.h"
#include "core/state/core_state.h"
#include "isa/instruction.h"

namespace heddle::core {

/// A row of kLanes values, or of predicates.
[[nodiscard]] inline const std::byte* row_of(const CoreState& state, const WarpContext& warp,
                                             const isa::Operand& operand) {
  switch (operand.space) {
    case isa::RowSpace::kRegister:
      return warp.registers.data() + operand.offset;
    case isa::RowSpace::kConstant:
      return state.constants + operand.offset;
    case isa::RowSpace::kSpecial:
      return warp.special.data() + operand.offset;
  }
  return nullptr;
}

/// What lane `lane` holds in a row of 32 or 64 bits.
[[nodiscard]] inline std::uint64_t lane_of(const CoreState& state, const WarpContext& warp,
                                           const isa::Operand& operand, unsigned lane) {
  const std::size_t bytes = operand.width == isa::RowWidth::k64 ? 8 : 4;
  std::uint64_t value = 0;
  std::memcpy(&value, row_of(state, warp, operand) + lane * bytes, bytes);
  return value;
}
[[nodiscard]] inline std::uint64_t lane_of(const CoreState& state, const IssueTable::Group& group,
                                           const isa::Operand& operand, unsigned lane) {
  return lane_of(state, state.warp(state.home(group, lane)), operand, lane);
}

[[nodiscard]] inline AccessSite site_of(const CoreState& state, WarpId home, Pc pc) {
  const WarpContext& warp = state.warp(home);
  return {state.launch, &state.ctas[warp.cta.value()], &warp, pc, &state.instruction(pc)};
}

}  // namespace heddle::core
