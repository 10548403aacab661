// Sums, products, comparisons and minima of integers, of registers and of the uniform datapath.
#include "frontend/sass/lower/lane_lowering.h"
#include "frontend/sass/lower/words.h"

namespace heddle::sass {
namespace {

using isa::LatencyClass;
using isa::MachineOp;

void lower_sum(LaneLowering& of) {
  const bool extended = of.has(Modifier::kExtended);
  const bool carries = of.writes_predicate(Role::kPd0) || of.writes_predicate(Role::kPd1);
  of.word(Role::kA);
  of.word(Role::kB);
  of.result();
  if (!extended && !carries && of.is_zero(Role::kC))
    return of.use({.op = MachineOp::kAdd2}, LatencyClass::kIntSimple);
  of.word(Role::kC);
  if (extended) {
    of.predicate(Role::kPs0);
    of.predicate(Role::kPs1);
  }
  of.predicate_result(Role::kPd0);
  of.predicate_result(Role::kPd1);
  of.use({.op = MachineOp::kAdd3, .extended = extended, .carry_out = carries}, LatencyClass::kIntSimple);
}

void lower_product(LaneLowering& of) {
  const bool extended = of.has(Modifier::kExtended);
  const bool carry = of.writes_predicate(Role::kPd0);
  of.result();
  // Compilers move, and add, with the multiplier as well.
  const bool no_product = of.is_zero(Role::kA) || of.is_zero(Role::kB);
  if (no_product && !extended && !carry && !of.negates(Role::kC)) {
    of.word(Role::kC);
    return of.use_ptx({.op = isa::LaneOp::kMov, .type = isa::Type::kB32}, LatencyClass::kIntMad);
  }
  of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  if (extended) of.predicate(Role::kPs0);
  of.predicate_result(Role::kPd0);
  of.use({.op = MachineOp::kMultiplyAdd, .extended = extended, .carry_out = carry}, LatencyClass::kIntMad);
}
void lower_wide_product(LaneLowering& of, bool high) {
  const bool extended = of.has(Modifier::kExtended);
  const bool is_signed = of.has(Modifier::kSigned);
  of.word(Role::kA);
  of.word(Role::kB);
  of.integer_pair(Role::kC);
  if (extended) of.predicate(Role::kPs0);
  of.result();
  if (!high) of.result_high();
  of.predicate_result(Role::kPd0);
  of.use({.op = high ? MachineOp::kMultiplyAddHigh : MachineOp::kMultiplyAddWide,
          .is_signed = is_signed,
          .extended = extended,
          .carry_out = of.writes_predicate(Role::kPd0)},
         LatencyClass::kIntMadWide);
}

void lower_integer_comparison(LaneLowering& of) {
  const bool extended = of.has(Modifier::kHighCompare);
  of.word(Role::kA);
  of.word(Role::kB);
  of.predicate(Role::kPs0);
  if (extended) of.predicate(Role::kPs2);
  of.predicate_result(Role::kPd0);
  of.predicate_result(Role::kPd1);
  of.out().compare = true;
  const unsigned outcomes = of.value(Modifier::kCompare);
  const unsigned combine = of.value(Modifier::kCombine);
  constexpr isa::Compare kCompares[] = {isa::Compare::kEq, isa::Compare::kLt, isa::Compare::kEq,
                                        isa::Compare::kLe, isa::Compare::kGt, isa::Compare::kNe,
                                        isa::Compare::kGe};
  constexpr isa::Combine kCombines[] = {isa::Combine::kAnd, isa::Combine::kOr, isa::Combine::kXor};
  if (!extended && outcomes != 0 && outcomes != 7)
    return of.use_ptx({.op = isa::LaneOp::kSetp,
                       .type = of.has(Modifier::kSigned) ? isa::Type::kS32 : isa::Type::kU32,
                       .compare = kCompares[outcomes],
                       .combine = kCombines[combine]},
                      LatencyClass::kIntSimple);
  of.operation_bits(outcomes | combine << 4);
  of.use({.op = MachineOp::kCompareInteger, .is_signed = of.has(Modifier::kSigned), .extended = extended},
         LatencyClass::kIntSimple);
}

/// A word, or two halves of it.
isa::Type element(const LaneLowering& of) {
  return of.has(Modifier::kShape) ? isa::Type::kB16 : isa::Type::kB32;
}

void lower_integer_min_max(LaneLowering& of, MachineOp op) {
  const bool is_signed = of.has(Modifier::kSigned);
  const bool relu = of.has(Modifier::kRelu);
  of.word(Role::kA);
  of.word(Role::kB);
  of.result();
  if (op == MachineOp::kMinMax && !relu && !of.has(Modifier::kShape) && of.operand(Role::kPs0).number == kPt)
    return of.use_ptx({.op = of.is_constant(Role::kPs0, true) ? isa::LaneOp::kMin : isa::LaneOp::kMax,
                       .type = is_signed ? isa::Type::kS32 : isa::Type::kU32},
                      LatencyClass::kIntMinMax);
  if (op != MachineOp::kMinMax) of.word(Role::kC);
  of.predicate(Role::kPs0);
  of.operation_bits(relu ? 1 : 0);
  const bool tell = of.writes_predicate(Role::kPd0) || of.writes_predicate(Role::kPd1);
  if (tell) {
    of.predicate_result(Role::kPd0);
    of.predicate_result(Role::kPd1);
  }
  of.use({.op = op, .type = element(of), .is_signed = is_signed, .extended = tell}, LatencyClass::kIntMinMax);
}

void lower_shift_add(LaneLowering& of, bool high) {
  const bool extended = of.has(Modifier::kExtended);
  const bool is_signed = of.has(Modifier::kSignExtend);
  of.word(Role::kA);
  of.word(Role::kB);
  if (high && !is_signed) of.word(Role::kC);
  if (extended) of.predicate(Role::kPs0);
  of.result();
  of.predicate_result(Role::kPd0);
  of.operation_bits(static_cast<std::uint64_t>(of.operand(Role::kShift).value));
  of.use({.op = !high       ? MachineOp::kShiftAdd
                : is_signed ? MachineOp::kShiftAddHighSigned
                            : MachineOp::kShiftAddHigh,
          .extended = extended},
         LatencyClass::kIntSimple);
}

void lower_distance(LaneLowering& of) {
  if (of.writes_predicate(Role::kPd0)) of.refuse("a predicate of VABSDIFF");
  of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  of.result();
  if (of.op() == Opcode::kVabsdiff)
    return of.use_ptx(
        {.op = isa::LaneOp::kSad, .type = of.has(Modifier::kSigned) ? isa::Type::kS32 : isa::Type::kU32},
        LatencyClass::kIntSimple);
  of.use({.op = of.has(Modifier::kAccumulate) ? MachineOp::kByteDifferenceSum : MachineOp::kByteDifferences,
          .is_signed = of.has(Modifier::kSigned)},
         LatencyClass::kIntSimple);
}

void lower_dot_product(LaneLowering& of) {
  of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  of.result();
  constexpr unsigned kLow = 1, kHigh = 3;
  const unsigned halves = of.value(Modifier::kMode);
  of.use_ptx({.op = halves == kLow    ? isa::LaneOp::kDp2aLo
                    : halves == kHigh ? isa::LaneOp::kDp2aHi
                                      : isa::LaneOp::kDp4a,
              .type = of.has(Modifier::kSigned) ? isa::Type::kS32 : isa::Type::kU32,
              .src_type = of.has(Modifier::kSignedB) ? isa::Type::kS32 : isa::Type::kU32},
             LatencyClass::kIntMad);
}

}  // namespace

bool lower_integer(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kIadd3:
    case Opcode::kUiadd3:
      return lower_sum(of), true;
    case Opcode::kUiadd3Wide:
      if (of.writes_predicate(Role::kPd0) || of.writes_predicate(Role::kPd1) ||
          !of.is_constant(Role::kPs0, false) || !of.is_constant(Role::kPs1, false))
        of.refuse("carries of a sum of 64 bits");
      for (const Role role : {Role::kA, Role::kB, Role::kC}) of.integer_pair(role);
      of.result();
      of.result_high();
      return of.use_own(add_pairs, LatencyClass::kIntSimple), true;
    case Opcode::kViadd:
      of.word(Role::kA);
      of.word(Role::kB);
      of.result();
      return of.use({.op = MachineOp::kAdd2, .type = element(of)}, LatencyClass::kIntSimple), true;
    case Opcode::kImad:
    case Opcode::kUimad:
      return lower_product(of), true;
    case Opcode::kImadWide:
    case Opcode::kUimadWide:
      return lower_wide_product(of, false), true;
    case Opcode::kImadHi:
      return lower_wide_product(of, true), true;
    case Opcode::kIsetp:
    case Opcode::kUisetp:
      return lower_integer_comparison(of), true;
    case Opcode::kImnmx:
    case Opcode::kVimnmx:
      return lower_integer_min_max(of, MachineOp::kMinMax), true;
    case Opcode::kViaddmnmx:
      return lower_integer_min_max(of, MachineOp::kAddMinMax), true;
    case Opcode::kVimnmx3:
      return lower_integer_min_max(of, MachineOp::kMinMax3), true;
    case Opcode::kLea:
    case Opcode::kUlea:
      return lower_shift_add(of, false), true;
    case Opcode::kLeaHi:
    case Opcode::kUleaHi:
      return lower_shift_add(of, true), true;
    case Opcode::kIabs:
      of.word(Role::kB);
      of.result();
      return of.use_ptx({.op = isa::LaneOp::kAbs, .type = isa::Type::kS32}, LatencyClass::kIntSimple), true;
    case Opcode::kVabsdiff:
    case Opcode::kVabsdiff4:
      return lower_distance(of), true;
    case Opcode::kIdp:
      return lower_dot_product(of), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
