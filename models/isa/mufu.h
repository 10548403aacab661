// MUFU, the special functions of NVIDIA's GPUs since Turing, to the last bit: an H100's results (mufu/README.md).
#pragma once

#include <cstdint>

namespace heddle::isa {

/// Sines and cosines are of revolutions. 64h: the operand is the high word of an f64, and so is the result.
enum class SpecialFunction : std::uint8_t {
  kCos,
  kSin,
  kEx2,
  kLg2,
  kRcp,
  kRsq,
  kRcp64h,
  kRsq64h,
  kSqrt,
  kTanh
};
inline constexpr unsigned kSpecialFunctions = static_cast<unsigned>(SpecialFunction::kTanh) + 1;

/// Bits of an operand to those of the result; of f32, or high words of f64. Subnormal operands and results are zeros of
/// their sign, but for tanh, which keeps them. A NaN is 0x7fffffff.
[[nodiscard]] std::uint32_t mufu_result(SpecialFunction function, std::uint32_t operand);

/// 2^x and tanh(x) of the f16 in the lower 16 bits. Subnormals count; a NaN is 0x7fff.
[[nodiscard]] std::uint32_t mufu_ex2_half(std::uint32_t operand);
[[nodiscard]] std::uint32_t mufu_tanh_half(std::uint32_t operand);

}  // namespace heddle::isa
