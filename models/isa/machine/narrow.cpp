// HMNMX2, F2FP to and from 8-bit floats, MUFU of bf16.
#include "isa/lane/bf16_functions.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// A half of a source, as it is and with its sign modifiers.
struct HalfBits {
  const CellU32* row;
  unsigned swizzle;
  Sign<std::uint32_t> sign;  // of 32 bits
  HEDDLE_INLINE std::uint32_t raw(unsigned lane, bool high) const {
    const bool upper = swizzle == 3 || (swizzle == 0 && high);
    return (upper ? row[lane] : row[lane] << 16) & 0xffff'0000u;
  }
};
HEDDLE_INLINE HalfBits half_bits(const LaneArgs& args, unsigned i) {
  return {source<U32>(args, i), field(args, kOperationBits + 2 * i, 2), sign_of<std::uint32_t>(args, i)};
}

template <class F>
HEDDLE_INLINE std::uint32_t lesser(std::uint32_t x, std::uint32_t y, bool min, bool nan) {
  const bool x_nan = F::is_nan(x);
  const bool y_nan = F::is_nan(y);
  if ((nan && (x_nan || y_nan)) || (x_nan && y_nan)) return F::kNan;
  // In the order of the bits: -0 is less than +0.
  const auto key = [](std::uint32_t v) {
    return (v & F::kSign) != 0 ? (F::kSign * 2 - 1) & ~v : v | F::kSign;
  };
  const bool first = min ? key(x) < key(y) : key(x) > key(y);
  return y_nan || (first && !x_nan) ? x : y;
}

template <class F>
void half_min_max(const LaneArgs& args) {
  const HalfBits a = half_bits(args, 0);
  const HalfBits b = half_bits(args, 1);
  const std::uint32_t minimum = predicate(args, 2);
  const bool nan = has_bit(args, kHalfNan);
  const bool product_sign = has_bit(args, kHalfXorSign);
  const bool ftz = has_bit(args, kHalfFtz);
  const auto flushed = [=](std::uint32_t v) {
    return ftz && (v & (F::kSign - 1)) < F::kLeastNormal ? v & F::kSign : v;
  };
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) {
    values[i] = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const std::uint32_t x = a.raw(i, h != 0);
      const std::uint32_t y = b.raw(i, h != 0);
      std::uint32_t result = lesser<F>(flushed(a.sign.apply(x) >> 16), flushed(b.sign.apply(y) >> 16),
                                       (minimum >> i & 1u) != 0, nan);
      if (product_sign && !F::is_nan(result)) result = (result & (F::kSign - 1)) | ((x ^ y) >> 16 & F::kSign);
      values[i] |= result << 16 * h;
    }
  }
  const std::uint32_t* packed = values;
  each_lane<U32>(args, [=](unsigned i) { return packed[i]; });
}

/// The upper half of the result is the lower one of the last source.
template <class F, bool from_halves>
void pack_bytes(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, from_halves ? 1 : 2);
  const bool relu = has_bit(args, kOperationBits);
  const auto one = [=](double v) {
    return F::template round<Rounding::kRn>(relu && !(v > 0.0) && v == v ? 0.0 : v, true);
  };
  each_lane<U32>(args, [=](unsigned i) {
    const double high = from_halves ? HalfFormat::value(a[i] >> 16) : static_cast<double>(from_bits(a[i]));
    const double low = from_halves ? HalfFormat::value(a[i] & 0xffffu) : static_cast<double>(from_bits(b[i]));
    return c[i] << 16 | one(high) << 8 | one(low);
  });
}
template <class F>
void unpack_bytes(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const bool relu = has_bit(args, kOperationBits);
  const unsigned shift = has_bit(args, kOperationBits + 1) ? 16 : 0;
  const auto one = [=](std::uint32_t byte) {
    const double v = F::value(byte & 0xffu);
    return HalfFormat::round<Rounding::kRn>(relu && !(v > 0.0) && v == v ? 0.0 : v, false);
  };
  each_lane<U32>(args, [=](unsigned i) { return one(a[i] >> (shift + 8)) << 16 | one(a[i] >> shift); });
}

template <bool tangent>
void bf16_rows(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const Sign<std::uint32_t> sign = sign_of<std::uint32_t>(args, 0);
  const unsigned shift = has_bit(args, kOperationBits) ? 0 : 16;
  each_lane<U32>(args, [=](unsigned i) { return bf16_function<tangent>(sign.apply(a[i] << shift) >> 16); });
}

}  // namespace

LaneFn find_machine_narrow(const MachineSpec& spec) {
  const bool e4m3 = spec.type == Type::kE4m3x2 || spec.src_type == Type::kE4m3x2;
  switch (spec.op) {
    case MachineOp::kHalfMinMax:
      return spec.type == Type::kBf16x2 ? half_min_max<Bf16Format> : half_min_max<HalfFormat>;
    case MachineOp::kPackNarrow:
      if (spec.src_type == Type::kF16x2)
        return e4m3 ? pack_bytes<E4m3Format, true> : pack_bytes<E5m2Format, true>;
      return e4m3 ? pack_bytes<E4m3Format, false> : pack_bytes<E5m2Format, false>;
    case MachineOp::kUnpackNarrow:
      return e4m3 ? unpack_bytes<E4m3Format> : unpack_bytes<E5m2Format>;
    case MachineOp::kSpecialFunction:
      if (spec.type != Type::kBf16) return nullptr;
      if (spec.function == SpecialFunction::kTanh) return bf16_rows<true>;
      return spec.function == SpecialFunction::kEx2 ? bf16_rows<false> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
