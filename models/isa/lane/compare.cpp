// setp and testp: lane masks from comparisons.
#include "isa/lane/compare.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// p = (a c b) BoolOp src[2]; q, if there is a second destination, = !(a c b) BoolOp src[2].
template <class E, Compare c, bool ftz, Combine combine>
void setp(const LaneArgs& args) {
  const std::uint32_t bits = compare_rows<E, c, ftz>(args);
  const std::uint32_t p = combined<combine>(args, bits);
  const std::uint32_t q = combined<combine>(args, ~bits);
  write_predicate(args, 0, p);
  write_predicate(args, 1, q);
}

template <TestProperty property, class V>
HEDDLE_INLINE bool has_property(V v) {
  const V infinity = from_bits(FloatFormat<V>::kInfinity);
  const V m = magnitude(v);
  switch (property) {
    case TestProperty::kFinite:
      return m < infinity;
    case TestProperty::kInfinite:
      return m == infinity;
    case TestProperty::kNumber:
      return v == v;
    case TestProperty::kNotANumber:
      return v != v;
    case TestProperty::kNormal:
      return (m < infinity && m >= FloatFormat<V>::kSmallestNormal) || m == V{0};  // zeros count (PTX ISA)
    case TestProperty::kSubnormal:
      return m < FloatFormat<V>::kSmallestNormal && m > V{0};
  }
  return false;
}
template <class E, TestProperty property>
void testp(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  write_predicate(args, 0, collect<sizeof(typename E::Value)>([=](unsigned i) {
                    const typename E::Value x = a[i];
                    return has_property<property>(x);
                  }));
}
template <class E>
LaneFn find_testp(TestProperty property) {
  switch (property) {
    case TestProperty::kFinite:
      return testp<E, TestProperty::kFinite>;
    case TestProperty::kInfinite:
      return testp<E, TestProperty::kInfinite>;
    case TestProperty::kNumber:
      return testp<E, TestProperty::kNumber>;
    case TestProperty::kNotANumber:
      return testp<E, TestProperty::kNotANumber>;
    case TestProperty::kNormal:
      return testp<E, TestProperty::kNormal>;
    case TestProperty::kSubnormal:
      return testp<E, TestProperty::kSubnormal>;
  }
  return nullptr;
}

}  // namespace

LaneFn find_compare(const LaneSpec& spec) {
  if (spec.op == LaneOp::kTestp) {
    if (spec.type == Type::kF32) return find_testp<F32>(spec.property);
    return spec.type == Type::kF64 ? find_testp<F64>(spec.property) : nullptr;
  }
  if (spec.op != LaneOp::kSetp) return nullptr;
  return with_compare(spec.type, spec.compare, spec.ftz, [&]<class E, Compare c, bool ftz>() {
    return with_combine(spec.combine, []<Combine combine>() -> LaneFn { return setp<E, c, ftz, combine>; });
  });
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
