// rsqrt, sin, cos, lg2, ex2, tanh (.approx), and the coarse f64 forms of rcp and rsqrt.
#include "isa/lane/half.h"
#include "isa/lane/special_functions.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

struct Rsqrt {
  HEDDLE_INLINE static float apply(float x) {
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
  }
};
struct Sin {
  HEDDLE_INLINE static float apply(float x) { return sine(x, 0); }
};
struct Cos {
  HEDDLE_INLINE static float apply(float x) { return sine(x, 1); }
};
struct Lg2 {
  HEDDLE_INLINE static float apply(float x) { return lg2(x); }
};
struct Ex2 {
  HEDDLE_INLINE static float apply(float x) { return ex2(x); }
  HEDDLE_INLINE static double wide(float x) { return ex2_wide(x); }
};
struct Tanh {
  HEDDLE_INLINE static float apply(float x) { return tanh_approx(x); }
  HEDDLE_INLINE static double wide(float x) { return tanh_wide(x); }
};

template <class Op, bool ftz>
struct Approx {
  HEDDLE_INLINE static float apply(float x) { return finish<ftz, false>(Op::apply(flush<ftz>(x))); }
};

// rsqrt.approx.f64 is nearly full precision. The .approx.ftz.f64 forms of rcp and rsqrt read only the upper
// 32 bits of their operand and clear the lower 32 bits of the result.
struct RsqrtF64 {
  HEDDLE_INLINE static double apply(double x) { return canonical(1.0 / __builtin_sqrt(x)); }
};
constexpr std::uint64_t kUpperWord = 0xffff'ffff'0000'0000ull;
HEDDLE_INLINE double upper_word(double x) { return from_bits(bits_of(x) & kUpperWord); }
struct RcpF64Coarse {
  HEDDLE_INLINE static double apply(double x) {
    return upper_word(finish<true, false>(1.0 / flush<true>(upper_word(x))));
  }
};
struct RsqrtF64Coarse {
  HEDDLE_INLINE static double apply(double x) {
    return upper_word(finish<true, false>(1.0 / __builtin_sqrt(flush<true>(upper_word(x)))));
  }
};

// ex2 and tanh of f16: the double value, rounded once.
template <class Op, bool packed>
struct ApproxHalf {
  HEDDLE_INLINE static std::uint32_t one(std::uint32_t half) {
    return double_to_half<Rounding::kRn>(Op::wide(static_cast<float>(half_to_double(half & 0xffffu))));
  }
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    return packed ? one(v) | one(v >> 16) << 16 : one(v);
  }
};

template <class Op>
LaneFn approx(const LaneSpec& spec) {
  if constexpr (requires { Op::wide(0.0f); }) {
    if (!spec.ftz && spec.type == Type::kF16) return map1<ApproxHalf<Op, false>, U32, U32>;
    if (!spec.ftz && spec.type == Type::kF16x2) return map1<ApproxHalf<Op, true>, U32, U32>;
  }
  if (spec.type != Type::kF32) return nullptr;
  return spec.ftz ? map1<Approx<Op, true>, F32, F32> : map1<Approx<Op, false>, F32, F32>;
}

}  // namespace

LaneFn find_special(const LaneSpec& spec) {
  if (spec.sat || (spec.rounding != Rounding::kDefault)) return nullptr;
  const bool f64 = spec.type == Type::kF64;
  switch (spec.op) {
    case LaneOp::kRcp:
      return f64 && spec.approx && spec.ftz ? map1<RcpF64Coarse, F64, F64> : nullptr;
    case LaneOp::kRsqrt:
      if (f64) return spec.ftz ? map1<RsqrtF64Coarse, F64, F64> : map1<RsqrtF64, F64, F64>;
      return approx<Rsqrt>(spec);
    case LaneOp::kSin:
      return approx<Sin>(spec);
    case LaneOp::kCos:
      return approx<Cos>(spec);
    case LaneOp::kLg2:
      return approx<Lg2>(spec);
    case LaneOp::kEx2:
      return approx<Ex2>(spec);
    case LaneOp::kTanh:
      return spec.ftz ? nullptr : approx<Tanh>(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
