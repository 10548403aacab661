// MUFU.
#include "isa/lane/half.h"
#include "isa/lane/special_functions.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

HEDDLE_INLINE float sine_of_revolutions(float x, unsigned quarter) {
  if (!(magnitude(x) < from_bits(FloatFormat<float>::kInfinity))) return from_bits(FloatFormat<float>::kNan);
  const double wide = x;
  const double quarters = __builtin_rint(wide * 4.0);
  const double r = (wide * 4.0 - quarters) * kHalfPi;
  const auto quadrant = static_cast<unsigned>(static_cast<std::int64_t>(quarters - 4.0 * __builtin_floor(quarters * 0.25))) + quarter;
  const double value = (quadrant & 1u) != 0 ? cos_kernel(r) : sin_kernel(r);
  return static_cast<float>((quadrant & 2u) != 0 ? -value : value);
}
HEDDLE_INLINE float high_word(double v) { return from_bits(static_cast<std::uint32_t>(bits_of(v) >> 32)); }

HEDDLE_INLINE float special_function(SpecialFunction function, float x) {
  switch (function) {
    case SpecialFunction::kCos:
      return canonical(sine_of_revolutions(x, 1));
    case SpecialFunction::kSin:
      return canonical(sine_of_revolutions(x, 0));
    case SpecialFunction::kEx2:
      return canonical(flush<true>(ex2(x)));
    case SpecialFunction::kLg2:
      return canonical(lg2(flush<true>(x)));
    case SpecialFunction::kRcp:
      return canonical(flush<true>(1.0f / flush<true>(x)));
    case SpecialFunction::kRsq:
      return canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(flush<true>(x)))));
    case SpecialFunction::kRcp64h:
      return high_word(1.0 / from_bits(static_cast<std::uint64_t>(bits_of(x)) << 32));
    case SpecialFunction::kRsq64h:
      return high_word(1.0 / __builtin_sqrt(from_bits(static_cast<std::uint64_t>(bits_of(x)) << 32)));
    case SpecialFunction::kSqrt:
      return canonical(__builtin_sqrtf(flush<true>(x)));
    case SpecialFunction::kTanh:
      return canonical(tanh_approx(x));
  }
  return x;
}

void special_functions(const LaneArgs& args) {
  const SignedRow a = signed_row(args, 0);
  const auto function = static_cast<SpecialFunction>(field(args, kOperationBits, 4));
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) values[i] = bits_of(special_function(function, a[i]));
  const std::uint32_t* results = values;
  each_lane<U32>(args, [=](unsigned i) { return results[i]; });
}
void half_functions(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const Sign<std::uint32_t> sign = sign_of<std::uint32_t>(args, 0);
  const bool ex2_of = static_cast<SpecialFunction>(field(args, kOperationBits, 4)) == SpecialFunction::kEx2;
  each_lane<U32>(args, [=](unsigned i) {
    const auto x = static_cast<float>(half_to_double(sign.apply(a[i] << 16) >> 16));
    return double_to_half<Rounding::kRn>(ex2_of ? ex2_wide(x) : tanh_wide(x));
  });
}

}  // namespace

LaneFn find_machine_special(const MachineSpec& spec) {
  if (spec.op != MachineOp::kSpecialFunction) return nullptr;
  if (spec.type == Type::kF16) return half_functions;
  return spec.type == Type::kF32 ? special_functions : nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
