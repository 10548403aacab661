// setp and set of f16, bf16, and pairs of them. A comparison of pairs is two comparisons: setp writes p for the low halves and
// q for the high ones; set writes a result into each half.
#include "isa/lane/compare.h"
#include "isa/lane/narrow.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

// The formats: elements of the lower or the upper half, and the bits of 1.
struct HalfElements {
  template <bool high, bool ftz>
  using Of = HalfOf<high, ftz>;
  static constexpr std::uint32_t kOne = 0x3c00u;
};
struct Bf16Elements {
  template <bool high, bool ftz>
  using Of = NarrowOf<Bf16Format, high>;
  static constexpr std::uint32_t kOne = 0x3f80u;
};

template <class F, bool ftz, Compare c, Combine combine>
void setp_half(const LaneArgs& args) {
  const std::uint32_t bits = compare_rows<typename F::template Of<false, ftz>, c, false>(args);
  const std::uint32_t p = combined<combine>(args, bits);
  const std::uint32_t q = combined<combine>(args, ~bits);
  write_predicate(args, 0, p);
  write_predicate(args, 1, q);
}
template <class F, bool ftz, Compare c, Combine combine>
void setp_pair(const LaneArgs& args) {
  const std::uint32_t p =
      combined<combine>(args, compare_rows<typename F::template Of<false, ftz>, c, false>(args));
  const std::uint32_t q =
      combined<combine>(args, compare_rows<typename F::template Of<true, ftz>, c, false>(args));
  write_predicate(args, 0, p);
  write_predicate(args, 1, q);
}

/// true_value where `low` holds and, 16 bits higher, where `high` holds.
template <std::uint32_t true_value>
[[gnu::noinline]] void write_truth(const LaneArgs& args, std::uint32_t low, std::uint32_t high) {
  each_lane<U32>(args, [=](unsigned i) {
    return ((low & kLaneBit32[i]) != 0 ? true_value : 0u) |
           ((high & kLaneBit32[i]) != 0 ? true_value << 16 : 0u);
  });
}
template <class F, std::uint32_t true_value, bool ftz, Compare c, Combine combine>
void set_half(const LaneArgs& args) {
  write_truth<true_value>(
      args, combined<combine>(args, compare_rows<typename F::template Of<false, ftz>, c, false>(args)), 0);
}
template <class F, std::uint32_t true_value, bool ftz, Compare c, Combine combine>
void set_pair(const LaneArgs& args) {
  const std::uint32_t low =
      combined<combine>(args, compare_rows<typename F::template Of<false, ftz>, c, false>(args));
  const std::uint32_t high =
      combined<combine>(args, compare_rows<typename F::template Of<true, ftz>, c, false>(args));
  write_truth<true_value>(args, low, high);
}

/// fn.template operator()<ftz, compare, combine>()
template <class Fn>
LaneFn with_all(const LaneSpec& spec, Fn fn) {
  return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
    return with_float_compare<F32, false>(spec.compare, [&]<class, Compare c, bool>() -> LaneFn {
      return with_combine(spec.combine, [&]<Combine combine>() -> LaneFn {
        return fn.template operator()<ftz, c, combine>();
      });
    });
  });
}

template <class F, std::uint32_t true_value>
LaneFn find_set_half(const LaneSpec& spec) {
  return with_all(spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn {
    return set_half<F, true_value, ftz, c, combine>;
  });
}
template <class F, std::uint32_t true_value>
LaneFn find_set_pair(const LaneSpec& spec) {
  return with_all(spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn {
    return set_pair<F, true_value, ftz, c, combine>;
  });
}

/// `one`, `pair`: the types of an element and of two.
template <class F>
LaneFn find_set_of(const LaneSpec& spec, Type one, Type pair) {
  const bool two = spec.src_type == pair;
  if (!two && spec.src_type != one) return nullptr;
  if (spec.type == one) return two ? nullptr : find_set_half<F, F::kOne>(spec);
  if (spec.type == pair) return two ? find_set_pair<F, F::kOne>(spec) : nullptr;
  switch (spec.type) {
    case Type::kU16:
    case Type::kS16:
      return two ? nullptr : find_set_half<F, 0xffffu>(spec);
    case Type::kU32:
    case Type::kS32:
      return two ? find_set_pair<F, 0xffffu>(spec) : find_set_half<F, 0xffff'ffffu>(spec);
    default:
      return nullptr;
  }
}

template <class F>
LaneFn find_setp_of(const LaneSpec& spec, Type one, Type pair) {
  if (spec.type == one)
    return with_all(
        spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn { return setp_half<F, ftz, c, combine>; });
  if (spec.type == pair)
    return with_all(
        spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn { return setp_pair<F, ftz, c, combine>; });
  return nullptr;
}

}  // namespace

LaneFn find_compare_half(const LaneSpec& spec) {
  const bool set = spec.op == LaneOp::kSet;
  if (!set && spec.op != LaneOp::kSetp) return nullptr;
  const Type compared = set ? spec.src_type : spec.type;
  if (compared == Type::kBf16 || compared == Type::kBf16x2) {
    if (spec.ftz) return nullptr;
    return set ? find_set_of<Bf16Elements>(spec, Type::kBf16, Type::kBf16x2)
               : find_setp_of<Bf16Elements>(spec, Type::kBf16, Type::kBf16x2);
  }
  return set ? find_set_of<HalfElements>(spec, Type::kF16, Type::kF16x2)
             : find_setp_of<HalfElements>(spec, Type::kF16, Type::kF16x2);
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
