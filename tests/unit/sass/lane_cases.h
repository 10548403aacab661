// Values of machine code's operations on registers: words, what registers hold, and what they hold then.
#pragma once

#include <span>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

/// Registers as "R4=1 R5=1.5f,2 W6=0x100000000 P0=1,0 UR3=7 UP1=0": values of lanes 0, 1, ... , again from the start.
/// W is a pair; 1.5f are the bits of an f32, 1.5d those of an f64.
struct LaneCase {
  const char* word;  ///< low and high half, or a line of the assembler (assembler.h)
  const char*
      fields;  ///< what differs from it: "d=4 a=5 b=6 c=7 i=0x10" (registers, immediate), "72=1", "76:3=5" (bits)
  const char* before;
  const char* after;
  Arch arch = Arch::kSm90;
};
[[nodiscard]] std::span<const LaneCase> integer_cases();
[[nodiscard]] std::span<const LaneCase> bit_cases();
[[nodiscard]] std::span<const LaneCase> float_cases();
[[nodiscard]] std::span<const LaneCase> half_cases();
[[nodiscard]] std::span<const LaneCase> conversion_cases();
[[nodiscard]] std::span<const LaneCase> move_cases();
[[nodiscard]] std::span<const LaneCase> uniform_cases();
[[nodiscard]] std::span<const LaneCase> warp_cases();

}  // namespace heddle::sass
