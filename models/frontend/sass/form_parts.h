// What the rows of the table of forms are put together from: modifiers and operands that several operations share.
#pragma once

#include "frontend/sass/form.h"

namespace heddle::sass::parts {

// ---- Modifiers: what each code prints
inline constexpr const char* kExtendedText[] = {"", "X"};
inline constexpr const char* kFtzText[] = {"", "FTZ"};
inline constexpr const char* kSaturateText[] = {"", "SAT"};
inline constexpr const char* kNanText[] = {"", "NAN"};
inline constexpr const char* kXorSignText[] = {"", "XORSIGN"};
inline constexpr const char* kDenormalText[] = {"", "DNZ"};
inline constexpr const char* kReluText[] = {"", "RELU"};
inline constexpr const char* kWrapText[] = {"", "W"};
inline constexpr const char* kHighText[] = {"", "HI"};
inline constexpr const char* kExText[] = {"", "EX"};
inline constexpr const char* kSx32Text[] = {nullptr, "SX32"};
inline constexpr const char* kPandText[] = {"", "PAND"};
inline constexpr const char* kDirectionText[] = {"L", "R"};
inline constexpr const char* kShiftTypeText[] = {"S64", "U64", "S32", "U32"};
inline constexpr const char* kPrmtText[] = {"", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
inline constexpr const char* kShText[] = {"", "SH"};
inline constexpr const char* kUnsignedText[] = {"U32", ""};
inline constexpr const char* kRoundingText[] = {"", "RM", "RP", "RZ"};
inline constexpr const char* kCombineText[] = {"AND", "OR", "XOR"};
inline constexpr const char* kCompareIntText[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
inline constexpr const char* kCompareText[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                               "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};

template <std::size_t N>
constexpr ModifierSpec modifier(Modifier id, Field field, const char* const (&text)[N]) {
  static_assert(N <= 256);
  return {id, field, names(text)};
}
constexpr Field bit(unsigned at) { return {static_cast<std::uint8_t>(at), 1}; }
constexpr Field bits(unsigned first, unsigned last) {
  return {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last - first + 1)};
}
/// `low` holds the lower bits of the value, `high` the higher ones.
constexpr Field both(Field low, Field high) { return {low.at, low.width, high.at, high.width}; }

inline constexpr ModifierSpec kX = modifier(Modifier::kExtended, bit(74), kExtendedText);
inline constexpr ModifierSpec kU32 = modifier(Modifier::kSigned, bit(73), kUnsignedText);
inline constexpr ModifierSpec kFtz = modifier(Modifier::kFtz, bit(80), kFtzText);
inline constexpr ModifierSpec kSat = modifier(Modifier::kSaturate, bit(77), kSaturateText);
inline constexpr ModifierSpec kDnz = modifier(Modifier::kDenormal, bit(76), kDenormalText);
inline constexpr ModifierSpec kRounding = modifier(Modifier::kRounding, bits(78, 79), kRoundingText);
inline constexpr ModifierSpec kCombine = modifier(Modifier::kCombine, bits(74, 75), kCombineText);
inline constexpr ModifierSpec kCompareInt = modifier(Modifier::kCompare, bits(76, 78), kCompareIntText);
inline constexpr ModifierSpec kCompare = modifier(Modifier::kCompare, bits(76, 79), kCompareText);

inline constexpr ModifierSpec kIntWrap = modifier(Modifier::kWrap, bit(75), kWrapText);
inline constexpr ModifierSpec kSx32 = modifier(Modifier::kSignExtend, bit(73), kSx32Text);

// ---- Operands
constexpr OperandSpec reg(Role role, unsigned at, unsigned reuse = 0) {
  return {.role = role,
          .source = Source::kRegister,
          .field = bits(at, at + 7),
          .reuse = static_cast<std::uint8_t>(reuse)};
}
constexpr OperandSpec uniform(Role role, unsigned at) {
  return {.role = role, .source = Source::kUniformRegister, .field = bits(at, at + 5)};
}
constexpr OperandSpec pred(Role role, unsigned at, unsigned negate = 0) {
  return {.role = role,
          .source = Source::kPredicate,
          .field = bits(at, at + 2),
          .negate = static_cast<std::uint8_t>(negate)};
}
constexpr OperandSpec upred(Role role, unsigned at, unsigned negate = 0) {
  OperandSpec operand = pred(role, at, negate);
  operand.source = Source::kUniformPredicate;
  return operand;
}
constexpr OperandSpec imm(Role role, Field field, Style style = Style::kHex) {
  return {.role = role, .source = Source::kImmediate, .field = field, .style = style};
}
constexpr OperandSpec shown(OperandSpec operand, Show show, std::uint64_t otherwise,
                            Modifier when = Modifier::kNone) {
  operand.show = show;
  operand.otherwise = otherwise;
  operand.when = when;
  return operand;
}
/// Unless it is PT (UPT).
constexpr OperandSpec unless_true(OperandSpec operand) { return shown(operand, Show::kNotDefault, kPt); }
constexpr OperandSpec never(OperandSpec operand) { return shown(operand, Show::kNever, 0); }
constexpr OperandSpec after_blank(OperandSpec operand) {
  operand.spaced = true;
  return operand;
}

inline constexpr OperandSpec kDst = reg(Role::kDst, 16);
inline constexpr OperandSpec kUdst = uniform(Role::kDst, 16);
inline constexpr OperandSpec kPd0 = pred(Role::kPd0, 81);
inline constexpr OperandSpec kPd1 = pred(Role::kPd1, 84);
inline constexpr OperandSpec kPs0 = pred(Role::kPs0, 87, 90);
inline constexpr OperandSpec kPs1 = pred(Role::kPs1, 77, 80);
inline constexpr OperandSpec kPs2 = pred(Role::kPs2, 68, 71);
/// The carry into .X.
inline constexpr OperandSpec kCarry = shown(kPs0, Show::kWith, 8 | kPt, Modifier::kExtended);
/// The condition that branches and the like have beside their guard.
inline constexpr OperandSpec kCondition = unless_true(kPs0);

/// All predicates as bits, of which a mask takes some, in a byte of a register.
inline constexpr const char* kByteText[] = {"", "B1", "B2", "B3"};
inline constexpr OperandSpec kPredicates{.role = Role::kUnused, .source = Source::kPredicates};
inline constexpr OperandSpec kMask32 = imm(Role::kMask, bits(32, 63));
constexpr OperandSpec with_byte(OperandSpec operand) {
  operand.half = bits(76, 77);
  return operand;
}

inline constexpr OperandSpec kLeaShift = imm(Role::kShift, bits(75, 79));

constexpr OperandSpec a(Sign sign = Sign::kNone) {
  return {.role = Role::kA, .source = Source::kSlotA, .sign = sign};
}
constexpr OperandSpec b(Sign sign = Sign::kNone, Style style = Style::kHex) {
  return {.role = Role::kB, .source = Source::kSlotB, .sign = sign, .style = style};
}
constexpr OperandSpec c(Sign sign = Sign::kNone, Style style = Style::kHex) {
  return {.role = Role::kC, .source = Source::kSlotC, .sign = sign, .style = style};
}
/// The second of two sources, where the machine counts it as the third one.
constexpr OperandSpec addend(Sign sign, Style style) {
  return {.role = Role::kB, .source = Source::kAddend, .sign = sign, .style = style};
}

}  // namespace heddle::sass::parts
