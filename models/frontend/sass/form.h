// Forms of instructions: a row says everything about an operation's bits. The decoder, the encoder and the text are made of
// the same rows; a bit that no row explains makes a word undecodable.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

/// The texts of a modifier by its code: "" prints nothing, nullptr is an undefined code.
struct Names {
  const char* const* text = nullptr;
  std::uint8_t count = 0;
};
template <std::size_t N>
constexpr Names names(const char* const (&text)[N]) {
  return {text, static_cast<std::uint8_t>(N)};
}

/// When an operand is printed.
enum class Show : std::uint8_t {
  kAlways,
  kNever,
  kNotDefault,   ///< unless it has `otherwise`
  kWith,         ///< with a modifier that is not 0, or unless it has `otherwise`
  kPairedFirst,  ///< unless it and the next one both have `otherwise`
};

/// How an immediate is printed; a target with kSigned as its displacement.
enum class Style : std::uint8_t { kHex, kSigned, kFloat, kDouble, kHalves };

enum class Sign : std::uint8_t {
  kNone,
  kNegate,
  kInvert,          ///< prints ~
  kNegateOrInvert,  ///< prints ~ with .X
  kNegateAbsolute,
  kHalf,  ///< negate, absolute and which half
};

/// Where an operand comes from.
enum class Source : std::uint8_t {
  kNothing,
  kRegister,  ///< `field`
  kUniformRegister,
  kPredicate,  ///< `field`; NOT is the bit above if `negate`
  kUniformPredicate,
  kEitherPredicate,   ///< uniform if the bit below the field is set
  kInversePredicate,  ///< 7 - number
  kPredicates,
  kBarrier,
  kReturnPc,  ///< half of the thread's return address: `field` is 1 for the high one
  kScoreboard,
  kScoreboards,
  kSpecialRegister,
  kImmediate,  ///< `field`
  kSlotA,      ///< bits 24-31
  kSlotB,      ///< by the operand form: bits 32-63 or 64-71
  kSlotC,
  kAddend,           ///< bits 32-63 in every form: C, in form 1 where B otherwise is
  kConstant,         ///< c[bank][register + offset]
  kUniformConstant,  ///< c[bank][uniform register + offset]
  kConstantWord,     ///< c[bank][offset], the offset in words behind bits 32-39
  kAddress,          ///< `address`
  kUniformAddress,   ///< the same with a uniform register alone, in `field`
  kTarget,           ///< `field`, in units of 4 bytes from the next instruction
  kAbsoluteTarget,   ///< `field`, in units of 4 bytes from the start of the code
};

/// Where the parts of a memory operand are. 0: there is no such part.
struct AddressBits {
  Field offset{40, 24};
  std::uint8_t uniform = 0;  ///< uniform register of 6 bits
  std::uint8_t wide = 0;     ///< the base register is a pair although a uniform one is added
  std::uint8_t scale = 0;    ///< two bits
  bool descriptor = false;   ///< the uniform register is a descriptor
};

struct OperandSpec {
  Role role = Role::kNone;
  Source source = Source::kNothing;
  Field field{};
  Sign sign = Sign::kNone;
  Style style = Style::kHex;
  std::uint8_t negate = 0;  ///< bit of NOT of a predicate
  std::uint8_t reuse = 0;   ///< bit
  Field half{};             ///< which byte or half of a register
  Show show = Show::kAlways;
  Modifier when = Modifier::kNone;
  std::uint64_t otherwise =
      0;                ///< number of a register; number of a predicate, plus 8 for NOT; value of the others
  bool spaced = false;  ///< a blank instead of a comma before it
  const char* suffix = "";  ///< behind the operand
  AddressBits address{};
};

struct ModifierSpec {
  Modifier id = Modifier::kNone;
  Field field{};
  Names names{};
};

struct FixedBits {
  Field field{};
  std::uint64_t value = 0;
};

inline constexpr std::uint8_t k75 = 1, k90 = 2, kBoth = 3;  ///< architectures

/// Operand forms (bits 9 to 11) as a set; those of an operation with sources A, B and C:
///   1 R, R   2 R, immediate   3 R, constant   4 immediate, R   5 constant, R   6 UR, R   7 R, UR    (B, C)
inline constexpr std::uint8_t kExact = 0;  ///< the code has all 12 bits
inline constexpr std::uint8_t kAllForms = 0b11111110;
inline constexpr std::uint8_t kFormOfRegisters = 0b00000010;  ///< 1
inline constexpr std::uint8_t kFormsOfB = 0b01110010;         ///< 1, 4, 5, 6: B varies
inline constexpr std::uint8_t kFormsOfC = 0b10001100;         ///< 2, 3, 7: C varies
inline constexpr std::uint8_t kFormsOfAddend = 0b10001110;    ///< 1, 2, 3, 7: C varies
inline constexpr std::uint8_t kUniformForms = 0b00010110;     ///< 1, 2, 4: all registers are uniform
inline constexpr std::uint8_t kUniformFormsOfB = 0b00010010;

struct Form {
  Opcode op = Opcode::kNop;
  const char* name = "";
  std::uint16_t code = 0;  ///< bits 0-8, or 0-11 if `forms` is kExact
  std::uint8_t forms = kExact;
  std::uint8_t archs = kBoth;
  std::array<FixedBits, 4> fixed{};
  std::array<ModifierSpec, kMostModifiers> modifiers{};
  std::array<OperandSpec, kMostOperands> operands{};
  bool uniform = false;        ///< registers, predicates and guard of the uniform datapath
  bool uniform_guard = false;  ///< only the guard
};

// The rows by group.
[[nodiscard]] std::span<const Form> integer_forms();
[[nodiscard]] std::span<const Form> float_forms();
[[nodiscard]] std::span<const Form> half_forms();
[[nodiscard]] std::span<const Form> conversion_forms();
[[nodiscard]] std::span<const Form> move_forms();
[[nodiscard]] std::span<const Form> uniform_forms();
[[nodiscard]] std::span<const Form> warp_forms();
[[nodiscard]] std::span<const Form> memory_forms();
[[nodiscard]] std::span<const Form> atomic_forms();
[[nodiscard]] std::span<const Form> control_forms();
[[nodiscard]] std::span<const Form> matrix_forms();
[[nodiscard]] std::span<const Form> async_forms();
[[nodiscard]] std::span<const Form> texture_forms();

/// The rows that a word's bits 0 to 11 may belong to, in the order of the tables.
[[nodiscard]] std::span<const Form* const> forms_of(Arch arch, unsigned code);

/// Every row of every group.
[[nodiscard]] std::span<const std::span<const Form>> all_forms();

}  // namespace heddle::sass
