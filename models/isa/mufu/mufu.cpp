#include "isa/mufu.h"

#include "isa/mufu/functions.h"

namespace heddle::isa {

std::uint32_t mufu_result(SpecialFunction function, std::uint32_t operand) {
  switch (function) {
    case SpecialFunction::kCos:
      return mufu::sine<true>(operand);
    case SpecialFunction::kSin:
      return mufu::sine<false>(operand);
    case SpecialFunction::kEx2:
      return mufu::ex2(operand);
    case SpecialFunction::kLg2:
      return mufu::lg2(operand);
    case SpecialFunction::kRcp:
      return mufu::rcp(operand);
    case SpecialFunction::kRsq:
      return mufu::rsq(operand);
    case SpecialFunction::kRcp64h:
      return mufu::rcp64h(operand);
    case SpecialFunction::kRsq64h:
      return mufu::rsq64h(operand);
    case SpecialFunction::kSqrt:
      return mufu::sqrt(operand);
    case SpecialFunction::kTanh:
      return mufu::tanh(operand);
  }
  return operand;
}

std::uint32_t mufu_ex2_half(std::uint32_t operand) { return mufu::ex2_half(operand); }
std::uint32_t mufu_tanh_half(std::uint32_t operand) { return mufu::tanh_half(operand); }

}  // namespace heddle::isa
