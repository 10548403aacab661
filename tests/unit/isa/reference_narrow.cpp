// bf16, tf32 and 8-bit floats, and the modifiers that came with them, by searching the format for the nearest value.
#include <cmath>
#include <limits>
#include <vector>

#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

struct NarrowFormat {
  int exponent_bits;
  int mantissa_bits;
  bool infinity;
  [[nodiscard]] unsigned bits() const { return static_cast<unsigned>(1 + exponent_bits + mantissa_bits); }
};
NarrowFormat narrow_format(Type type) {
  switch (type) {
    case Type::kBf16:
    case Type::kBf16x2:
      return {8, 7, true};
    case Type::kTf32:
      return {8, 10, true};
    case Type::kE4m3x2:
      return {4, 3, false};
    case Type::kE5m2x2:
      return {5, 2, true};
    default:
      return {5, 10, true};
  }
}

/// The value of a pattern without its sign; infinity and NaN as such.
double pattern_value(const NarrowFormat& f, std::uint64_t pattern) {
  const std::uint64_t mantissa = pattern & ((1u << f.mantissa_bits) - 1);
  const std::uint64_t exponent = pattern >> f.mantissa_bits;
  const std::uint64_t last = (1u << f.exponent_bits) - 1;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  if (f.infinity ? exponent == last : pattern == (1u << (f.bits() - 1)) - 1)
    return f.infinity && mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  const double fraction = std::ldexp(static_cast<double>(mantissa), -f.mantissa_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                       : std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
}
double narrow_value(const NarrowFormat& f, std::uint64_t pattern) {
  const std::uint64_t sign = std::uint64_t{1} << (f.bits() - 1);
  const double v = pattern_value(f, pattern & (sign - 1));
  return (pattern & sign) != 0 ? -v : v;
}

/// Patterns are in the order of their values: the largest that is not above |v| is found by halving.
std::uint64_t nearest_in(const NarrowFormat& f, Rounding rounding, Quad v, bool satfinite) {
  const std::uint64_t sign_bit = std::uint64_t{1} << (f.bits() - 1);
  if (v != v) return sign_bit - 1;
  const bool negative = v < 0 || (v == 0 && std::signbit(static_cast<double>(v)));
  const Quad m = negative ? -v : v;
  std::uint64_t largest = sign_bit - 1;
  while (!std::isfinite(pattern_value(f, largest))) --largest;
  const std::uint64_t sign = negative ? sign_bit : 0;
  const std::uint64_t beyond = satfinite ? largest : largest + 1;  // infinity, or e4m3's NaN
  std::uint64_t low = 0;
  std::uint64_t high = largest;
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (Quad{pattern_value(f, middle)} <= m)
      low = middle;
    else
      high = middle - 1;
  }
  const Quad below = pattern_value(f, low);
  if (m == below) return sign | low;
  // What would follow the largest, if the exponent went on.
  const Quad above =
      low == largest ? below + (below - Quad{pattern_value(f, low - 1)}) : Quad{pattern_value(f, low + 1)};
  const std::uint64_t next = low == largest ? beyond : low + 1;
  const bool infinite = m > Quad{std::numeric_limits<double>::max()};
  switch (rounding) {
    case Rounding::kRz:
      return sign | (infinite ? beyond : low);
    case Rounding::kRm:
      return sign | (negative || infinite ? next : low);
    case Rounding::kRp:
      return sign | (negative && !infinite ? low : next);
    default:
      break;
  }
  if (infinite) return sign | beyond;
  const Quad to_below = m - below;
  const Quad to_above = above - m;
  const bool tie = to_below == to_above;
  const bool up = tie ? rounding == Rounding::kRna || (low & 1u) != 0 : to_above < to_below;
  return sign | (up ? next : low);
}

Quad rectified(const LaneSpec& spec, double v) {
  return spec.relu && std::signbit(v) && !std::isnan(v) ? Quad{0} : Quad{v};
}

std::optional<Expected> one_narrow(const LaneSpec& spec, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const NarrowFormat f = narrow_format(spec.type);
  const std::uint64_t nan = 0x7fff;
  const double x = narrow_value(f, a);
  const double y = narrow_value(f, b);
  const double z = narrow_value(f, c);
  const auto result = [&](Quad v) -> std::optional<Expected> {
    std::uint64_t bits = nearest_in(f, Rounding::kRn, v, false);
    if (spec.relu && v == v && (bits & 0x8000u) != 0) bits = 0;
    return Expected{bits};
  };
  switch (spec.op) {
    case LaneOp::kAdd:
      return result(Quad{x} + Quad{y});
    case LaneOp::kSub:
      return result(Quad{x} - Quad{y});
    case LaneOp::kMul:
      return result(Quad{x} * Quad{y});
    case LaneOp::kFma: {
      // What 113 bits cannot hold says on which side of a tie the sum is.
      const Quad product = Quad{x} * Quad{y};
      const Quad sum = product + Quad{z};
      const Quad added = sum - product;
      const Quad rest = (product - (sum - added)) + (Quad{z} - added);
      if (rest != rest || rest == 0 || sum == 0 || Quad{static_cast<double>(sum)} != sum) return result(sum);
      return result(sum + (rest > 0 ? Quad{0x1p-80} : Quad{-0x1p-80}) * (sum < 0 ? -sum : sum));
    }
    case LaneOp::kAbs:
      return Expected{std::isnan(x) ? nan : a & 0x7fffu};
    case LaneOp::kNeg:
      return Expected{std::isnan(x) ? nan : a ^ 0x8000u};
    case LaneOp::kEx2: {
      const std::uint64_t bits = nearest_in(f, Rounding::kRn, std::exp2(x), false);
      return Expected{(bits & 0x7fffu) < 0x80u ? bits & 0x8000u : bits};
    }
    case LaneOp::kTanh:
      return Expected{nearest_in(f, Rounding::kRn, std::tanh(x), false)};
    default:
      return {};
  }
}

/// min, max: of bits of any width.
std::uint64_t extreme_of_bits(const LaneSpec& spec, std::uint64_t a, std::uint64_t b, unsigned bits, double x,
                              double y) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t product = (a ^ b) & sign;
  const bool first_nan = std::isnan(x);
  const bool second_nan = std::isnan(y);
  if ((first_nan && second_nan) || (spec.nan && (first_nan || second_nan))) return sign - 1;
  if (spec.xorsign) {
    a &= sign - 1, b &= sign - 1;
    x = std::fabs(x), y = std::fabs(y);
  }
  std::uint64_t chosen = 0;
  if (first_nan || second_nan)
    chosen = first_nan ? b : a;
  else if (x == y)
    chosen = (spec.op == LaneOp::kMax) == std::signbit(x) ? b : a;
  else
    chosen = (spec.op == LaneOp::kMax ? x > y : x < y) ? a : b;
  return spec.xorsign ? chosen | product : chosen;
}

}  // namespace

std::optional<Expected> narrow_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in) {
  const bool pair = spec.type == Type::kBf16x2 || spec.type == Type::kF16x2;
  const auto each = [&](auto fn) -> std::optional<Expected> {
    const auto low = fn(in[0] & 0xffffu, in[1] & 0xffffu, in[2] & 0xffffu);
    if (!low || !pair) return low;
    const auto high = fn(in[0] >> 16 & 0xffffu, in[1] >> 16 & 0xffffu, in[2] >> 16 & 0xffffu);
    return Expected{low->value | high->value << 16};
  };
  const NarrowFormat f = narrow_format(spec.type);
  if (spec.op == LaneOp::kMin || spec.op == LaneOp::kMax) {
    if (spec.type == Type::kF32) {
      const auto flushed = [&](std::uint64_t v) {
        return spec.ftz && (v & 0x7f80'0000u) == 0 ? v & 0x8000'0000u : v;
      };
      const std::uint64_t a = flushed(in[0]), b = flushed(in[1]);
      return Expected{extreme_of_bits(spec, a, b, 32, as_f32(a), as_f32(b))};
    }
    return each([&](std::uint64_t a, std::uint64_t b, std::uint64_t) -> std::optional<Expected> {
      const auto flushed = [&](std::uint64_t v) { return spec.ftz && (v & 0x7c00u) == 0 ? v & 0x8000u : v; };
      return Expected{extreme_of_bits(spec, flushed(a), flushed(b), 16, narrow_value(f, flushed(a)),
                                      narrow_value(f, flushed(b)))};
    });
  }
  return each([&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return one_narrow(spec, a, b, c); });
}

std::optional<Expected> convert_narrow_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in) {
  const NarrowFormat to = narrow_format(spec.type);
  if (spec.op == LaneOp::kCvtPair) {
    const auto half = [&](std::uint64_t cell_of) {
      return nearest_in(to, spec.rounding, rectified(spec, as_f32(cell_of)), spec.satfinite);
    };
    return Expected{half(in[0]) << to.bits() | half(in[1])};
  }
  const NarrowFormat from = narrow_format(spec.src_type);
  if (spec.src_type == Type::kF16x2 || spec.type == Type::kF16x2) {
    const auto half = [&](std::uint64_t pattern) {
      const double v = narrow_value(from, pattern & ((std::uint64_t{1} << from.bits()) - 1));
      return nearest_in(to, spec.rounding, rectified(spec, v), spec.satfinite);
    };
    return Expected{half(in[0] >> from.bits()) << to.bits() | half(in[0])};
  }
  if (spec.src_type == Type::kBf16 && spec.type == Type::kF32) return Expected{(in[0] & 0xffffu) << 16};
  const bool narrow = spec.src_type == Type::kBf16 || spec.src_type == Type::kF16;
  const Quad v = narrow                        ? Quad{narrow_value(from, in[0] & 0xffffu)}
                 : spec.src_type == Type::kF32 ? Quad{as_f32(in[0])}
                 : spec.src_type == Type::kF64 ? Quad{as_f64(in[0])}
                                               : static_cast<Quad>(number(spec.src_type, in[0]));
  const auto whole_of = [&](double d) {
    return spec.rounding == Rounding::kRni   ? std::nearbyint(d)
           : spec.rounding == Rounding::kRzi ? std::trunc(d)
           : spec.rounding == Rounding::kRmi ? std::floor(d)
                                             : std::ceil(d);
  };
  if (spec.src_type == Type::kBf16 && spec.type == Type::kBf16)
    return Expected{nearest_in(to, Rounding::kRn, whole_of(static_cast<double>(v)), false)};
  if (spec.type == Type::kF64)
    return Expected{v != v ? 0x7ff8'0000'0000'0000u | (in[0] & 0x8000) << 48 | (in[0] & 0x7f) << 45
                           : f64(static_cast<double>(v))};
  if (spec.type == Type::kTf32 && spec.rounding == Rounding::kRna && !std::isfinite(as_f32(in[0]))) {
    // As cards do it: the bits that tf32 has no room for are cut off, and .satfinite takes one away.
    const std::uint64_t kept = in[0] >> 13 & 0x7ffff;
    return Expected{(kept - (spec.satfinite ? 1 : 0)) << 13};
  }
  if (spec.type == Type::kTf32)
    return Expected{nearest_in(to, spec.rounding, rectified(spec, as_f32(in[0])), spec.satfinite) << 13};
  if (spec.type == Type::kBf16 || spec.type == Type::kF16)
    return Expected{nearest_in(to, spec.rounding,
                               narrow || spec.src_type != Type::kF32 ? v : rectified(spec, as_f32(in[0])),
                               spec.satfinite)};
  // To integers.
  const auto d = static_cast<double>(v);
  const unsigned bits = bits_of(spec.type);
  if (std::isnan(d)) return Expected{bits < 64 ? 0 : std::uint64_t{1} << 63};
  const double whole = whole_of(d);
  const bool has_sign = is_signed(spec.type);
  const Wide most = (Wide{1} << (bits - (has_sign ? 1 : 0))) - 1;
  const Wide least = has_sign ? -most - 1 : 0;
  const Wide clamped = whole > static_cast<double>(most)    ? most
                       : whole < static_cast<double>(least) ? least
                                                            : static_cast<Wide>(whole);
  return Expected{cell(clamped, spec.dst_bits > bits ? spec.dst_bits : bits)};
}

double bf16_value(std::uint64_t bits) { return narrow_value({8, 7, true}, bits & 0xffffu); }

}  // namespace heddle::isa::test
