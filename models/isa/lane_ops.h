// Lane functions: the meaning of every operation that only reads and writes rows, over 32 lanes at once.
//
// lane/*.cpp are compiled several times for different x86-64 levels (baseline, v3; lane_levels.h);
// find_lane_fn() returns the one for the machine it runs on. All of them give bit-identical results.
//
// Where PTX leaves a choice: integer division by zero gives all ones, rem by zero the dividend; NaN results
// are canonical (lane/float_rules.h); .approx functions are within one f32 ulp of the true value; shfl from
// an inactive lane gives the lane's own value. With a member mask, a lane's partners are the lanes that
// execute the instruction with it and that its mask names; lanes may name different sets.
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
  kAddc,    ///< a + b + carry; the carry is the last source, a predicate, as for the next three
  kSubc,    ///< a - b - 1 + carry
  kMadc,    ///< low half of a * b, + c + carry
  kMadcHi,  ///< high half
  kMul24Hi,
  kMad24Hi,
  kDp4a,    ///< type and src_type: of a's and b's bytes, u32 or s32
  kDp2aLo,  ///< a's halves times the low bytes of b
  kDp2aHi,
  kBfindShift,  ///< bfind.shiftamt: left shift that moves the found bit to the top
  kFns,
  kSzext,
  kBmsk,
  kLop3,      ///< immediate: the truth table
  kLop3Pred,  ///< dst[1] = (result != 0) combined with the predicate src[3]
  kPrmtF4e,
  kPrmtB4e,
  kPrmtRc8,
  kPrmtEcl,
  kPrmtEcr,
  kPrmtRc16,
  kCvtF16x2,   ///< two f32 to one f16x2, the first into the upper half
  kCvtPair,    ///< the same to bf16x2, e4m3x2, e5m2x2
  kCvtPack,    ///< cvt.pack.sat to s16, u16: a in the upper half, b in the lower
  kCvtPack8,   ///< ... to s8, u8: from the top, the low half of c, a, b
  kCvtPackU4,  ///< ... to 4 bits (type s32 is that of a and b)
  kCvtPackS4,
  kCvtPackU2,
  kCvtPackS2,
  kMatchAny,
  kMatchAll,  ///< dst[1]: whether all values agree
  kReduxAdd,
  kReduxMin,
  kReduxMax,
  kReduxAnd,
  kReduxOr,
  kReduxXor,
  kMovMatrix,     ///< movmatrix.trans: the 8 x 8 matrix of 16-bit elements that the warp holds in a row
  kMma,           ///< a matrix multiply-add over the warp, described by the immediate (isa/matrix.h)
  kElect,         ///< elect.sync: dst[0] the lowest lane of the mask, dst[1] whether that is the lane itself
  kPendingCount,  ///< mbarrier.pending_count of a state
  kPhaseDone,     ///< src[0]: an mbarrier as it is; whether the phase of state src[1] is over
  kParityDone,    ///< ... the phase of parity src[1]
  kVideo,         ///< video instructions (isa/video.h), with the operation in the immediate
  kVideoShift,    ///< vshl, vshr
  kVideoMad,      ///< vmad
  kParam,  ///< broadcast of bytes of the parameter block (src[0] = pointer to them, any alignment), extended
           ///< by type
};
/// Its result depends on other lanes.
[[nodiscard]] constexpr bool is_cross_lane(LaneOp op) {
  return (op >= LaneOp::kVoteAll && op <= LaneOp::kShflBfly) ||
         (op >= LaneOp::kMatchAny && op <= LaneOp::kElect);
}
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
  bool relu = false;          ///< negative results become 0
  bool satfinite = false;     ///< cvt: infinite results become the largest value
  bool nan = false;           ///< min, max: a NaN operand is the result
  bool xorsign = false;       ///< min, max: of magnitudes, with the product's sign
  bool approx = false;        ///< .approx forms (also .full for div)
  bool full = false;          ///< div.full
  bool mufu = false;          ///< an approximate function as cards compute it with MUFU (mufu.h)
  bool clamp = false;         ///< shf, szext, bmsk: .clamp (else .wrap)
  bool carry_out = false;     ///< add, sub, mad and their carry-in forms: dst[1] is the adder's carry
  bool member_mask = false;   ///< vote, shfl: the last source is the member mask of participating lanes
  std::uint8_t dst_bits = 0;  ///< cvt, param: width of the destination register if wider than `type`; 0: same
  std::uint8_t src_bits = 0;  ///< cvt: 64 if the source register is that wide and src_type narrower; 0: same
};

/// The lane function, or nullptr if this combination is not supported (the decoder then refuses the
/// instruction by name).
/// Operand conventions: dst[0], src[0..] in PTX order; setp: dst[1] is q, src[2] the combined predicate;
/// selp: src[2] predicate; shfl: src a, b, c, member mask, dst[1] the in-range predicate; vote: src[0]
/// predicate, src[1] member mask; match, redux: src[0] value, src[1] member mask. f16x2 setp: dst[0] is for
/// the low halves, dst[1] for the high ones.
/// 8/16-bit values occupy the low bits of 32-bit rows and are written zero-extended (signed loads of narrow
/// types into wider registers sign-extend to the register's width).
[[nodiscard]] LaneFn find_lane_fn(const LaneSpec& spec);

/// "x86-64-v3": the build of the lane functions that runs on this machine.
[[nodiscard]] std::string_view lane_isa_level();

}  // namespace heddle::isa
