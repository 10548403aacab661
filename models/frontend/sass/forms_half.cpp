// Two halves of 16 bits in a register.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace half_rows {

using namespace parts;

constexpr const char* kF32Text[] = {"", "F32"};
constexpr const char* kBf16Text[] = {"", "BF16_V2"};
constexpr const char* kReluOnlyText[] = {nullptr, "RELU"};
constexpr const char* kBooleanText[] = {"", "BF"};
constexpr const char* kHalfAndText[] = {"", "H_AND"};

constexpr ModifierSpec kF32 = modifier(Modifier::kFloat32, bit(78), kF32Text);
constexpr ModifierSpec kBf16 = modifier(Modifier::kBfloat, bit(85), kBf16Text);
constexpr ModifierSpec kComparedBf16 = modifier(Modifier::kBfloat, bit(65), kBf16Text);
constexpr ModifierSpec kRelu = modifier(Modifier::kRelu, bit(79), kReluText);
constexpr ModifierSpec kHalfCombine = modifier(Modifier::kCombine, bits(69, 70), kCombineText);

constexpr OperandSpec kHalfA = a(Sign::kHalf);
constexpr OperandSpec kHalfB = b(Sign::kHalf, Style::kHalves);
constexpr OperandSpec kHalfC = c(Sign::kHalf, Style::kHalves);
constexpr OperandSpec kHalfAddend = addend(Sign::kHalf, Style::kHalves);

constexpr Field kReluPredicate = bits(87, 89);
/// HFMA2 as ptxas makes it of .relu: the bits of a predicate that is PT, which are 0 otherwise.
constexpr Form with_relu(Opcode op, const char* name, std::uint16_t code) {
  return {.op = op,
          .name = name,
          .code = code,
          .forms = kAllForms,
          .archs = k90,
          .fixed = {{{kReluPredicate, kPt}}},
          .modifiers = {kBf16, kFtz, modifier(Modifier::kRelu, bit(79), kReluOnlyText), kSat},
          .operands = {kDst, kHalfA, kHalfB, kHalfC}};
}

/// HFMA2 as ptxas makes it of a product of complex numbers.
constexpr const char* kCrossedText[] = {nullptr, ""};
constexpr OperandSpec crossed(OperandSpec operand) {
  operand.suffix = ".H0_NH1";
  return operand;
}
constexpr Form with_crossed(Opcode op, const char* name, std::uint16_t code) {
  return {.op = op,
          .name = name,
          .code = code,
          .forms = kFormOfRegisters,
          .archs = k90,
          .fixed = {{{bits(60, 61), 0}, {kReluPredicate, 0}, {bit(86), 1}}},
          .modifiers = {kBf16, kFtz, kSat, modifier(Modifier::kCrossed, bit(86), kCrossedText)},
          .operands = {kDst, kHalfA, crossed(b(Sign::kNegateAbsolute)), kHalfC}};
}

constexpr Form kForms[] = {
    with_relu(Opcode::kHfma2, "HFMA2", 0x031),
    with_relu(Opcode::kHfma2Mma, "HFMA2.MMA", 0x035),
    {.op = Opcode::kHadd2,
     .name = "HADD2",
     .code = 0x030,
     .forms = kFormsOfAddend,
     .modifiers = {kF32, kBf16, kFtz, kRelu, kSat},
     .operands = {kDst, kHalfA, kHalfAddend}},
    {.op = Opcode::kHmul2,
     .name = "HMUL2",
     .code = 0x032,
     .forms = kFormsOfB,
     .modifiers = {kF32, kBf16, kFtz, kRelu, kSat},
     .operands = {kDst, kHalfA, kHalfB}},
    {.op = Opcode::kHfma2,
     .name = "HFMA2",
     .code = 0x031,
     .forms = kAllForms,
     .fixed = {{{kReluPredicate, 0}, {bit(86), 0}}},
     .modifiers = {kF32, kBf16, kFtz, kDnz, kRelu, kSat},
     .operands = {kDst, kHalfA, kHalfB, kHalfC}},
    {.op = Opcode::kHfma2Mma,
     .name = "HFMA2.MMA",
     .code = 0x035,
     .forms = kAllForms,
     .archs = k90,
     .fixed = {{{kReluPredicate, 0}, {bit(86), 0}}},
     .modifiers = {kBf16, kFtz, kRelu, kSat},
     .operands = {kDst, kHalfA, kHalfB, kHalfC}},
    with_crossed(Opcode::kHfma2, "HFMA2", 0x031),
    with_crossed(Opcode::kHfma2Mma, "HFMA2.MMA", 0x035),
    {.op = Opcode::kHmnmx2,
     .name = "HMNMX2",
     .code = 0x040,
     .forms = kFormsOfB,
     .archs = k90,
     .modifiers = {kBf16, kFtz, modifier(Modifier::kNan, bit(81), kNanText),
                   modifier(Modifier::kXorSign, bit(82), kXorSignText)},
     .operands = {kDst, kHalfA, kHalfB, kPs0}},
    {.op = Opcode::kHset2,
     .name = "HSET2",
     .code = 0x033,
     .forms = kFormsOfAddend,
     .modifiers = {modifier(Modifier::kBooleanFloat, bit(71), kBooleanText), kComparedBf16, kCompare, kFtz,
                   kHalfCombine},
     .operands = {kDst, kHalfA, kHalfAddend, kPs0}},
    {.op = Opcode::kHsetp2,
     .name = "HSETP2",
     .code = 0x034,
     .forms = kFormsOfAddend,
     .modifiers = {kComparedBf16, kCompare, kFtz, kHalfCombine,
                   modifier(Modifier::kMode, bit(71), kHalfAndText)},
     .operands = {kPd0, kPd1, kHalfA, kHalfAddend, kPs0}},
};

}  // namespace half_rows

std::span<const Form> half_forms() { return half_rows::kForms; }

}  // namespace heddle::sass
