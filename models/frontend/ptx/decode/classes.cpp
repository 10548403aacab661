#include "frontend/ptx/decode/classes.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::LatencyClass;

/// Selects the class for integer, single precision or double precision.
LatencyClass choose(Type type, LatencyClass integer, LatencyClass single, LatencyClass twice) {
  if (type == Type::kF64) return twice;
  return isa::is_float(type) ? single : integer;
}

}  // namespace

LatencyClass latency_class(LaneOp op, Type type) {
  switch (op) {
    case LaneOp::kMin:
    case LaneOp::kMax:
      return choose(type, LatencyClass::kIntMinMax, LatencyClass::kFpMinMax, LatencyClass::kDpMinMax);
    case LaneOp::kMul:
      return choose(type, LatencyClass::kIntMul, LatencyClass::kFpMul, LatencyClass::kDpMul);
    case LaneOp::kMulHi:
    case LaneOp::kMulWide:
    case LaneOp::kMul24:
      return LatencyClass::kIntMul;
    case LaneOp::kMad:
    case LaneOp::kFma:
      return choose(type, LatencyClass::kIntMad, LatencyClass::kFpMad, LatencyClass::kDpMad);
    case LaneOp::kMadHi:
    case LaneOp::kMadWide:
    case LaneOp::kMad24:
    case LaneOp::kSad:
    case LaneOp::kVideoMad:
      return LatencyClass::kIntMad;
    case LaneOp::kDiv:
      return choose(type, LatencyClass::kIntDiv, LatencyClass::kFpDiv, LatencyClass::kDpDiv);
    case LaneOp::kRem:
      return LatencyClass::kIntDiv;
    case LaneOp::kRcp:
    case LaneOp::kSqrt:
    case LaneOp::kRsqrt:
    case LaneOp::kSin:
    case LaneOp::kCos:
    case LaneOp::kLg2:
    case LaneOp::kEx2:
    case LaneOp::kTanh:
      return type == Type::kF64 ? LatencyClass::kDpDiv : LatencyClass::kSfu;
    case LaneOp::kMov:
    case LaneOp::kSelp:
    case LaneOp::kSlct:
      return LatencyClass::kIntSimple;  // no arithmetic, for any type
    case LaneOp::kShflIdx:
    case LaneOp::kShflUp:
    case LaneOp::kShflDown:
    case LaneOp::kShflBfly:
      return LatencyClass::kShuffle;
    case LaneOp::kMatchAny:
    case LaneOp::kMatchAll:
    case LaneOp::kReduxAdd:
    case LaneOp::kReduxMin:
    case LaneOp::kReduxMax:
    case LaneOp::kReduxAnd:
    case LaneOp::kReduxOr:
    case LaneOp::kReduxXor:
      return LatencyClass::kRedux;
    default:
      return choose(type, LatencyClass::kIntSimple, LatencyClass::kFpSimple, LatencyClass::kDpSimple);
  }
}

isa::Unit unit_of(LatencyClass latency) {
  switch (latency) {
    case LatencyClass::kIntDiv:
    case LatencyClass::kFpDiv:
    case LatencyClass::kSfu:
      return isa::Unit::kSfu;
    case LatencyClass::kMemory:
      return isa::Unit::kMemory;
    case LatencyClass::kControl:
      return isa::Unit::kControl;
    default:
      return isa::Unit::kSp;
  }
}

}  // namespace heddle::ptx
