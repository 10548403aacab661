#include <cfenv>
#include <cmath>
#include <limits>

#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

int host_rounding(Rounding r) {
  switch (r) {
    case Rounding::kRz:
      return FE_TOWARDZERO;
    case Rounding::kRm:
      return FE_DOWNWARD;
    case Rounding::kRp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

template <class F>
F flushed(bool ftz, F v) {
  return ftz && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(F{0}, v) : v;
}

std::uint64_t result_cell(float v) { return std::isnan(v) ? kNanF32 : f32(v); }
std::uint64_t result_cell(double v) { return std::isnan(v) ? kNanF64 : f64(v); }

template <class F>
std::uint64_t finished(const LaneSpec& spec, F v) {
  v = flushed(spec.ftz, v);
  if (spec.sat) v = std::isnan(v) || v <= 0 ? F{0} : v > 1 ? F{1} : v;
  return result_cell(v);
}

/// One operation in the host's rounding mode; volatile keeps it between the mode changes.
template <class F>
std::optional<F> rounded(const LaneSpec& spec, F a, F b, F c) {
  volatile F x = a;
  volatile F y = b;
  volatile F z = c;
  volatile F result = 0;
  std::fesetround(host_rounding(spec.rounding));
  bool known = true;
  switch (spec.op) {
    case LaneOp::kAdd:
      result = x + y;
      break;
    case LaneOp::kSub:
      result = x - y;
      break;
    case LaneOp::kMul:
      result = x * y;
      break;
    case LaneOp::kDiv:
      result = x / y;
      break;
    case LaneOp::kMad:
    case LaneOp::kFma:
      result = std::fma(x, y, z);
      break;
    case LaneOp::kRcp:
      result = F{1} / x;
      break;
    case LaneOp::kSqrt:
      result = std::sqrt(x);
      break;
    default:
      known = false;
  }
  std::fesetround(FE_TONEAREST);
  if (!known) return {};
  return result;
}

template <class F>
F smaller(F a, F b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class F>
F larger(F a, F b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class F>
bool has_property(TestProperty property, F v) {
  switch (property) {
    case TestProperty::kFinite:
      return std::isfinite(v);
    case TestProperty::kInfinite:
      return std::isinf(v);
    case TestProperty::kNumber:
      return !std::isnan(v);
    case TestProperty::kNotANumber:
      return std::isnan(v);
    case TestProperty::kNormal:
      return std::isnormal(v) || v == 0;  // PTX ISA: zeros are considered normal
    case TestProperty::kSubnormal:
      return std::fpclassify(v) == FP_SUBNORMAL;
  }
  return false;
}

/// Whether .ftz flushes the result: rounded to 24 bits with an unbounded exponent it is below the least normal f32 (measured
/// on an H200). 113 bits in the same mode round to 24 like the exact value.
bool tiny(const LaneSpec& spec, Quad a, Quad b, Quad c) {
  const bool rounds = spec.op == LaneOp::kMul || spec.op == LaneOp::kDiv || spec.op == LaneOp::kRcp ||
                      spec.op == LaneOp::kMad || spec.op == LaneOp::kFma;
  if (!spec.ftz || !rounds) return false;
  volatile Quad x = a;
  volatile Quad y = b;
  volatile Quad z = c;
  std::fesetround(host_rounding(spec.rounding));
  volatile Quad wide = spec.op == LaneOp::kMul   ? x * y
                       : spec.op == LaneOp::kDiv ? x / y
                       : spec.op == LaneOp::kRcp ? 1 / x
                                                 : x * y + z;
  volatile float scaled = static_cast<float>(wide * 0x1p24);
  std::fesetround(FE_TONEAREST);
  return std::fabs(scaled) < 0x1p-102f;
}

/// f64, measured on an H200: of several NaNs the second operand's, else the third's, else the first's is the result, quiet;
/// that of a quotient is the first's.
std::optional<std::uint64_t> given_nan(const LaneSpec& spec, const std::array<double, 3>& in) {
  constexpr std::uint64_t kQuiet = 0x0008'0000'0000'0000u;
  if (spec.op == LaneOp::kMin || spec.op == LaneOp::kMax)
    return std::isnan(in[0]) && std::isnan(in[1]) ? std::optional{f64(in[1]) | kQuiet} : std::nullopt;
  const bool one = spec.op == LaneOp::kRcp || spec.op == LaneOp::kSqrt;
  const bool three = spec.op == LaneOp::kFma || spec.op == LaneOp::kMad;
  if (spec.op != LaneOp::kDiv && !one && std::isnan(in[1])) return f64(in[1]) | kQuiet;
  if (three && std::isnan(in[2])) return f64(in[2]) | kQuiet;
  for (unsigned i = 0; i < (one ? 1u : 2u); ++i)
    if (std::isnan(in[i])) return f64(in[i]) | kQuiet;
  return {};
}

template <class F>
std::optional<Expected> arithmetic(const LaneSpec& spec, F a, F b, F c) {
  a = flushed(spec.ftz, a);
  b = flushed(spec.ftz, b);
  c = flushed(spec.ftz, c);
  if constexpr (sizeof(F) == 8)
    if (const auto nan = given_nan(spec, {a, b, c})) return Expected{*nan};
  if (spec.op == LaneOp::kMin) return Expected{finished(spec, smaller(a, b))};
  if (spec.op == LaneOp::kMax) return Expected{finished(spec, larger(a, b))};
  if (const std::optional<F> v = rounded(spec, a, b, c))
    return Expected{finished(spec, tiny(spec, a, b, c) ? std::copysign(F{0}, *v) : *v)};
  return {};
}

std::optional<Expected> approximation(const LaneSpec& spec, float x) {
  const double v = flushed(spec.ftz, x);
  const auto near = [&](double exact) { return Expected{finished(spec, static_cast<float>(exact)), 1}; };
  switch (spec.op) {
    case LaneOp::kRsqrt:
      return near(1.0 / std::sqrt(v));
    case LaneOp::kSin:
      return near(std::sin(v));
    case LaneOp::kCos:
      return near(std::cos(v));
    case LaneOp::kLg2:
      return near(std::log2(v));
    case LaneOp::kEx2:
      return near(std::exp2(v));
    case LaneOp::kTanh:
      return near(std::tanh(v));
    default:
      return {};
  }
}

// rcp and rsqrt .approx.ftz.f64 work on the upper words.
std::optional<Expected> coarse_f64(const LaneSpec& spec, std::uint64_t in) {
  constexpr std::uint64_t kUpper = 0xffff'ffff'0000'0000u;
  if (!spec.ftz)
    return Expected{result_cell(static_cast<double>(1.0L / std::sqrt(static_cast<long double>(as_f64(in))))),
                    1};
  const long double v = flushed(true, as_f64(in & kUpper));
  const long double exact = spec.op == LaneOp::kRcp ? 1.0L / v : 1.0L / std::sqrt(v);
  const double result = flushed(true, static_cast<double>(exact));
  return Expected{result_cell(result) & kUpper};
}

}  // namespace

std::optional<Expected> float_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in) {
  const bool wide = spec.type == Type::kF64;
  const std::uint64_t sign = std::uint64_t{1} << (wide ? 63 : 31);
  if (spec.op == LaneOp::kTestp)
    return Expected{
        (wide ? has_property(spec.property, as_f64(in[0])) : has_property(spec.property, as_f32(in[0])))
            ? 1u
            : 0u};
  if (spec.op == LaneOp::kCopysign) return Expected{(in[1] & ~sign) | (in[0] & sign)};
  if (spec.op == LaneOp::kAbs || spec.op == LaneOp::kNeg) {
    if (wide ? std::isnan(as_f64(in[0])) : std::isnan(as_f32(in[0])))  // keeps its sign (measured on an H200)
      return Expected{wide ? in[0] | 0x0008'0000'0000'0000u : kNanF32};
    const std::uint64_t v = spec.ftz ? f32(flushed(true, as_f32(in[0]))) : in[0];
    return Expected{spec.op == LaneOp::kAbs ? v & ~sign : v ^ sign};
  }
  if (wide && (spec.op == LaneOp::kRsqrt || (spec.op == LaneOp::kRcp && spec.approx)))
    return coarse_f64(spec, in[0]);
  if (wide) return arithmetic(spec, as_f64(in[0]), as_f64(in[1]), as_f64(in[2]));
  if (const auto result = arithmetic(spec, as_f32(in[0]), as_f32(in[1]), as_f32(in[2]))) return result;
  return approximation(spec, as_f32(in[0]));
}

bool comparison(Compare compare, Type type, bool ftz, std::uint64_t a, std::uint64_t b) {
  bool unordered = false;
  int order = 0;
  if (type == Type::kF16) {
    const auto value = [&](std::uint64_t v) {
      return ftz && (v & 0x7c00u) == 0 ? 0.0 : half_value(v & 0xffffu);
    };
    unordered = std::isnan(value(a)) || std::isnan(value(b));
    order = value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0;
  } else if (type == Type::kF32 || type == Type::kF64) {
    const double x = type == Type::kF64 ? as_f64(a) : static_cast<double>(flushed(ftz, as_f32(a)));
    const double y = type == Type::kF64 ? as_f64(b) : static_cast<double>(flushed(ftz, as_f32(b)));
    unordered = std::isnan(x) || std::isnan(y);
    order = x < y ? -1 : x > y ? 1 : 0;
  } else {
    const Wide x = number(type, a);
    const Wide y = number(type, b);
    order = x < y ? -1 : x > y ? 1 : 0;
  }
  switch (compare) {
    case Compare::kEq:
      return !unordered && order == 0;
    case Compare::kNe:
      return !unordered && order != 0;
    case Compare::kLt:
    case Compare::kLo:
      return !unordered && order < 0;
    case Compare::kLe:
    case Compare::kLs:
      return !unordered && order <= 0;
    case Compare::kGt:
    case Compare::kHi:
      return !unordered && order > 0;
    case Compare::kGe:
    case Compare::kHs:
      return !unordered && order >= 0;
    case Compare::kEqu:
      return unordered || order == 0;
    case Compare::kNeu:
      return unordered || order != 0;
    case Compare::kLtu:
      return unordered || order < 0;
    case Compare::kLeu:
      return unordered || order <= 0;
    case Compare::kGtu:
      return unordered || order > 0;
    case Compare::kGeu:
      return unordered || order >= 0;
    case Compare::kNum:
      return !unordered;
    case Compare::kNan:
      return unordered;
  }
  return false;
}

}  // namespace heddle::isa::test
