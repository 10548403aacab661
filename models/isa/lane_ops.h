// Lane functions: the meaning of every operation that only reads and writes rows, over 32 lanes at once.
//
// lane/*.cpp are compiled several times for different x86-64 levels (baseline, v3, v4; lane_levels.h);
// find_lane_fn() returns the one for the machine it runs on. All of them give bit-identical results.
//
// Choices where PTX leaves one: integer division by zero gives all ones, rem by zero the dividend; NaN
// results are canonical (lane/float_rules.h); .approx functions are within one f32 ulp of the true value;
// shfl from an inactive lane gives the lane's own value.
#pragma once

#include <string_view>

#include "isa/instruction.h"

namespace heddle::isa {

enum class LaneOp : std::uint8_t {
  kMov,
  kAdd,
  kSub,
  kMul,
  kMad,
  kFma,
  kDiv,
  kRem,
  kAbs,
  kNeg,
  kMin,
  kMax,
  kSad,
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kShl,
  kShr,
  kShfL,
  kShfR,
  kPopc,
  kClz,
  kBfind,
  kBrev,
  kBfe,
  kBfi,
  kPrmt,
  kSetp,
  kSet,
  kSelp,
  kSlct,
  kTestp,
  kCopysign,
  kCvt,
  kRcp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
  kMulHi,
  kMulWide,
  kMadHi,
  kMadWide,
  kMul24,
  kMad24,
  kVoteAll,
  kVoteAny,
  kVoteUni,
  kBallot,
  kActiveMask,
  kShflIdx,
  kShflUp,
  kShflDown,
  kShflBfly,
  kClock32,
  kClock64,
  kPack2x32,
  kUnpack2x32Lo,
  kUnpack2x32Hi,
  kPack2x16,
  kUnpack2x16Lo,
  kUnpack2x16Hi,
  kParam,  ///< broadcast of bytes of the parameter block (src[0] = pointer to them, any alignment), extended
           ///< by type
};
enum class Compare : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLo,
  kLs,
  kHi,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };  ///< setp.CmpOp.BoolOp
enum class Rounding : std::uint8_t { kDefault, kRn, kRz, kRm, kRp, kRni, kRzi, kRmi, kRpi, kRna };
enum class TestProperty : std::uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };

/// One operation with all its modifiers.
struct LaneSpec {
  LaneOp op = LaneOp::kMov;
  Type type = Type::kB32;       ///< of the instruction; cvt, set, slct, mul.wide: of the destination
  Type src_type = Type::kNone;  ///< cvt: source; set, slct: compared operand; otherwise unused
  Compare compare = Compare::kEq;
  Combine combine = Combine::kNone;
  Rounding rounding = Rounding::kDefault;
  TestProperty property = TestProperty::kFinite;
  bool ftz = false;
  bool sat = false;
  bool approx = false;        ///< .approx forms (also .full for div)
  bool clamp = false;         ///< shf.clamp (else wrap)
  std::uint8_t dst_bits = 0;  ///< cvt, param: width of the destination register if wider than `type`; 0: same
  std::uint8_t src_bits = 0;  ///< cvt: 64 if the source register is that wide and src_type narrower; 0: same
};

/// The lane function, or nullptr if this combination is not supported (the decoder then refuses it by name).
/// Operand conventions: dst[0], src[0..] in PTX order; setp: dst[1] is q, src[2] the combined predicate;
/// selp: src[2] predicate; shfl: src a, b, c (membermask dropped), dst[1] the in-range predicate; vote:
/// src[0] predicate. 8/16-bit values occupy the low bits of 32-bit rows, written zero-extended (signed loads
/// of narrow types into wider registers sign-extend to the register's width).
[[nodiscard]] LaneFn find_lane_fn(const LaneSpec& spec);

/// "x86-64-v3": which build of the lane functions runs on this machine.
[[nodiscard]] std::string_view lane_isa_level();

}  // namespace heddle::isa
