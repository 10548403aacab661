#include "microbench/alu_ops.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace heddle::microbench {
namespace {

using isa::LatencyClass;
using Bits = std::uint64_t;

float f32(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double f64(Bits bits) { return std::bit_cast<double>(bits); }
Bits bits(float value) { return std::bit_cast<std::uint32_t>(value); }
Bits bits(double value) { return std::bit_cast<Bits>(value); }
std::uint32_t u32(Bits bits) { return static_cast<std::uint32_t>(bits); }

// Floating-point operands are chosen so that every intermediate value is exact.
std::vector<AluOp> make() {
  const auto op = [](LatencyClass c, const char* format, const char* type, Bits x, Bits y,
                     Bits (*step)(Bits, Bits)) {
    return AluOp{c, std::string(isa::latency_class_name(c)), format, type, x, y, step};
  };
  return {
      op(LatencyClass::kIntSimple, "add.u32 {0}, {0}, {1}", "u32", 7, 3,
         [](Bits x, Bits y) { return Bits{u32(x + y)}; }),
      op(LatencyClass::kIntMinMax, "max.u32 {0}, {0}, {1}", "u32", 7, 30,
         [](Bits x, Bits y) { return std::max(x, y); }),
      op(LatencyClass::kIntMul, "mul.lo.u32 {0}, {0}, {1}", "u32", 7, 3,
         [](Bits x, Bits y) { return Bits{u32(x * y)}; }),
      op(LatencyClass::kIntMad, "mad.lo.u32 {0}, {0}, {1}, {1}", "u32", 7, 3,
         [](Bits x, Bits y) { return Bits{u32(x * y + y)}; }),
      op(LatencyClass::kIntDiv, "div.u32 {0}, {1}, {0}", "u32", 7, 1000,
         [](Bits x, Bits y) { return y / x; }),
      op(LatencyClass::kFpSimple, "add.f32 {0}, {0}, {1}", "f32", bits(7.0f), bits(0.5f),
         [](Bits x, Bits y) { return bits(f32(x) + f32(y)); }),
      op(LatencyClass::kFpMinMax, "max.f32 {0}, {0}, {1}", "f32", bits(7.0f), bits(30.0f),
         [](Bits x, Bits y) { return bits(std::max(f32(x), f32(y))); }),
      op(LatencyClass::kFpMul, "mul.f32 {0}, {0}, {1}", "f32", bits(7.0f), bits(-1.0f),
         [](Bits x, Bits y) { return bits(f32(x) * f32(y)); }),
      op(LatencyClass::kFpMad, "fma.rn.f32 {0}, {0}, {1}, {1}", "f32", bits(7.0f), bits(-1.0f),
         [](Bits x, Bits y) { return bits(f32(x) * f32(y) + f32(y)); }),
      op(LatencyClass::kFpDiv, "div.rn.f32 {0}, {1}, {0}", "f32", bits(4.0f), bits(2.0f),
         [](Bits x, Bits y) { return bits(f32(y) / f32(x)); }),
      op(LatencyClass::kSfu, "rcp.approx.f32 {0}, {0}", "f32", bits(4.0f), bits(0.0f),
         [](Bits x, Bits) { return bits(1.0f / f32(x)); }),
      op(LatencyClass::kDpSimple, "add.f64 {0}, {0}, {1}", "f64", bits(7.0), bits(0.5),
         [](Bits x, Bits y) { return bits(f64(x) + f64(y)); }),
      op(LatencyClass::kDpMinMax, "max.f64 {0}, {0}, {1}", "f64", bits(7.0), bits(30.0),
         [](Bits x, Bits y) { return bits(std::max(f64(x), f64(y))); }),
      op(LatencyClass::kDpMul, "mul.f64 {0}, {0}, {1}", "f64", bits(7.0), bits(-1.0),
         [](Bits x, Bits y) { return bits(f64(x) * f64(y)); }),
      op(LatencyClass::kDpMad, "fma.rn.f64 {0}, {0}, {1}, {1}", "f64", bits(7.0), bits(-1.0),
         [](Bits x, Bits y) { return bits(f64(x) * f64(y) + f64(y)); }),
      op(LatencyClass::kDpDiv, "div.rn.f64 {0}, {1}, {0}", "f64", bits(4.0), bits(2.0),
         [](Bits x, Bits y) { return bits(f64(y) / f64(x)); }),
  };
}

}  // namespace

const char* AluOp::register_type() const {
  if (type[0] == 'f') return type;
  return wide() ? "b64" : "b32";
}

std::uint64_t AluOp::after(std::uint64_t count) const {
  std::uint64_t value = x;
  for (std::uint64_t i = 0; i < count; ++i) value = step(value, y);
  return value;
}

const std::vector<AluOp>& alu_ops() {
  static const std::vector<AluOp> ops = make();
  return ops;
}

const AluOp& alu_op(LatencyClass latency_class) {
  for (const AluOp& op : alu_ops())
    if (op.latency_class == latency_class) return op;
  throw std::logic_error("no arithmetic instruction of that class");
}

}  // namespace heddle::microbench
