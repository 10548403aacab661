// Single precision.
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "oracle/bits.h"
#include "oracle/half.h"
#include "oracle/narrow.h"
#include "oracle/rounding.h"
#include "oracle/sass/compare.h"
#include "oracle/sass/lane.h"
#include "oracle/sass/mufu.h"
#include "oracle/sass/rounding_mode.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr std::uint32_t kSign = 1u << 31;
constexpr float kLeast = std::numeric_limits<float>::min();

float single_input(const Values& v, Role role) {
  const float value = v.single(role);
  return v.has(Modifier::kFtz) ? flushed(value) : value;
}

/// SAT, and the one NaN that arithmetic gives.
void finish_single(Values& v, float value) {
  if (v.has(Modifier::kSaturate)) value = value > 0 ? std::fmin(value, 1.0f) : 0.0f;
  v.set(static_cast<std::uint32_t>(float_result(value)));
}

/// FTZ looks at the result as rounded to 24 bits with an exponent that has no limits: `unlimited` is that number, scaled by
/// 2^`scaled`.
float flushed_if_tiny(const Values& v, float result, float unlimited, int scaled) {
  const bool tiny = std::fabs(unlimited) < std::ldexp(kLeast, scaled);
  return v.has(Modifier::kFtz) && tiny ? std::copysign(0.0f, result) : result;
}

void fadd(Values& v) {
  const float sum = rounded_add(single_input(v, Role::kA), single_input(v, Role::kB), rounding_of(v));
  // Of two numbers that are not subnormal, a sum that is subnormal is exact.
  finish_single(v, v.has(Modifier::kFtz) ? flushed(sum) : sum);
}

/// Powers of two by the code of the scale: 4 is none.
constexpr std::array kScales{0, -3, -2, -1, 0, 1, 2, 3};

void fmul(Values& v) {
  constexpr int kUp = 200;
  const double exact = std::ldexp(double{single_input(v, Role::kA)} * double{single_input(v, Role::kB)},
                                  kScales[v.code(Modifier::kScale)]);
  const float result = rounded_narrow(exact, rounding_of(v));
  // The unlimited exponent: moved into the middle of the range, where a product below the least number is normal.
  if (std::fabs(exact) < std::ldexp(1.0, -100)) {
    const float middle = rounded_narrow(std::ldexp(exact, kUp), rounding_of(v));
    return finish_single(v, flushed_if_tiny(v, result, middle, kUp));
  }
  finish_single(v, result);
}

void ffma(Values& v) {
  float a = single_input(v, Role::kA), b = single_input(v, Role::kB);
  const float c = single_input(v, Role::kC);
  const float result = rounded_fma(a, b, c, rounding_of(v));
  constexpr int kUp = 50;
  // Where the result may be tiny, the addend is far below the largest number, and so is the lesser factor.
  if (v.has(Modifier::kFtz) && std::fabs(result) < std::ldexp(kLeast, 2) &&
      std::fabs(c) < std::ldexp(1.0f, 60)) {
    (std::fabs(a) < std::fabs(b) ? a : b) *= std::ldexp(1.0f, kUp);
    const float unlimited = rounded_fma(a, b, std::ldexp(c, kUp), rounding_of(v));
    return finish_single(v, flushed_if_tiny(v, result, unlimited, kUp));
  }
  finish_single(v, result);
}

void fmnmx(Values& v) {
  float a = single_input(v, Role::kA), b = single_input(v, Role::kB);
  const bool least = v.predicate(Role::kPs0);
  float result = 0;
  if (std::isnan(a) || std::isnan(b)) {
    const bool nan = v.has(Modifier::kNan) || (std::isnan(a) && std::isnan(b));
    result = nan ? std::numeric_limits<float>::quiet_NaN() : std::isnan(a) ? b : a;
  } else if (a == b) {  // zeros of both signs: -0 is less
    result = std::signbit(a) == least ? a : b;
  } else {
    result = (a < b) == least ? a : b;
  }
  if (v.has(Modifier::kXorSign) && !std::isnan(result)) {
    const std::uint32_t sign = (v.word(Role::kA) ^ v.word(Role::kB)) & kSign;
    return v.set((std::bit_cast<std::uint32_t>(result) & ~kSign) | sign);
  }
  v.set(static_cast<std::uint32_t>(float_result(result)));
}

/// Bits move; FTZ flushes them.
void fsel(Values& v) {
  const std::uint32_t bits = v.single_bits(v.predicate(Role::kPs0) ? Role::kA : Role::kB);
  const float value = std::bit_cast<float>(bits);
  v.set(v.has(Modifier::kFtz) && std::fpclassify(value) == FP_SUBNORMAL ? bits & kSign : bits);
}

bool singles_compare(const Values& v) {
  return holds(v.code(Modifier::kCompare), order_of(single_input(v, Role::kA), single_input(v, Role::kB)));
}

void fset(Values& v) {
  const bool result = combined(v.code(Modifier::kCombine), singles_compare(v), v.predicate(Role::kPs0));
  v.set(result ? std::bit_cast<std::uint32_t>(1.0f) : 0);
}

void fsetp(Values& v) { set_both(v, singles_compare(v)); }

void fchk(Values& v) {
  v.set_predicate(Role::kPd0, division_needs_care(v.single_bits(Role::kA), v.single_bits(Role::kB)));
}

void mufu_of(Values& v) {
  enum : unsigned { kSingle, kHalf, kBfloat };
  const auto function = static_cast<Mufu>(v.code(Modifier::kFunction));
  const unsigned type = v.code(Modifier::kSource);
  if (type == kSingle) return v.set(mufu(function, v.single_bits(Role::kB)));
  constexpr std::uint16_t kHalfSign = 0x8000;
  auto bits = static_cast<std::uint16_t>(v.word(Role::kB) >> (v.has(Modifier::kByte) ? 16 : 0));
  if (v.absolute(Role::kB)) bits &= static_cast<std::uint16_t>(~kHalfSign);
  if (v.negated(Role::kB)) bits ^= kHalfSign;
  if (type == kHalf) {  // as a single, cut off
    const auto operand = static_cast<float>(to_double(Half{bits}));
    const float value = std::bit_cast<float>(mufu(function, std::bit_cast<std::uint32_t>(operand)));
    constexpr float kBeyond = 65536;
    if (std::fabs(value) >= kBeyond)
      return v.set(kHalfInfinity | (std::signbit(value) ? std::uint32_t{kHalfSign} : 0u));
    return v.set(to_half(value, Rounding::kZero).bits);
  }
  const double x = value_in(kBf16, bits);
  const double value = function == Mufu::kTanh ? std::tanh(x) : std::exp2(x);
  const std::uint64_t result = rounded_to(kBf16, value, Narrow::kNearestEven, false);
  const bool subnormal = (result & 0x7fff) < 0x80;
  v.set(static_cast<std::uint32_t>(function == Mufu::kEx2 && subnormal ? result & kHalfSign : result));
}

}  // namespace

LaneFunction float_function(Opcode op) {
  switch (op) {
    case Opcode::kFadd:
      return fadd;
    case Opcode::kFmul:
      return fmul;
    case Opcode::kFfma:
      return ffma;
    case Opcode::kFmnmx:
      return fmnmx;
    case Opcode::kFsel:
      return fsel;
    case Opcode::kFset:
      return fset;
    case Opcode::kFsetp:
      return fsetp;
    case Opcode::kFchk:
      return fchk;
    case Opcode::kMufu:
      return mufu_of;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
