// The syntax trees of all PTX constructs that the parser supports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ptx/support.h"

namespace heddle::ptx::testing::parser_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The statements of a kernel body.
std::vector<Statement> body(const std::string& text) {
  return parse(std::string(kHeader) + ".entry k() {" + text + "}").functions.at(0).body.statements;
}
Instruction instruction(const std::string& text) { return std::get<Instruction>(body(text).at(0)); }
/// One operand of an instruction, with %-names as registers.
Operand operand(const std::string& text) { return instruction("op " + text + ";").operands.at(0); }
template <class Kind>
Kind operand_as(const std::string& text) {
  return std::get<Kind>(operand(text).value);
}
VariableDecl variable(const std::string& text) { return parse(kHeader + text).variables.at(0); }
std::uint64_t initial(const VariableDecl& v, std::size_t i) {
  return std::get<IntegerLiteral>(v.initial.at(i).value).bits;
}

TEST(PtxParser, module_header) {
  const Module m = parse(".version 9.0\n.target sm_75, debug\n.address_size 64\n");
  EXPECT_EQ(m.version, "9.0");
  EXPECT_EQ(m.target, "sm_75");
  EXPECT_EQ(m.address_size, 64u);
  EXPECT_EQ(m.source->name, "test.ptx");
  EXPECT_THAT(m.source->lines, ElementsAre(".version 9.0", ".target sm_75, debug", ".address_size 64"));
}

TEST(PtxParser, address_size_may_be_missing) {
  EXPECT_EQ(parse(".version 6.0 .target sm_60").address_size, 64u);
}

TEST(PtxParser, comments_byte_order_mark_and_line_ends_are_white_space) {
  const Module m =
      parse("\xEF\xBB\xBF// one\r\n/* two\n * / three */.version/*x*/7.0//y\n.target\tsm_70\r\n");
  EXPECT_EQ(m.version, "7.0");
  EXPECT_EQ(m.target, "sm_70");
  EXPECT_EQ(m.source->lines.at(3), ".target\tsm_70");
}

TEST(PtxParser, instruction_with_modifiers_and_place) {
  const Instruction i = instruction("\n  ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];");
  EXPECT_EQ(i.opcode, "ld");
  EXPECT_THAT(i.modifiers, ElementsAre("global", "v4", "f32"));
  EXPECT_EQ(i.where.line, 5u);
  EXPECT_EQ(i.where.column, 3u);
  ASSERT_EQ(i.operands.size(), 2u);
  const auto& vector = std::get<VectorOperand>(i.operands[0].value);
  ASSERT_EQ(vector.elements.size(), 4u);
  EXPECT_EQ(std::get<RegisterName>(vector.elements[0].value).name, "%f1");
  EXPECT_TRUE(std::holds_alternative<SinkOperand>(vector.elements[2].value));
  EXPECT_FALSE(vector.as_list);
  const auto& address = std::get<AddressOperand>(i.operands[1].value);
  EXPECT_EQ(address.base, "%rd1");
  EXPECT_TRUE(address.base_is_register);
  EXPECT_EQ(address.offset, 16);
  EXPECT_EQ(i.operands[1].where.column, 40u);
}

TEST(PtxParser, modifiers_with_double_colons_and_digits) {
  EXPECT_THAT(instruction("ld.shared::cta.L2::128B.b32 %r1, [%r2];").modifiers,
              ElementsAre("shared::cta", "L2::128B", "b32"));
  EXPECT_THAT(instruction("tex.1d.v4.s32.s32 %r1, %r2;").modifiers, ElementsAre("1d", "v4", "s32", "s32"));
}

TEST(PtxParser, guards) {
  const Instruction plain = instruction("@%p1 bra L;");
  EXPECT_EQ(plain.guard, "%p1");
  EXPECT_FALSE(plain.guard_negated);
  EXPECT_EQ(plain.opcode, "bra");
  const Instruction negated = instruction("@ ! %p2\n exit;");
  EXPECT_EQ(negated.guard, "%p2");
  EXPECT_TRUE(negated.guard_negated);
  EXPECT_EQ(negated.opcode, "exit");
}

TEST(PtxParser, a_guard_does_not_leak_into_the_next_instruction) {
  const auto list = body("@%p1 exit; ret;");
  EXPECT_EQ(std::get<Instruction>(list.at(1)).guard, "");
}

TEST(PtxParser, pairs_and_negated_predicates) {
  const Instruction i = instruction("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;");
  ASSERT_NE(i.operands.at(0).second, nullptr);
  EXPECT_EQ(std::get<RegisterName>(i.operands[0].second->value).name, "%p2");
  EXPECT_TRUE(i.operands.at(3).negated);
  EXPECT_FALSE(i.operands.at(1).negated);
}

TEST(PtxParser, integers_of_every_base) {
  EXPECT_EQ(operand_as<IntegerLiteral>("42").bits, 42u);
  EXPECT_EQ(operand_as<IntegerLiteral>("0x1fU").bits, 31u);
  EXPECT_EQ(operand_as<IntegerLiteral>("0XFF").bits, 255u);
  EXPECT_EQ(operand_as<IntegerLiteral>("017").bits, 15u);
  EXPECT_EQ(operand_as<IntegerLiteral>("0b101U").bits, 5u);
  EXPECT_EQ(operand_as<IntegerLiteral>("0").bits, 0u);
  EXPECT_EQ(operand_as<IntegerLiteral>("0U").bits, 0u);
  EXPECT_EQ(operand_as<IntegerLiteral>("18446744073709551615").bits, ~std::uint64_t{0});
}

TEST(PtxParser, negative_integers_are_twos_complement) {
  const auto minus = operand_as<IntegerLiteral>("-1");
  EXPECT_EQ(minus.bits, ~std::uint64_t{0});
  EXPECT_TRUE(minus.negative);
  EXPECT_EQ(operand_as<IntegerLiteral>("-9223372036854775808").bits, std::uint64_t{1} << 63);
  EXPECT_FALSE(operand_as<IntegerLiteral>("-0").negative);
}

TEST(PtxParser, floating_point_numbers) {
  const auto single = operand_as<FloatLiteral>("0f3FC00000");
  EXPECT_EQ(single.width, 32u);
  EXPECT_EQ(single.bits, 0x3FC00000u);
  EXPECT_EQ(single.value, 1.5);
  const auto twice = operand_as<FloatLiteral>("0dBFF8000000000000");
  EXPECT_EQ(twice.width, 64u);
  EXPECT_EQ(twice.value, -1.5);
  const auto decimal = operand_as<FloatLiteral>("-2.5e-1");
  EXPECT_EQ(decimal.width, 64u);
  EXPECT_EQ(decimal.value, -0.25);
  EXPECT_EQ(decimal.bits, 0xBFD0000000000000u);
  EXPECT_EQ(operand_as<FloatLiteral>("-0f3FC00000").bits, 0xBFC00000u);
  EXPECT_EQ(operand_as<FloatLiteral>("1.").value, 1.0);
}

TEST(PtxParser, symbols_with_offset_and_generic) {
  const auto plain = operand_as<SymbolName>("table");
  EXPECT_EQ(plain.name, "table");
  EXPECT_EQ(plain.offset, 0);
  EXPECT_EQ(operand_as<SymbolName>("table+8").offset, 8);
  EXPECT_EQ(operand_as<SymbolName>("table-8").offset, -8);
  const auto generic = operand_as<SymbolName>("generic(table)+4");
  EXPECT_TRUE(generic.generic);
  EXPECT_EQ(generic.name, "table");
  EXPECT_EQ(generic.offset, 4);
  EXPECT_EQ(operand_as<SymbolName>("generic").name, "generic");
}

TEST(PtxParser, addresses) {
  EXPECT_EQ(operand_as<AddressOperand>("[%r1]").offset, 0);
  EXPECT_EQ(operand_as<AddressOperand>("[%r1+-4]").offset, -4);
  EXPECT_EQ(operand_as<AddressOperand>("[%r1 - 4]").offset, -4);
  EXPECT_EQ(operand_as<AddressOperand>("[%r1+0x10]").offset, 16);
  const auto symbol = operand_as<AddressOperand>("[k_param_0+4]");
  EXPECT_EQ(symbol.base, "k_param_0");
  EXPECT_FALSE(symbol.base_is_register);
  const auto absolute = operand_as<AddressOperand>("[4096]");
  EXPECT_EQ(absolute.base, "");
  EXPECT_EQ(absolute.offset, 4096);
  const auto texture = operand_as<AddressOperand>("[tex, {%f1, %f2}]");
  EXPECT_EQ(texture.base, "tex");
  EXPECT_EQ(texture.coordinates.size(), 2u);
}

TEST(PtxParser, special_registers_and_parts_of_registers) {
  EXPECT_EQ(operand_as<RegisterName>("%tid.x").name, "%tid.x");
  EXPECT_EQ(operand_as<RegisterName>("%r1.b0").name, "%r1.b0");
}

TEST(PtxParser, a_register_needs_no_percent_sign_within_its_scope) {
  const auto list = body("{ .reg .pred q; .reg .b32 r<3>; op q, r2, r3x; } op q;");
  const auto& inner = std::get<std::shared_ptr<Block>>(list.at(0))->statements;
  const auto& i = std::get<Instruction>(inner.at(2));
  EXPECT_TRUE(std::holds_alternative<RegisterName>(i.operands.at(0).value));
  EXPECT_TRUE(std::holds_alternative<RegisterName>(i.operands.at(1).value));
  EXPECT_TRUE(std::holds_alternative<SymbolName>(i.operands.at(2).value));
  EXPECT_TRUE(std::holds_alternative<SymbolName>(std::get<Instruction>(list.at(1)).operands.at(0).value));
}

TEST(PtxParser, calls_with_parameter_lists_and_prototypes) {
  const auto list = body(
      "prototype_1 : .callprototype ()_ (.param .b64 _, .param .b32 _);\n"
      "call.uni (ret0), callee, (a0, %r1);\n targets: .branchtargets L1, L2;\n brx.idx %r1, targets;");
  EXPECT_EQ(std::get<Label>(list.at(0)).name, "prototype_1");
  EXPECT_EQ(std::get<Instruction>(list.at(1)).opcode, ".callprototype");
  const auto& call = std::get<Instruction>(list.at(2));
  EXPECT_TRUE(std::get<VectorOperand>(call.operands.at(0).value).as_list);
  EXPECT_EQ(std::get<SymbolName>(call.operands.at(1).value).name, "callee");
  EXPECT_EQ(std::get<VectorOperand>(call.operands.at(2).value).elements.size(), 2u);
  const auto& table = std::get<Instruction>(list.at(4));
  EXPECT_EQ(table.opcode, ".branchtargets");
  EXPECT_EQ(table.operands.size(), 2u);
}

TEST(PtxParser, a_prototype_has_parameters_returns_and_directives) {
  const auto list = body(
      "p0 : .callprototype (.param .align 8 .b8 _[24]) _ (.param .b64 _, .reg .f32 x) .noreturn;\n"
      "p1: .callprototype _ ();");
  const auto& first = std::get<Instruction>(list.at(1));
  ASSERT_NE(first.prototype, nullptr);
  ASSERT_EQ(first.prototype->returns.size(), 1u);
  EXPECT_EQ(first.prototype->returns[0].array_elements, 24u);
  EXPECT_EQ(first.prototype->returns[0].align, 8u);
  ASSERT_EQ(first.prototype->params.size(), 2u);
  EXPECT_EQ(first.prototype->params[0].type, Type::kB64);
  EXPECT_FALSE(first.prototype->params[0].is_register);
  EXPECT_TRUE(first.prototype->params[1].is_register);
  EXPECT_EQ(first.prototype->directives.at(0).first, "noreturn");
  const auto& second = std::get<Instruction>(list.at(3));
  ASSERT_NE(second.prototype, nullptr);
  EXPECT_TRUE(second.prototype->returns.empty());
  EXPECT_TRUE(second.prototype->params.empty());
}

TEST(PtxParser, functions_with_linkage_register_parameters_and_aliases) {
  const Module m = parse(std::string(kHeader) +
                         ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                         ".func later;\n"
                         ".weak .func (.reg .u32 out) f (.reg .u32 n) .noreturn { mov.u32 out, n; ret; }\n"
                         ".alias g, f;\n");
  ASSERT_EQ(m.functions.size(), 3u);
  EXPECT_EQ(m.functions[0].linkage, Linkage::kExternal);
  EXPECT_TRUE(m.functions[0].external);
  EXPECT_EQ(m.functions[0].returns.size(), 1u);
  EXPECT_EQ(m.functions[1].linkage, Linkage::kNone);
  EXPECT_TRUE(m.functions[1].external);
  const Function& f = m.functions[2];
  EXPECT_EQ(f.linkage, Linkage::kWeak);
  EXPECT_FALSE(f.external);
  EXPECT_TRUE(f.returns.at(0).is_register);
  EXPECT_EQ(f.directives.at(0).first, "noreturn");
  const auto& mov = std::get<Instruction>(f.body.statements.at(0));
  EXPECT_TRUE(std::holds_alternative<RegisterName>(mov.operands.at(0).value));
  EXPECT_TRUE(std::holds_alternative<RegisterName>(mov.operands.at(1).value));
  ASSERT_EQ(m.aliases.size(), 1u);
  EXPECT_EQ(m.aliases[0].name, "g");
  EXPECT_EQ(m.aliases[0].aliasee, "f");
}

TEST(PtxParser, labels_and_nested_scopes) {
  const auto list = body("$L__BB0_1: { inner: exit; } LBB0_2 : bra $L__BB0_1;");
  EXPECT_EQ(std::get<Label>(list.at(0)).name, "$L__BB0_1");
  EXPECT_EQ(std::get<Label>(list.at(0)).where.line, 4u);
  const auto& inner = std::get<std::shared_ptr<Block>>(list.at(1))->statements;
  EXPECT_EQ(std::get<Label>(inner.at(0)).name, "inner");
  EXPECT_EQ(std::get<Label>(list.at(2)).name, "LBB0_2");
  EXPECT_EQ(std::get<SymbolName>(std::get<Instruction>(list.at(3)).operands.at(0).value).name, "$L__BB0_1");
}

TEST(PtxParser, register_declarations) {
  const auto list = body(".reg .b32 %r<18>; .reg .pred p, q<2>; .reg .v4 .f32 quad;");
  const auto& range = std::get<RegisterDecl>(list.at(0));
  EXPECT_EQ(range.type, Type::kB32);
  EXPECT_EQ(range.name, "%r");
  EXPECT_EQ(range.count, 18u);
  EXPECT_EQ(std::get<RegisterDecl>(list.at(1)).name, "p");
  EXPECT_EQ(std::get<RegisterDecl>(list.at(1)).count, 0u);
  EXPECT_EQ(std::get<RegisterDecl>(list.at(2)).count, 2u);
  EXPECT_EQ(std::get<RegisterDecl>(list.at(3)).vector, 4u);
}

TEST(PtxParser, debug_and_tuning_directives_leave_nothing_behind) {
  const Module m =
      parse(std::string(kHeader) +
            ".file 1 \"a b.cu\"\n.entry k() .pragma \"x\"; .maxntid 256, 1, 1 .minnctapersm 2 {\n"
            " .loc 1 3 5, function_name $L, inlined_at 1 2 3\n .pragma \"nounroll\", \"y\"; ret;; }\n"
            ".section .debug_str { $L: .b8 1 // }\n .b32 .debug_x+4 }\n.section\t.debug_macinfo\t{\t}");
  ASSERT_EQ(m.functions.size(), 1u);
  EXPECT_EQ(m.functions[0].body.statements.size(), 1u);
  ASSERT_EQ(m.functions[0].directives.size(), 2u);
  EXPECT_EQ(m.functions[0].directives[0].first, "maxntid");
  EXPECT_THAT(m.functions[0].directives[0].second, ElementsAre(256, 1, 1));
  EXPECT_THAT(m.functions[0].directives[1].second, ElementsAre(2));
}

TEST(PtxParser, kernels_functions_and_declarations) {
  const Module m =
      parse(std::string(kHeader) +
            ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;\n"
            ".weak .func (.param .align 8 .b8 r[16]) f(.param .b32 x) .noreturn { ret; }\n"
            ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[24]) { ret; }");
  ASSERT_EQ(m.functions.size(), 3u);
  EXPECT_TRUE(m.functions[0].external);
  EXPECT_EQ(m.functions[0].name, "vprintf");
  EXPECT_EQ(m.functions[0].returns.size(), 1u);
  EXPECT_EQ(m.functions[0].params.size(), 2u);
  EXPECT_FALSE(m.functions[1].external);
  EXPECT_EQ(m.functions[1].returns.at(0).array_elements, 16u);
  const Function& k = m.functions[2];
  EXPECT_TRUE(k.is_entry);
  EXPECT_EQ(k.linkage, Linkage::kVisible);
  EXPECT_EQ(k.where.line, 6u);
  ASSERT_EQ(k.params.size(), 2u);
  EXPECT_EQ(k.params[0].align, 0u) << "the alignment after .ptr is the pointee's";
  EXPECT_EQ(k.params[0].type, Type::kU64);
  EXPECT_TRUE(k.params[1].is_array);
  EXPECT_EQ(k.params[1].array_elements, 24u);
  EXPECT_EQ(k.params[1].align, 4u);
}

TEST(PtxParser, variables) {
  const VariableDecl shared = variable(".extern .shared .align 16 .b8 dyn[];");
  EXPECT_EQ(shared.space, StateSpace::kShared);
  EXPECT_TRUE(shared.external);
  EXPECT_TRUE(shared.is_array);
  EXPECT_THAT(shared.dims, ElementsAre(0));
  EXPECT_EQ(shared.align, 16u);
  const VariableDecl matrix = variable(".visible .const .f32 m[4][3];");
  EXPECT_EQ(matrix.linkage, Linkage::kVisible);
  EXPECT_EQ(matrix.space, StateSpace::kConst);
  EXPECT_THAT(matrix.dims, ElementsAre(4, 3));
  EXPECT_EQ(variable(".global .attribute(.managed) .v4 .f32 q;").vector, 4u);
  EXPECT_EQ(parse(std::string(kHeader) + ".global .b32 a, b[2];").variables.size(), 2u);
}

TEST(PtxParser, an_attribute_of_one_variable_does_not_reach_the_next) {
  const Module m = parse(std::string(kHeader) + ".visible .global .align 8 .v2 .b32 a; .global .b32 b;");
  EXPECT_EQ(m.variables.at(1).linkage, Linkage::kNone);
  EXPECT_EQ(m.variables.at(1).align, 0u);
  EXPECT_EQ(m.variables.at(1).vector, 1u);
}

TEST(PtxParser, initial_values) {
  const VariableDecl v = variable(".global .b8 t[4] = {1, -2, 0x3};");
  ASSERT_EQ(v.initial.size(), 3u);
  EXPECT_EQ(initial(v, 2), 3u);
  EXPECT_THAT(v.dims, ElementsAre(4));
  EXPECT_THAT(variable(".global .b8 open[] = {1,2,3,4,5};").dims, ElementsAre(5));
  EXPECT_EQ(initial(variable(".global .u32 x = 7;"), 0), 7u);
  EXPECT_THAT(variable(".global .u32 x[2] = {};").initial, IsEmpty());
}

TEST(PtxParser, rows_of_initial_values_are_padded) {
  const VariableDecl v = variable(".global .b8 t[3][2] = {{1}, {2, 3}, {}};");
  ASSERT_EQ(v.initial.size(), 6u);
  EXPECT_EQ(initial(v, 0), 1u);
  EXPECT_EQ(initial(v, 1), 0u);
  EXPECT_EQ(initial(v, 2), 2u);
  EXPECT_EQ(initial(v, 5), 0u);
}

TEST(PtxParser, initial_values_that_are_addresses) {
  const VariableDecl v = variable(".global .u64 t[4] = {a, generic(b)+8, c+4, -1};");
  EXPECT_EQ(std::get<SymbolName>(v.initial.at(0).value).name, "a");
  EXPECT_TRUE(std::get<SymbolName>(v.initial.at(1).value).generic);
  EXPECT_EQ(std::get<SymbolName>(v.initial.at(1).value).offset, 8);
  EXPECT_EQ(std::get<SymbolName>(v.initial.at(2).value).offset, 4);
  const VariableDecl bytes = variable(".global .u8 t[2] = {0XFF(generic(a)), 0xFF00(b)};");
  EXPECT_EQ(std::get<SymbolName>(bytes.initial.at(0).value).mask, 0xffu);
  EXPECT_EQ(std::get<SymbolName>(bytes.initial.at(1).value).mask, 0xff00u);
}

}  // namespace
}  // namespace heddle::ptx::testing::parser_test
