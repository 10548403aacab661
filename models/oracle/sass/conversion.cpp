// Conversions between types.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "oracle/bits.h"
#include "oracle/half.h"
#include "oracle/narrow.h"
#include "oracle/rounding.h"
#include "oracle/sass/lane.h"
#include "oracle/sass/rounding_mode.h"

namespace heddle::oracle::machine_code {
namespace {

enum FloatType : unsigned { kF16 = 1, kF32, kF64, kBfloat };

// NaNs keep their sign and the upper bits of their payload from and to double precision (measured on an H100).
constexpr std::uint64_t kDoubleQuiet = 0x7ff8'0000'0000'0000ull;
constexpr std::uint32_t kSingleNan = 0x7fff'ffff;

std::uint64_t widened_nan(std::uint32_t bits) {
  return std::uint64_t{bits >> 31} << 63 | kDoubleQuiet | std::uint64_t{bits & 0x7f'ffff} << 29;
}
std::uint32_t narrowed_nan(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits >> 63) << 31 | 0x7fc0'0000u |
         static_cast<std::uint32_t>(bits >> 29 & 0x7f'ffff);
}

std::uint64_t widened_half_nan(std::uint64_t bits) {
  return (bits >> 15 & 1) << 63 | kDoubleQuiet | (bits & 0x3ff) << 42;
}
std::uint32_t half_nan(std::uint64_t bits) {
  return static_cast<std::uint32_t>((bits >> 63) << 15 | 0x7e00 | (bits >> 42 & 0x3ff));
}

/// The operand's value and its bits.
struct Source {
  double value = 0;
  std::uint64_t bits = 0;
  bool nan = false;
};

Source source(const Values& v, unsigned type, bool flush) {
  Source s;
  if (type == kF64) {
    s.bits = v.double_bits(Role::kB);
    s.value = std::bit_cast<double>(s.bits);
  } else if (type == kF32) {
    s.bits = v.single_bits(Role::kB);
    const float single = std::bit_cast<float>(static_cast<std::uint32_t>(s.bits));
    s.value = flush ? flushed(single) : single;
  } else {
    auto bits = static_cast<std::uint16_t>(v.word(Role::kB) >> (v.op().find(Role::kB)->half != 0 ? 16 : 0));
    if (v.absolute(Role::kB)) bits &= 0x7fff;
    if (v.negated(Role::kB)) bits ^= 0x8000;
    s.bits = bits;
    s.value = type == kBfloat ? value_in(kBf16, bits) : to_double({bits});
  }
  s.nan = std::isnan(s.value);
  return s;
}

void f2f(Values& v) {
  const unsigned to = v.code(Modifier::kDestination), from = v.code(Modifier::kSource);
  const bool flush = v.has(Modifier::kFtz), saturate = v.has(Modifier::kSaturate);
  // To half precision FTZ does not flush the operand (measured on an H200).
  const Source s = source(v, from, flush && to != kF16);
  if (to == kF64) {
    if (s.nan && from == kF16) return v.set_pair(saturate ? 0 : widened_half_nan(s.bits));
    if (s.nan)
      return v.set_pair(saturate ? 0 : widened_nan(flush ? kSingleNan : static_cast<std::uint32_t>(s.bits)));
    return v.set_pair(bits_of(saturate ? (s.value > 0 ? std::fmin(s.value, 1.0) : 0.0) : s.value));
  }
  if (to == kF16) {
    if (s.nan && from == kF64 && !saturate) return v.set(half_nan(s.bits));
    const Half half = to_half(s.value, rounding_of(v));
    return v.set((saturate ? saturated(half) : half).bits);
  }
  if (s.nan) return v.set(saturate ? 0 : from == kF64 ? narrowed_nan(s.bits) : kSingleNan);
  float single = rounded_narrow(s.value, rounding_of(v));
  if (flush) single = flushed(single);
  if (saturate) single = single > 0 ? std::fmin(single, 1.0f) : 0.0f;
  v.set(bits_of(single) & 0xffff'ffffu);
}

/// By the codes RN, FLOOR, CEIL, TRUNC.
double to_integral(double value, unsigned mode) {
  switch (mode) {
    case 1:
      return std::floor(value);
    case 2:
      return std::ceil(value);
    case 3:
      return std::trunc(value);
    default:
      return std::nearbyint(value);
  }
}

void f2i(Values& v) {
  const unsigned code = v.code(Modifier::kDestination);
  const bool is_signed = (code & 1) != 0;
  const unsigned bits = 8u << (code >> 1);
  const unsigned from = v.code(Modifier::kSource);
  const Source s = source(v, from, v.has(Modifier::kFtz));
  std::uint64_t result = 0;
  if (s.nan) {
    // NTZ: NaN to zero. ptxas leaves it out where either side has 64 bits, and there a card gives the sign bit.
    if (!v.has(Modifier::kNtz)) result = std::uint64_t{1} << (bits - 1);
  } else {
    const double whole = to_integral(s.value, v.code(Modifier::kRounding));
    const double beyond = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
    const std::uint64_t most = low_bits(is_signed ? bits - 1 : bits);
    if (whole >= beyond)
      result = most;
    else if (is_signed)
      result = whole <= -beyond ? ~most : static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
    else
      result = whole <= 0 ? 0 : static_cast<std::uint64_t>(whole);
  }
  if (bits == 64) return v.set_pair(result);
  // A narrow result is extended to the register.
  if (is_signed && bits < 32 && (result >> (bits - 1) & 1) != 0) result |= ~low_bits(bits);
  v.set(static_cast<std::uint32_t>(result));
}

/// Clamped to `bits`, and extended to the register.
std::uint32_t clamped(std::uint32_t word, unsigned bits, bool is_signed) {
  const auto value = static_cast<std::int32_t>(word);
  const std::int32_t most = static_cast<std::int32_t>(low_bits(is_signed ? bits - 1 : bits));
  return static_cast<std::uint32_t>(std::clamp(value, is_signed ? -most - 1 : 0, most));
}

void i2i(Values& v) {
  const unsigned code = v.code(Modifier::kDestination);  // U8, S8, U16, S16
  v.set(clamped(v.word(Role::kB), code < 2 ? 8 : 16, (code & 1) != 0));
}

void i2ip(Values& v) {
  constexpr unsigned kNibbles = 2, kPairs = 3;
  const unsigned code = v.code(Modifier::kDestination), width = v.code(Modifier::kShape);
  const unsigned bits = width == kPairs ? 2 : width == kNibbles ? 4 : code < 2 ? 8 : 16;
  std::uint32_t result = bits == 16 ? 0 : v.word(Role::kC);
  for (const Role role : {Role::kA, Role::kB})
    result = result << bits |
             (clamped(v.word(role), bits, (code & 1) != 0) & static_cast<std::uint32_t>(low_bits(bits)));
  v.set(result);
}

void f2ip(Values& v) {
  std::uint32_t result = v.word(Role::kC);
  for (const Role role : {Role::kA, Role::kB}) {
    const double whole = to_integral(v.single(role), v.code(Modifier::kRounding));
    result = result << 8 | (whole > 0 ? static_cast<std::uint32_t>(std::fmin(whole, 255)) : 0);
  }
  v.set(result);
}

/// An integer as a number of the type, rounded once.
void from_integer(Values& v, std::uint64_t value, bool is_signed) {
  const Rounding mode = rounding_of(v);
  const auto number = [&]<class F>() {
    return is_signed ? rounded_from_signed<F>(static_cast<std::int64_t>(value), mode)
                     : rounded_from_unsigned<F>(value, mode);
  };
  switch (v.code(Modifier::kDestination)) {
    case kF64:
      return v.set_pair(bits_of(number.operator()<double>()));
    case kF32:
      return v.set(static_cast<std::uint32_t>(bits_of(number.operator()<float>())));
    case kBfloat: {
      const bool negative = is_signed && static_cast<std::int64_t>(value) < 0;
      std::uint64_t magnitude = negative ? 0 - value : value;
      // What is behind the upper 53 bits only says that there is something.
      constexpr std::uint64_t kRest = 0x7ff;
      if ((magnitude & kRest) != 0 && magnitude >> 53 != 0) magnitude = (magnitude & ~kRest) | (kRest + 1);
      const double exact = static_cast<double>(magnitude);
      return v.set(
          static_cast<std::uint32_t>(rounded_to(kBf16, negative ? -exact : exact, narrow_mode(mode), false)));
    }
    default: {
      // Halves end far below 2^53: a larger number has the value of one that overflows in the same way.
      constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;
      const bool negative = is_signed && static_cast<std::int64_t>(value) < 0;
      const std::uint64_t magnitude = std::min(negative ? 0 - value : value, kMuch);
      const double exact = static_cast<double>(magnitude);
      return v.set(to_half(negative ? -exact : exact, mode).bits);
    }
  }
}

void i2f(Values& v) {
  const unsigned code = v.code(Modifier::kSource);
  const bool is_signed = (code & 1) != 0;
  const unsigned bits = 8u << (code >> 1);
  std::uint64_t value = bits == 64 ? v.pair(Role::kB) : v.word(Role::kB);
  if (bits < 32) value >>= bits * v.op().find(Role::kB)->half;
  value &= low_bits(bits);
  if (is_signed && (value >> (bits - 1) & 1) != 0) value |= ~low_bits(bits);
  from_integer(v, value, is_signed);
}

void frnd(Values& v) {
  enum : unsigned { kHalf = 5, kSingle = 10 };  // source and destination, twice the same type
  const unsigned types = v.code(Modifier::kSource);
  if (types == 0)
    return v.set(static_cast<std::uint32_t>(
        rounded_to(kBf16, to_integral(source(v, kBfloat, false).value, v.code(Modifier::kRounding)),
                   Narrow::kNearestEven, false)));
  const unsigned type = types & 3;
  const Source s = source(v, type, v.has(Modifier::kFtz));
  const double whole = to_integral(s.value, v.code(Modifier::kRounding));
  if (types == kHalf) return v.set(to_half(whole).bits);
  if (types == kSingle)
    return v.set(s.nan ? kSingleNan : static_cast<std::uint32_t>(bits_of(static_cast<float>(whole))));
  v.set_pair(s.nan ? s.bits | kDoubleQuiet : bits_of(whole));
}

/// Rounded to the upper 16 bits of a single.
std::uint32_t to_bfloat(float value, Rounding mode) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  if (mode == Rounding::kZero || std::isinf(value)) return bits >> 16;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// A in the upper half, B in the lower one.
void f2fp(Values& v) {
  std::uint32_t result = 0;
  for (const Role role : {Role::kA, Role::kB}) {
    const float value = v.single(role);
    std::uint32_t half = v.has(Modifier::kDestination) ? to_bfloat(value, rounding_of(v))
                                                       : to_half(value, rounding_of(v)).bits;
    if (v.has(Modifier::kRelu) && std::signbit(value) && !std::isnan(value)) half = 0;
    const std::uint32_t infinity = v.has(Modifier::kDestination) ? 0x7f80 : 0x7c00;
    if (v.has(Modifier::kSaturate) && (half & 0x7fff) == infinity) --half;  // the largest number
    result = result << 16 | half;
  }
  v.set(result);
}

void f2f_bf16(Values& v) {
  if (const unsigned from = v.code(Modifier::kSource); from != 0)
    return v.set(static_cast<std::uint32_t>(
        rounded_to(kBf16, source(v, from, false).value, narrow_mode(rounding_of(v)), false)));
  const Source s = source(v, kBfloat, false);
  switch (v.code(Modifier::kDestination)) {
    case kF16:
      return v.set(to_half(s.value, rounding_of(v)).bits);
    case kF32:
      return v.set(s.nan ? kSingleNan : static_cast<std::uint32_t>(s.bits << 16));
    default:
      return v.set_pair(s.nan ? widened_nan(static_cast<std::uint32_t>(s.bits << 16)) : bits_of(s.value));
  }
}

const Format& eight_bits(const Values& v, Modifier which) {
  constexpr unsigned kFiveExponentBits = 2;
  return v.code(which) == kFiveExponentBits ? kE5m2 : kE4m3;
}

void f2fp_pack(Values& v) {
  constexpr unsigned kHalves = 1;
  const Format& format = eight_bits(v, Modifier::kDestination);
  const std::uint32_t b = v.word(Role::kB);
  const bool halves = v.code(Modifier::kSource) == kHalves;
  const double high = halves ? value_in(kHalfFormat, b >> 16) : v.single(Role::kA);
  const double low = halves ? value_in(kHalfFormat, b & 0xffff) : v.single(Role::kB);
  std::uint32_t result = v.word(Role::kC) & 0xffff;
  for (const double value : {high, low}) {
    const bool clamped = v.has(Modifier::kRelu) && std::signbit(value) && !std::isnan(value);
    result = result << 8 | static_cast<std::uint32_t>(
                               rounded_to(format, clamped ? 0.0 : value, Narrow::kNearestEven, true));
  }
  v.set(result);
}

void f2fp_unpack(Values& v) {
  const Format& format = eight_bits(v, Modifier::kSource);
  const std::uint32_t bytes = v.word(Role::kB) >> (v.has(Modifier::kByte) ? 16 : 0);
  std::uint32_t result = 0;
  for (const std::uint32_t byte : {bytes >> 8 & 0xff, bytes & 0xff}) {
    const double value = value_in(format, byte);
    const bool clamped = v.has(Modifier::kRelu) && std::signbit(value) && !std::isnan(value);
    result = result << 16 | static_cast<std::uint32_t>(
                                rounded_to(kHalfFormat, clamped ? 0.0 : value, Narrow::kNearestEven, false));
  }
  v.set(result);
}

void f2fp_tf32(Values& v) {
  const double value = v.single(Role::kB);
  const auto bits = static_cast<std::uint32_t>(rounded_to(kTf32, value, narrow_mode(rounding_of(v)), false))
                    << 13;
  v.set(v.has(Modifier::kRelu) && std::signbit(value) && !std::isnan(value) ? 0 : bits);
}

}  // namespace

LaneFunction conversion_function(Opcode op) {
  switch (op) {
    case Opcode::kF2f:
      return f2f;
    case Opcode::kF2fBf16:
      return f2f_bf16;
    case Opcode::kI2i:
      return i2i;
    case Opcode::kI2ip:
      return i2ip;
    case Opcode::kF2ip:
      return f2ip;
    case Opcode::kF2i:
      return f2i;
    case Opcode::kI2f:
    case Opcode::kI2fp:
      return i2f;
    case Opcode::kFrnd:
      return frnd;
    case Opcode::kF2fp:
      return f2fp;
    case Opcode::kF2fpPack:
      return f2fp_pack;
    case Opcode::kF2fpUnpack:
      return f2fp_unpack;
    case Opcode::kF2fpTf32:
      return f2fp_tf32;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
