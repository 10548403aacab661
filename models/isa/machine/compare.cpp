// Comparisons, minima and maxima. A comparison is a set of outcomes (less, equal, greater, unordered), as machine code
// encodes it, so one function serves all of them.
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

struct Outcomes {  // masks of lanes
  std::uint32_t less;
  std::uint32_t equal;
  std::uint32_t greater;
};
HEDDLE_INLINE std::uint32_t chosen(unsigned wanted, Outcomes of) {
  const auto when = [&](unsigned outcome, std::uint32_t lanes) {
    return (wanted & outcome) != 0 ? lanes : 0u;
  };
  return when(kOutcomeLess, of.less) | when(kOutcomeEqual, of.equal) | when(kOutcomeGreater, of.greater) |
         when(kOutcomeUnordered, ~(of.less | of.equal | of.greater));
}
/// Bits `first` and `first` + 1 of the immediate say how.
HEDDLE_INLINE std::uint32_t combined_as(const LaneArgs& args, unsigned first, std::uint32_t bits,
                                        std::uint32_t with) {
  switch (field(args, first, 2)) {
    case 0:
      return bits & with;
    case 1:
      return bits | with;
    default:
      return bits ^ with;
  }
}
HEDDLE_INLINE void write_comparison(const LaneArgs& args, unsigned combine_at, std::uint32_t bits,
                                    std::uint32_t with) {
  write_predicate(args, 0, combined_as(args, combine_at, bits, with));
  write_predicate(args, 1, combined_as(args, combine_at, ~bits, with));
}

// ISETP.EX compares high words: where they are equal, the result of the low words (src[3]) decides, whatever is compared.
template <class E, bool extended>
void compare_integer(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  const std::uint32_t less = collect<4>([=](unsigned i) { return a[i] < b[i]; });
  const std::uint32_t equal = collect<4>([=](unsigned i) { return a[i] == b[i]; });
  const std::uint32_t greater = ~(less | equal);
  const unsigned wanted = field(args, kOperationBits, 4);
  const std::uint32_t with = predicate(args, 2);
  std::uint32_t bits = chosen(wanted, {less, equal, greater});
  if constexpr (extended)
    if (wanted != 0 && wanted != (kOutcomeLess | kOutcomeEqual | kOutcomeGreater))
      bits = (bits & ~equal) | (equal & predicate(args, 3));
  write_comparison(args, kOperationBits + 4, bits, with);
}

/// What happens to a and b before the choice between them and c.
enum class First : std::uint8_t { kNothing, kAdd, kChoose };
template <class E, First first>
void min_max(const LaneArgs& args) {
  constexpr bool add = first == First::kAdd;
  constexpr unsigned kLast = first == First::kNothing ? 1 : 2;
  using V = typename E::Value;
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<E>(args, kLast);
  const std::uint32_t p = predicate(args, kLast + 1);
  const std::uint32_t nb = add ? inverted(args, 1) : 0u;
  const bool relu = has_bit(args, kOperationBits);
  each_lane<E>(args, [=](unsigned i) {
    const auto chosen_of = [=](V x, V y) {
      const V smaller = x < y ? x : y;
      const V larger = x < y ? y : x;
      return lane_in<4>(p, i) ? smaller : larger;
    };
    auto x = static_cast<V>(add ? a[i] + ((b[i] ^ nb) - nb) : a[i]);
    if constexpr (first == First::kChoose) x = chosen_of(x, static_cast<V>(b[i]));
    const V result = chosen_of(x, c[i]);
    return relu && static_cast<std::int32_t>(result) < 0 ? V{0} : result;
  });
}

/// Two halves. `V`: of 16 bits. `tell`: two predicates say whether the halves of a are the result.
template <class V, First first, bool tell = false>
void min_max_halves(const LaneArgs& args) {
  constexpr bool add = first == First::kAdd;
  constexpr unsigned kLast = first == First::kNothing ? 1 : 2;
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, kLast);
  const std::uint32_t p = predicate(args, kLast + 1);
  const std::uint32_t nb = add ? inverted(args, 1) : 0u;
  const bool relu = has_bit(args, kOperationBits);
  if constexpr (tell) {
    const auto is_a = [=](unsigned shift) {
      return collect<4>([=](unsigned i) {
        const auto x = static_cast<V>(a[i] >> shift), y = static_cast<V>(b[i] >> shift);
        return x == y || lane_in<4>(p, i) == (x < y);
      });
    };
    const std::uint32_t low = is_a(0), high = is_a(16);
    write_predicate(args, 1, low);
    write_predicate(args, 2, high);
  }
  const auto result = [=](unsigned i) {
    const auto of = [=](unsigned shift) {
      const std::uint32_t sum = add ? (a[i] >> shift) + (((b[i] >> shift) ^ nb) - nb) : a[i] >> shift;
      const auto chosen_of = [=](V x, V y) { return lane_in<4>(p, i) == (x < y) ? x : y; };
      auto x = static_cast<V>(sum);
      if constexpr (first == First::kChoose) x = chosen_of(x, static_cast<V>(b[i] >> shift));
      const V value = chosen_of(x, static_cast<V>(c[i] >> shift));
      return relu && static_cast<std::int16_t>(value) < 0
                 ? 0u
                 : static_cast<std::uint32_t>(static_cast<std::uint16_t>(value));
    };
    return of(0) | of(16) << 16;
  };
  if constexpr (tell)
    write_row(args, 0, result);
  else
    each_lane<U32>(args, result);
}

template <bool ftz>
Outcomes compare_float_rows(const LaneArgs& args) {
  const SignedRow a = signed_row(args, 0);
  const SignedRow b = signed_row(args, 1);
  return {collect<4>([=](unsigned i) { return flush<ftz>(a[i]) < flush<ftz>(b[i]); }),
          collect<4>([=](unsigned i) { return flush<ftz>(a[i]) == flush<ftz>(b[i]); }),
          collect<4>([=](unsigned i) { return flush<ftz>(a[i]) > flush<ftz>(b[i]); })};
}
template <bool ftz>
void compare_float(const LaneArgs& args) {
  const std::uint32_t bits = chosen(field(args, kOperationBits, 4), compare_float_rows<ftz>(args));
  write_comparison(args, kOperationBits + 4, bits, predicate(args, 2));
}
template <bool ftz>
void set_float(const LaneArgs& args) {
  const std::uint32_t bits = chosen(field(args, kOperationBits, 4), compare_float_rows<ftz>(args));
  const std::uint32_t holds = combined_as(args, kOperationBits + 4, bits, predicate(args, 2));
  each_lane<U32>(args, [=](unsigned i) { return lane_in<4>(holds, i) ? bits_of(1.0f) : 0u; });
}

struct Doubles {
  PairRow row;
  Sign<std::uint64_t> sign;
  HEDDLE_INLINE double operator[](unsigned i) const { return from_bits(sign.apply(row[i])); }
};
/// DSETP.MIN and .MAX: p says whether the first operand is the result, q whether both are NaNs, so that the second one is, made
/// quiet. A NaN loses to a number, and -0 is below +0.
void choose_double(const LaneArgs& args) {
  const Doubles a{pair_row(args, 0), sign_of<std::uint64_t>(args, 0)};
  const Doubles b{pair_row(args, 2), sign_of<std::uint64_t>(args, 2)};
  const bool minimum = has_bit(args, kOperationBits);
  const std::uint32_t with = predicate(args, 4);
  const std::uint32_t a_nan = collect<8>([=](unsigned i) { return a[i] != a[i]; });
  const std::uint32_t b_nan = collect<8>([=](unsigned i) { return b[i] != b[i]; });
  const std::uint32_t less = collect<8>([=](unsigned i) {
    return a[i] < b[i] || (a[i] == b[i] && static_cast<std::int64_t>(bits_of(a[i])) < 0 &&
                           static_cast<std::int64_t>(bits_of(b[i])) >= 0);
  });
  const std::uint32_t greater = collect<8>([=](unsigned i) {
    return a[i] > b[i] || (a[i] == b[i] && static_cast<std::int64_t>(bits_of(a[i])) >= 0 &&
                           static_cast<std::int64_t>(bits_of(b[i])) < 0);
  });
  const std::uint32_t first = (minimum ? less : greater) | (b_nan & ~a_nan);
  write_predicate(args, 0, combined_as(args, kOperationBits + 4, first, with));
  write_predicate(args, 1, combined_as(args, kOperationBits + 4, a_nan & b_nan, with));
}
void compare_double(const LaneArgs& args) {
  const Doubles a{pair_row(args, 0), sign_of<std::uint64_t>(args, 0)};
  const Doubles b{pair_row(args, 2), sign_of<std::uint64_t>(args, 2)};
  const std::uint32_t less = collect<8>([=](unsigned i) { return a[i] < b[i]; });
  const std::uint32_t equal = collect<8>([=](unsigned i) { return a[i] == b[i]; });
  const std::uint32_t greater = collect<8>([=](unsigned i) { return a[i] > b[i]; });
  const std::uint32_t with = predicate(args, 4);
  write_comparison(args, kOperationBits + 4, chosen(field(args, kOperationBits, 4), {less, equal, greater}),
                   with);
}

/// The sign of both operands' product (XORSIGN) is read before modifiers.
template <bool ftz>
void min_max_float(const LaneArgs& args) {
  const auto* raw_a = source<U32>(args, 0);
  const auto* raw_b = source<U32>(args, 1);
  const SignedRow a = signed_row(args, 0);
  const SignedRow b = signed_row(args, 1);
  const std::uint32_t p = predicate(args, 2);
  const bool nan_wins = has_bit(args, kOperationBits);
  const std::uint32_t product_sign = has_bit(args, kOperationBits + 1) ? FloatFormat<float>::kSign : 0u;
  each_lane<U32>(args, [=](unsigned i) {
    const float x = flush<ftz>(a[i]);
    const float y = flush<ftz>(b[i]);
    // Where x == y the bits differ in the sign at most.
    const float smaller = x == y ? from_bits(bits_of(x) | bits_of(y)) : x < y ? x : y;
    const float larger = x == y ? from_bits(bits_of(x) & bits_of(y)) : x < y ? y : x;
    const float number = lane_in<4>(p, i) ? smaller : larger;
    const bool x_nan = x != x;
    const bool y_nan = y != y;
    const float one = x_nan ? y : x;
    const bool none = nan_wins ? x_nan || y_nan : x_nan && y_nan;
    const float result = x_nan || y_nan ? one : number;
    const std::uint32_t bits =
        product_sign != 0 ? (bits_of(result) & ~product_sign) | ((raw_a[i] ^ raw_b[i]) & product_sign)
                          : bits_of(result);
    return none ? FloatFormat<float>::kNan : bits;
  });
}

template <bool ftz>
void select_float(const LaneArgs& args) {
  const SignedRow a = signed_row(args, 0);
  const SignedRow b = signed_row(args, 1);
  const std::uint32_t p = predicate(args, 2);
  each_lane<U32>(args, [=](unsigned i) { return bits_of(flush<ftz>(lane_in<4>(p, i) ? a[i] : b[i])); });
}

}  // namespace

LaneFn find_machine_compare(const MachineSpec& spec) {
  switch (spec.op) {
    case MachineOp::kMinMax:
      if (spec.type == Type::kB16 && spec.extended)
        return spec.is_signed ? min_max_halves<std::int16_t, First::kNothing, true>
                              : min_max_halves<std::uint16_t, First::kNothing, true>;
      if (spec.type == Type::kB16)
        return spec.is_signed ? min_max_halves<std::int16_t, First::kNothing>
                              : min_max_halves<std::uint16_t, First::kNothing>;
      return spec.is_signed ? min_max<S32, First::kNothing> : min_max<U32, First::kNothing>;
    case MachineOp::kMinMax3:
      if (spec.type == Type::kB16)
        return spec.is_signed ? min_max_halves<std::int16_t, First::kChoose>
                              : min_max_halves<std::uint16_t, First::kChoose>;
      return spec.is_signed ? min_max<S32, First::kChoose> : min_max<U32, First::kChoose>;
    case MachineOp::kAddMinMax:
      if (spec.type == Type::kB16)
        return spec.is_signed ? min_max_halves<std::int16_t, First::kAdd>
                              : min_max_halves<std::uint16_t, First::kAdd>;
      return spec.is_signed ? min_max<S32, First::kAdd> : min_max<U32, First::kAdd>;
    case MachineOp::kCompareInteger:
      if (spec.extended) return spec.is_signed ? compare_integer<S32, true> : compare_integer<U32, true>;
      return spec.is_signed ? compare_integer<S32, false> : compare_integer<U32, false>;
    case MachineOp::kCompareFloat:
      if (spec.type == Type::kF64) return spec.ftz ? nullptr : compare_double;
      return spec.ftz ? compare_float<true> : compare_float<false>;
    case MachineOp::kChooseDouble:
      return choose_double;
    case MachineOp::kSetFloat:
      return spec.ftz ? set_float<true> : set_float<false>;
    case MachineOp::kMinMaxFloat:
      return spec.ftz ? min_max_float<true> : min_max_float<false>;
    case MachineOp::kSelectFloat:
      return spec.ftz ? select_float<true> : select_float<false>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
