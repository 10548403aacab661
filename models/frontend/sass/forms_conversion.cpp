// Conversions between types.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace conversion_rows {

using namespace parts;

constexpr const char* kModeText[] = {"", "FLOOR", "CEIL", "TRUNC"};
constexpr const char* kNtzText[] = {"", "NTZ"};
// Integer types: bit 0 says signed, the others are log2 of the bytes.
constexpr const char* kIntegerText[] = {"U8", "S8", "U16", "S16", "U32", "", "U64", "S64"};
constexpr const char* kNarrowText[] = {"U8", "S8", "U16", "S16", "U32", ""};
constexpr const char* kInteger32Text[] = {nullptr, nullptr, nullptr, nullptr, "U32", "S32"};
// Floating-point types.
constexpr const char* kFloatNamedText[] = {nullptr, "F16", "F32", "F64"};
constexpr const char* kFloatText[] = {nullptr, "F16", "", "F64", "BF16"};
constexpr const char* kDoubleText[] = {nullptr, nullptr, nullptr, "F64"};
constexpr const char* kFloatTwiceText[] = {  // of source and result, the same or none
    nullptr, nullptr, nullptr, nullptr, nullptr, "F16",   nullptr, nullptr,
    nullptr, nullptr, "",      nullptr, nullptr, nullptr, nullptr, "F64"};
constexpr const char* kPackedText[] = {"F16.F32", "BF16.F32"};
constexpr const char* kPackedHalfText[] = {"F16.F32"};
constexpr const char* kBf16Text[] = {"BF16"};
constexpr const char* kHalfOrSingleText[] = {nullptr, "F16", "F32"};
constexpr const char* kSingleText[] = {"", ""};
constexpr const char* kNarrowFloatText[] = {nullptr, nullptr, "E5M2", "E4M3"};
constexpr const char* kPackedFromText[] = {nullptr, "F16.UNPACK_B_MERGE_C", nullptr, nullptr,
                                           "F32.PACK_AB_MERGE_C"};
constexpr const char* kUnpackedText[] = {"F16"};
constexpr const char* kFiniteText[] = {"", "SATFINITE"};
constexpr const char* kUnpackText[] = {"UNPACK_B"};
constexpr const char* kUpperText[] = {"", "H1"};
constexpr const char* kTf32Text[] = {"TF32.F32.PACK_B"};
constexpr Field kPackingKind = bits(86, 90);        // of F2FP: which row it has
constexpr const char* kPackAbText[] = {"PACK_AB"};  // A in the high half

constexpr OperandSpec kFloatSource = b(Sign::kNegateAbsolute, Style::kFloat);
/// Which half of a register an F16 is.
constexpr OperandSpec with_half(OperandSpec operand) {
  operand.half = bit(60);
  return operand;
}
constexpr OperandSpec with_part(OperandSpec operand) {
  operand.half = bits(60, 61);
  return operand;
}

constexpr ModifierSpec kFloatFrom = modifier(Modifier::kSource, bits(84, 86), kFloatText);
constexpr ModifierSpec kFloatTo = modifier(Modifier::kDestination, bits(75, 77), kFloatText);
constexpr ModifierSpec kIntegerTo =
    modifier(Modifier::kDestination, both(bit(72), bits(75, 76)), kIntegerText);
constexpr ModifierSpec kIntegerFrom = modifier(Modifier::kSource, both(bit(74), bits(84, 85)), kIntegerText);
constexpr ModifierSpec kToIntegral = modifier(Modifier::kRounding, bits(78, 79), kModeText);

constexpr const char* kSaturatedText[] = {"U8.S32.SAT", "S8.S32.SAT", "U16.S32.SAT", "S16.S32.SAT"};
constexpr const char* kSaturated4Text[] = {"U4.S32.SAT", "S4.S32.SAT"};
constexpr const char* kSaturated2Text[] = {"U2.S32.SAT", "S2.S32.SAT"};
constexpr const char* kByteFromFloatText[] = {"U8.F32.NTZ", "S8.F32.NTZ"};
constexpr const char* kWordsText[] = {""};
constexpr const char* kNibblesText[] = {nullptr, nullptr, ""};
constexpr const char* kPairsText[] = {nullptr, nullptr, nullptr, ""};

/// Integers that saturate, from A and B, below C. Their width is said twice. Bit 74 is set on sm_90 only.
template <std::size_t N, std::size_t M>
constexpr Form i2ip(std::uint8_t arch, std::uint64_t upper_bits_of_type, const char* const (&types)[N],
                    const char* const (&width)[M]) {
  constexpr bool kNarrow = N == 2;
  return {
      .op = Opcode::kI2ip,
      .name = "I2IP",
      .code = 0x039,
      .forms = kFormsOfB,
      .archs = arch,
      .fixed = {{{bit(74), arch == k90 ? 1u : 0u}, {kNarrow ? bits(77, 78) : bit(78), upper_bits_of_type}}},
      .modifiers = {modifier(Modifier::kDestination, kNarrow ? bit(76) : bits(76, 77), types),
                    modifier(Modifier::kShape, bits(72, 73), width)},
      .operands = {kDst, a(), b(), c()}};
}

constexpr Form f2f(std::uint16_t code) {
  return {.op = Opcode::kF2f,
          .name = "F2F",
          .code = code,
          .forms = kFormsOfB,
          .fixed = {{{bit(86), 0}}},
          .modifiers = {kFtz, modifier(Modifier::kDestination, bits(75, 76), kFloatNamedText),
                        modifier(Modifier::kSource, bits(84, 85), kFloatNamedText), kRounding, kSat},
          .operands = {kDst, kFloatSource}};
}
constexpr Form from_bf16(std::uint16_t code) {
  return {.op = Opcode::kF2fBf16,
          .name = "F2F",
          .code = code,
          .forms = kFormsOfB,
          .archs = k90,
          .fixed = {{{bits(84, 86), 4}, {bit(77), 0}, {bit(80), 0}}},
          .modifiers = {modifier(Modifier::kDestination, bits(75, 76), kFloatNamedText),
                        modifier(Modifier::kSource, {}, kBf16Text), kRounding},
          .operands = {kDst, kFloatSource}};
}
constexpr Form f2i(std::uint16_t code) {
  return {
      .op = Opcode::kF2i,
      .name = "F2I",
      .code = code,
      .forms = kFormsOfB,
      .modifiers = {kFtz, kIntegerTo, kFloatFrom, kToIntegral, modifier(Modifier::kNtz, bit(77), kNtzText)},
      .operands = {kDst, with_half(kFloatSource)}};
}
constexpr Form frnd(std::uint16_t code) {
  return {.op = Opcode::kFrnd,
          .name = "FRND",
          .code = code,
          .forms = kFormsOfB,
          .modifiers = {kFtz, modifier(Modifier::kSource, both(bits(84, 85), bits(75, 76)), kFloatTwiceText),
                        kToIntegral},
          .operands = {kDst, with_half(kFloatSource)}};
}

constexpr Form kForms[] = {
    f2f(0x104),
    {.op = Opcode::kF2fBf16,
     .name = "F2F",
     .code = 0x104,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{bits(75, 77), 4}, {bit(80), 0}, {bit(86), 0}}},
     .modifiers = {modifier(Modifier::kDestination, {}, kBf16Text),
                   modifier(Modifier::kSource, bits(84, 85), kHalfOrSingleText), kRounding},
     .operands = {kDst, kFloatSource}},
    f2f(0x110),
    // 64 bits to bf16; bf16 to other numbers.
    {.op = Opcode::kF2fBf16,
     .name = "F2F",
     .code = 0x110,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{bits(75, 77), 4}, {bit(80), 0}, {bit(86), 0}}},
     .modifiers = {modifier(Modifier::kDestination, {}, kBf16Text),
                   modifier(Modifier::kSource, bits(84, 85), kDoubleText), kRounding},
     .operands = {kDst, kFloatSource}},
    from_bf16(0x104),
    from_bf16(0x110),
    f2i(0x105),
    f2i(0x111),
    {.op = Opcode::kI2f,
     .name = "I2F",
     .code = 0x106,
     .forms = kFormsOfB,
     .modifiers = {kFloatTo, modifier(Modifier::kSource, both(bit(74), bits(84, 85)), kNarrowText),
                   kRounding},
     .operands = {kDst, with_part(b())}},
    {.op = Opcode::kI2f,
     .name = "I2F",
     .code = 0x112,
     .forms = kFormsOfB,
     .modifiers = {kFloatTo, kIntegerFrom, kRounding},
     .operands = {kDst, with_part(b())}},
    frnd(0x107),
    frnd(0x113),
    {.op = Opcode::kFrnd,
     .name = "FRND",
     .code = 0x107,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{bits(84, 86), 4}, {bits(75, 77), 4}, {bit(80), 0}}},
     .modifiers = {modifier(Modifier::kSource, {}, kBf16Text), kToIntegral},
     .operands = {kDst, with_half(kFloatSource)}},
    {.op = Opcode::kI2fp,
     .name = "I2FP",
     .code = 0x045,
     .forms = kFormsOfB,
     .archs = k90,
     .modifiers = {modifier(Modifier::kDestination, bits(75, 76), kFloatNamedText),
                   modifier(Modifier::kSource, both(bit(74), bits(84, 85)), kInteger32Text), kRounding},
     .operands = {kDst, b()}},
    {.op = Opcode::kF2fp,
     .name = "F2FP",
     .code = 0x03e,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{kPackingKind, 0}}},
     .modifiers = {modifier(Modifier::kSaturate, bit(77), kFiniteText),
                   modifier(Modifier::kRelu, bit(75), kReluText),
                   modifier(Modifier::kDestination, bit(76), kPackedText),
                   modifier(Modifier::kRounding, bits(79, 80), kRoundingText),
                   modifier(Modifier::kHint, bit(78),
                            kSingleText),  // of one number with RELU; no effect is known
                   modifier(Modifier::kMode, {}, kPackAbText)},
     .operands = {kDst, a(Sign::kNegateAbsolute), b(Sign::kNegateAbsolute, Style::kFloat), never(c())}},
    {.op = Opcode::kF2fp,
     .name = "F2FP",
     .code = 0x03e,
     .forms = kFormsOfB,
     .archs = k75,
     .fixed = {{{kPackingKind, 0}, {bits(74, 78), 0}}},
     .modifiers = {modifier(Modifier::kDestination, {}, kPackedHalfText),
                   modifier(Modifier::kRounding, bits(79, 80), kRoundingText),
                   modifier(Modifier::kMode, {}, kPackAbText)},
     .operands = {kDst, a(Sign::kNegateAbsolute), b(Sign::kNegateAbsolute, Style::kFloat), never(c())}},
    {.op = Opcode::kF2fpPack,  // to 8-bit floats; C's lower half becomes the upper one
     .name = "F2FP.SATFINITE",
     .code = 0x03e,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{kPackingKind, 0b10010}}},
     .modifiers = {modifier(Modifier::kRelu, bit(75), kReluText),
                   modifier(Modifier::kDestination, bits(76, 77), kNarrowFloatText),
                   modifier(Modifier::kSource, both(bits(73, 74), bit(78)), kPackedFromText)},
     .operands = {kDst, a(), b(), c()}},
    {.op = Opcode::kF2fpUnpack,
     .name = "F2FP",
     .code = 0x03e,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{bits(86, 87), 0}, {bits(89, 90), 1}}},  // bit 88 is a modifier
     .modifiers = {modifier(Modifier::kRelu, bit(75), kReluText),
                   modifier(Modifier::kDestination, {}, kUnpackedText),
                   modifier(Modifier::kSource, bits(73, 74), kNarrowFloatText),
                   modifier(Modifier::kMode, {}, kUnpackText),
                   modifier(Modifier::kByte, bit(88), kUpperText)},
     .operands = {kDst, never(a()), b(), never(c())}},
    {.op = Opcode::kF2fpTf32,
     .name = "F2FP",
     .code = 0x03e,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{bits(76, 78), 5}, {kPackingKind, 0b01001}}},
     .modifiers = {modifier(Modifier::kRelu, bit(75), kReluText),
                   modifier(Modifier::kRounding, bits(79, 80), kRoundingText),
                   modifier(Modifier::kMode, {}, kTf32Text)},
     .operands = {kDst, never(a()), b(), never(c())}},
    {.op = Opcode::kI2i,
     .name = "I2I",
     .code = 0x038,
     .forms = kFormsOfB,
     .modifiers = {modifier(Modifier::kDestination, bits(76, 77), kSaturatedText)},
     .operands = {kDst, b()}},
    i2ip(k75, 0, kSaturatedText, kWordsText),
    i2ip(k75, 2, kSaturated2Text, kPairsText),
    i2ip(k75, 3, kSaturated4Text, kNibblesText),
    i2ip(k90, 0, kSaturatedText, kWordsText),
    i2ip(k90, 2, kSaturated2Text, kPairsText),
    i2ip(k90, 3, kSaturated4Text, kNibblesText),
    // C.A.B: only bytes without a sign are known.
    {.op = Opcode::kF2ip,
     .name = "F2IP",
     .code = 0x043,
     .forms = kFormsOfB,
     .archs = k90,
     .fixed = {{{bit(74), 1}}},
     .modifiers = {modifier(Modifier::kDestination, bits(76, 77), kByteFromFloatText), kToIntegral},
     .operands = {kDst, a(), b(), c()}},
};

}  // namespace conversion_rows

std::span<const Form> conversion_forms() { return conversion_rows::kForms; }

}  // namespace heddle::sass
