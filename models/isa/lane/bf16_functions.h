// ex2.approx.ftz and tanh.approx of bf16: the double value, rounded once.
#pragma once

#include "isa/lane/narrow.h"
#include "isa/lane/special_functions.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <bool tangent>
HEDDLE_INLINE std::uint32_t bf16_function(std::uint32_t bits) {
  const std::uint32_t v = bits & 0xffffu;
  // No ftz is needed of operands: 2^x of a subnormal is 1.
  const auto x = static_cast<float>(Bf16Format::value(v));
  const std::uint32_t result = Bf16Format::round<Rounding::kRn>(tangent ? tanh_wide(x) : ex2_wide(x), false);
  const bool subnormal = (result & 0x7fffu) < Bf16Format::kLeastNormal;
  return !tangent && subnormal ? result & Bf16Format::kSign : result;
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
