// Lane functions of machine code (SASS): what PTX has no function for. They follow lane_ops.h: 32 lanes at once, built for
// several x86-64 levels with the same bits. An operation that is exactly PTX's is found there.
//
// Modifiers that differ from instruction to instruction are bits of the immediate; they are constant over the lanes:
//   bits 0-7   sources that are negated, or complemented where `extended` adds a carry (bit i: source i; of a pair: its low word)
//   bits 8-15  floating-point sources of which the absolute value is taken, before the negation
//   bits 16-   what the operation names below
// A 64-bit value is two sources or destinations of 32 bits, the low word first. Every destination may be absent.
//
// NaN results: f32 0x7fffffff, f16 0x7fff, bf16 0x7fff. f64: the operand that is a NaN (of several B, then C, then A), quiet and
// with its own sign; 0xfff8000000000000 where none is.
#pragma once

#include "isa/lane_levels.h"
#include "isa/mufu.h"

namespace heddle::isa {

enum class MachineOp : std::uint8_t {
  kNothing,  ///< an operation without a destination
  // Integers. Carries are predicates.
  kAdd2,             ///< a + b
  kAdd3,             ///< dst: sum, carry, second carry; src: a, b, c, with `extended` two carries
  kMultiplyAdd,      ///< dst: low word of a * b + c, carry; src: a, b, c, with `extended` a carry
  kMultiplyAddWide,  ///< dst: a pair, carry; src: a, b, a pair, with `extended` a carry
  kMultiplyAddHigh,  ///< dst: high word of kMultiplyAddWide, carry
  kMinMax,  ///< src: a, b, predicate (minimum where it holds). Immediate 16: not below 0 (relu). Extended, of halves: dst: predicates, whether a is the low and the high result
  kAddMinMax,  ///< src: a, b, c, predicate: of a + b and c
  kCompareInteger,  ///< dst: p, q; src: a, b, predicate, with `extended` the low words' result. Immediate as kCompareFloat
  kShiftAdd,            ///< LEA: dst: sum, carry; src: a, b, with `extended` a carry. Immediate 16-20: shift
  kShiftAddHigh,        ///< LEA.HI: src: a, b, c; the high word of c:a shifted
  kShiftAddHighSigned,  ///< LEA.HI.SX32: src: a, b
  kMinMax3,             ///< VIMNMX3: as kAddMinMax, whose sum is the least or largest of a and b
  kLogic3,              ///< dst: value, predicate; src: a, b, c, predicate. Immediate 16-23: table, 24: PAND
  kLogic3Signs,         ///< dst: predicate, of the signs; src: a, b, c. Immediate 16-23: table
  kLogic3Predicates,    ///< dst: p, q; src: three predicates. Immediate 16-23: table of p, 24-31: of q
  kFunnelShiftLeft,     ///< SHF: src: low word, amount, high word. Immediate: ShiftBit from 16 on
  kFunnelShiftRight,
  kByteDifferences,    ///< VABSDIFF4: src: a, b, c, which is not used
  kByteDifferenceSum,  ///< VABSDIFF4.ACC: and c
  kFindLeadingOne,     ///< of the complement if source 0 is negated. Immediate 16: 31 - position
  kPopulationCount,
  kReverseBits,
  // Predicates and special values
  kPredicatesToRegister,  ///< P2R: src: a, P0 to P6. Immediate 16-22: mask, 24-25: byte
  kRegisterToPredicates,  ///< R2P: dst: P0 to P6. Immediate as P2R
  kZeroPair,              ///< dst: two words of 0
  kClockPair,             ///< dst: low and high word of the clock
  kClockHigh,
  // Floating point
  kAdd,  ///< of `type` (f32, f64) with rounding, ftz, sat
  kMultiply,
  kMultiplyScaled,  ///< f32: a * b * 2^(n - 4), rounded once; n is immediate 16-18
  kFusedMultiplyAdd,
  kMinMaxFloat,   ///< src: a, b, predicate. Immediate 16: NaN wins, 17: the sign is the product's
  kSelectFloat,   ///< src: a, b, predicate; moves bits
  kCompareFloat,  ///< dst: p, q; src: a, b, predicate. Immediate 16-19: outcomes, 20-21: and, or, xor
  kChooseDouble,  ///< DSETP.MIN, .MAX: dst: whether a is the result, whether both are NaNs. Immediate 16: minimum, 20-21
  kSetFloat,       ///< dst: 1.0 or 0.0; src and immediate as kCompareFloat
  kDivisionCheck,  ///< FCHK: dst: whether a / b needs the slow path
  // Halves. Immediate 16-21: swizzle of each source (0 in place, 1 f32, 2 low half, 3 high half), 22-: HalfBit
  kHalfAdd,  ///< dst: packed, or one f32; src: a, b
  kHalfMultiply,
  kHalfFusedMultiplyAdd,  ///< src: a, b, c. Extended: a * (-high, low) of b
  kHalfCompare,  ///< dst: p of the low halves, q of the high ones; src: a, b, predicate. Immediate 32-35: outcomes, 36-37: and, or, xor
  kHalfSet,      ///< dst: packed; src and immediate as kHalfCompare
  kHalfMinMax,   ///< type f16x2, bf16x2; dst: packed; src: a, b, predicate (the minimum). HalfBit
  kPackBytes,  ///< F2IP: src: c.a.b; a and b, which are f32, become bytes without a sign. Immediate 19-22: Rounding
  kPackFloats,  ///< F2FP: src: a (high half), b. Immediate 16: bf16, 17: relu, 18: infinite results become the largest number
  kPackNarrow,  ///< F2FP to e4m3x2, e5m2x2, saturating: src: two f32 (the first into the upper byte) or one f16x2, then what becomes the upper half. Immediate 16: relu
  kUnpackNarrow,  ///< F2FP of e4m3x2, e5m2x2 (src_type) to f16x2. Immediate 16: relu, 17: the upper half of the source
  // Conversions of `src_type` to `type`. Immediate 16: a NaN gives 0, 17-18: first byte of a narrow integer or f16 source, 19-22: Rounding
  // of a float to an integer
  kConvert,
  kSpecialFunction,  ///< MUFU: `function` of `type` (f32; f16, bf16: immediate 16 is the upper half of the source)
  // Warp: the lanes that execute the instruction
  kVote,      ///< dst: mask of the lanes where src[0] holds, predicate. Immediate 16-17: VoteMode
  kMatchAny,  ///< dst: lanes with the same value; type b32, or b64 with a pair as source
  kMatchAll,  ///< dst: all of them if their values agree, or 0; predicate
  kReduce,    ///< Immediate 16-18: ReduceOp
  kFirstLane,  ///< R2UR: dst: the value of the first lane; predicate: where another value is, or the second source holds
  kElect,  ///< dst: number of the first lane; whether the lane is that one
};
inline constexpr unsigned kMachineOps = static_cast<unsigned>(MachineOp::kElect) + 1;

/// What the first 16 bits of an immediate say of source i.
[[nodiscard]] constexpr std::uint64_t negated_source(unsigned i) { return std::uint64_t{1} << i; }
[[nodiscard]] constexpr std::uint64_t absolute_source(unsigned i) { return std::uint64_t{1} << (8 + i); }
inline constexpr unsigned kOperationBits = 16;  ///< where the operation's own bits begin

enum ShiftBit : unsigned { kShiftWrap, kShiftHigh, kShift64 };  ///< kShift64: amounts stop at 64, not 32
/// Comparisons are sets of outcomes: less-or-equal is kOutcomeLess | kOutcomeEqual.
inline constexpr unsigned kOutcomeLess = 1, kOutcomeEqual = 2, kOutcomeGreater = 4, kOutcomeUnordered = 8;
/// The result is one f32; bf16; .ftz, .relu, .sat; p and q are both comparisons and their complement; kHalfSet gives 1.0, not ones.
/// kHalfMinMax: a NaN is the result; its sign is that of the operands' product.
enum HalfBit : unsigned {
  kHalfF32 = 22,
  kHalfBf16,
  kHalfFtz,
  kHalfRelu,
  kHalfSat,
  kHalfBoth,
  kHalfOne,
  kHalfNan,
  kHalfXorSign
};
inline constexpr unsigned kHalfCompareBits = 32;
enum class VoteMode : std::uint8_t { kAll, kAny, kEqual };
enum class ReduceOp : std::uint8_t { kAnd, kOr, kXor, kSum, kMin, kMax };

struct MachineSpec {
  MachineOp op = MachineOp::kNothing;
  Type type = Type::kB32;
  Type src_type = Type::kNone;        ///< kConvert
  Rounding rounding = Rounding::kRn;  ///< kConvert between equal types: kRni, kRzi, kRmi, kRpi for FRND
  SpecialFunction function = SpecialFunction::kRcp;
  bool is_signed = false;
  bool extended = false;   ///< with carry-in; kCompareInteger: of high words
  bool carry_out = false;  ///< a carry is wanted
  bool ftz = false;
  bool sat = false;
  bool guarded =
      false;  ///< Warp: the last source says which lanes take part; the results are also those of the others in the mask
};

/// The lane function, or nullptr where there is none of these modifiers.
[[nodiscard]] LaneFn find_machine_fn(const MachineSpec& spec);
/// Of one level, as find_lane_fn_at().
[[nodiscard]] LaneFn find_machine_fn_at(LaneLevel level, const MachineSpec& spec);

}  // namespace heddle::isa
