// A PTX function as the oracle runs it: one Step per instruction, every name resolved to a number.
//
// This is the oracle's own form. It is not isa::Instruction and is made without the decoder
// (frontend/ptx/decode.h), so that a mistake there or in the lane functions shows up as a difference instead
// of being shared.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/kernel.h"
#include "isa/types.h"

namespace heddle::oracle {

using isa::StateSpace;
using isa::Type;

struct Step;
/// Operand values of one thread, each in the low bits of 64.
using Inputs = const std::uint64_t*;
/// Value of a computing instruction. Results are zero-extended from the width of their type, except
/// sign-extending conversions, which fill all 64 bits and are cut to the destination register's width on
/// writing. For setp: bit 0 is the first predicate, bit 1 the second.
using Eval = std::uint64_t (*)(const Step&, Inputs);

enum class Kind : std::uint8_t {
  kCompute,     ///< eval
  kPredicates,  ///< setp: eval with two results
  kPack,        ///< mov.b64 d, {a, b}
  kUnpack,      ///< mov.b64 {a, b}, d
  kLoad,
  kStore,
  kAtomic,
  kBranch,
  kExit,
  kBarrier,
  kWarp,  ///< threads of a member mask meet: vote, shfl, match, bar.warp.sync
  kTrap,
  kNothing,  ///< fences, hints
};

enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicSharedSize,
  kTotalSharedSize,
  kZero,
  kOne,
};

enum class Compare : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan
};
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp };
enum class ToInteger : std::uint8_t { kNo, kNearest, kZero, kDown, kUp };
enum class Atomic : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExch, kCas, kInc, kDec };
enum class BarrierOp : std::uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr };
enum class WarpOp : std::uint8_t {
  kSync,
  kVoteAll,
  kVoteAny,
  kVoteUni,
  kVoteBallot,
  kShflUp,
  kShflDown,
  kShflBfly,
  kShflIdx,
  kMatchAny,
  kMatchAll,
};

struct Source {
  enum class From : std::uint8_t { kSlot, kConstant, kSpecial };
  From from = From::kConstant;
  bool negated = false;  ///< predicate given as !p
  Special special = Special::kZero;
  std::uint32_t slot = 0;
  std::uint64_t bits = 0;  ///< kConstant
};

/// Where a result goes: a register slot, cut to the register's width; slot -1: discarded ("_").
struct Target {
  std::int32_t slot = -1;
  std::uint64_t mask = 0;
};

struct Step {
  Kind kind = Kind::kNothing;
  Type type = Type::kNone;  ///< of the result; ld, st, atom: of one element
  Type from = Type::kNone;  ///< cvt, set, slct: of the source
  Eval eval = nullptr;

  std::int32_t guard = -1;  ///< predicate slot, -1: always
  bool guard_negated = false;

  std::uint8_t sources = 0;
  std::uint8_t targets = 0;
  std::array<Source, 5> source{};
  std::array<Target, 4> target{};

  Compare compare = Compare::kEq;
  Combine combine = Combine::kNone;
  Rounding rounding = Rounding::kNearest;
  ToInteger to_integer = ToInteger::kNo;
  bool ftz = false;
  bool sat = false;
  bool flag = false;          ///< by instruction: shf.clamp, bfind.shiftamt, min.NaN, ld that ends a turn ...
  std::uint8_t selector = 0;  ///< testp property, prmt mode

  StateSpace space = StateSpace::kNone;
  std::int32_t base = -1;         ///< address register slot, -1: none
  bool narrow_address = false;    ///< address arithmetic is 32 bits wide
  std::int64_t displacement = 0;  ///< added to the base; alone: the address
  Atomic atomic = Atomic::kAdd;

  BarrierOp barrier = BarrierOp::kSync;
  WarpOp warp = WarpOp::kSync;
  std::uint32_t jump = 0;  ///< kBranch: step index

  isa::SourceLoc where;
};

struct Program {
  std::vector<Step> steps;  ///< ends in kExit
  std::uint32_t slots = 0;  ///< registers of one thread
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_base = 0;  ///< where an extern .shared array begins; >= static_shared_bytes
  std::uint32_t local_bytes = 0;          ///< of one thread
  /// What hosts see of the kernel: name, parameters, memory needs, source. Its code is empty.
  std::shared_ptr<const isa::Kernel> kernel;
};

}  // namespace heddle::oracle
