#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

bool bit_of(std::uint64_t v, unsigned i) { return ((v >> i) & 1u) != 0; }
std::int64_t signed_part(std::uint64_t v, unsigned first, unsigned bits, bool is_signed_value) {
  std::int64_t value = 0;
  for (unsigned i = 0; i < bits; ++i)
    if (bit_of(v, first + i)) value += (i + 1 == bits && is_signed_value ? -1 : 1) * (std::int64_t{1} << i);
  return value;
}
std::int64_t word(std::uint64_t v) { return signed_part(v, 0, 32, true); }

std::uint64_t lop3(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t d = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned row = (bit_of(a, i) ? 4u : 0u) + (bit_of(b, i) ? 2u : 0u) + (bit_of(c, i) ? 1u : 0u);
    d |= static_cast<std::uint64_t>(bit_of(table, row)) << i;
  }
  return d;
}

// The tables of the PTX ISA for the modes of prmt: source bytes d.b3 d.b2 d.b1 d.b0 by selector.
constexpr unsigned kF4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
constexpr unsigned kB4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
constexpr unsigned kRc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
constexpr unsigned kEcl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
constexpr unsigned kEcr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
constexpr unsigned kRc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
std::uint64_t permute(const unsigned (&table)[4], const std::array<std::uint64_t, 4>& in) {
  const std::uint64_t bytes = in[0] | in[1] << 32;
  std::uint64_t d = 0;
  for (unsigned i = 0; i < 4; ++i)
    d |= (bytes >> (8 * ((table[in[2] & 3u] >> (4 * i)) & 7u)) & 0xffu) << (8 * i);
  return d;
}

std::uint64_t fns(std::uint64_t mask, std::uint64_t base, std::int64_t offset) {
  const std::uint64_t none = 0xffff'ffffu;
  if (base > 31) return none;
  if (offset == 0) return bit_of(mask, static_cast<unsigned>(base)) ? base : none;
  std::int64_t count = (offset < 0 ? -offset : offset) - 1;
  for (auto pos = static_cast<std::int64_t>(base); pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
    if (!bit_of(mask, static_cast<unsigned>(pos))) continue;
    if (count == 0) return static_cast<std::uint64_t>(pos);
    --count;
  }
  return none;
}

std::uint64_t szext(const LaneSpec& spec, std::uint64_t a, std::uint64_t b) {
  const bool too_large = b >= 32 && spec.clamp;
  const auto n = static_cast<unsigned>(b & 31u);
  if (too_large) return a;
  return cell(signed_part(a, 0, n, spec.type == Type::kS32), 32);
}

std::uint64_t bmsk(bool clamp, std::uint64_t a, std::uint64_t b) {
  std::uint64_t mask = 0;
  const std::uint64_t first = clamp ? a : a & 31u;
  const std::uint64_t width = clamp ? b : b & 31u;
  for (std::uint64_t i = 0; i < 32; ++i)
    if (i >= first && i - first < width) mask |= std::uint64_t{1} << i;
  return mask;
}

std::uint64_t shift_amount(Type type, std::uint64_t v) {
  const Wide a = number(type, v);
  Wide rest = a < 0 ? -1 - a : a;
  if (rest == 0) return 0xffff'ffffu;
  std::uint64_t shift = 0;
  for (; rest < Wide{1} << (bits_of(type) - 1); rest *= 2) ++shift;
  return shift;
}

std::uint64_t pack(unsigned bits, bool is_signed_value, std::int64_t a, std::int64_t b, std::uint64_t c) {
  const std::int64_t largest = (std::int64_t{1} << (bits - (is_signed_value ? 1 : 0))) - 1;
  const std::int64_t smallest = is_signed_value ? -(std::int64_t{1} << (bits - 1)) : 0;
  const auto part = [&](std::int64_t v) {
    return cell(v < smallest ? smallest : v > largest ? largest : v, bits);
  };
  return cell(static_cast<Wide>(part(b) | part(a) << bits | c << (2 * bits)), 32);
}

std::uint64_t dot(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in) {
  const bool four = spec.op == LaneOp::kDp4a;
  const unsigned parts = four ? 4 : 2;
  const unsigned a_bits = four ? 8 : 16;
  const unsigned first_b = spec.op == LaneOp::kDp2aHi ? 16 : 0;
  std::int64_t sum = word(in[2]);
  for (unsigned i = 0; i < parts; ++i)
    sum += signed_part(in[0], i * a_bits, a_bits, spec.type == Type::kS32) *
           signed_part(in[1], first_b + i * 8, 8, spec.src_type == Type::kS32);
  return cell(sum, 32);
}

std::uint64_t high24(Type type, std::uint64_t a, std::uint64_t b) {
  const std::int64_t product =
      signed_part(a, 0, 24, type == Type::kS32) * signed_part(b, 0, 24, type == Type::kS32);
  return cell(product >> 16, 32);
}

}  // namespace

std::optional<Expected> field_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in,
                                   std::uint64_t immediate) {
  const std::int64_t a = word(in[0]);
  const std::int64_t b = word(in[1]);
  switch (spec.op) {
    case LaneOp::kLop3:
    case LaneOp::kLop3Pred:
      return Expected{lop3(in[0], in[1], in[2], immediate)};
    case LaneOp::kPrmtF4e:
      return Expected{permute(kF4e, in)};
    case LaneOp::kPrmtB4e:
      return Expected{permute(kB4e, in)};
    case LaneOp::kPrmtRc8:
      return Expected{permute(kRc8, in)};
    case LaneOp::kPrmtEcl:
      return Expected{permute(kEcl, in)};
    case LaneOp::kPrmtEcr:
      return Expected{permute(kEcr, in)};
    case LaneOp::kPrmtRc16:
      return Expected{permute(kRc16, in)};
    case LaneOp::kFns:
      return Expected{fns(in[0], in[1], word(in[2]))};
    case LaneOp::kSzext:
      return Expected{szext(spec, in[0], in[1])};
    case LaneOp::kBmsk:
      return Expected{bmsk(spec.clamp, in[0], in[1])};
    case LaneOp::kBfindShift:
      return Expected{shift_amount(spec.type, in[0])};
    case LaneOp::kDp4a:
    case LaneOp::kDp2aLo:
    case LaneOp::kDp2aHi:
      return Expected{dot(spec, in)};
    case LaneOp::kMul24Hi:
      return Expected{high24(spec.type, in[0], in[1])};
    case LaneOp::kMad24Hi: {
      const std::uint64_t high = high24(spec.type, in[0], in[1]);
      const std::int64_t sum = word(high) + word(in[2]);
      if (spec.sat)
        return Expected{cell(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum, 32)};
      return Expected{cell(sum, 32)};
    }
    case LaneOp::kCvtF16x2:
      return Expected{half_cell(spec.rounding, as_f32(in[0])) << 16 |
                      half_cell(spec.rounding, as_f32(in[1]))};
    case LaneOp::kCvtPack:
      return Expected{pack(16, spec.type == Type::kS16, a, b, 0)};
    case LaneOp::kCvtPack8:
      return Expected{pack(8, spec.type == Type::kS8, a, b, in[2])};
    case LaneOp::kCvtPackU4:
      return Expected{pack(4, false, a, b, in[2])};
    case LaneOp::kCvtPackS4:
      return Expected{pack(4, true, a, b, in[2])};
    case LaneOp::kCvtPackU2:
      return Expected{pack(2, false, a, b, in[2])};
    case LaneOp::kCvtPackS2:
      return Expected{pack(2, true, a, b, in[2])};
    default:
      return {};
  }
}

bool is_carry_op(const LaneSpec& spec) {
  return spec.carry_out || (spec.op >= LaneOp::kAddc && spec.op <= LaneOp::kMadcHi);
}

CarrySum carried(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in, bool carry) {
  const unsigned bits = bits_of(spec.type);
  const Wide modulus = Wide{1} << bits;
  const auto unsigned_value = [&](std::uint64_t v) {
    return static_cast<Wide>(cell(static_cast<Wide>(v), bits));
  };
  const bool uses_carry = spec.op >= LaneOp::kAddc && spec.op <= LaneOp::kMadcHi;
  const Wide with = uses_carry && carry ? 1 : 0;
  Wide sum = 0;
  switch (spec.op) {
    case LaneOp::kSub:
    case LaneOp::kSubc: {
      const Wide borrow = uses_carry && !carry ? 1 : 0;
      sum = unsigned_value(in[0]) - unsigned_value(in[1]) - borrow;
      return {cell(sum, bits), sum >= 0};
    }
    case LaneOp::kAdd:
    case LaneOp::kAddc:
      sum = unsigned_value(in[0]) + unsigned_value(in[1]) + with;
      break;
    default: {
      LaneSpec product = spec;
      product.carry_out = false;
      product.op = spec.op == LaneOp::kMad || spec.op == LaneOp::kMadc ? LaneOp::kMul : LaneOp::kMulHi;
      sum = unsigned_value(integer_lane(product, in)->value) + unsigned_value(in[2]) + with;
    }
  }
  return {cell(sum, bits), sum >= modulus};
}

}  // namespace heddle::isa::test
