// The functions of MUFU, with a card's coefficients (isa/special_segments.h) and an arithmetic of the oracle's own. kTanh, of which no
// coefficients are known, is the nearest single to the double-precision function.
#pragma once

#include <cstdint>

namespace heddle::oracle::machine_code {

enum class Mufu : std::uint8_t { kCos, kSin, kEx2, kLg2, kRcp, kRsq, kRcp64High, kRsq64High, kSqrt, kTanh };

/// Bits of the result. The operand's subnormals count as zeros of their sign, and so do those of the result, but for kTanh. kCos and kSin
/// take revolutions. kRcp64High and kRsq64High take and give the upper word of a double.
[[nodiscard]] std::uint32_t mufu(Mufu function, std::uint32_t operand);

/// Where the quotient of two singles must not be computed from the reciprocal: FCHK.
[[nodiscard]] bool division_needs_care(std::uint32_t dividend, std::uint32_t divisor);

}  // namespace heddle::oracle::machine_code
