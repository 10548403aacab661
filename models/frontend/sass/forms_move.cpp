// Moves, selections, special registers and predicates.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace move_rows {

using namespace parts;

constexpr const char* kCs2rText[] = {"32", ""};
constexpr OperandSpec kSpecial{
    .role = Role::kSpecial, .source = Source::kSpecialRegister, .field = bits(72, 79)};

constexpr Form kForms[] = {
    {.op = Opcode::kMov,
     .name = "MOV",
     .code = 0x002,
     .forms = kFormsOfB,
     .operands = {kDst, b(), shown(imm(Role::kMask, bits(72, 75)), Show::kNotDefault, 15)}},
    {.op = Opcode::kSel,
     .name = "SEL",
     .code = 0x007,
     .forms = kFormsOfB,
     .operands = {kDst, a(), b(), kPs0}},
    {.op = Opcode::kS2r, .name = "S2R", .code = 0x919, .operands = {kDst, kSpecial}},
    {.op = Opcode::kCs2r,
     .name = "CS2R",
     .code = 0x805,
     .modifiers = {modifier(Modifier::kSixtyFour, bit(80), kCs2rText)},
     .operands = {kDst, kSpecial}},
    {.op = Opcode::kP2r,
     .name = "P2R",
     .code = 0x803,
     .modifiers = {modifier(Modifier::kByte, bits(76, 77), kByteText)},
     .operands = {kDst, kPredicates, reg(Role::kA, 24, 122), kMask32}},
    {.op = Opcode::kR2p,
     .name = "R2P",
     .code = 0x804,
     .operands = {kPredicates, with_byte(reg(Role::kA, 24, 122)), kMask32}},
    {.op = Opcode::kPlop3,
     .name = "PLOP3.LUT",
     .code = 0x81c,
     .operands =
         {kPd0,
          kPd1,
          kPs0,
          kPs1,
          {.role = Role::kPs2, .source = Source::kEitherPredicate, .field = bits(68, 70), .negate = 71},
          imm(Role::kLut, both(bits(64, 66), bits(72, 76))),
          imm(Role::kLut2, bits(16, 23))}},
    {.op = Opcode::kB2r,
     .name = "B2R.RESULT",
     .code = 0x31c,
     .fixed = {{{bits(78, 79), 1}}},
     .operands = {kDst, unless_true(kPd0)}},
};

}  // namespace move_rows

std::span<const Form> move_forms() { return move_rows::kForms; }

}  // namespace heddle::sass
