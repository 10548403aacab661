// Single and double precision.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace float_rows {

using namespace parts;

constexpr const char* kScaleText[] = {nullptr, "D8", "D4", "D2", "", "M2", "M4", "M8"};
constexpr const char* kMufuText[] = {"COS", "SIN",    "EX2",    "LG2",  "RCP",
                                     "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"};
constexpr const char* kMufuType75Text[] = {"", "F16"};
constexpr const char* kMufuType90Text[] = {"", "F16", "BF16_V2"};
constexpr const char* kUpperText[] = {"", "H1"};
constexpr const char* kCompareDoubleText[] = {"MIN", "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                              "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "MAX"};

constexpr ModifierSpec kMufuType75 = modifier(Modifier::kSource, bit(73), kMufuType75Text);
constexpr ModifierSpec kMufuType90 = modifier(Modifier::kSource, bits(72, 73), kMufuType90Text);

constexpr OperandSpec kFloatA = a(Sign::kNegateAbsolute);
constexpr OperandSpec kFloatB = b(Sign::kNegateAbsolute, Style::kFloat);
constexpr OperandSpec kFloatC = c(Sign::kNegateAbsolute, Style::kFloat);
constexpr OperandSpec kDoubleB = b(Sign::kNegateAbsolute, Style::kDouble);
constexpr OperandSpec kDoubleC = c(Sign::kNegateAbsolute, Style::kDouble);

/// Where the operand is no register, bit 60 belongs to it.
constexpr Form mufu(std::uint8_t archs, ModifierSpec type, std::uint8_t forms) {
  Form form{.op = Opcode::kMufu, .name = "MUFU", .code = 0x108, .forms = forms, .archs = archs};
  form.modifiers = {modifier(Modifier::kFunction, bits(74, 77), kMufuText), type};
  if (forms == kFormOfRegisters) form.modifiers[2] = modifier(Modifier::kByte, bit(60), kUpperText);
  form.operands = {kDst, kFloatB};
  return form;
}

constexpr Form kForms[] = {
    {.op = Opcode::kFadd,
     .name = "FADD",
     .code = 0x021,
     .forms = kFormsOfAddend,
     .modifiers = {kFtz, kRounding, kSat},
     .operands = {kDst, kFloatA, addend(Sign::kNegateAbsolute, Style::kFloat)}},
    {.op = Opcode::kFmul,
     .name = "FMUL",
     .code = 0x020,
     .forms = kFormsOfB,
     .modifiers = {modifier(Modifier::kScale, bits(84, 86), kScaleText), kFtz, kDnz, kRounding, kSat},
     .operands = {kDst, kFloatA, kFloatB}},
    {.op = Opcode::kFfma,
     .name = "FFMA",
     .code = 0x023,
     .forms = kAllForms,
     .modifiers = {kFtz, kDnz, kRounding, kSat},
     .operands = {kDst, kFloatA, kFloatB, kFloatC}},
    {.op = Opcode::kFmnmx,
     .name = "FMNMX",
     .code = 0x009,
     .forms = kFormsOfB,
     .archs = k75,
     .modifiers = {kFtz},
     .operands = {kDst, kFloatA, kFloatB, kPs0}},
    {.op = Opcode::kFmnmx,
     .name = "FMNMX",
     .code = 0x009,
     .forms = kFormsOfB,
     .archs = k90,
     .modifiers = {kFtz, modifier(Modifier::kNan, bit(81), kNanText),
                   modifier(Modifier::kXorSign, bit(82), kXorSignText)},
     .operands = {kDst, kFloatA, kFloatB, kPs0}},
    {.op = Opcode::kFsel,
     .name = "FSEL",
     .code = 0x008,
     .forms = kFormsOfB,
     .modifiers = {kFtz},
     .operands = {kDst, kFloatA, kFloatB, kPs0}},
    {.op = Opcode::kFset,
     .name = "FSET.BF",
     .code = 0x00a,
     .forms = kFormsOfB,
     .modifiers = {kCompare, kFtz, kCombine},
     .operands = {kDst, kFloatA, kFloatB, kPs0}},
    {.op = Opcode::kFsetp,
     .name = "FSETP",
     .code = 0x00b,
     .forms = kFormsOfB,
     .modifiers = {kCompare, kFtz, kCombine},
     .operands = {kPd0, kPd1, kFloatA, kFloatB, kPs0}},
    {.op = Opcode::kFchk,
     .name = "FCHK",
     .code = 0x102,
     .forms = kFormsOfB,
     .operands = {kPd0, kFloatA, kFloatB}},
    mufu(k75, kMufuType75, kFormOfRegisters),
    mufu(k75, kMufuType75, kFormsOfB & ~kFormOfRegisters),
    mufu(k90, kMufuType90, kFormOfRegisters),
    mufu(k90, kMufuType90, kFormsOfB & ~kFormOfRegisters),
    {.op = Opcode::kDadd,
     .name = "DADD",
     .code = 0x029,
     .forms = kFormsOfAddend,
     .modifiers = {kRounding},
     .operands = {kDst, kFloatA, kDoubleC}},
    {.op = Opcode::kDmul,
     .name = "DMUL",
     .code = 0x028,
     .forms = kFormsOfB,
     .modifiers = {kRounding},
     .operands = {kDst, kFloatA, kDoubleB}},
    {.op = Opcode::kDfma,
     .name = "DFMA",
     .code = 0x02b,
     .forms = kAllForms,
     .modifiers = {kRounding},
     .operands = {kDst, kFloatA, kDoubleB, kDoubleC}},
    {.op = Opcode::kDsetp,
     .name = "DSETP",
     .code = 0x02a,
     .forms = kFormsOfAddend,
     .modifiers = {modifier(Modifier::kCompare, bits(76, 79), kCompareDoubleText), kCombine},
     .operands = {kPd0, kPd1, kFloatA, addend(Sign::kNegateAbsolute, Style::kDouble), kPs0}},
};

}  // namespace float_rows

std::span<const Form> float_forms() { return float_rows::kForms; }

}  // namespace heddle::sass
