// mov, the vector forms of mov (pack, unpack), ld.param broadcasts, predicate logic, clocks.
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

struct Copy {
  template <class V>
  HEDDLE_INLINE static V apply(V a) {
    return a;
  }
};

struct Pack32 {  // mov.b64 d, {a, b}
  HEDDLE_INLINE static std::uint64_t apply(std::uint32_t a, std::uint32_t b) {
    return a | static_cast<std::uint64_t>(b) << 32;
  }
};
struct Unpack32Lo {
  HEDDLE_INLINE static std::uint32_t apply(std::uint64_t a) { return static_cast<std::uint32_t>(a); }
};
struct Unpack32Hi {
  HEDDLE_INLINE static std::uint32_t apply(std::uint64_t a) { return static_cast<std::uint32_t>(a >> 32); }
};
struct Pack16 {  // mov.b32 d, {a, b}
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a | b << 16; }
};
struct Unpack16Lo {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a) { return a; }
};
struct Unpack16Hi {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a) { return a >> 16; }
};

void clock32(const LaneArgs& args) {
  const auto now = static_cast<std::uint32_t>(args.cycle);
  each_lane<U32>(args, [=](unsigned) { return now; });
}
void clock64(const LaneArgs& args) {
  const std::uint64_t now = args.cycle;
  each_lane<U64>(args, [=](unsigned) { return now; });
}

/// Reads a Memory value from the parameter block, extends it to `keep` bits, and gives it to every lane.
template <class Memory, class D, unsigned keep>
void param(const LaneArgs& args) {
  Memory value{};
  __builtin_memcpy(&value, args.src[0], sizeof value);
  const auto extended = static_cast<typename D::Unsigned>(static_cast<std::int64_t>(value));  // sign-extended
  constexpr typename D::Unsigned kMask = ~typename D::Unsigned{0} >> (sizeof(kMask) * 8 - keep);
  const typename D::Unsigned row = extended & kMask;
  each_lane<D>(args, [=](unsigned) { return row; });
}

LaneFn find_param(const LaneSpec& spec) {
  const bool wide = spec.dst_bits == 64;
  switch (spec.type) {
    case Type::kB8:
    case Type::kU8:
      return wide ? param<std::uint8_t, U64, 64> : param<std::uint8_t, U32, 32>;
    case Type::kB16:
    case Type::kU16:
    case Type::kF16:
    case Type::kBf16:
      return wide ? param<std::uint16_t, U64, 64> : param<std::uint16_t, U32, 32>;
    case Type::kB32:
    case Type::kU32:
    case Type::kF32:
    case Type::kF16x2:
    case Type::kBf16x2:
      return wide ? param<std::uint32_t, U64, 64> : param<std::uint32_t, U32, 32>;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return param<std::uint64_t, U64, 64>;
    case Type::kS8:
      if (wide) return param<std::int8_t, U64, 64>;
      if (spec.dst_bits == 32) return param<std::int8_t, U32, 32>;
      return spec.dst_bits == 16 ? param<std::int8_t, U32, 16> : param<std::int8_t, U32, 8>;
    case Type::kS16:
      if (wide) return param<std::int16_t, U64, 64>;
      return spec.dst_bits == 32 ? param<std::int16_t, U32, 32> : param<std::int16_t, U32, 16>;
    case Type::kS32:
      return wide ? param<std::int32_t, U64, 64> : param<std::int32_t, U32, 32>;
    default:
      return nullptr;
  }
}

// Predicates are lane masks: one 32-bit operation handles all lanes.
void move_predicate(const LaneArgs& args) { write_predicate(args, 0, predicate(args, 0)); }
void not_predicate(const LaneArgs& args) { write_predicate(args, 0, ~predicate(args, 0)); }
void and_predicate(const LaneArgs& args) {
  write_predicate(args, 0, predicate(args, 0) & predicate(args, 1));
}
void or_predicate(const LaneArgs& args) { write_predicate(args, 0, predicate(args, 0) | predicate(args, 1)); }
void xor_predicate(const LaneArgs& args) {
  write_predicate(args, 0, predicate(args, 0) ^ predicate(args, 1));
}

LaneFn find_predicate(LaneOp op) {
  switch (op) {
    case LaneOp::kMov:
      return move_predicate;
    case LaneOp::kNot:
      return not_predicate;
    case LaneOp::kAnd:
      return and_predicate;
    case LaneOp::kOr:
      return or_predicate;
    case LaneOp::kXor:
      return xor_predicate;
    default:
      return nullptr;
  }
}

LaneFn find_mov(Type type) {
  switch (type) {
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return map1<Copy, U8, U8>;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
      return map1<Copy, U16, U16>;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
    case Type::kF16x2:
    case Type::kBf16x2:
      return map1<Copy, U32, U32>;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return map1<Copy, U64, U64>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_move(const LaneSpec& spec) {
  if (spec.type == Type::kPred) return find_predicate(spec.op);
  switch (spec.op) {
    case LaneOp::kMov:
      return find_mov(spec.type);
    case LaneOp::kPack2x32:
      return map2<Pack32, U64, U32, U32>;
    case LaneOp::kUnpack2x32Lo:
      return map1<Unpack32Lo, U32, U64>;
    case LaneOp::kUnpack2x32Hi:
      return map1<Unpack32Hi, U32, U64>;
    case LaneOp::kPack2x16:
      return map2<Pack16, U32, U16, U16>;
    case LaneOp::kUnpack2x16Lo:
      return map1<Unpack16Lo, U16, U32>;
    case LaneOp::kUnpack2x16Hi:
      return map1<Unpack16Hi, U16, U32>;
    case LaneOp::kParam:
      return find_param(spec);
    case LaneOp::kClock32:
      return clock32;
    case LaneOp::kClock64:
      return clock64;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
