// Logic, shifts and single bits, of registers and of the uniform datapath.
#include "frontend/sass/lower/lane_lowering.h"

namespace heddle::sass {
namespace {

using isa::LaneOp;
using isa::LatencyClass;
using isa::MachineOp;

constexpr unsigned kTableA = 0xf0, kTableB = 0xcc;

void lower_logic(LaneLowering& of) {
  const auto table = static_cast<unsigned>(of.operand(Role::kLut).value);
  of.word(Role::kA);
  of.word(Role::kB);
  of.result();
  if (!of.writes_predicate(Role::kPd0)) {
    const auto use = [&](LaneOp op) {
      of.use_ptx({.op = op, .type = isa::Type::kB32}, LatencyClass::kIntSimple);
    };
    if (table == (kTableA & kTableB)) return use(LaneOp::kAnd);
    if (table == (kTableA | kTableB)) return use(LaneOp::kOr);
    if (table == (kTableA ^ kTableB)) return use(LaneOp::kXor);
    of.word(Role::kC);
    of.out().immediate = table;
    return use(LaneOp::kLop3);
  }
  of.word(Role::kC);
  of.predicate(Role::kPs0);
  of.predicate_result(Role::kPd0);
  of.operation_bits(table | unsigned{of.value(Modifier::kPredicateAnd)} << 8);
  of.use({.op = MachineOp::kLogic3}, LatencyClass::kIntSimple);
}

void lower_logic_of_signs(LaneLowering& of) {
  of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  of.predicate_result(Role::kPd0);
  of.operation_bits(static_cast<unsigned>(of.operand(Role::kLut).value));
  of.use({.op = MachineOp::kLogic3Signs}, LatencyClass::kIntSimple);
}

void lower_shift(LaneLowering& of) {
  const bool right = of.has(Modifier::kShiftDirection);
  const bool wraps = of.has(Modifier::kWrap);
  const bool high = of.has(Modifier::kHigh);
  const unsigned type = of.value(Modifier::kShiftType);  // S64, U64, S32, U32
  const bool is_signed = (type & 1) == 0;
  const bool wide = type < 2;
  of.result();
  // One word shifted, as PTX has it.
  if (!wraps && !wide && !right && !high) {
    of.word(Role::kA);
    of.word(Role::kB);
    return of.use_ptx({.op = LaneOp::kShl, .type = isa::Type::kB32}, LatencyClass::kIntSimple);
  }
  if (!wraps && !wide && right && high) {
    of.word(Role::kC);
    of.word(Role::kB);
    return of.use_ptx({.op = LaneOp::kShr, .type = is_signed ? isa::Type::kS32 : isa::Type::kU32},
                      LatencyClass::kIntSimple);
  }
  of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  of.operation_bits((wraps ? 1u << isa::kShiftWrap : 0u) | (high ? 1u << isa::kShiftHigh : 0u) |
                    (wide ? 1u << isa::kShift64 : 0u));
  of.use({.op = right ? MachineOp::kFunnelShiftRight : MachineOp::kFunnelShiftLeft, .is_signed = is_signed},
         LatencyClass::kIntSimple);
}

void lower_permute(LaneLowering& of) {
  constexpr LaneOp kModes[] = {LaneOp::kPrmt,    LaneOp::kPrmtF4e, LaneOp::kPrmtB4e, LaneOp::kPrmtRc8,
                               LaneOp::kPrmtEcl, LaneOp::kPrmtEcr, LaneOp::kPrmtRc16};
  of.word(Role::kA);
  of.word(Role::kC);
  of.word(Role::kB);
  of.result();
  of.use_ptx({.op = kModes[of.value(Modifier::kMode)], .type = isa::Type::kB32}, LatencyClass::kIntSimple);
}

void lower_find(LaneLowering& of, MachineOp op) {
  if (of.writes_predicate(Role::kPd0)) of.refuse("a predicate of FLO");
  of.word(Role::kB);
  of.result();
  of.operation_bits(of.value(Modifier::kShiftFromTop));
  of.use({.op = op, .is_signed = of.has(Modifier::kSigned)}, LatencyClass::kSfu);
}

void lower_predicate_logic(LaneLowering& of) {
  of.predicate(Role::kPs0);
  of.predicate(Role::kPs1);
  of.predicate(Role::kPs2);
  of.predicate_result(Role::kPd0);
  of.predicate_result(Role::kPd1);
  of.operation_bits(static_cast<std::uint64_t>(of.operand(Role::kLut).value) |
                    static_cast<std::uint64_t>(of.operand(Role::kLut2).value) << 8);
  of.use({.op = MachineOp::kLogic3Predicates}, LatencyClass::kIntSimple);
}

constexpr unsigned kPredicates = 7;
unsigned predicate_mask(LaneLowering& of) {
  const auto mask = static_cast<std::uint32_t>(of.operand(Role::kMask).value);
  // There are seven predicates, and PR has a bit for each. UPR is kept with an eighth one, of UPT.
  if (mask >> (of.is_uniform() ? kPredicates + 1 : kPredicates) != 0)
    of.refuse("a mask of more than P0 to P6");
  return mask & ((1u << kPredicates) - 1);
}
void lower_predicates_to_register(LaneLowering& of) {
  const unsigned mask = predicate_mask(of);
  of.word(Role::kA);
  for (unsigned k = 0; k < kPredicates; ++k)
    of.source((mask >> k & 1) == 0 ? of.rows().constant_predicate(false)
              : of.is_uniform()    ? of.rows().uniform_predicate(k, false)
                                   : of.rows().predicate(k, false));
  of.result();
  of.operation_bits(mask | unsigned{of.value(Modifier::kByte)} << 8);
  of.use({.op = MachineOp::kPredicatesToRegister}, LatencyClass::kIntSimple);
}
void lower_register_to_predicates(LaneLowering& of) {
  const unsigned mask = predicate_mask(of);
  of.word(Role::kA);
  for (unsigned k = 0; k < kPredicates; ++k)
    if ((mask >> k & 1) != 0)
      of.out().dst.at(k) = of.is_uniform() ? of.rows().to_uniform_predicate(k) : of.rows().to_predicate(k);
  of.operation_bits(mask | unsigned{of.operand(Role::kA).half} << 8);
  of.use({.op = MachineOp::kRegisterToPredicates}, LatencyClass::kIntSimple);
}

}  // namespace

bool lower_bits(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kLop3:
    case Opcode::kUlop3:
      return lower_logic(of), true;
    case Opcode::kLop3Signs:
      return lower_logic_of_signs(of), true;
    case Opcode::kShf:
    case Opcode::kUshf:
      return lower_shift(of), true;
    case Opcode::kPrmt:
    case Opcode::kUprmt:
      return lower_permute(of), true;
    case Opcode::kSgxt:
    case Opcode::kUsgxt:
      of.word(Role::kA);
      of.word(Role::kB);
      of.result();
      return of.use_ptx({.op = LaneOp::kSzext,
                         .type = of.has(Modifier::kSigned) ? isa::Type::kS32 : isa::Type::kU32,
                         .clamp = !of.has(Modifier::kWrap)},
                        LatencyClass::kIntSimple),
             true;
    case Opcode::kBmsk:
      of.word(Role::kA);
      of.word(Role::kB);
      of.result();
      return of.use_ptx({.op = LaneOp::kBmsk, .type = isa::Type::kB32, .clamp = !of.has(Modifier::kWrap)},
                        LatencyClass::kIntSimple),
             true;
    case Opcode::kFlo:
    case Opcode::kUflo:
      return lower_find(of, MachineOp::kFindLeadingOne), true;
    case Opcode::kPopc:
    case Opcode::kUpopc:
      return lower_find(of, MachineOp::kPopulationCount), true;
    case Opcode::kBrev:
    case Opcode::kUbrev:
      return lower_find(of, MachineOp::kReverseBits), true;
    case Opcode::kPlop3:
    case Opcode::kUplop3:
      return lower_predicate_logic(of), true;
    case Opcode::kP2r:
      return lower_predicates_to_register(of), true;
    case Opcode::kR2p:
      return lower_register_to_predicates(of), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
