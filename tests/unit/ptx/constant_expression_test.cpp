// Constant expressions, subscripts, and errors in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "frontend/ptx/constant_expression.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::constant_expression_test {
namespace {

using ::testing::HasSubstr;

std::int64_t value_of(const std::string& text) {
  const auto result = evaluate_constant(text, false);
  if (const auto* bad = std::get_if<NumberError>(&result)) {
    ADD_FAILURE() << text << ": " << bad->message;
    return 0;
  }
  const auto* literal = std::get_if<IntegerLiteral>(&result);
  if (literal == nullptr) ADD_FAILURE() << text << " is no integer";
  return literal == nullptr ? 0 : static_cast<std::int64_t>(literal->bits);
}
std::string message_of(const std::string& text) {
  const auto result = evaluate_constant(text, false);
  const auto* bad = std::get_if<NumberError>(&result);
  return bad == nullptr ? "" : bad->message;
}

TEST(PtxConstantExpression, operators_have_the_precedence_of_c) {
  EXPECT_EQ(value_of("1+2*3"), 7);
  EXPECT_EQ(value_of("(1+2)*3"), 9);
  EXPECT_EQ(value_of("10-4-3"), 3);
  EXPECT_EQ(value_of("1<<2+1"), 8);
  EXPECT_EQ(value_of("7&3==3"), 7 & (3 == 3));
  EXPECT_EQ(value_of("1|2^3&6"), 1 | (2 ^ (3 & 6)));
  EXPECT_EQ(value_of("1 || 0 && 0"), 1);
  EXPECT_EQ(value_of("2>1 ? 5 : 6"), 5);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value_of("-7/2"), -3);
  EXPECT_EQ(value_of("-7%3"), -1);
  EXPECT_EQ(value_of("!5+1"), 1);
  EXPECT_EQ(value_of("~0"), -1);
  EXPECT_EQ(value_of("- -3"), 3);
  EXPECT_EQ(value_of("-8>>1"), -4);
  EXPECT_EQ(value_of("0x10 + 010 + 0b11"), 27);
}

TEST(PtxConstantExpression, unsigned_operands_make_unsigned_results) {
  EXPECT_EQ(value_of("0xffffffffffffffff / 2"), std::int64_t{0x7fffffffffffffff});
  EXPECT_EQ(value_of("-1 < 1"), 1);
  EXPECT_EQ(value_of("-1 < 1U"), 0);
  EXPECT_EQ(value_of("(.u64)-8 >> 60"), 15);
  EXPECT_EQ(value_of("(.s64)0xfffffffffffffff8 >> 1"), -4);
  EXPECT_EQ(value_of("1 << 64"), 0);
}

TEST(PtxConstantExpression, floating_point) {
  const auto sum = evaluate_constant("1.5 + 0d4000000000000000*2.0", false);
  EXPECT_EQ(std::get<FloatLiteral>(sum).value, 5.5);
  const auto kept = evaluate_constant("(0f3F800000)", false);
  EXPECT_EQ(std::get<FloatLiteral>(kept).width, 32u);
  EXPECT_EQ(std::get<FloatLiteral>(evaluate_constant("1.0e-3*1.0e+3", false)).value, 1.0);
  EXPECT_EQ(value_of("1.5 > 1.25"), 1);
}

TEST(PtxConstantExpression, mistakes_are_named) {
  EXPECT_THAT(message_of("1/0"), HasSubstr("division by zero"));
  EXPECT_THAT(message_of("1%(2-2)"), HasSubstr("division by zero"));
  EXPECT_THAT(message_of("1+1.5"), HasSubstr("mix"));
  EXPECT_THAT(message_of("1.5 & 2.0"), HasSubstr("'&'"));
  EXPECT_THAT(message_of("(1+2"), HasSubstr("')' is missing"));
  EXPECT_THAT(message_of("1 ? 2"), HasSubstr("':' is missing"));
  EXPECT_THAT(message_of("(3)4"), HasSubstr("'4' is not expected"));
  EXPECT_THAT(message_of("0x1ffffffffffffffff+1"), HasSubstr("64 bits"));
  EXPECT_THAT(message_of(std::string(100000, '(') + "1" + std::string(100000, ')')), HasSubstr("too deep"));
  EXPECT_THAT(message_of("1+" + std::string(100000, '-') + "1"), HasSubstr("too deep"));
  EXPECT_EQ(value_of("-9223372036854775807-1"), INT64_MIN);
  EXPECT_EQ(value_of("(-9223372036854775807-1)/-1"), INT64_MIN);
}

TEST(PtxConstantExpression, may_stand_wherever_a_number_may) {
  const auto k = kernel(
      "mov.u32 %r1, (1+2)*3; add.s32 %r2, %r1, -4+1; ld.global.u32 %r3, [%rd1+(2*4)];"
      "ld.global.u32 %r3, [%rd1-4+8]; ld.global.u32 %r3, [g+4*2-4]; add.s32 %r2, %r1, (.s64)-1;"
      "mov.b64 {%r1, %r2}, 5 | 2; mov.u32 %r1, ((7));",
      "", ".global .b32 g[2*(1+1)];");
  EXPECT_EQ(constant_of(*k, k->code[0].src[0]), 9u);
  EXPECT_EQ(constant_of(*k, k->code[1].src[1]), 0xffff'fffdu);
  EXPECT_EQ(k->code[2].memory.displacement, 8);
  EXPECT_EQ(k->code[3].memory.displacement, 4);
  EXPECT_EQ(k->code[4].memory.displacement, static_cast<std::int64_t>(isa::kGlobalBase) + 4);
  EXPECT_EQ(constant_of(*k, k->code[5].src[1]), 0xffff'ffffu);
  EXPECT_EQ(constant_of(*k, k->code[6].src[0]), 7u);
}

TEST(PtxConstantExpression, subscripts_scale_with_the_element) {
  const std::string globals =
      ".global .b32 a[8]; .global .v2 .b64 v[4]; .global .b16 m[3][5]; .shared .b8 s[16];";
  const auto base = static_cast<std::int64_t>(isa::kGlobalBase);
  const auto k = kernel(
      "ld.global.u32 %r1, a[3]; mov.u64 %rd1, a[-1]; mov.u64 %rd1, v[2]; st.global.u16 m[2][1], %rs1;"
      "ld.shared.u8 %rs1, s[1+2]; atom.global.add.u32 %r1, a[2], 5; ld.param.u32 %r1, par[1];",
      ".param .b32 par[4]", globals);
  EXPECT_EQ(k->code[0].memory.displacement, base + 12);
  EXPECT_EQ(constant_of(*k, k->code[1].src[0]), isa::kGlobalBase - 4);
  EXPECT_EQ(constant_of(*k, k->code[2].src[0]) - isa::kGlobalBase, 32u + 2 * 16);
  EXPECT_EQ(k->code[3].memory.displacement, base + 96 + (std::int64_t{2} * 5 + 1) * 2);
  EXPECT_EQ(k->code[4].memory.displacement, 3);
  EXPECT_EQ(k->code[5].memory.displacement, base + 8);
  EXPECT_EQ(k->code[6].memory.displacement, 4);
  EXPECT_THAT(body_error("ld.global.u32 %r1, b[1];", "", globals),
              HasSubstr("'b' is no variable that is declared before"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, a[1][1];", "", globals),
              HasSubstr("more subscripts than dimensions"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, a[];", "", globals),
              HasSubstr("expected a constant, a register, or a register and a constant"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, a[n];", "", globals), HasSubstr("'n' is no register"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, a[%rs1];", "", globals),
              HasSubstr("a subscript takes 32 or 64 bits"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, a[%r1][%r2];", "", globals),
              HasSubstr("more subscripts than dimensions"));
  EXPECT_THAT(
      body_error("{ .param .b32 p[4]; call f, (p[%r1]); }", "", ".func f (.param .b32 x[4]) { ret; }"),
      HasSubstr("a call takes a .param variable as a whole"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, a[1.5];", "", globals),
              HasSubstr("a subscript must be an integer"));
  EXPECT_THAT(body_error("mov.u64 %rd1, %rd2[1];", "", globals),
              HasSubstr("only a variable can have a subscript"));
  EXPECT_THAT(error_of(std::string(kHeader) + ".global .b32 a[2-4];\n"), HasSubstr("2-4 is negative"));
}

TEST(PtxConstantExpression, subscripts_by_registers_are_products_with_the_element) {
  const auto k = kernel("ld.global.u32 %r1, m[%r2][%rd1-1];", "", ".global .b32 m[3][5];");
  ASSERT_EQ(k->code.size(), 5u);  // two products, their sum, the load, the exit
  EXPECT_EQ(constant_of(*k, k->code[0].src[1]), 20u);
  EXPECT_EQ(constant_of(*k, k->code[1].src[1]), 4u);
  EXPECT_EQ(k->code[3].memory.base.reg, k->code[2].dst[0].reg);
  EXPECT_EQ(k->code[3].memory.displacement, static_cast<std::int64_t>(isa::kGlobalBase) - 4);
  const auto large = kernel("ld.global.u8 %r1, m[%r2][0];", "", ".global .b8 m[2][3000000000];");
  ASSERT_EQ(large->code.size(), 4u);  // extended to 64 bits first
  EXPECT_EQ(constant_of(*large, large->code[1].src[1]), 3'000'000'000u);
}

}  // namespace
}  // namespace heddle::ptx::testing::constant_expression_test
