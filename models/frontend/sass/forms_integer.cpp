// Integer operations of the vector datapath.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace integer_rows {

using namespace parts;

constexpr const char* kAccText[] = {"", "ACC"};
constexpr const char* kBytesText[] = {"U8", "S8"};

constexpr ModifierSpec kV32 = modifier(Modifier::kSigned, bit(72), kUnsignedText);
constexpr ModifierSpec kVRelu = modifier(Modifier::kRelu, bit(76), kReluText);

constexpr Form kForms[] = {
    {.op = Opcode::kIadd3, .name = "IADD3", .code = 0x010, .forms = kAllForms,
     .modifiers = {kX},
     .operands = {kDst, shown(kPd0, Show::kPairedFirst, kPt), unless_true(kPd1), a(Sign::kNegateOrInvert),
                  b(Sign::kNegateOrInvert, Style::kSigned), c(Sign::kNegateOrInvert, Style::kSigned), kCarry,
                  shown(kPs1, Show::kWith, 8 | kPt, Modifier::kExtended)}},
    {.op = Opcode::kImad, .name = "IMAD", .code = 0x024, .forms = kAllForms,
     .modifiers = {kU32, kX},
     .operands = {kDst, unless_true(kPd0), a(), b(Sign::kNegate, Style::kSigned),
                  c(Sign::kNegateOrInvert, Style::kSigned), kCarry}},
    {.op = Opcode::kImadWide, .name = "IMAD.WIDE", .code = 0x025, .forms = kAllForms,
     .modifiers = {kU32, kX},
     .operands = {kDst, unless_true(kPd0), a(), b(Sign::kNegate, Style::kSigned),
                  c(Sign::kNegateOrInvert, Style::kSigned), kCarry}},
    {.op = Opcode::kImadHi, .name = "IMAD.HI", .code = 0x027, .forms = kAllForms,
     .modifiers = {kU32, kX},
     .operands = {kDst, unless_true(kPd0), a(), b(Sign::kNegate, Style::kSigned),
                  c(Sign::kNegateOrInvert, Style::kSigned), kCarry}},
    {.op = Opcode::kIsetp, .name = "ISETP", .code = 0x00c, .forms = kFormsOfB,
     .modifiers = {kCompareInt, kU32, kCombine, modifier(Modifier::kHighCompare, bit(72), kExText)},
     .operands = {kPd0, kPd1, a(), b(Sign::kNone, Style::kSigned), kPs0,
                  shown(kPs2, Show::kWith, kPt, Modifier::kHighCompare)}},
    {.op = Opcode::kImnmx, .name = "IMNMX", .code = 0x017, .forms = kFormsOfB, .archs = k75,
     .modifiers = {kU32},
     .operands = {kDst, a(), b(Sign::kNone, Style::kSigned), kPs0}},
    {.op = Opcode::kLea, .name = "LEA", .code = 0x011, .forms = kFormsOfB,
     .fixed = {{{bit(80), 0}, {bit(73), 0}}},
     .modifiers = {kX},
     .operands = {kDst, unless_true(kPd0), a(Sign::kNegateOrInvert), b(Sign::kNegateOrInvert), never(c()),
                  kLeaShift, kCarry}},
    {.op = Opcode::kLeaHi, .name = "LEA.HI", .code = 0x011, .forms = kFormsOfB,
     .fixed = {{{bit(80), 1}, {bit(73), 0}}},
     .modifiers = {kX},
     .operands = {kDst, unless_true(kPd0), a(Sign::kNegateOrInvert), b(Sign::kNegateOrInvert), c(), kLeaShift,
                  kCarry}},
    {.op = Opcode::kLeaHi, .name = "LEA.HI", .code = 0x011, .forms = kFormsOfB,
     .fixed = {{{bit(80), 1}}},
     .modifiers = {kX, kSx32},
     .operands = {kDst, unless_true(kPd0), a(Sign::kNegateOrInvert), b(Sign::kNegateOrInvert), never(c()),
                  kLeaShift, kCarry}},
    {.op = Opcode::kLop3, .name = "LOP3.LUT", .code = 0x012, .forms = kAllForms,
     .modifiers = {modifier(Modifier::kPredicateAnd, bit(80), kPandText)},
     .operands = {unless_true(kPd0), kDst, a(), b(), c(), imm(Role::kLut, bits(72, 79)), kPs0}},
    {.op = Opcode::kShf, .name = "SHF", .code = 0x019, .forms = kAllForms,
     .modifiers = {modifier(Modifier::kShiftDirection, bit(76), kDirectionText), kIntWrap,
                   modifier(Modifier::kShiftType, bits(73, 74), kShiftTypeText),
                   modifier(Modifier::kHigh, bit(80), kHighText)},
     .operands = {kDst, a(), b(), c()}},
    {.op = Opcode::kPrmt, .name = "PRMT", .code = 0x016, .forms = kAllForms,
     .modifiers = {modifier(Modifier::kMode, bits(72, 74), kPrmtText)},
     .operands = {kDst, a(), b(), c()}},
    {.op = Opcode::kSgxt, .name = "SGXT", .code = 0x01a, .forms = kFormsOfB,
     .modifiers = {kIntWrap, kU32},
     .operands = {kDst, a(), b()}},
    {.op = Opcode::kBmsk, .name = "BMSK", .code = 0x01b, .forms = kFormsOfB,
     .modifiers = {kIntWrap},
     .operands = {kDst, a(), b()}},
    {.op = Opcode::kIabs, .name = "IABS", .code = 0x013, .forms = kFormsOfB, .operands = {kDst, b()}},
    {.op = Opcode::kVabsdiff, .name = "VABSDIFF", .code = 0x014, .forms = kAllForms,
     .modifiers = {kU32},
     .operands = {kDst, unless_true(kPd0), a(), b(), c()}},
    {.op = Opcode::kVabsdiff4, .name = "VABSDIFF4", .code = 0x015, .forms = kAllForms,
     .modifiers = {modifier(Modifier::kSigned, bit(73), kBytesText),
                   modifier(Modifier::kAccumulate, bit(75), kAccText)},
     .operands = {kDst, unless_true(kPd0), a(), b(), c()}},
    {.op = Opcode::kIdp, .name = "IDP.4A", .code = 0x026, .forms = kAllForms,
     .modifiers = {modifier(Modifier::kSigned, bit(73), kBytesText),
                   modifier(Modifier::kSignedB, bit(74), kBytesText)},
     .operands = {kDst, a(), b(), c()}},
    {.op = Opcode::kViadd, .name = "VIADD", .code = 0x036, .forms = kFormsOfB, .archs = k90,
     .operands = {kDst, a(Sign::kNegate), b(Sign::kNegate)}},
    {.op = Opcode::kVimnmx, .name = "VIMNMX", .code = 0x048, .forms = kFormsOfB, .archs = k90,
     .fixed = {{{bits(81, 86), 0x3f}}},
     .modifiers = {kV32, kVRelu},
     .operands = {kDst, a(), b(), kPs0}},
    {.op = Opcode::kViaddmnmx, .name = "VIADDMNMX", .code = 0x046, .forms = kAllForms, .archs = k90,
     .modifiers = {kV32, kVRelu},
     .operands = {kDst, a(), b(Sign::kNegate), c(), kPs0}},
    {.op = Opcode::kFlo, .name = "FLO", .code = 0x100, .forms = kFormsOfB,
     .modifiers = {kU32, modifier(Modifier::kShiftFromTop, bit(74), kShText)},
     .operands = {unless_true(kPd0), kDst, b(Sign::kInvert)}},
    {.op = Opcode::kPopc, .name = "POPC", .code = 0x109, .forms = kFormsOfB,
     .operands = {kDst, b(Sign::kInvert)}},
    {.op = Opcode::kBrev, .name = "BREV", .code = 0x101, .forms = kFormsOfB,
     .operands = {kDst, b(Sign::kInvert)}},
};

}  // namespace integer_rows

std::span<const Form> integer_forms() { return integer_rows::kForms; }

}  // namespace heddle::sass
