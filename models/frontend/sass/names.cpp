// Names of what instruction.h enumerates.
#include "frontend/sass/print.h"

namespace heddle::sass {

const char* name_of(Role role) {
  switch (role) {
    case Role::kNone:
      return "none";
    case Role::kDst:
      return "dst";
    case Role::kPd0:
      return "pd0";
    case Role::kPd1:
      return "pd1";
    case Role::kA:
      return "a";
    case Role::kB:
      return "b";
    case Role::kC:
      return "c";
    case Role::kPs0:
      return "ps0";
    case Role::kPs1:
      return "ps1";
    case Role::kPs2:
      return "ps2";
    case Role::kAddress:
      return "address";
    case Role::kData:
      return "data";
    case Role::kData2:
      return "data2";
    case Role::kTarget:
      return "target";
    case Role::kBarrier:
      return "barrier";
    case Role::kLut:
      return "lut";
    case Role::kLut2:
      return "lut2";
    case Role::kShift:
      return "shift";
    case Role::kMask:
      return "mask";
    case Role::kCount:
      return "count";
    case Role::kLane:
      return "lane";
    case Role::kClamp:
      return "clamp";
    case Role::kScoreboard:
      return "scoreboard";
    case Role::kScoreboards:
      return "scoreboards";
    case Role::kSpecial:
      return "special";
    case Role::kUnused:
      return "unused";
  }
  return "";
}

const char* name_of(Operand::Kind kind) {
  switch (kind) {
    case Operand::Kind::kRegister:
      return "register";
    case Operand::Kind::kUniformRegister:
      return "uniform_register";
    case Operand::Kind::kPredicate:
      return "predicate";
    case Operand::Kind::kUniformPredicate:
      return "uniform_predicate";
    case Operand::Kind::kPredicates:
      return "predicates";
    case Operand::Kind::kBarrier:
      return "barrier";
    case Operand::Kind::kScoreboard:
      return "scoreboard";
    case Operand::Kind::kScoreboards:
      return "scoreboards";
    case Operand::Kind::kSpecialRegister:
      return "special_register";
    case Operand::Kind::kImmediate:
      return "immediate";
    case Operand::Kind::kConstant:
      return "constant";
    case Operand::Kind::kAddress:
      return "address";
    case Operand::Kind::kTarget:
      return "target";
    case Operand::Kind::kAbsoluteTarget:
      return "absolute_target";
  }
  return "";
}

const char* name_of(Modifier modifier) {
  switch (modifier) {
    case Modifier::kNone:
      return "none";
    case Modifier::kExtended:
      return "extended";
    case Modifier::kSigned:
      return "signed";
    case Modifier::kSignedB:
      return "signed_b";
    case Modifier::kHigh:
      return "high";
    case Modifier::kCompare:
      return "compare";
    case Modifier::kCombine:
      return "combine";
    case Modifier::kHighCompare:
      return "high_compare";
    case Modifier::kFtz:
      return "ftz";
    case Modifier::kSaturate:
      return "saturate";
    case Modifier::kDenormal:
      return "denormal";
    case Modifier::kRounding:
      return "rounding";
    case Modifier::kScale:
      return "scale";
    case Modifier::kNan:
      return "nan";
    case Modifier::kXorSign:
      return "xor_sign";
    case Modifier::kFunction:
      return "function";
    case Modifier::kShiftDirection:
      return "shift_direction";
    case Modifier::kWrap:
      return "wrap";
    case Modifier::kShiftType:
      return "shift_type";
    case Modifier::kSignExtend:
      return "sign_extend";
    case Modifier::kMode:
      return "mode";
    case Modifier::kShiftFromTop:
      return "shift_from_top";
    case Modifier::kAccumulate:
      return "accumulate";
    case Modifier::kPredicateAnd:
      return "predicate_and";
    case Modifier::kDestination:
      return "destination";
    case Modifier::kSource:
      return "source";
    case Modifier::kNtz:
      return "ntz";
    case Modifier::kFloat32:
      return "float32";
    case Modifier::kRelu:
      return "relu";
    case Modifier::kBfloat:
      return "bfloat";
    case Modifier::kBooleanFloat:
      return "boolean_float";
    case Modifier::kSize:
      return "size";
    case Modifier::kWideAddress:
      return "wide_address";
    case Modifier::kOrder:
      return "order";
    case Modifier::kScope:
      return "scope";
    case Modifier::kEviction:
      return "eviction";
    case Modifier::kPrefetch:
      return "prefetch";
    case Modifier::kHint:
      return "hint";
    case Modifier::kOperation:
      return "operation";
    case Modifier::kType:
      return "type";
    case Modifier::kClear:
      return "clear";
    case Modifier::kBlocking:
      return "blocking";
    case Modifier::kAbsolute:
      return "absolute";
    case Modifier::kByte:
      return "byte";
    case Modifier::kSixtyFour:
      return "sixty_four";
    case Modifier::kLessEqual:
      return "less_equal";
  }
  return "";
}

}  // namespace heddle::sass
