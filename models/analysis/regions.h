// Regions of convergence instructions: which BSYNC closes what a BSSY opens ([Hanoi] Tab I, [Hanoi:K1]).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "isa/kernel.h"

namespace heddle::analysis {

/// What becomes of a walk at an instruction.
enum class Walk : std::uint8_t { kOn, kStop };
/// Visits, once each, the instructions that a thread may come to behind `from` as long as `visit` says kOn. Calls
/// return: their functions are not entered.
void walk(std::span<const isa::Instruction> code, std::span<const base::Pc> targets, std::uint32_t from,
          const std::function<Walk(std::uint32_t)>& visit);

/// The BSYNCs of its barrier register that lanes may come to from a BSSY while the register still is what the BSSY
/// made it. None: all lanes leave the region, or the register is spilled and restored within it.
[[nodiscard]] std::vector<std::uint32_t> closing_syncs(std::span<const isa::Instruction> code,
                                                       std::span<const base::Pc> targets, std::uint32_t bssy);

/// A BSYNC in front of another place than the one where a BSSY says that its lanes go on. In profile P its lanes go on
/// there ([Hanoi:K1] is broken).
struct StraySync {
  std::uint32_t sync = 0;
  base::Pc resume{};
};
/// Of correct code: none.
[[nodiscard]] std::vector<StraySync> stray_syncs(std::span<const isa::Instruction> code,
                                                 std::span<const base::Pc> targets);

}  // namespace heddle::analysis
