#include <cfenv>
#include <cmath>
#include <limits>

#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

bool is_scalar_float(Type t) { return t == Type::kF16 || t == Type::kF32 || t == Type::kF64; }

double float_value(const LaneSpec& spec, std::uint64_t in) {
  if (spec.src_type == Type::kF16) return half_value(in & 0xffffu);
  if (spec.src_type == Type::kF64) return as_f64(in);
  const float v = as_f32(in);
  // .ftz flushes no operand of a conversion to f16 (measured on an H200).
  return spec.ftz && spec.type != Type::kF16 && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0, v)
                                                                                   : v;
}

/// Rounds to an integral value with the .rXi modifier; otherwise returns v unchanged.
double integral(Rounding r, double v) {
  switch (r) {
    case Rounding::kRni:
      return std::nearbyint(v);
    case Rounding::kRzi:
      return std::trunc(v);
    case Rounding::kRmi:
      return std::floor(v);
    case Rounding::kRpi:
      return std::ceil(v);
    default:
      return v;
  }
}

double saturated(double v) { return std::isnan(v) || v <= 0 ? 0.0 : v > 1 ? 1.0 : v; }

template <class From>
std::uint64_t narrowed_to_f32(const LaneSpec& spec, From v) {
  volatile From from = v;
  const int mode = spec.rounding == Rounding::kRz   ? FE_TOWARDZERO
                   : spec.rounding == Rounding::kRm ? FE_DOWNWARD
                   : spec.rounding == Rounding::kRp ? FE_UPWARD
                                                    : FE_TONEAREST;
  std::fesetround(mode);
  volatile float rounded = static_cast<float>(from);
  volatile float scaled = static_cast<float>(from * From{0x1p24});
  std::fesetround(FE_TONEAREST);
  float result = rounded;
  // .ftz looks at the value rounded with an unbounded exponent, as in arithmetic.
  if (spec.ftz && std::fabs(scaled) < 0x1p-102f) result = std::copysign(0.0f, result);
  if (spec.sat) result = static_cast<float>(saturated(result));
  return std::isnan(result) ? kNanF32 : f32(result);
}

struct Format {
  unsigned width, mantissa;
};
Format format(Type t) {
  if (t == Type::kF16) return {16, 10};
  return t == Type::kF32 ? Format{32, 23} : Format{64, 52};
}

/// NaNs as measured on an H200: to and from f64 sign and upper payload stay; moves keep all; the rest is canonical.
std::uint64_t nan_result(const LaneSpec& spec, std::uint64_t in) {
  const bool moves = spec.type == spec.src_type && spec.rounding == Rounding::kDefault && !spec.ftz;
  if (spec.sat) return 0;
  if (moves && spec.type != Type::kF16) return in;
  if (spec.type != Type::kF64 && spec.src_type != Type::kF64)
    return spec.type == Type::kF16 ? kNanF16 : kNanF32;
  if (spec.ftz && spec.src_type == Type::kF32) in = kNanF32;
  const Format from = format(spec.src_type);
  const Format to = format(spec.type);
  const std::uint64_t sign = in >> (from.width - 1) & 1;
  const std::uint64_t payload = in << (64 - from.mantissa) >> (64 - to.mantissa);  // aligned at the top
  const std::uint64_t exponent = (std::uint64_t{1} << (to.width - 1 - to.mantissa)) - 1;
  return sign << (to.width - 1) | exponent << to.mantissa | payload | std::uint64_t{1} << (to.mantissa - 1);
}

std::uint64_t float_result(const LaneSpec& spec, double v) {
  v = integral(spec.rounding, v);
  if (spec.type == Type::kF16) return half_cell(spec.rounding, spec.sat ? saturated(v) : v);
  if (spec.type == Type::kF32) return narrowed_to_f32(spec, v);
  if (spec.sat) v = saturated(v);
  return std::isnan(v) ? kNanF64 : f64(v);
}

std::uint64_t int_to_float(const LaneSpec& spec, Wide v) {
  if (spec.type == Type::kF16)
    return half_cell(spec.rounding, spec.sat ? saturated(static_cast<double>(v)) : static_cast<double>(v));
  // long double holds every 64-bit integer exactly; one rounding follows.
  const auto exact = static_cast<long double>(v);
  if (spec.type == Type::kF32) return narrowed_to_f32(spec, exact);
  volatile long double from = exact;
  std::fesetround(spec.rounding == Rounding::kRz   ? FE_TOWARDZERO
                  : spec.rounding == Rounding::kRm ? FE_DOWNWARD
                  : spec.rounding == Rounding::kRp ? FE_UPWARD
                                                   : FE_TONEAREST);
  volatile double rounded = static_cast<double>(from);
  std::fesetround(FE_TONEAREST);
  return f64(spec.sat ? saturated(rounded) : rounded);
}

Wide float_to_int(const LaneSpec& spec, double v) {
  const unsigned bits = bits_of(spec.type);
  const Wide largest = (Wide{1} << (bits - (is_signed(spec.type) ? 1 : 0))) - 1;
  const Wide smallest = is_signed(spec.type) ? -(Wide{1} << (bits - 1)) : 0;
  if (std::isnan(v)) return spec.src_type != Type::kF64 && bits < 64 ? Wide{0} : Wide{1} << (bits - 1);
  v = integral(spec.rounding, v);
  if (v >= 0x1p100) return largest;
  if (v <= -0x1p100) return smallest;
  const auto exact = static_cast<Wide>(v);
  return exact < smallest ? smallest : exact > largest ? largest : exact;
}

}  // namespace

double half_value(std::uint64_t half) {
  const auto exponent = static_cast<int>((half >> 10) & 0x1fu);
  const auto mantissa = static_cast<double>(half & 0x3ffu);
  double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0 + mantissa, exponent - 25);
  if (exponent == 31) magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  return (half & 0x8000u) != 0 ? -magnitude : magnitude;
}

/// The f16 neighbours of v are found by searching all of them: slow but obviously correct.
std::uint64_t half_cell(Rounding r, Quad v) {
  if (v != v) return kNanF16;
  const std::uint64_t sign = std::signbit(static_cast<double>(v)) ? 0x8000u : 0u;
  const Quad m = sign != 0 ? -v : v;
  std::uint64_t below = 0;
  for (std::uint64_t step = 0x4000; step != 0; step /= 2)  // largest f16 not above m; ordered as their bits
    if (below + step <= 0x7c00u && half_value(below + step) <= m) below += step;
  const Quad low = half_value(below);
  if (low == m) return sign | below;
  const bool up = (r == Rounding::kRp && sign == 0) || (r == Rounding::kRm && sign != 0);
  if (r == Rounding::kRz || r == Rounding::kRp || r == Rounding::kRm) return sign | (below + (up ? 1u : 0u));
  const Quad high = below == 0x7bffu ? 65536.0 : half_value(below + 1);  // overflow as if there were a next
  const Quad middle = (low + high) / 2;
  return sign | (below + (m > middle || (m == middle && (below & 1u) != 0) ? 1u : 0u));
}

std::optional<Expected> convert_lane(const LaneSpec& spec, std::uint64_t in) {
  if (is_scalar_float(spec.type) && is_scalar_float(spec.src_type) && std::isnan(float_value(spec, in)))
    return Expected{nan_result(spec, in)};
  if (is_scalar_float(spec.type))
    return Expected{is_scalar_float(spec.src_type) ? float_result(spec, float_value(spec, in))
                                                   : int_to_float(spec, number(spec.src_type, in))};
  const unsigned bits = bits_of(spec.type);
  const unsigned register_bits = spec.dst_bits > bits ? spec.dst_bits : bits;
  Wide v =
      is_scalar_float(spec.src_type) ? float_to_int(spec, float_value(spec, in)) : number(spec.src_type, in);
  if (spec.sat && !is_scalar_float(spec.src_type)) {
    const Wide largest = (Wide{1} << (bits - (is_signed(spec.type) ? 1 : 0))) - 1;
    const Wide smallest = is_signed(spec.type) ? -(Wide{1} << (bits - 1)) : 0;
    v = v < smallest ? smallest : v > largest ? largest : v;
  }
  // Truncated to the type, then extended with the type's sign to the register.
  return Expected{cell(number(spec.type, cell(v, bits)), register_bits)};
}

}  // namespace heddle::isa::test
