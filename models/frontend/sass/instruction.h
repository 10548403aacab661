// A decoded machine instruction: what an executor needs, typed. Text is made of it in print.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "frontend/sass/opcode.h"
#include "frontend/sass/word.h"

namespace heddle::sass {

struct Form;

enum class Arch : std::uint8_t { kSm75 = 1, kSm90 = 2 };

inline constexpr std::uint64_t kInstructionBytes = 16;
inline constexpr std::uint8_t kRz = 255;          ///< number of RZ
inline constexpr std::uint8_t kUrz = 63;          ///< of URZ
inline constexpr std::uint8_t kPt = 7;            ///< of PT and UPT
inline constexpr std::uint8_t kNoRegister = 254;  ///< of Operand::uniform; there is no such uniform register

/// What an instruction does with an operand.
enum class Role : std::uint8_t {
  kNone,
  kDst,  ///< register or uniform register that is written; the lowest one of a pair or four
  kPd0,  ///< predicate that is written
  kPd1,  ///< the second one
  kA,
  kB,
  kC,
  kPs0,  ///< predicate that is read: input, carry, condition of a branch, choice
  kPs1,
  kPs2,
  kAddress,
  kSharedAddress,  ///< where in shared memory a copy goes to
  kData,           ///< register that is stored, or that an atomic combines
  kData2,          ///< what a compare-and-swap stores
  kTarget,         ///< of a branch
  kBarrier,        ///< convergence barrier (B)
  kLut,
  kLut2,
  kShift,
  kMask,
  kCount,
  kLane,
  kClamp,
  kScoreboard,
  kScoreboards,
  kSpecial,
  kHandle,  ///< of a texture or surface object: 32 bits
  kDst2,    ///< pair for the third and fourth component of a texel
  kUnused,  ///< a register field without effect; kept so that encode() gives the same word
};

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,
    kUniformRegister,
    kPredicate,
    kUniformPredicate,
    kPredicates,  ///< PR: P0 to P6 as bits
    kBarrier,
    kReturnPc,  ///< Rpc.LO (`number` 0) or Rpc.HI
    kScoreboard,
    kScoreboards,      ///< `value`: a bit each
    kSpecialRegister,  ///< `value`: its id
    kImmediate,        ///< `value`
    kConstant,         ///< c[bank][number + value], or cx[uniform][number + value]
    kAddress,  ///< [number * factor + uniform + value]; a descriptor's `uniform` does not enter the address
    kTarget,   ///< `value`: bytes from the end of this instruction
    kAbsoluteTarget,  ///< `value`: bytes from the start of the code
  };
  Role role = Role::kNone;
  Kind kind = Kind::kRegister;
  std::uint8_t number =
      0;  ///< of the register, predicate or barrier; base register of a constant or an address (kRz: none)
  std::uint8_t uniform = kNoRegister;  ///< uniform register in a constant or an address
  std::uint8_t bank = 0;
  std::uint8_t half =
      0;  ///< packed halves: 0 both in place, 1 F32, 2 low half twice, 3 high half twice; bytes: which one
  std::uint8_t scale = 0;  ///< factor of the base register of an address: 0: 1, 1: 4, 2: 8, 3: 16
  bool negate = false;     ///< of a predicate: NOT
  bool absolute = false;
  bool reuse = false;  ///< the operand collector keeps the value
  bool wide = false;   ///< the base register of an address is a pair
  bool descriptor = false;
  std::int64_t value = 0;

  bool operator==(const Operand&) const = default;
};

/// Bits 105 to 121: what the compiler tells the issue logic.
struct Control {
  std::uint8_t stall = 0;          ///< cycles until the warp's next instruction
  bool yield = false;              ///< bit 109: clear if another warp should be preferred
  std::uint8_t write_barrier = 7;  ///< scoreboard set until the results are written; 7: none
  std::uint8_t read_barrier = 7;   ///< scoreboard set until the sources are read; 7: none
  std::uint8_t wait_mask = 0;      ///< scoreboards that must be clear
  std::uint8_t idle_reuse = 0;     ///< reuse flags of A, B and C that no operand shows

  bool operator==(const Control&) const = default;
};

/// Suffixes of the mnemonic. The value is the field's code; what a code means is in the form's row (forms_*.cpp).
enum class Modifier : std::uint8_t {
  kNone,
  kExtended,  ///< .X: with carry-in
  kSigned,    ///< 0: .U32
  kSignedB,
  kHigh,  ///< .HI
  kCompare,
  kCombine,      ///< AND, OR, XOR
  kHighCompare,  ///< .EX
  kFtz,
  kSaturate,
  kDenormal,  ///< .DNZ
  kRounding,
  kScale,
  kNan,
  kXorSign,
  kFunction,  ///< of MUFU
  kShiftDirection,
  kWrap,
  kShiftType,
  kSignExtend,  ///< .SX32
  kMode,
  kShiftFromTop,  ///< .SH
  kAccumulate,
  kPredicateAnd,
  kDestination,  ///< type of a conversion's result
  kSource,       ///< type of a conversion's operand
  kNtz,
  kFloat32,
  kRelu,
  kBfloat,
  kCrossed,  ///< B's halves are exchanged, the low one is negative then
  kBooleanFloat,
  kSize,
  kWideAddress,  ///< .E
  kOrder,
  kScope,
  kEviction,
  kPrefetch,
  kHint,  ///< .U of LDS
  kOperation,
  kType,
  kClear,
  kBlocking,
  kAbsolute,
  kByte,
  kSixtyFour,
  kShape,       ///< of a product of matrices
  kSourceB,     ///< type of B
  kTransposed,  ///< .MT88
  kMulticast,   ///< into several CTAs of the cluster
  kPolicy,      ///< of the L2, which a register has
  kBypass,      ///< a copy leaves no line in L1
  kZeroFill,
  kReductionOnly,  ///< .RED: without a result
  kDrop,           ///< .OPTOUT
  kTogether,       ///< the lanes arrive at an mbarrier at once
  kSources,        ///< .SCR: coordinates and what follows them in both A and B
  kLevel,          ///< of detail
  kOutside,        ///< what becomes of an access outside a surface
  kLessEqual,
};

inline constexpr unsigned kMostOperands = 10;
inline constexpr unsigned kMostModifiers = 8;

struct Instruction {
  const Form* form = nullptr;  ///< its row of the table of forms
  Opcode op = Opcode::kNop;
  Arch arch = Arch::kSm75;
  std::uint8_t operand_form = 0;  ///< bits 9 to 11
  std::uint8_t operand_count = 0;
  std::uint8_t guard = kPt;
  bool guard_negated = false;
  bool guard_uniform = false;  ///< the guard is a UP
  Control control;
  std::array<std::uint16_t, kMostModifiers> modifiers{};  ///< by the form's modifiers
  std::array<Operand, kMostOperands> operand{};           ///< as the form has them

  [[nodiscard]] std::span<const Operand> operands() const { return {operand.data(), operand_count}; }
  /// nullptr if this form has none.
  [[nodiscard]] const Operand* find(Role role) const {
    for (const Operand& each : operands())
      if (each.role == role) return &each;
    return nullptr;
  }
  /// The code of a modifier; 0 if this form has none.
  [[nodiscard]] std::uint16_t value(Modifier modifier) const;
};

}  // namespace heddle::sass
