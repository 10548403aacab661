// Two numbers of 16 bits in a register.
#include <array>
#include <bit>
#include <cmath>

#include "oracle/bits.h"
#include "oracle/half.h"
#include "oracle/narrow.h"
#include "oracle/sass/compare.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr double kLeastHalf = 0x1p-14;

std::uint16_t raw_half(const Values& v, Role role, unsigned index) {
  const Operand* operand = v.op().find(role);
  if (operand->half >= 2) index = operand->half - 2;
  return static_cast<std::uint16_t>(v.word(role) >> (16 * index));
}

/// A half of an operand, by which ones the operand takes: 0 each its own, 2 the low one twice, 3 the high one twice.
Half half_of(const Values& v, Role role, unsigned index) {
  const Operand* operand = v.op().find(role);
  std::uint16_t bits = raw_half(v, role, index);
  if (operand->absolute) bits &= 0x7fff;
  if (operand->negate) bits ^= 0x8000;
  const Half value{bits};
  return v.has(Modifier::kFtz) ? flushed(value) : value;
}

/// B of HFMA2: crossed, the high half is the low factor's negative.
Half factor_of(const Values& v, unsigned index) {
  if (!v.has(Modifier::kCrossed)) return half_of(v, Role::kB, index);
  Half value = half_of(v, Role::kB, 1 - index);
  if (index == 0) value.bits ^= 0x8000;
  return value;
}

double number(const Values& v, Half half) {
  return v.has(Modifier::kBfloat) ? value_in(kBf16, half.bits) : to_double(half);
}
double number(const Values& v, Role role, unsigned index) {
  const Operand& operand = *v.op().find(role);
  if (operand.half == 1) {  // one single
    std::uint32_t bits = v.word(role);
    if (operand.absolute) bits &= 0x7fff'ffffu;
    if (operand.negate) bits ^= 0x8000'0000u;
    const auto single = std::bit_cast<float>(bits);
    const double value = v.has(Modifier::kFtz) && !std::isnormal(single) && std::isfinite(single)
                             ? std::copysign(0.0, single)
                             : single;
    // As a half, without the bits that it has no room for (ptxas' cvt.rz.f16.f32 on sm_75).
    return v.has(Modifier::kBfloat)
               ? value
               : to_double(
                     {static_cast<std::uint16_t>(rounded_to(kHalfFormat, value, Narrow::kZero, false))});
  }
  return number(v, half_of(v, role, index));
}

/// Where DADD and the like have their second source: C, or B (form.h, kAddend).
Role second_of(const Values& v) { return v.op().find(Role::kB) != nullptr ? Role::kB : Role::kC; }

Half finished_half(const Values& v, Half value) {
  if (v.has(Modifier::kSaturate)) value = saturated(value);
  if (v.has(Modifier::kRelu) && !is_nan(value) && (value.bits & 0x8000) != 0) value = {0};
  return value;
}

/// FTZ looks at the result as rounded to 11 bits with an exponent that has no limits. `exact` is the result before rounding,
/// or, if that is far from the least normal number, something that is as far.
Half half_flushed_if_tiny(const Values& v, Half value, double exact) {
  if (!v.has(Modifier::kFtz) || std::fabs(exact) >= 2 * kLeastHalf || std::isnan(exact)) return value;
  const bool tiny = std::fabs(to_double(to_half(std::ldexp(exact, 10)))) < std::ldexp(kLeastHalf, 10);
  return tiny ? Half{static_cast<std::uint16_t>(value.bits & 0x8000)} : value;
}

/// bf16: rounded once.
std::uint32_t finished_bfloat(const Values& v, double exact) {
  const std::uint64_t bits = rounded_to(kBf16, exact, Narrow::kNearestEven, false);
  if (v.has(Modifier::kRelu) && !std::isnan(exact) && (bits & 0x8000) != 0) return 0;
  return static_cast<std::uint32_t>(bits);
}
template <class Exact>
void compute_bfloats(Values& v, Exact exact) {
  const std::uint32_t low = finished_bfloat(v, exact(0u));
  v.set(low | finished_bfloat(v, exact(1u)) << 16);
}

/// `exact(i)` of half i fits in a double; with F32 the result is one single.
template <class Exact>
void compute(Values& v, Exact exact) {
  if (v.has(Modifier::kFloat32)) {
    const double sum = exact(0u);
    auto value = static_cast<float>(sum);
    // As for halves: whether it is tiny is seen after rounding without limits of the exponent.
    constexpr int kUp = 64;
    if (v.has(Modifier::kFtz) &&
        std::fabs(static_cast<float>(std::ldexp(sum, kUp))) < std::ldexp(1.0, kUp - 126))
      value = std::copysign(0.0f, value);
    if (v.has(Modifier::kSaturate))
      value = std::isnan(value) ? 0.0f : std::fmin(std::fmax(value, 0.0f), 1.0f);
    if (v.has(Modifier::kRelu) && std::signbit(value) && !std::isnan(value)) value = 0.0f;
    return v.set(static_cast<std::uint32_t>(float_result(value)));
  }
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const double value = exact(i);
    result |= std::uint32_t{finished_half(v, half_flushed_if_tiny(v, to_half(value), value)).bits}
              << (16 * i);
  }
  v.set(result);
}

void hadd2(Values& v) {
  const auto sum = [&](unsigned i) {
    const double a = number(v, Role::kA, i),
                 b = number(v, second_of(v), i);  // conversions are not part of what is odd
    return to_odd([&] { return a + b; });
  };
  if (v.has(Modifier::kBfloat)) return compute_bfloats(v, sum);
  compute(v, sum);
}

void hmul2(Values& v) {
  if (v.has(Modifier::kBfloat))
    return compute_bfloats(v, [&](unsigned i) { return number(v, Role::kA, i) * number(v, Role::kB, i); });
  compute(v, [&](unsigned i) { return number(v, Role::kA, i) * number(v, Role::kB, i); });
}

void hfma2(Values& v) {
  if (v.has(Modifier::kBfloat))
    return compute_bfloats(v, [&](unsigned i) {
      const double a = number(v, Role::kA, i), b = number(v, factor_of(v, i)), c = number(v, Role::kC, i);
      return to_odd([&] { return std::fma(a, b, c); });
    });
  const auto sum = [&](unsigned i) {
    return std::fma(number(v, Role::kA, i), number(v, factor_of(v, i)), number(v, Role::kC, i));
  };
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    // A double may round the sum of halves of very different size; near the least normal number it holds it.
    const Half value = fused(half_of(v, Role::kA, i), factor_of(v, i), half_of(v, Role::kC, i));
    result |= std::uint32_t{finished_half(v, half_flushed_if_tiny(v, value, sum(i))).bits} << (16 * i);
  }
  v.set(result);
}

bool halves_compare(const Values& v, unsigned i) {
  return holds(v.code(Modifier::kCompare), order_of(number(v, Role::kA, i), number(v, second_of(v), i)));
}

/// HMNMX2: the smaller one if the predicate holds; a zero with a minus is smaller than one without.
void hmnmx2(Values& v) {
  const std::uint32_t nan = v.has(Modifier::kBfloat) ? kBf16.nan() : kHalfNan;
  const bool minimum = v.predicate(Role::kPs0);
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const Half a = half_of(v, Role::kA, i), b = half_of(v, Role::kB, i);
    const double x = number(v, Role::kA, i), y = number(v, Role::kB, i);
    const bool both = std::isnan(x) && std::isnan(y), either = std::isnan(x) || std::isnan(y);
    const bool less = x < y || (x == y && (a.bits & 0x8000) != 0);
    std::uint32_t chosen = std::isnan(y) || (!std::isnan(x) && less == minimum) ? a.bits : b.bits;
    if (both || (either && v.has(Modifier::kNan)))
      chosen = nan;
    else if (v.has(Modifier::kXorSign))
      chosen = (chosen & 0x7fff) | ((raw_half(v, Role::kA, i) ^ raw_half(v, Role::kB, i)) & 0x8000);
    result |= chosen << (16 * i);
  }
  v.set(result);
}

void hset2(Values& v) {
  const std::uint32_t one = v.has(Modifier::kBfloat) ? 0x3f80 : 0x3c00;
  const std::uint32_t yes = v.has(Modifier::kBooleanFloat) ? one : 0xffff;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i)
    if (combined(v.code(Modifier::kCombine), halves_compare(v, i), v.predicate(Role::kPs0)))
      result |= yes << (16 * i);
  v.set(result);
}

void hsetp2(Values& v) {
  const bool input = v.predicate(Role::kPs0);
  const bool low = combined(v.code(Modifier::kCombine), halves_compare(v, 0), input);
  const bool high = combined(v.code(Modifier::kCombine), halves_compare(v, 1), input);
  v.set_predicate(Role::kPd0, low);
  v.set_predicate(Role::kPd1, high);
}

}  // namespace

LaneFunction half_function(Opcode op) {
  switch (op) {
    case Opcode::kHadd2:
      return hadd2;
    case Opcode::kHmul2:
      return hmul2;
    case Opcode::kHfma2:
    case Opcode::kHfma2Mma:
      return hfma2;
    case Opcode::kHmnmx2:
      return hmnmx2;
    case Opcode::kHset2:
      return hset2;
    case Opcode::kHsetp2:
      return hsetp2;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
