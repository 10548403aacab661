#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

Wide minimum(Type type) { return is_signed(type) ? -(Wide{1} << (bits_of(type) - 1)) : 0; }
Wide maximum(Type type) { return (Wide{1} << (bits_of(type) - (is_signed(type) ? 1 : 0))) - 1; }
Wide clamped(Type type, Wide v) {
  return v < minimum(type) ? minimum(type) : v > maximum(type) ? maximum(type) : v;
}

bool bit(std::uint64_t v, unsigned i) { return i < 64 && ((v >> i) & 1u) != 0; }

// a * b of 64-bit operands does not fit 128 signed bits when unsigned; split b.
std::uint64_t product_high(Type type, Wide a, Wide b) {
  const unsigned bits = bits_of(type);
  if (bits < 64) return cell((a * b) >> bits, bits);
  const Wide low = b & 0xffff'ffffu;
  const Wide high = (b - low) >> 32;
  const Wide middle = a * high + ((a * low) >> 32);
  return cell(middle >> 32, 64);
}

std::uint64_t shift(const LaneSpec& spec, std::uint64_t a, std::uint64_t amount) {
  const unsigned bits = bits_of(spec.type);
  const unsigned n = static_cast<unsigned>(amount > bits ? bits : amount);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) {
    bool set = false;
    if (spec.op == LaneOp::kShl)
      set = i >= n && bit(a, i - n);
    else
      set = i + n < bits ? bit(a, i + n) : is_signed(spec.type) && bit(a, bits - 1);
    result |= static_cast<std::uint64_t>(set) << i;
  }
  return result;
}

std::uint64_t bit_field_extract(Type type, std::uint64_t a, unsigned pos, unsigned len) {
  const unsigned msb = bits_of(type) - 1;
  const bool sign = is_signed(type) && len != 0 && bit(a, pos + len - 1 < msb ? pos + len - 1 : msb);
  std::uint64_t d = 0;
  for (unsigned i = 0; i <= msb; ++i) {
    const bool set = i < len && pos + i <= msb ? bit(a, pos + i) : sign;
    d |= static_cast<std::uint64_t>(set) << i;
  }
  return d;
}
std::uint64_t bit_field_insert(Type type, std::uint64_t a, std::uint64_t b, unsigned pos, unsigned len) {
  const unsigned msb = bits_of(type) - 1;
  std::uint64_t f = b;
  for (unsigned i = 0; i < len && pos + i <= msb; ++i) {
    f &= ~(std::uint64_t{1} << (pos + i));
    f |= static_cast<std::uint64_t>(bit(a, i)) << (pos + i);
  }
  return f;
}

std::uint64_t permute(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto nibble = static_cast<unsigned>(selector >> (4 * i)) & 0xfu;
    const unsigned index = nibble & 7u;
    std::uint64_t byte = ((index < 4 ? a : b) >> (8 * (index % 4))) & 0xffu;
    if (nibble >= 8) byte = byte >= 0x80 ? 0xffu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

std::uint64_t funnel(const LaneSpec& spec, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const unsigned n = static_cast<unsigned>(spec.clamp ? (c > 32 ? 32 : c) : c % 32);
  std::uint64_t d = 0;
  for (unsigned i = 0; i < 32; ++i) {  // bit i of the result comes from bit `from` of b:a
    const unsigned from = spec.op == LaneOp::kShfL ? 32 + i - n : i + n;
    d |= static_cast<std::uint64_t>(from < 32 ? bit(a, from) : bit(b, from - 32)) << i;
  }
  return d;
}

Wide low24(Type type, Wide v) {
  const Wide low = v & 0xff'ffff;
  return is_signed(type) && low >= 0x80'0000 ? low - 0x100'0000 : low;
}

}  // namespace

unsigned bits_of(Type type) { return type_bytes(type) * 8; }

Wide number(Type type, std::uint64_t raw) {
  const unsigned bits = bits_of(type);
  const std::uint64_t low = cell(static_cast<Wide>(raw), bits);
  return is_signed(type) && bit(low, bits - 1) ? static_cast<Wide>(low) - (Wide{1} << bits)
                                               : static_cast<Wide>(low);
}
std::uint64_t cell(Wide value, unsigned bits) {
  const auto low = static_cast<std::uint64_t>(value);
  return bits >= 64 ? low : low & ((std::uint64_t{1} << bits) - 1);
}

std::optional<Expected> integer_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in) {
  const Type t = spec.type;
  const unsigned bits = bits_of(t);
  const Wide a = number(t, in[0]);
  const Wide b = number(t, in[1]);
  const Wide c = number(t, in[2]);
  const std::uint64_t low_product = in[0] * in[1];
  const auto value = [&](Wide v) { return Expected{cell(spec.sat ? clamped(t, v) : v, bits)}; };
  const Type narrow = t == Type::kU64   ? Type::kU32
                      : t == Type::kS64 ? Type::kS32
                      : t == Type::kU32 ? Type::kU16
                                        : Type::kS16;
  switch (spec.op) {
    case LaneOp::kAdd:
      return value(a + b);
    case LaneOp::kSub:
      return value(a - b);
    case LaneOp::kMul:
      return Expected{low_product & cell(-1, bits)};
    case LaneOp::kMad:
      return Expected{(low_product + in[2]) & cell(-1, bits)};
    case LaneOp::kMulHi:
      return Expected{product_high(t, a, b)};
    case LaneOp::kMadHi:
      return value(number(t, product_high(t, a, b)) + c);
    case LaneOp::kMulWide:
      return value(number(narrow, in[0]) * number(narrow, in[1]));
    case LaneOp::kMadWide:
      return value(number(narrow, in[0]) * number(narrow, in[1]) + c);
    case LaneOp::kMul24:
      return value(low24(t, a) * low24(t, b));
    case LaneOp::kMad24:
      return value(low24(t, a) * low24(t, b) + c);
    case LaneOp::kDiv:
      return value(b == 0 ? Wide{-1} : a / b);
    case LaneOp::kRem:
      return value(b == 0 ? Wide{-1} : a % b);  // measured on an H200
    case LaneOp::kAbs:
      return value(a < 0 ? -a : a);
    case LaneOp::kNeg:
      return value(-a);
    case LaneOp::kMin:
      return value(a < b ? a : b);
    case LaneOp::kMax:
      return value(a > b ? a : b);
    case LaneOp::kSad:
      return value(c + (a < b ? b - a : a - b));
    case LaneOp::kAnd:
      return Expected{cell(a & b, bits)};
    case LaneOp::kOr:
      return Expected{cell(a | b, bits)};
    case LaneOp::kXor:
      return Expected{cell(a ^ b, bits)};
    case LaneOp::kNot:
      return Expected{cell(~a, bits)};
    case LaneOp::kCnot:
      return Expected{a == 0 ? 1u : 0u};
    case LaneOp::kShl:
    case LaneOp::kShr:
      return Expected{shift(spec, in[0], in[1] & 0xffff'ffffu)};
    case LaneOp::kShfL:
    case LaneOp::kShfR:
      return Expected{funnel(spec, in[0], in[1], in[2])};
    case LaneOp::kPopc: {
      std::uint64_t ones = 0;
      for (unsigned i = 0; i < bits; ++i) ones += bit(in[0], i) ? 1u : 0u;
      return Expected{ones};
    }
    case LaneOp::kClz: {
      std::uint64_t zeros = 0;
      while (zeros < bits && !bit(in[0], bits - 1 - static_cast<unsigned>(zeros))) ++zeros;
      return Expected{zeros};
    }
    case LaneOp::kBfind: {
      std::uint64_t position = 0xffff'ffffu;
      for (Wide rest = a < 0 ? -1 - a : a; rest != 0; rest /= 2) position = (position + 1) & 0xffff'ffffu;
      return Expected{position};
    }
    case LaneOp::kBrev: {
      std::uint64_t reversed = 0;
      for (unsigned i = 0; i < bits; ++i)
        reversed |= static_cast<std::uint64_t>(bit(in[0], bits - 1 - i)) << i;
      return Expected{reversed};
    }
    case LaneOp::kBfe:
      return Expected{bit_field_extract(t, in[0], in[1] & 0xffu, in[2] & 0xffu)};
    case LaneOp::kBfi:
      return Expected{bit_field_insert(t, in[0], in[1], in[2] & 0xffu, in[3] & 0xffu)};
    case LaneOp::kPrmt:
      return Expected{permute(in[0], in[1], in[2])};
    default:
      return {};
  }
}

}  // namespace heddle::isa::test
