// The uniform datapath: one value for the warp.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace uniform_rows {

using namespace parts;

constexpr const char* kSizeText[] = {"U8", "S8", "U16", "S16", "", "64"};

constexpr ModifierSpec kLoadSize = modifier(Modifier::kSize, bits(73, 75), kSizeText);

constexpr OperandSpec kUPd0 = upred(Role::kPd0, 81);
constexpr OperandSpec kUPd1 = upred(Role::kPd1, 84);
constexpr OperandSpec kUPs0 = upred(Role::kPs0, 87, 90);
constexpr OperandSpec kUPs1 = upred(Role::kPs1, 77, 80);
constexpr OperandSpec kUPs2 = upred(Role::kPs2, 68, 71);
constexpr OperandSpec kUCarry = shown(kUPs0, Show::kWith, 8 | kPt, Modifier::kExtended);
constexpr FixedBits kUniformSource{bit(91), 1};

constexpr Form kForms[] = {
    {.op = Opcode::kUiadd3, .name = "UIADD3", .code = 0x090, .forms = kUniformForms,
     .modifiers = {kX},
     .operands = {kUdst, shown(kUPd0, Show::kPairedFirst, kPt), unless_true(kUPd1), a(Sign::kNegateOrInvert),
                  b(Sign::kNegateOrInvert, Style::kSigned), c(Sign::kNegateOrInvert, Style::kSigned), kUCarry,
                  shown(kUPs1, Show::kWith, 8 | kPt, Modifier::kExtended)},
     .uniform = true},
    {.op = Opcode::kUimad, .name = "UIMAD", .code = 0x0a4, .forms = kUniformForms,
     .modifiers = {kU32, kX},
     .operands = {kUdst, unless_true(kUPd0), a(), b(Sign::kNegate, Style::kSigned),
                  c(Sign::kNegateOrInvert, Style::kSigned), kUCarry},
     .uniform = true},
    {.op = Opcode::kUimadWide, .name = "UIMAD.WIDE", .code = 0x0a5, .forms = kUniformForms,
     .modifiers = {kU32, kX},
     .operands = {kUdst, unless_true(kUPd0), a(), b(Sign::kNegate, Style::kSigned),
                  c(Sign::kNegateOrInvert, Style::kSigned), kUCarry},
     .uniform = true},
    {.op = Opcode::kUisetp, .name = "UISETP", .code = 0x08c, .forms = kUniformFormsOfB,
     .modifiers = {kCompareInt, kU32, kCombine, modifier(Modifier::kHighCompare, bit(72), kExText)},
     .operands = {kUPd0, kUPd1, a(), b(Sign::kNone, Style::kSigned), kUPs0,
                  shown(kUPs2, Show::kWith, kPt, Modifier::kHighCompare)},
     .uniform = true},
    {.op = Opcode::kUlea, .name = "ULEA", .code = 0x091, .forms = kUniformFormsOfB,
     .fixed = {{{bit(80), 0}, {bit(73), 0}}},
     .modifiers = {kX},
     .operands = {kUdst, unless_true(kUPd0), a(Sign::kNegateOrInvert), b(Sign::kNegateOrInvert), never(c()),
                  kLeaShift, kUCarry},
     .uniform = true},
    {.op = Opcode::kUleaHi, .name = "ULEA.HI", .code = 0x091, .forms = kUniformFormsOfB,
     .fixed = {{{bit(80), 1}, {bit(73), 0}}},
     .modifiers = {kX},
     .operands = {kUdst, unless_true(kUPd0), a(Sign::kNegateOrInvert), b(Sign::kNegateOrInvert), c(), kLeaShift,
                  kUCarry},
     .uniform = true},
    {.op = Opcode::kUleaHi, .name = "ULEA.HI", .code = 0x091, .forms = kUniformFormsOfB,
     .fixed = {{{bit(80), 1}}},
     .modifiers = {kX, kSx32},
     .operands = {kUdst, unless_true(kUPd0), a(Sign::kNegateOrInvert), b(Sign::kNegateOrInvert), never(c()),
                  kLeaShift, kUCarry},
     .uniform = true},
    {.op = Opcode::kUlop3, .name = "ULOP3.LUT", .code = 0x092, .forms = kUniformForms,
     .modifiers = {modifier(Modifier::kPredicateAnd, bit(80), kPandText)},
     .operands = {unless_true(kUPd0), kUdst, a(), b(), c(), imm(Role::kLut, bits(72, 79)), kUPs0},
     .uniform = true},
    {.op = Opcode::kUshf, .name = "USHF", .code = 0x099, .forms = kUniformForms,
     .modifiers = {modifier(Modifier::kShiftDirection, bit(76), kDirectionText), kIntWrap,
                   modifier(Modifier::kShiftType, bits(73, 74), kShiftTypeText),
                   modifier(Modifier::kHigh, bit(80), kHighText)},
     .operands = {kUdst, a(), b(), c()},
     .uniform = true},
    {.op = Opcode::kUprmt, .name = "UPRMT", .code = 0x096, .forms = kUniformForms,
     .modifiers = {modifier(Modifier::kMode, bits(72, 74), kPrmtText)},
     .operands = {kUdst, a(), b(), c()},
     .uniform = true},
    {.op = Opcode::kUsgxt, .name = "USGXT", .code = 0x09a, .forms = kUniformFormsOfB,
     .modifiers = {kIntWrap, kU32},
     .operands = {kUdst, a(), b()},
     .uniform = true},
    {.op = Opcode::kUsel, .name = "USEL", .code = 0x087, .forms = kUniformFormsOfB,
     .operands = {kUdst, a(), b(), kUPs0},
     .uniform = true},
    {.op = Opcode::kUmov, .name = "UMOV", .code = 0x882,
     .operands = {kUdst, imm(Role::kB, bits(32, 63))},
     .uniform_guard = true},
    {.op = Opcode::kUmov, .name = "UMOV", .code = 0xc82,
     .fixed = {kUniformSource},
     .operands = {kUdst, uniform(Role::kB, 32)},
     .uniform_guard = true},
    {.op = Opcode::kUflo, .name = "UFLO", .code = 0x0bd, .forms = kUniformFormsOfB,
     .modifiers = {kU32, modifier(Modifier::kShiftFromTop, bit(74), kShText)},
     .operands = {unless_true(kUPd0), kUdst, b(Sign::kInvert)},
     .uniform = true},
    {.op = Opcode::kUpopc, .name = "UPOPC", .code = 0x0bf, .forms = kUniformFormsOfB,
     .operands = {kUdst, b(Sign::kInvert)},
     .uniform = true},
    {.op = Opcode::kUbrev, .name = "UBREV", .code = 0x0be, .forms = kUniformFormsOfB,
     .operands = {kUdst, b(Sign::kInvert)},
     .uniform = true},
    {.op = Opcode::kUplop3, .name = "UPLOP3.LUT", .code = 0x89c,
     .operands = {kUPd0, kUPd1, kUPs0, kUPs1, kUPs2, imm(Role::kLut, both(bits(64, 66), bits(72, 76))),
                  imm(Role::kLut2, bits(16, 23))},
     .uniform_guard = true},
    {.op = Opcode::kUldc, .name = "ULDC", .code = 0xab9,
     .modifiers = {kLoadSize},
     .operands = {kUdst, {.role = Role::kAddress, .source = Source::kUniformConstant}},
     .uniform_guard = true},
    {.op = Opcode::kUldc, .name = "ULDC", .code = 0xabb,
     .fixed = {kUniformSource},
     .modifiers = {kLoadSize},
     .operands = {kUdst,
                  {.role = Role::kAddress, .source = Source::kUniformConstant, .field = bits(24, 29)}},
     .uniform_guard = true},
    {.op = Opcode::kS2ur, .name = "S2UR", .code = 0x9c3,
     .operands = {kUdst, {.role = Role::kSpecial, .source = Source::kSpecialRegister, .field = bits(72, 79)}}},
    {.op = Opcode::kR2ur, .name = "R2UR", .code = 0x3c2, .archs = k75,
     .operands = {unless_true(kUPd0), kUdst, reg(Role::kA, 24, 122)}},
    {.op = Opcode::kR2ur, .name = "R2UR", .code = 0x2ca, .archs = k90,
     .operands = {unless_true(kUPd0), kUdst, reg(Role::kA, 24, 122)}},
};

}  // namespace uniform_rows

std::span<const Form> uniform_forms() { return uniform_rows::kForms; }

}  // namespace heddle::sass
