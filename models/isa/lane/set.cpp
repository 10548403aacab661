// set: a comparison as a value, all ones (integer destination) or 1.0 (f32, f16 destination) where it holds.
#include "isa/lane/compare.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <std::uint32_t true_value>
[[gnu::noinline]] void write_truth(const LaneArgs& args, std::uint32_t bits) {
  each_lane<U32>(args, [=](unsigned i) { return (bits & kLaneBit32[i]) != 0 ? true_value : 0u; });
}

template <std::uint32_t true_value, class E, Compare c, bool ftz, Combine combine>
void set(const LaneArgs& args) {
  write_truth<true_value>(args, combined<combine>(args, compare_rows<E, c, ftz>(args)));
}

template <std::uint32_t true_value>
LaneFn find(const LaneSpec& spec) {
  return with_compare(spec.src_type, spec.compare, spec.ftz, [&]<class E, Compare c, bool ftz>() {
    return with_combine(spec.combine,
                        []<Combine combine>() -> LaneFn { return set<true_value, E, c, ftz, combine>; });
  });
}

}  // namespace

LaneFn find_set(const LaneSpec& spec) {
  if (spec.op != LaneOp::kSet) return nullptr;
  if (spec.type == Type::kU32 || spec.type == Type::kS32) return find<0xffff'ffffu>(spec);
  if (spec.type == Type::kF32) return find<0x3f80'0000u>(spec);
  if (spec.type == Type::kF16) return find<0x3c00u>(spec);
  return nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
