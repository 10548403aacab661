// lop3, the modes of prmt, and the later bit-field instructions bfind.shiftamt, fns, szext and bmsk
// (pseudo-code of each in the PTX ISA).
#include "isa/lane/bit_functions.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

void lop3(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const auto table = static_cast<std::uint32_t>(args.immediate);
  each_lane<U32>(args, [=](unsigned i) { return look_up(table, a[i], b[i], c[i]); });
}
template <Combine combine>
void lop3_predicate(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const auto table = static_cast<std::uint32_t>(args.immediate);
  const std::uint32_t nonzero = collect<4>([=](unsigned i) { return look_up(table, a[i], b[i], c[i]) != 0; });
  const std::uint32_t q = predicate(args, 3);
  each_lane<U32>(args, [=](unsigned i) { return look_up(table, a[i], b[i], c[i]); });
  write_predicate(args, 1, combine == Combine::kAnd ? nonzero & q : nonzero | q);
}

/// Which of the eight bytes b:a becomes byte `i` of the result, under selector `s` (0 to 3).
template <LaneOp mode>
HEDDLE_INLINE std::uint32_t chosen_byte(std::uint32_t i, std::uint32_t s) {
  switch (mode) {
    case LaneOp::kPrmtF4e:
      return i + s;
    case LaneOp::kPrmtB4e:
      return (s - i) & 7u;
    case LaneOp::kPrmtRc8:
      return s;
    case LaneOp::kPrmtEcl:
      return i > s ? i : s;
    case LaneOp::kPrmtEcr:
      return i < s ? i : s;
    default:  // rc16
      return (s & 1u) * 2 + (i & 1u);
  }
}
template <LaneOp mode>
struct PrmtMode {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(b) << 32 | a;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= (static_cast<std::uint32_t>(bytes >> (chosen_byte<mode>(i, c & 3u) * 8)) & 0xffu) << (i * 8);
    return result;
  }
};

struct Fns {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return ((mask >> base) & 1u) != 0 ? base : ~0u;
    const std::int32_t step = offset > 0 ? 1 : -1;
    // The most negative offset asks for more bits than there are.
    std::int64_t left = offset > 0 ? offset : -static_cast<std::int64_t>(offset);
    for (auto at = static_cast<std::int32_t>(base); at >= 0 && at < 32; at += step)
      if (((mask >> at) & 1u) != 0 && --left == 0) return static_cast<std::uint32_t>(at);
    return ~0u;
  }
};

template <bool is_signed_value, bool clamp>
struct Szext {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t bits = b & 31u;
    if (clamp && b > 31) return a;
    const std::uint32_t above = ~0u << bits;
    const bool sign = is_signed_value && bits != 0 && ((a >> ((bits - 1) & 31u)) & 1u) != 0;
    return (a & ~above) | (sign ? above : 0u);
  }
};
template <bool clamp>
struct Bmsk {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = a & 31u;
    const std::uint32_t end = first + (b & 31u);
    const std::uint32_t from = clamp && a > 31 ? 0u : ~0u << first;
    const bool to_the_top = end > 31 || (clamp && (a > 31 || b > 31));
    const std::uint32_t beyond = to_the_top ? 0u : ~0u << (end & 31u);
    return from & ~beyond;
  }
};

LaneFn find_bfind_shift(Type type) {
  switch (type) {
    case Type::kU32:
      return map1<BfindShift<U32>, U32, U32>;
    case Type::kS32:
      return map1<BfindShift<S32>, U32, S32>;
    case Type::kU64:
      return map1<BfindShift<U64>, U32, U64>;
    case Type::kS64:
      return map1<BfindShift<S64>, U32, S64>;
    default:
      return nullptr;
  }
}

LaneFn find_szext(const LaneSpec& spec) {
  if (spec.type == Type::kU32)
    return spec.clamp ? map2<Szext<false, true>, U32, U32, U32> : map2<Szext<false, false>, U32, U32, U32>;
  if (spec.type == Type::kS32)
    return spec.clamp ? map2<Szext<true, true>, U32, U32, U32> : map2<Szext<true, false>, U32, U32, U32>;
  return nullptr;
}

}  // namespace

LaneFn find_fields(const LaneSpec& spec) {
  if (spec.op == LaneOp::kBfindShift) return find_bfind_shift(spec.type);
  if (spec.op == LaneOp::kSzext) return find_szext(spec);
  if (spec.type != Type::kB32) return nullptr;
  switch (spec.op) {
    case LaneOp::kFns:
      return map3<Fns, U32, U32, U32, S32>;
    case LaneOp::kBmsk:
      return spec.clamp ? map2<Bmsk<true>, U32, U32, U32> : map2<Bmsk<false>, U32, U32, U32>;
    case LaneOp::kLop3:
      return lop3;
    case LaneOp::kLop3Pred:
      if (spec.combine == Combine::kAnd) return lop3_predicate<Combine::kAnd>;
      return spec.combine == Combine::kOr ? lop3_predicate<Combine::kOr> : nullptr;
    case LaneOp::kPrmtF4e:
      return map3<PrmtMode<LaneOp::kPrmtF4e>, U32, U32, U32, U32>;
    case LaneOp::kPrmtB4e:
      return map3<PrmtMode<LaneOp::kPrmtB4e>, U32, U32, U32, U32>;
    case LaneOp::kPrmtRc8:
      return map3<PrmtMode<LaneOp::kPrmtRc8>, U32, U32, U32, U32>;
    case LaneOp::kPrmtEcl:
      return map3<PrmtMode<LaneOp::kPrmtEcl>, U32, U32, U32, U32>;
    case LaneOp::kPrmtEcr:
      return map3<PrmtMode<LaneOp::kPrmtEcr>, U32, U32, U32, U32>;
    case LaneOp::kPrmtRc16:
      return map3<PrmtMode<LaneOp::kPrmtRc16>, U32, U32, U32, U32>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
