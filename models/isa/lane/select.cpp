// selp and slct.
#include "isa/lane/float_rules.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// a where the predicate src[2] holds, else b.
template <class E>
void selp(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  const std::uint32_t p = predicate(args, 2);
  each_lane<E>(args, [=](unsigned i) {
    const typename E::Value x = E::get(a[i]);
    const typename E::Value y = E::get(b[i]);
    return lane_in<sizeof(x)>(p, i) ? x : y;
  });
}

/// a where c >= 0, else b. A NaN in c selects b; -0 and, with .ftz, negative subnormals select a.
template <class E, class C, bool ftz>
void slct(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  const auto* c = source<C>(args, 2);
  each_lane<E>(args, [=](unsigned i) {
    const typename E::Value x = E::get(a[i]);
    const typename E::Value y = E::get(b[i]);
    const typename C::Value z = c[i];
    if constexpr (C::kFloat)
      return flush<ftz>(z) >= 0 ? x : y;
    else
      return z >= 0 ? x : y;
  });
}
template <class E>
LaneFn find_slct(const LaneSpec& spec) {
  if (spec.src_type == Type::kS32) return spec.ftz ? nullptr : slct<E, S32, false>;
  if (spec.src_type == Type::kF32) return spec.ftz ? slct<E, F32, true> : slct<E, F32, false>;
  return nullptr;
}

}  // namespace

// Only the width matters, so floats are moved as integers and NaNs keep their payload.
LaneFn find_select(const LaneSpec& spec) {
  if (spec.op != LaneOp::kSelp && spec.op != LaneOp::kSlct) return nullptr;
  const bool select_by_predicate = spec.op == LaneOp::kSelp;
  switch (spec.type) {
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
      return select_by_predicate ? selp<U16> : find_slct<U16>(spec);
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
    case Type::kF16x2:
    case Type::kBf16x2:
      return select_by_predicate ? selp<U32> : find_slct<U32>(spec);
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return select_by_predicate ? selp<U64> : find_slct<U64>(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
