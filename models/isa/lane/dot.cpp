// dp4a and dp2a: dot products of bytes, and of halves with bytes, added to a 32-bit number modulo 2^32.
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// Part `index` of a word, `bits` wide, extended by its sign if the operand is signed.
template <unsigned bits, bool is_signed_value>
HEDDLE_INLINE std::uint32_t part(std::uint32_t word, unsigned index) {
  const std::uint32_t at_top = word << (32 - bits * (index + 1));
  return is_signed_value ? static_cast<std::uint32_t>(static_cast<std::int32_t>(at_top) >> (32 - bits))
                         : at_top >> (32 - bits);
}

template <bool a_signed, bool b_signed>
struct Dp4a {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 4; ++i) c += part<8, a_signed>(a, i) * part<8, b_signed>(b, i);
    return c;
  }
};
template <bool a_signed, bool b_signed, unsigned first_byte>
struct Dp2a {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 2; ++i) c += part<16, a_signed>(a, i) * part<8, b_signed>(b, first_byte + i);
    return c;
  }
};

template <bool a_signed, bool b_signed>
LaneFn of_signs(LaneOp op) {
  switch (op) {
    case LaneOp::kDp4a:
      return map3<Dp4a<a_signed, b_signed>, U32, U32, U32, U32>;
    case LaneOp::kDp2aLo:
      return map3<Dp2a<a_signed, b_signed, 0>, U32, U32, U32, U32>;
    case LaneOp::kDp2aHi:
      return map3<Dp2a<a_signed, b_signed, 2>, U32, U32, U32, U32>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_dot(const LaneSpec& spec) {
  const auto is_word = [](Type t) { return t == Type::kU32 || t == Type::kS32; };
  if (!is_word(spec.type) || !is_word(spec.src_type) || spec.sat || spec.ftz) return nullptr;
  if (spec.type == Type::kS32)
    return spec.src_type == Type::kS32 ? of_signs<true, true>(spec.op) : of_signs<true, false>(spec.op);
  return spec.src_type == Type::kS32 ? of_signs<false, true>(spec.op) : of_signs<false, false>(spec.op);
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
