// FADD, FMUL, FFMA with signs of operands and scales of products; DADD, DMUL, DFMA on register pairs; FCHK.
#include "isa/lane/float_arithmetic.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// a * b * 2^n, rounded once: the product of two f32 is exact in double, and so is its scaling.
struct ScaledMulOp {
  template <Rounding>
  HEDDLE_INLINE static double wide(float a, float b, float scale) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(scale);
  }
  HEDDLE_INLINE static float apply(float a, float b, float scale) {
    return static_cast<float>(wide<Rounding::kRn>(a, b, scale));
  }
};
struct SameRow {
  float value;
  HEDDLE_INLINE float operator[](unsigned) const { return value; }
};

template <class Op, Rounding r, bool ftz, bool sat>
void signed2(const LaneArgs& args) {
  rounded_rows<Op, F32, r, ftz, sat>(args, signed_row(args, 0), signed_row(args, 1));
}
template <class Op, Rounding r, bool ftz, bool sat>
void signed3(const LaneArgs& args) {
  rounded_rows<Op, F32, r, ftz, sat>(args, signed_row(args, 0), signed_row(args, 1), signed_row(args, 2));
}
template <class Op, Rounding r, bool ftz, bool sat>
void scaled(const LaneArgs& args) {
  const std::uint32_t exponent = 127 + field(args, kOperationBits, 3) - 4;
  rounded_rows<Op, F32, r, ftz, sat>(args, signed_row(args, 0), signed_row(args, 1),
                                     SameRow{from_bits(exponent << 23)});
}

/// fn.template operator()<rounding, ftz, sat>()
template <class Fn>
LaneFn with_modifiers(const MachineSpec& spec, Fn fn) {
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
      return with_flag(spec.sat, [&]<bool sat>() -> LaneFn { return fn.template operator()<r, ftz, sat>(); });
    });
  });
}

// ---- f64

struct SignedPair {
  PairRow row;
  Sign<std::uint64_t> sign;
  HEDDLE_INLINE double operator[](unsigned i) const { return from_bits(sign.apply(row[i])); }
  HEDDLE_INLINE double raw(unsigned i) const { return from_bits(row[i]); }
};
HEDDLE_INLINE SignedPair signed_pair(const LaneArgs& args, unsigned first) {
  return {pair_row(args, first), sign_of<std::uint64_t>(args, first)};
}
void store(const LaneArgs& args, const double* values) {
  alignas(64) std::uint64_t bits[32];
  HEDDLE_EACH_LANE bits[i] = bits_of(values[i]);
  write_pair(args, bits);
}

template <class Op, Rounding r>
void double2(const LaneArgs& args) {
  const SignedPair a = signed_pair(args, 0);
  const SignedPair b = signed_pair(args, 2);
  alignas(64) double results[32];
  [[maybe_unused]] const RoundingScope<r> scope;
  HEDDLE_EACH_LANE results[i] = Op::apply(a[i], b[i]);
  HEDDLE_EACH_LANE results[i] = nan_result(results[i], b.raw(i), a.raw(i));
  store(args, results);
}
template <class Op, Rounding r>
void double3(const LaneArgs& args) {
  const SignedPair a = signed_pair(args, 0);
  const SignedPair b = signed_pair(args, 2);
  const SignedPair c = signed_pair(args, 4);
  alignas(64) double results[32];
  [[maybe_unused]] const RoundingScope<r> scope;
  HEDDLE_EACH_LANE results[i] = Op::apply(a[i], b[i], c[i]);
  HEDDLE_EACH_LANE results[i] = nan_result(results[i], b.raw(i), c.raw(i), a.raw(i));
  store(args, results);
}

// The quotient's fast path takes the reciprocal of b, and products with it; it is good where none of them leaves the normal
// numbers.
void division_check(const LaneArgs& args) {
  const SignedRow a = signed_row(args, 0);
  const SignedRow b = signed_row(args, 1);
  write_predicate(args, 0, collect<4>([=](unsigned i) {
                    const auto ea = static_cast<std::int32_t>(bits_of(a[i]) >> 23 & 0xffu);
                    const auto eb = static_cast<std::int32_t>(bits_of(b[i]) >> 23 & 0xffu);
                    const std::int32_t difference = ea - eb;
                    return eb == 0 || eb >= 253 || ea == 255 || ea <= 24 || difference >= 126 ||
                           difference <= -125;
                  }));
}

}  // namespace

LaneFn find_machine_float(const MachineSpec& spec) {
  const bool f64 = spec.type == Type::kF64;
  if (f64 && (spec.ftz || spec.sat)) return nullptr;
  switch (spec.op) {
    case MachineOp::kAdd:
      if (f64) return with_rounding(spec.rounding, []<Rounding r>() -> LaneFn { return double2<AddOp, r>; });
      return with_modifiers(
          spec, []<Rounding r, bool ftz, bool sat>() -> LaneFn { return signed2<AddOp, r, ftz, sat>; });
    case MachineOp::kMultiply:
      if (f64) return with_rounding(spec.rounding, []<Rounding r>() -> LaneFn { return double2<MulOp, r>; });
      return with_modifiers(
          spec, []<Rounding r, bool ftz, bool sat>() -> LaneFn { return signed2<MulOp, r, ftz, sat>; });
    case MachineOp::kMultiplyScaled:
      if (f64) return nullptr;
      return with_modifiers(
          spec, []<Rounding r, bool ftz, bool sat>() -> LaneFn { return scaled<ScaledMulOp, r, ftz, sat>; });
    case MachineOp::kFusedMultiplyAdd:
      if (f64) return with_rounding(spec.rounding, []<Rounding r>() -> LaneFn { return double3<FmaOp, r>; });
      return with_modifiers(
          spec, []<Rounding r, bool ftz, bool sat>() -> LaneFn { return signed3<FmaOp, r, ftz, sat>; });
    case MachineOp::kDivisionCheck:
      return division_check;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
