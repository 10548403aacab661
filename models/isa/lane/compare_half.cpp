// setp and set of f16 and f16x2. An f16x2 comparison is two comparisons: setp writes p for the low halves and
// q for the high ones; set writes a result into each half.
#include "isa/lane/compare.h"
#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <bool ftz, Compare c, Combine combine>
void setp_half(const LaneArgs& args) {
  const std::uint32_t bits = compare_rows<HalfOf<false, ftz>, c, false>(args);
  const std::uint32_t p = combined<combine>(args, bits);
  const std::uint32_t q = combined<combine>(args, ~bits);
  write_predicate(args, 0, p);
  write_predicate(args, 1, q);
}
template <bool ftz, Compare c, Combine combine>
void setp_pair(const LaneArgs& args) {
  const std::uint32_t p = combined<combine>(args, compare_rows<HalfOf<false, ftz>, c, false>(args));
  const std::uint32_t q = combined<combine>(args, compare_rows<HalfOf<true, ftz>, c, false>(args));
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
template <std::uint32_t true_value, bool ftz, Compare c, Combine combine>
void set_half(const LaneArgs& args) {
  write_truth<true_value>(args, combined<combine>(args, compare_rows<HalfOf<false, ftz>, c, false>(args)), 0);
}
template <std::uint32_t true_value, bool ftz, Compare c, Combine combine>
void set_pair(const LaneArgs& args) {
  const std::uint32_t low = combined<combine>(args, compare_rows<HalfOf<false, ftz>, c, false>(args));
  const std::uint32_t high = combined<combine>(args, compare_rows<HalfOf<true, ftz>, c, false>(args));
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

template <std::uint32_t true_value>
LaneFn find_set_half(const LaneSpec& spec) {
  return with_all(spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn {
    return set_half<true_value, ftz, c, combine>;
  });
}
template <std::uint32_t true_value>
LaneFn find_set_pair(const LaneSpec& spec) {
  return with_all(spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn {
    return set_pair<true_value, ftz, c, combine>;
  });
}

constexpr std::uint32_t kHalfOne = 0x3c00u;

LaneFn find_set_of(const LaneSpec& spec) {
  const bool pair = spec.src_type == Type::kF16x2;
  if (!pair && spec.src_type != Type::kF16) return nullptr;
  switch (spec.type) {
    case Type::kU16:
    case Type::kS16:
      return pair ? nullptr : find_set_half<0xffffu>(spec);
    case Type::kU32:
    case Type::kS32:
      return pair ? find_set_pair<0xffffu>(spec) : find_set_half<0xffff'ffffu>(spec);
    case Type::kF16:
      return pair ? nullptr : find_set_half<kHalfOne>(spec);
    case Type::kF16x2:
      return pair ? find_set_pair<kHalfOne>(spec) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_compare_half(const LaneSpec& spec) {
  if (spec.op == LaneOp::kSet) return find_set_of(spec);
  if (spec.op != LaneOp::kSetp) return nullptr;
  if (spec.type == Type::kF16)
    return with_all(
        spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn { return setp_half<ftz, c, combine>; });
  if (spec.type == Type::kF16x2)
    return with_all(
        spec, []<bool ftz, Compare c, Combine combine>() -> LaneFn { return setp_pair<ftz, c, combine>; });
  return nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
