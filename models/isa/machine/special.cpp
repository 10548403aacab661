// MUFU.
#include "isa/machine/sources.h"
#include "isa/mufu/functions.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

using Function = std::uint32_t (*)(std::uint32_t);

template <Function function>
void special_function(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const Sign<std::uint32_t> sign = sign_of<std::uint32_t>(args, 0);
  each_lane<U32>(args, [=](unsigned i) { return function(sign.apply(a[i])); });
}
template <Function function>
void special_function_of_half(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const Sign<std::uint32_t> sign = sign_of<std::uint32_t>(args, 0);
  const unsigned shift = has_bit(args, kOperationBits) ? 0 : 16;
  each_lane<U32>(args, [=](unsigned i) { return function(sign.apply(a[i] << shift) >> 16); });
}

}  // namespace

LaneFn find_machine_special(const MachineSpec& spec) {
  if (spec.op != MachineOp::kSpecialFunction) return nullptr;
  if (spec.type == Type::kF16) {
    if (spec.function == SpecialFunction::kEx2) return special_function_of_half<mufu::ex2_half>;
    return spec.function == SpecialFunction::kTanh ? special_function_of_half<mufu::tanh_half> : nullptr;
  }
  if (spec.type != Type::kF32) return nullptr;
  switch (spec.function) {
    case SpecialFunction::kCos:
      return special_function<mufu::sine<true>>;
    case SpecialFunction::kSin:
      return special_function<mufu::sine<false>>;
    case SpecialFunction::kEx2:
      return special_function<mufu::ex2>;
    case SpecialFunction::kLg2:
      return special_function<mufu::lg2>;
    case SpecialFunction::kRcp:
      return special_function<mufu::rcp>;
    case SpecialFunction::kRsq:
      return special_function<mufu::rsq>;
    case SpecialFunction::kRcp64h:
      return special_function<mufu::rcp64h>;
    case SpecialFunction::kRsq64h:
      return special_function<mufu::rsq64h>;
    case SpecialFunction::kSqrt:
      return special_function<mufu::sqrt>;
    case SpecialFunction::kTanh:
      return special_function<mufu::tanh>;
  }
  return nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
