// HADD2, HMUL2, HFMA2, HSET2, HSETP2 and F2FP: two halves, f16 or bf16, computed in double and rounded once.
#include "isa/lane/half.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr std::uint32_t kNanBf16 = 0x7fffu;

/// ... to f32.
HEDDLE_INLINE float float_to_odd(double v) {
  const auto rounded = static_cast<float>(v);
  const auto back = static_cast<double>(rounded);
  if (!(magnitude(rounded) < from_bits(FloatFormat<float>::kInfinity)) || back == v) return rounded;
  const std::uint32_t bits = bits_of(rounded);
  if ((bits & 1u) != 0) return rounded;
  return from_bits(magnitude(v) > magnitude(back) ? bits + 1 : bits - 1);
}
template <Rounding r>
HEDDLE_INLINE std::uint32_t float_to_bf16(float v) {
  if (v != v) return kNanBf16;
  const std::uint32_t bits = bits_of(v);
  const std::uint32_t rest = bits & 0xffffu;
  const bool negative = (bits & FloatFormat<float>::kSign) != 0;
  std::uint32_t up = 0;
  if constexpr (r == Rounding::kRn)
    up = rest > 0x8000u || (rest == 0x8000u && (bits & 0x10000u) != 0) ? 1u : 0u;
  if constexpr (r == Rounding::kRp) up = rest != 0 && !negative ? 1u : 0u;
  if constexpr (r == Rounding::kRm) up = rest != 0 && negative ? 1u : 0u;
  return (bits >> 16) + up;
}

struct HalfSource {
  const CellU32* row;
  unsigned swizzle;
  bool bf16;
  bool ftz;
  Sign<std::uint32_t> sign;  // of 32 bits

  HEDDLE_INLINE double get(unsigned lane, bool high) const {
    if (swizzle == 1) {
      const float single = from_bits(sign.apply(row[lane]));
      const float value = ftz ? flush<true>(single) : single;
      // A single comes in as a half, cut off: ptxas makes cvt.rz.f16.f32 of it on sm_75.
      return bf16 ? value : half_to_double(double_to_half<Rounding::kRz>(value));
    }
    const bool upper = swizzle == 3 || (swizzle == 0 && high);
    const std::uint32_t at_top = sign.apply((upper ? row[lane] : row[lane] << 16) & 0xffff'0000u);
    if (bf16) {
      const float value = from_bits(at_top);
      return ftz ? flush<true>(value) : value;
    }
    return half_to_double(ftz ? flush_half<true>(at_top >> 16) : at_top >> 16);
  }
};
HEDDLE_INLINE HalfSource half_source(const LaneArgs& args, unsigned i) {
  return {source<U32>(args, i), field(args, kOperationBits + 2 * i, 2), has_bit(args, kHalfBf16),
          has_bit(args, kHalfFtz), sign_of<std::uint32_t>(args, i)};
}

struct HalfResult {
  bool f32;
  bool bf16;
  bool ftz;
  bool relu;
  bool sat;
  HEDDLE_INLINE explicit HalfResult(const LaneArgs& args)
      : f32(has_bit(args, kHalfF32)),
        bf16(has_bit(args, kHalfBf16)),
        ftz(has_bit(args, kHalfFtz)),
        relu(has_bit(args, kHalfRelu)),
        sat(has_bit(args, kHalfSat)) {}
  /// What rounds to the least normal number when the exponent has no bound: cards flush what is below.
  HEDDLE_INLINE double least() const {
    if (f32) return 0x1p-126 - 0x1p-151;
    return bf16 ? 0x1p-126 - 0x1p-135 : 0x1p-14 - 0x1p-26;
  }
  HEDDLE_INLINE std::uint32_t bits(double exact) const {
    double v = exact;
    if (ftz && magnitude(v) < least()) v = signed_zero(v);
    if (relu && !(v > 0.0) && v == v) v = 0.0;
    if (sat) v = saturate(v);
    if (f32) return bits_of(canonical(static_cast<float>(v)));
    return bf16 ? float_to_bf16<Rounding::kRn>(float_to_odd(v)) : double_to_half<Rounding::kRn>(v);
  }
};

/// fn(lane, whether of the high halves) is exact, or odd where double does not hold it.
template <class Fn>
HEDDLE_INLINE void half_rows(const LaneArgs& args, Fn fn) {
  const HalfResult result(args);
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) {
    values[i] = result.bits(fn(i, false));
    if (!result.f32) values[i] |= result.bits(fn(i, true)) << 16;
  }
  const std::uint32_t* packed = values;
  each_lane<U32>(args, [=](unsigned i) { return packed[i]; });
}
void half_add(const LaneArgs& args) {
  const HalfSource a = half_source(args, 0);
  const HalfSource b = half_source(args, 1);
  half_rows(args, [=](unsigned i, bool high) { return sum_to_odd(a.get(i, high), b.get(i, high)); });
}
void half_multiply(const LaneArgs& args) {
  const HalfSource a = half_source(args, 0);
  const HalfSource b = half_source(args, 1);
  half_rows(args, [=](unsigned i, bool high) { return a.get(i, high) * b.get(i, high); });
}
/// `crossed`: of b the halves change places, and the low one is negative then.
template <bool crossed>
void half_fused_multiply_add(const LaneArgs& args) {
  const HalfSource a = half_source(args, 0);
  const HalfSource b = half_source(args, 1);
  const HalfSource c = half_source(args, 2);
  half_rows(args, [=](unsigned i, bool high) {
    double factor = b.get(i, high != crossed);
    if (crossed && !high) factor = -factor;
    return sum_to_odd(a.get(i, high) * factor, c.get(i, high));
  });
}

struct Holds {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};
HEDDLE_INLINE Holds compare_halves(const LaneArgs& args) {
  const HalfSource a = half_source(args, 0);
  const HalfSource b = half_source(args, 1);
  const unsigned wanted = field(args, kHalfCompareBits, 4);
  const auto holds = [=](unsigned i, bool high) {
    const double x = a.get(i, high);
    const double y = b.get(i, high);
    const unsigned outcome = x < y    ? kOutcomeLess
                             : x > y  ? kOutcomeGreater
                             : x == y ? kOutcomeEqual
                                      : kOutcomeUnordered;
    return (wanted & outcome) != 0;
  };
  Holds result;
  for (unsigned i = 0; i < 32; ++i) {
    result.low |= (holds(i, false) ? 1u : 0u) << i;
    result.high |= (holds(i, true) ? 1u : 0u) << i;
  }
  return result;
}
HEDDLE_INLINE std::uint32_t combined_halves(const LaneArgs& args, std::uint32_t bits) {
  const std::uint32_t with = predicate(args, 2);
  switch (field(args, kHalfCompareBits + 4, 2)) {
    case 0:
      return bits & with;
    case 1:
      return bits | with;
    default:
      return bits ^ with;
  }
}
void half_compare(const LaneArgs& args) {
  Holds holds = compare_halves(args);
  if (has_bit(args, kHalfBoth)) {
    holds.low &= holds.high;
    holds.high = ~holds.low;
  }
  const std::uint32_t p = combined_halves(args, holds.low);
  const std::uint32_t q = combined_halves(args, holds.high);
  write_predicate(args, 0, p);
  write_predicate(args, 1, q);
}
void half_set(const LaneArgs& args) {
  const Holds holds = compare_halves(args);
  const std::uint32_t low = combined_halves(args, holds.low);
  const std::uint32_t high = combined_halves(args, holds.high);
  const std::uint32_t one = has_bit(args, kHalfBf16) ? 0x3f80u : 0x3c00u;
  const std::uint32_t truth = has_bit(args, kHalfOne) ? one : 0xffffu;
  each_lane<U32>(args, [=](unsigned i) {
    return (lane_in<4>(low, i) ? truth : 0u) | (lane_in<4>(high, i) ? truth << 16 : 0u);
  });
}

// F2FP: the first operand becomes the high half.
template <Rounding r>
void pack_floats(const LaneArgs& args) {
  const SignedRow a = signed_row(args, 0);
  const SignedRow b = signed_row(args, 1);
  const bool bf16 = has_bit(args, kOperationBits);
  const bool relu = has_bit(args, kOperationBits + 1);
  const bool finite = has_bit(args, kOperationBits + 2);
  const std::uint32_t infinity = bf16 ? 0x7f80u : 0x7c00u;
  const auto one = [=](float v) {
    const float number = relu && !(v > 0.0f) && v == v ? 0.0f : v;
    const std::uint32_t bits =
        bf16 ? float_to_bf16<r>(number) : double_to_half<r>(static_cast<double>(number));
    return finite && (bits & 0x7fffu) == infinity ? bits - 1 : bits;
  };
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) values[i] = one(a[i]) << 16 | one(b[i]);
  const std::uint32_t* packed = values;
  each_lane<U32>(args, [=](unsigned i) { return packed[i]; });
}

}  // namespace

LaneFn find_machine_half(const MachineSpec& spec) {
  switch (spec.op) {
    case MachineOp::kHalfAdd:
      return half_add;
    case MachineOp::kHalfMultiply:
      return half_multiply;
    case MachineOp::kHalfFusedMultiplyAdd:
      return spec.extended ? half_fused_multiply_add<true> : half_fused_multiply_add<false>;
    case MachineOp::kHalfCompare:
      return half_compare;
    case MachineOp::kHalfSet:
      return half_set;
    case MachineOp::kPackFloats:
      return with_rounding(spec.rounding, []<Rounding r>() -> LaneFn { return pack_floats<r>; });
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
