#include <cmath>

#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

std::uint64_t flushed(bool ftz, std::uint64_t half) {
  return ftz && (half & 0x7c00u) == 0 ? half & 0x8000u : half & 0xffffu;
}

Quad saturated(Quad v) { return v != v || v <= 0 ? Quad{0} : v > 1 ? Quad{1} : v; }

/// A sum's zero is negative only if both terms are; a product's sign is the product of signs even where it
/// is zero. Quad does both.
std::optional<Quad> arithmetic(LaneOp op, Quad a, Quad b, Quad c) {
  switch (op) {
    case LaneOp::kAdd:
      return a + b;
    case LaneOp::kSub:
      return a - b;
    case LaneOp::kMul:
      return a * b;
    case LaneOp::kFma:
      return a * b + c;  // 22 bits plus 11 bits within 80: exact
    default:
      return {};
  }
}

std::optional<Expected> one_half(const LaneSpec& spec, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t x = flushed(spec.ftz, a);
  const bool nan = std::isnan(half_value(x));  // canonical from abs and neg as well (measured on an H200)
  switch (spec.op) {
    case LaneOp::kAbs:
      return Expected{nan ? kNanF16 : x & 0x7fffu};
    case LaneOp::kNeg:
      return Expected{nan ? kNanF16 : x ^ 0x8000u};
    case LaneOp::kEx2:
      return Expected{half_cell(Rounding::kRn, std::exp2(half_value(x))), 1};
    case LaneOp::kTanh:
      return Expected{half_cell(Rounding::kRn, std::tanh(half_value(x))), 1};
    default:
      break;
  }
  const auto exact =
      arithmetic(spec.op, half_value(x), half_value(flushed(spec.ftz, b)), half_value(flushed(spec.ftz, c)));
  if (!exact) return {};
  const std::uint64_t result = half_cell(Rounding::kRn, spec.sat ? saturated(*exact) : *exact);
  // .ftz looks at the value rounded with an unbounded exponent (measured on an H200): that of 2^10 times it.
  const bool tiny = (half_cell(Rounding::kRn, *exact * 0x1p10) & 0x7fffu) < half_cell(Rounding::kRn, 0x1p-4);
  return Expected{spec.ftz && tiny ? result & 0x8000u : result};
}

}  // namespace

std::optional<Expected> half_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in) {
  const auto low = one_half(spec, in[0] & 0xffffu, in[1] & 0xffffu, in[2] & 0xffffu);
  if (!low || spec.type == Type::kF16) return low;
  const auto high = one_half(spec, in[0] >> 16 & 0xffffu, in[1] >> 16 & 0xffffu, in[2] >> 16 & 0xffffu);
  // Approximations are held to the exact result in both halves here; isa_half_test looks at each.
  return Expected{low->value | high->value << 16, 0};
}

}  // namespace heddle::isa::test
