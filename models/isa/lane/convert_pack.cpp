// cvt.f16x2.f32 and cvt.pack: two conversions whose results share a register.
#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <Rounding r>
struct PackHalves {  // a into the upper half
  HEDDLE_INLINE static std::uint32_t apply(float a, float b) {
    return double_to_half<r>(a) << 16 | double_to_half<r>(b);
  }
};

/// v clamped to `bits`, signed or not.
template <unsigned bits, bool is_signed_value>
HEDDLE_INLINE std::uint32_t clamped(std::int32_t v) {
  constexpr std::int32_t kMin = is_signed_value ? -(1 << (bits - 1)) : 0;
  constexpr std::int32_t kMax =
      is_signed_value ? (1 << (bits - 1)) - 1 : static_cast<std::int32_t>((1u << bits) - 1);
  const std::int32_t low = v < kMin ? kMin : v;
  return static_cast<std::uint32_t>(low > kMax ? kMax : low) & ((1u << bits) - 1);
}
template <bool is_signed_value>
struct Pack16Sat {
  HEDDLE_INLINE static std::uint32_t apply(std::int32_t a, std::int32_t b) {
    return clamped<16, is_signed_value>(a) << 16 | clamped<16, is_signed_value>(b);
  }
};
template <unsigned bits, bool is_signed_value>
struct PackBelow {
  HEDDLE_INLINE static std::uint32_t apply(std::int32_t a, std::int32_t b, std::uint32_t c) {
    return c << (2 * bits) | clamped<bits, is_signed_value>(a) << bits | clamped<bits, is_signed_value>(b);
  }
};

template <unsigned bits, bool is_signed_value>
LaneFn pack_below() {
  return map3<PackBelow<bits, is_signed_value>, U32, S32, S32, U32>;
}

}  // namespace

LaneFn find_convert_pack(const LaneSpec& spec) {
  if (spec.op == LaneOp::kCvtF16x2) {
    if (spec.ftz || spec.sat) return nullptr;
    if (spec.rounding == Rounding::kRn) return map2<PackHalves<Rounding::kRn>, U32, F32, F32>;
    return spec.rounding == Rounding::kRz ? map2<PackHalves<Rounding::kRz>, U32, F32, F32> : nullptr;
  }
  const bool from_s32 = spec.src_type == Type::kS32;
  const bool s32 = spec.type == Type::kS32;
  switch (spec.op) {
    case LaneOp::kCvtPack:
      if (from_s32 && spec.type == Type::kS16) return map2<Pack16Sat<true>, U32, S32, S32>;
      return from_s32 && spec.type == Type::kU16 ? map2<Pack16Sat<false>, U32, S32, S32> : nullptr;
    case LaneOp::kCvtPack8:
      if (from_s32 && spec.type == Type::kS8) return pack_below<8, true>();
      return from_s32 && spec.type == Type::kU8 ? pack_below<8, false>() : nullptr;
    case LaneOp::kCvtPackU4:
      return s32 ? pack_below<4, false>() : nullptr;
    case LaneOp::kCvtPackS4:
      return s32 ? pack_below<4, true>() : nullptr;
    case LaneOp::kCvtPackU2:
      return s32 ? pack_below<2, false>() : nullptr;
    case LaneOp::kCvtPackS2:
      return s32 ? pack_below<2, true>() : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
