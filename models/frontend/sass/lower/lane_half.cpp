// Two halves in a register.
#include "frontend/sass/lower/lane_lowering.h"

namespace heddle::sass {
namespace {

using isa::LatencyClass;
using isa::MachineOp;

/// A source with the halves that it takes.
void half_source(LaneLowering& of, Role role) {
  const unsigned number = of.word(role);
  const Operand& operand = of.operand(role);
  if (operand.kind != Operand::Kind::kImmediate) of.operation_bits(std::uint64_t{operand.half} << 2 * number);
}
void half_flag(LaneLowering& of, Modifier modifier, isa::HalfBit bit) {
  if (of.has(modifier)) of.immediate(std::uint64_t{1} << bit);
}

/// HFMA2.MMA Rd, -RZ, RZ, hi, lo: how compilers move a constant. -0 * 0 + x is x, but for NaNs.
bool is_move(const LaneLowering& of) {
  if (of.has(Modifier::kFtz) || of.has(Modifier::kRelu) || of.has(Modifier::kSaturate) ||
      of.has(Modifier::kBfloat) || of.has(Modifier::kFloat32))
    return false;
  const Operand& a = of.operand(Role::kA);
  const Operand& b = of.operand(Role::kB);
  const Operand& c = of.operand(Role::kC);
  const auto zero = [](const Operand& o) { return o.kind == Operand::Kind::kRegister && o.number == kRz; };
  const auto negative = [](const Operand& o) { return o.negate; };
  if (!zero(a) || !zero(b) || negative(a) == negative(b) || c.kind != Operand::Kind::kImmediate) return false;
  const auto is_nan = [](std::int64_t half) { return (half & 0x7fff) > 0x7c00; };
  return !is_nan(c.value) && !is_nan(c.value >> 16);
}

void lower_half_arithmetic(LaneLowering& of, MachineOp op, LatencyClass latency) {
  of.result();
  if (op == MachineOp::kHalfFusedMultiplyAdd && is_move(of)) {
    of.word(Role::kC);
    return of.use_ptx({.op = isa::LaneOp::kMov, .type = isa::Type::kB32}, latency);
  }
  half_source(of, Role::kA);
  half_source(of, Role::kB);
  if (op == MachineOp::kHalfFusedMultiplyAdd) half_source(of, Role::kC);
  half_flag(of, Modifier::kFloat32, isa::kHalfF32);
  half_flag(of, Modifier::kBfloat, isa::kHalfBf16);
  half_flag(of, Modifier::kFtz, isa::kHalfFtz);
  half_flag(of, Modifier::kRelu, isa::kHalfRelu);
  half_flag(of, Modifier::kSaturate, isa::kHalfSat);
  of.use({.op = op, .extended = of.has(Modifier::kCrossed)}, latency);
}

void lower_half_comparison(LaneLowering& of, MachineOp op) {
  half_source(of, Role::kA);
  half_source(of, Role::kB);
  of.predicate(Role::kPs0);
  of.out().compare = true;
  of.immediate(
      (std::uint64_t{of.value(Modifier::kCompare)} | std::uint64_t{of.value(Modifier::kCombine)} << 4)
      << isa::kHalfCompareBits);
  half_flag(of, Modifier::kFtz, isa::kHalfFtz);
  half_flag(of, Modifier::kBfloat, isa::kHalfBf16);
  if (op == MachineOp::kHalfSet) {
    half_flag(of, Modifier::kBooleanFloat, isa::kHalfOne);
    of.result();
  } else {
    half_flag(of, Modifier::kMode, isa::kHalfBoth);
    of.predicate_result(Role::kPd0);
    of.predicate_result(Role::kPd1);
  }
  of.use({.op = op}, LatencyClass::kFpSimple);
}

void lower_half_min_max(LaneLowering& of) {
  half_source(of, Role::kA);
  half_source(of, Role::kB);
  of.predicate(Role::kPs0);
  of.result();
  half_flag(of, Modifier::kFtz, isa::kHalfFtz);
  half_flag(of, Modifier::kNan, isa::kHalfNan);
  half_flag(of, Modifier::kXorSign, isa::kHalfXorSign);
  of.use({.op = MachineOp::kHalfMinMax,
          .type = of.has(Modifier::kBfloat) ? isa::Type::kBf16x2 : isa::Type::kF16x2},
         LatencyClass::kFpMinMax);
}

}  // namespace

bool lower_half(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kHadd2:
      return lower_half_arithmetic(of, MachineOp::kHalfAdd, LatencyClass::kFpSimple), true;
    case Opcode::kHmul2:
      return lower_half_arithmetic(of, MachineOp::kHalfMultiply, LatencyClass::kFpMul), true;
    case Opcode::kHfma2:
    case Opcode::kHfma2Mma:
      if (of.has(Modifier::kDenormal)) of.refuse(".DNZ: how it treats zeros and denormals is not known");
      return lower_half_arithmetic(of, MachineOp::kHalfFusedMultiplyAdd, LatencyClass::kFpMad), true;
    case Opcode::kHmnmx2:
      return lower_half_min_max(of), true;
    case Opcode::kHset2:
      return lower_half_comparison(of, MachineOp::kHalfSet), true;
    case Opcode::kHsetp2:
      return lower_half_comparison(of, MachineOp::kHalfCompare), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
