// Single and double precision.
#include "frontend/sass/lower/lane_lowering.h"

namespace heddle::sass {
namespace {

using isa::LaneOp;
using isa::LatencyClass;
using isa::MachineOp;
using isa::Type;

constexpr unsigned kNoScale = 4;

void lower_single(LaneLowering& of, MachineOp op, LaneOp ptx, LatencyClass latency) {
  if (of.has(Modifier::kDenormal)) of.refuse(".DNZ: how it treats zeros and denormals is not known");
  const unsigned scale = op == MachineOp::kMultiply ? of.value(Modifier::kScale) : kNoScale;
  const bool three = op == MachineOp::kFusedMultiplyAdd;
  const bool plain = !of.has_sign(Role::kA) && !of.has_sign(Role::kB) && !(three && of.has_sign(Role::kC));
  of.word(Role::kA);
  of.word(Role::kB);
  if (three) of.word(Role::kC);
  of.result();
  const bool ftz = of.has(Modifier::kFtz);
  const bool sat = of.has(Modifier::kSaturate);
  // Of what is flushed PTX's functions know by the exact value only, which sums do not need.
  if (plain && scale == kNoScale && (!ftz || op == MachineOp::kAdd))
    return of.use_ptx({.op = ptx, .type = Type::kF32, .rounding = rounding_of(of), .ftz = ftz, .sat = sat},
                      latency);
  if (scale != kNoScale) {
    of.operation_bits(scale);
    op = MachineOp::kMultiplyScaled;
  }
  of.use({.op = op, .type = Type::kF32, .rounding = rounding_of(of), .ftz = ftz, .sat = sat}, latency);
}

void lower_double(LaneLowering& of, MachineOp op, LatencyClass latency) {
  of.double_pair(Role::kA);
  if (of.find(Role::kB) != nullptr) of.double_pair(Role::kB);
  if (of.find(Role::kC) != nullptr) of.double_pair(Role::kC);
  of.result();
  of.result_high();
  of.use({.op = op, .type = Type::kF64, .rounding = rounding_of(of)}, latency);
}

void lower_float_comparison(LaneLowering& of, MachineOp op) {
  const bool set = op == MachineOp::kSetFloat;
  const unsigned outcomes = of.value(Modifier::kCompare);
  const unsigned combine = of.value(Modifier::kCombine);
  const bool ftz = of.has(Modifier::kFtz);
  of.word(Role::kA);
  of.word(Role::kB);
  of.predicate(Role::kPs0);
  of.out().compare = true;
  if (set) {
    of.result();
  } else {
    of.predicate_result(Role::kPd0);
    of.predicate_result(Role::kPd1);
  }
  constexpr isa::Compare kCompares[] = {
      isa::Compare::kEq,  isa::Compare::kLt,  isa::Compare::kEq,  isa::Compare::kLe,  isa::Compare::kGt,
      isa::Compare::kNe,  isa::Compare::kGe,  isa::Compare::kNum, isa::Compare::kNan, isa::Compare::kLtu,
      isa::Compare::kEqu, isa::Compare::kLeu, isa::Compare::kGtu, isa::Compare::kNeu, isa::Compare::kGeu};
  constexpr isa::Combine kCombines[] = {isa::Combine::kAnd, isa::Combine::kOr, isa::Combine::kXor};
  const bool plain = !of.has_sign(Role::kA) && !of.has_sign(Role::kB);
  if (!set && plain && outcomes != 0 && outcomes != 15)
    return of.use_ptx({.op = LaneOp::kSetp,
                       .type = Type::kF32,
                       .compare = kCompares[outcomes],
                       .combine = kCombines[combine],
                       .ftz = ftz},
                      LatencyClass::kFpSimple);
  of.operation_bits(outcomes | combine << 4);
  of.use({.op = op, .type = Type::kF32, .ftz = ftz}, LatencyClass::kFpSimple);
}

void lower_double_comparison(LaneLowering& of) {
  const unsigned outcomes = of.value(Modifier::kCompare);
  const unsigned combine = of.value(Modifier::kCombine);
  constexpr unsigned kMinimum = 0, kMaximum = 15;
  const bool chooses = outcomes == kMinimum || outcomes == kMaximum;
  of.double_pair(Role::kA);
  of.double_pair(Role::kB);
  of.predicate(Role::kPs0);
  of.predicate_result(Role::kPd0);
  of.predicate_result(Role::kPd1);
  of.out().compare = true;
  of.operation_bits((chooses ? (outcomes == kMinimum ? 1u : 0u) : outcomes) | combine << 4);
  of.use({.op = chooses ? MachineOp::kChooseDouble : MachineOp::kCompareFloat, .type = Type::kF64},
         LatencyClass::kDpSimple);
}

void lower_float_min_max(LaneLowering& of) {
  of.word(Role::kA);
  of.word(Role::kB);
  of.predicate(Role::kPs0);
  of.result();
  of.operation_bits((of.has(Modifier::kNan) ? 1u : 0u) | (of.has(Modifier::kXorSign) ? 2u : 0u));
  of.use({.op = MachineOp::kMinMaxFloat, .type = Type::kF32, .ftz = of.has(Modifier::kFtz)},
         LatencyClass::kFpMinMax);
}

void lower_selection(LaneLowering& of) {
  const bool plain = !of.has_sign(Role::kA) && !of.has_sign(Role::kB) && !of.has(Modifier::kFtz);
  of.word(Role::kA);
  of.word(Role::kB);
  of.predicate(Role::kPs0);
  of.result();
  if (plain) return of.use_ptx({.op = LaneOp::kSelp, .type = Type::kB32}, LatencyClass::kIntSimple);
  of.use({.op = MachineOp::kSelectFloat, .ftz = of.has(Modifier::kFtz)}, LatencyClass::kFpSimple);
}

void lower_special_function(LaneLowering& of) {
  const auto function = static_cast<isa::SpecialFunction>(of.value(Modifier::kFunction));
  of.word(Role::kB);
  of.result();
  constexpr Type kTypes[] = {Type::kF32, Type::kF16, Type::kBf16};
  const Type type = kTypes[of.value(Modifier::kSource)];
  if (type != Type::kF32 && function != isa::SpecialFunction::kEx2 && function != isa::SpecialFunction::kTanh)
    of.refuse("MUFU of 16 bits other than EX2 and TANH");
  if (type == Type::kF32 && of.has(Modifier::kByte)) of.refuse("a half of a 32-bit operand");
  of.operation_bits(of.has(Modifier::kByte) ? 1u : 0u);
  of.use({.op = MachineOp::kSpecialFunction, .type = type, .function = function}, LatencyClass::kSfu);
}

}  // namespace

bool lower_float(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kFadd:
      return lower_single(of, MachineOp::kAdd, LaneOp::kAdd, LatencyClass::kFpSimple), true;
    case Opcode::kFmul:
      return lower_single(of, MachineOp::kMultiply, LaneOp::kMul, LatencyClass::kFpMul), true;
    case Opcode::kFfma:
      return lower_single(of, MachineOp::kFusedMultiplyAdd, LaneOp::kFma, LatencyClass::kFpMad), true;
    case Opcode::kDadd:
      return lower_double(of, MachineOp::kAdd, LatencyClass::kDpSimple), true;
    case Opcode::kDmul:
      return lower_double(of, MachineOp::kMultiply, LatencyClass::kDpMul), true;
    case Opcode::kDfma:
      return lower_double(of, MachineOp::kFusedMultiplyAdd, LatencyClass::kDpMad), true;
    case Opcode::kFsetp:
      return lower_float_comparison(of, MachineOp::kCompareFloat), true;
    case Opcode::kFset:
      return lower_float_comparison(of, MachineOp::kSetFloat), true;
    case Opcode::kDsetp:
      return lower_double_comparison(of), true;
    case Opcode::kFmnmx:
      return lower_float_min_max(of), true;
    case Opcode::kFsel:
      return lower_selection(of), true;
    case Opcode::kFchk:
      of.word(Role::kA);
      of.word(Role::kB);
      of.predicate_result(Role::kPd0);
      return of.use({.op = MachineOp::kDivisionCheck}, LatencyClass::kSfu), true;
    case Opcode::kMufu:
      return lower_special_function(of), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
