// Operations between the lanes that execute them.
#include "frontend/sass/lower/lane_lowering.h"

namespace heddle::sass {
namespace {

using isa::LatencyClass;
using isa::MachineOp;

void lower_shuffle(LaneLowering& of) {
  constexpr isa::LaneOp kModes[] = {isa::LaneOp::kShflIdx, isa::LaneOp::kShflUp, isa::LaneOp::kShflDown,
                                    isa::LaneOp::kShflBfly};
  of.word(Role::kA);
  of.word(Role::kLane);
  of.word(Role::kClamp);
  of.result();
  of.predicate_result(Role::kPd0);
  of.use_ptx({.op = kModes[of.value(Modifier::kMode)], .type = isa::Type::kB32}, LatencyClass::kShuffle);
}

void lower_match(LaneLowering& of) {
  // .ALL has a predicate that says whether all agree; .ANY has none that is known.
  const bool all = of.name() == "MATCH.ALL";
  if (!all && of.writes_predicate(Role::kPd0)) of.refuse("a predicate of MATCH.ANY");
  const bool wide = of.has(Modifier::kSixtyFour);
  if (wide)
    of.integer_pair(Role::kA);
  else
    of.word(Role::kA);
  of.result();
  of.predicate_result(Role::kPd0);
  of.use({.op = all ? MachineOp::kMatchAll : MachineOp::kMatchAny,
          .type = wide ? isa::Type::kB64 : isa::Type::kB32},
         LatencyClass::kRedux);
}

}  // namespace

bool lower_warp(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kVote:
    case Opcode::kVoteu:
      of.predicate(Role::kPs0);
      of.result();
      of.predicate_result(Role::kPd0);
      of.operation_bits(of.value(Modifier::kMode));
      of.use({.op = MachineOp::kVote, .guarded = of.guard()}, LatencyClass::kIntSimple);
      break;
    case Opcode::kShfl:
      lower_shuffle(of);
      break;
    case Opcode::kMatch:
      lower_match(of);
      break;
    case Opcode::kRedux:
      of.word(Role::kA);
      of.result();
      of.operation_bits(of.value(Modifier::kOperation));
      of.use({.op = MachineOp::kReduce, .is_signed = of.has(Modifier::kSigned), .guarded = of.guard()},
             LatencyClass::kRedux);
      break;
    case Opcode::kElect:
      if (!of.is_constant(Role::kPs0, true)) of.refuse("ELECT under a predicate of its own");
      of.result();
      of.predicate_result(Role::kPd0);
      of.use({.op = MachineOp::kElect, .guarded = of.guard()}, LatencyClass::kIntSimple);
      break;
    case Opcode::kR2ur:
      if (of.writes_predicate(Role::kPd0) && of.operand(Role::kPd0).kind == Operand::Kind::kUniformPredicate)
        of.refuse("a predicate of R2UR");
      of.word(Role::kA);
      if (of.has(Modifier::kAccumulate) && of.writes_predicate(Role::kPd0))
        of.source(of.rows().predicate(of.operand(Role::kPd0).number, false));
      else
        of.source(of.rows().constant_predicate(false));
      of.result();
      of.predicate_result(Role::kPd0);
      of.use({.op = MachineOp::kFirstLane, .guarded = of.guard()}, LatencyClass::kIntSimple);
      break;
    default:
      return false;
  }
  of.out().cross_lane = true;
  return true;
}

}  // namespace heddle::sass
