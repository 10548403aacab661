// Lane operations: which function, which rows, which unit; what the decoded instructions compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/ptx/decode/library.h"
#include "isa/lane_ops.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_arithmetic_test {
namespace {

using isa::LatencyClass;
using isa::Unit;
using ::testing::HasSubstr;

isa::Instruction one(const std::string& text) {
  const auto list = code(text);
  EXPECT_EQ(list.size(), 1u) << text;
  return list.at(0);
}

TEST(PtxDecodeArithmetic, operands_become_rows) {
  const auto k = kernel("add.s32 %r3, %r1, -5;");
  const isa::Instruction& i = k->code.at(0);
  EXPECT_EQ(i.op, isa::Opcode::kLane);
  EXPECT_EQ(name_of(*k, i.dst[0]), "%r3");
  EXPECT_EQ(name_of(*k, i.src[0]), "%r1");
  EXPECT_EQ(i.src[1].space, isa::RowSpace::kConstant);
  EXPECT_EQ(constant_of(*k, i.src[1]), 0xffff'fffbu);
  EXPECT_FALSE(i.guard.present);
  EXPECT_EQ(i.where.line, 6u);
  EXPECT_EQ(i.where.column, 1u);
  ASSERT_EQ(i.read_count, 1);
  EXPECT_EQ(i.reads[0], i.src[0].reg);
  ASSERT_EQ(i.write_count, 1);
  EXPECT_EQ(i.writes[0], i.dst[0].reg);
  EXPECT_EQ(i.lane_fn, isa::find_lane_fn({.op = isa::LaneOp::kAdd, .type = isa::Type::kS32}));
}

TEST(PtxDecodeArithmetic, approximate_functions_are_those_of_mufu_if_the_library_says_so) {
  const std::string text = kernel_text(
      "rcp.approx.ftz.f32 %f1, %f2; sqrt.approx.f32 %f1, %f2; sin.approx.f32 %f1, %f2; tanh.approx.f32 %f1, "
      "%f2; "
      "rcp.rn.f32 %f1, %f2; sqrt.rn.f32 %f1, %f2; div.full.f32 %f1, %f2, %f3; rsqrt.approx.f64 %fd1, %fd2;");
  const auto allocate = [](const std::string&, std::uint64_t, std::uint32_t) {
    return std::uint64_t{isa::kGlobalBase};
  };
  for (const bool mufu : {false, true}) {
    Library library(mufu);
    const isa::Module module = decode(std::make_shared<const Module>(parse(text)), allocate, library);
    const auto& code = module.kernels.at(0)->code;
    const auto function = [](isa::LaneOp op, isa::Type type, bool ftz, bool approx, isa::Rounding rounding,
                             bool by_mufu) {
      return isa::find_lane_fn(
          {.op = op, .type = type, .rounding = rounding, .ftz = ftz, .approx = approx, .mufu = by_mufu});
    };
    using isa::LaneOp, isa::Rounding, isa::Type;
    EXPECT_EQ(code.at(0).lane_fn, function(LaneOp::kRcp, Type::kF32, true, true, Rounding::kDefault, mufu));
    EXPECT_EQ(code.at(1).lane_fn, function(LaneOp::kSqrt, Type::kF32, false, true, Rounding::kDefault, mufu));
    EXPECT_EQ(code.at(2).lane_fn, function(LaneOp::kSin, Type::kF32, false, true, Rounding::kDefault, mufu));
    EXPECT_EQ(code.at(3).lane_fn, function(LaneOp::kTanh, Type::kF32, false, true, Rounding::kDefault, mufu));
    EXPECT_EQ(code.at(4).lane_fn, function(LaneOp::kRcp, Type::kF32, false, false, Rounding::kRn, false));
    EXPECT_EQ(code.at(5).lane_fn, function(LaneOp::kSqrt, Type::kF32, false, false, Rounding::kRn, false));
    EXPECT_EQ(code.at(6).lane_fn,
              isa::find_lane_fn(
                  {.op = LaneOp::kDiv, .type = Type::kF32, .approx = true, .full = true, .mufu = mufu}));
    EXPECT_EQ(code.at(7).lane_fn,
              function(LaneOp::kRsqrt, Type::kF64, false, true, Rounding::kDefault, false));
  }
}

TEST(PtxDecodeArithmetic, a_register_read_twice_is_listed_once) {
  const isa::Instruction i = one("@%p1 mad.lo.s32 %r1, %r1, %r1, %r2;");
  EXPECT_EQ(i.read_count, 3);  // guard, %r1, %r2
  EXPECT_EQ(i.write_count, 1);
}

TEST(PtxDecodeArithmetic, units_and_latency_classes) {
  struct Case {
    const char* text;
    LatencyClass latency;
    Unit unit;
  };
  for (const Case& c : {
           Case{"add.s32 %r1, %r2, %r3;", LatencyClass::kIntSimple, Unit::kSp},
           Case{"max.u64 %rd1, %rd2, %rd3;", LatencyClass::kIntMinMax, Unit::kSp},
           Case{"mul.wide.s32 %rd1, %r2, 4;", LatencyClass::kIntMul, Unit::kSp},
           Case{"mad.lo.s32 %r1, %r2, %r3, %r4;", LatencyClass::kIntMad, Unit::kSp},
           Case{"rem.u32 %r1, %r2, %r3;", LatencyClass::kIntDiv, Unit::kSfu},
           Case{"add.f32 %f1, %f2, %f3;", LatencyClass::kFpSimple, Unit::kSp},
           Case{"min.f32 %f1, %f2, %f3;", LatencyClass::kFpMinMax, Unit::kSp},
           Case{"mul.f32 %f1, %f2, %f3;", LatencyClass::kFpMul, Unit::kSp},
           Case{"fma.rn.f32 %f1, %f2, %f3, %f4;", LatencyClass::kFpMad, Unit::kSp},
           Case{"div.rn.f32 %f1, %f2, %f3;", LatencyClass::kFpDiv, Unit::kSfu},
           Case{"rsqrt.approx.f32 %f1, %f2;", LatencyClass::kSfu, Unit::kSfu},
           Case{"add.f64 %fd1, %fd2, %fd3;", LatencyClass::kDpSimple, Unit::kSp},
           Case{"max.f64 %fd1, %fd2, %fd3;", LatencyClass::kDpMinMax, Unit::kSp},
           Case{"mul.f64 %fd1, %fd2, %fd3;", LatencyClass::kDpMul, Unit::kSp},
           Case{"fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", LatencyClass::kDpMad, Unit::kSp},
           Case{"sqrt.rn.f64 %fd1, %fd2;", LatencyClass::kDpDiv, Unit::kSp},
           Case{"cvt.rn.f32.s32 %f1, %r1;", LatencyClass::kFpSimple, Unit::kSp},
           Case{"cvt.rzi.s32.f64 %r1, %fd1;", LatencyClass::kDpSimple, Unit::kSp},
           Case{"cvt.u64.u32 %rd1, %r1;", LatencyClass::kIntSimple, Unit::kSp},
           Case{"setp.lt.f32 %p1, %f1, %f2;", LatencyClass::kFpSimple, Unit::kSp},
           Case{"mov.f64 %fd1, %fd2;", LatencyClass::kIntSimple, Unit::kSp},
       }) {
    const isa::Instruction i = one(c.text);
    EXPECT_EQ(isa::latency_class_name(i.latency_class), isa::latency_class_name(c.latency)) << c.text;
    EXPECT_EQ(i.unit, c.unit) << c.text;
  }
}

/// Runs `text` and compares a register.
struct Outcome {
  const char* text;
  const char* reg;
  std::uint64_t value;
};
void PrintTo(const Outcome& c, std::ostream* out) { *out << as_test_name(c.text); }
class PtxComputes : public ::testing::TestWithParam<Outcome> {};
TEST_P(PtxComputes, what_the_text_says) {
  const Outcome& c = GetParam();
  OneWarp warp(kernel(c.text));
  warp.run();
  for (const unsigned lane : {0u, 31u}) EXPECT_EQ(warp.get(c.reg, lane), c.value) << c.text;
}
INSTANTIATE_TEST_SUITE_P(
    Families, PtxComputes,
    ::testing::Values(
        Outcome{"mov.u32 %r1, 7; sub.s32 %r2, %r1, 9;", "%r2", 0xffff'fffe},
        Outcome{"mov.u16 %rs1, -1; add.s16 %rs2, %rs1, 2;", "%rs2", 1},
        Outcome{"mov.u64 %rd1, 0x100000000; mul.lo.s64 %rd2, %rd1, 3;", "%rd2", 0x3'0000'0000},
        Outcome{"mov.u32 %r1, -2; mul.wide.s32 %rd1, %r1, 3;", "%rd1", static_cast<std::uint64_t>(-6)},
        Outcome{"mov.u32 %r1, -2; mul.wide.u32 %rd1, %r1, 3;", "%rd1", 0x2'ffff'fffa},
        Outcome{"mov.u32 %r1, 5; mov.u64 %rd1, 100; mad.wide.s32 %rd2, %r1, -7, %rd1;", "%rd2", 65},
        Outcome{"mov.u32 %r1, 0x80000000; mul.hi.u32 %r2, %r1, 6;", "%r2", 3},
        Outcome{"mov.u32 %r1, -7; div.s32 %r2, %r1, 2;", "%r2", static_cast<std::uint32_t>(-3)},
        Outcome{"mov.u32 %r1, -7; rem.s32 %r2, %r1, 2;", "%r2", 0xffff'ffff},
        Outcome{"mov.u32 %r1, 0xf0; shr.s32 %r2, %r1, 4; shl.b32 %r3, %r2, 1;", "%r3", 30},
        Outcome{"mov.u32 %r1, 12; popc.b32 %r2, %r1;", "%r2", 2},
        Outcome{"mov.u64 %rd1, 1; clz.b64 %r2, %rd1;", "%r2", 63},
        Outcome{"mov.u32 %r1, 0xabcd; bfe.u32 %r2, %r1, 4, 8;", "%r2", 0xbc},
        Outcome{"mov.u32 %r1, 0xff; mov.u32 %r2, 0; bfi.b32 %r3, %r1, %r2, 8, 4;", "%r3", 0xf00},
        Outcome{"mov.u32 %r1, 0x03020100; prmt.b32 %r2, %r1, 0, 0x0123;", "%r2", 0x00010203},
        Outcome{"mov.u32 %r1, 1; mov.u32 %r2, 0x80000000; shf.l.wrap.b32 %r3, %r2, %r1, 1;", "%r3", 3},
        Outcome{"mov.f32 %f1, 0f40000000; fma.rn.f32 %f2, %f1, %f1, 0f3F800000;", "%f2", 0x40A00000},
        Outcome{"mov.f32 %f1, 1.5; add.f32 %f2, %f1, 0.25;", "%f2", 0x3FE00000},
        Outcome{"mov.f64 %fd1, 0d4000000000000000; mul.f64 %fd2, %fd1, %fd1;", "%fd2", 0x4010000000000000},
        Outcome{"mov.f32 %f1, 0fC0200000; cvt.rzi.s32.f32 %r1, %f1;", "%r1", static_cast<std::uint32_t>(-2)},
        Outcome{"mov.u32 %r1, 3; cvt.rn.f64.s32 %fd1, %r1;", "%fd1", 0x4008000000000000},
        Outcome{"mov.u32 %r1, 0x1ff; cvt.s32.s8 %r2, %r1;", "%r2", 0xffff'ffff},
        Outcome{"mov.u32 %r1, 0x80; cvt.s8.s32 %r2, %r1;", "%r2", 0xffff'ff80},
        Outcome{"mov.u32 %r1, 0x80; cvt.s16.s8 %rs2, %r1;", "%rs2", 0xff80},
        Outcome{"mov.u64 %rd1, 0x1234567890; cvt.u32.u16 %r1, %rd1;", "%r1", 0x7890},
        Outcome{"mov.u32 %r1, -1; cvt.s64.s32 %rd1, %r1;", "%rd1", ~std::uint64_t{0}},
        Outcome{"mov.u32 %r1, 4; setp.gt.s32 %p1, %r1, 3; selp.b32 %r2, 10, 20, %p1;", "%r2", 10},
        Outcome{"mov.pred %p1, 0; mov.pred %p2, 1; xor.pred %p3, %p1, %p2; selp.u32 %r1, 1, 2, %p3;", "%r1",
                1},
        Outcome{"mov.pred %p1, 0; not.pred %p2, %p1; selp.u32 %r1, 1, 2, %p2;", "%r1", 1},
        Outcome{"mov.u32 %r1, 4; set.gt.u32.s32 %r2, %r1, 3;", "%r2", 0xffff'ffff},
        Outcome{"mov.u32 %r1, 4; set.gt.f32.s32 %f2, %r1, 3;", "%f2", 0x3F800000},
        Outcome{"mov.u32 %r1, -1; slct.u32.s32 %r2, 5, 6, %r1;", "%r2", 6},
        Outcome{"mov.u32 %r1, WARP_SZ; add.u32 %r2, %r1, WARP_SZ;", "%r2", 64},
        Outcome{"mov.u32 %r1, 5; mov.pred %p1, 0; @%p1 mov.u32 %r1, 6; @!%p1 add.u32 %r1, %r1, 1;", "%r1",
                6}));

TEST(PtxDecodeArithmetic, setp_writes_both_predicates_and_combines) {
  const auto k = kernel("mov.u32 %r1, 4; mov.pred %p4, 1; setp.gt.and.s32 %p1|%p2, %r1, 3, !%p4;");
  const isa::Instruction& i = k->code.at(2);
  EXPECT_EQ(name_of(*k, i.dst[0]), "%p1");
  EXPECT_EQ(name_of(*k, i.dst[1]), "%p2");
  EXPECT_TRUE(i.src[2].negated);
  EXPECT_EQ(i.write_count, 2);
  OneWarp warp(k);
  warp.run();
  // p = (4 > 3) & !1, q = !(4 > 3) & !1
  EXPECT_EQ(warp.get("%p1"), 0u);
  EXPECT_EQ(warp.get("%p2"), 0u);
}

TEST(PtxDecodeArithmetic, a_discarded_first_predicate_goes_to_a_scratch_register) {
  const auto k = kernel("mov.u32 %r1, 2; setp.gt.s32 _|%p2, %r1, 3;");
  EXPECT_EQ(name_of(*k, k->code.at(1).dst[0]), "(scratch 0)");
  OneWarp warp(k);
  warp.run();
  EXPECT_EQ(warp.get("%p2"), 1u);
}

TEST(PtxDecodeArithmetic, modifiers_may_come_in_another_order) {
  EXPECT_EQ(one("add.ftz.rn.f32 %f1, %f2, %f3;").lane_fn, one("add.rn.ftz.f32 %f1, %f2, %f3;").lane_fn);
}

TEST(PtxDecodeArithmetic, votes_and_shuffles_keep_their_member_mask) {
  const auto k = kernel(
      "vote.sync.ballot.b32 %r1, !%p1, -1; shfl.sync.down.b32 %r2|%p2, %r1, 1, 31, 0xffffffff;"
      "activemask.b32 %r3; shfl.sync.idx.b32 %r4, %r1, %r2, 31, %r5;");
  EXPECT_TRUE(k->code.at(0).src[0].negated);
  EXPECT_EQ(constant_of(*k, k->code.at(0).src[1]), 0xffff'ffffu);
  EXPECT_TRUE(k->code.at(1).src[2].present);
  EXPECT_EQ(constant_of(*k, k->code.at(1).src[3]), 0xffff'ffffu);
  EXPECT_EQ(name_of(*k, k->code.at(3).src[3]), "%r5");
  EXPECT_EQ(name_of(*k, k->code.at(1).dst[1]), "%p2");
  EXPECT_FALSE(k->code.at(3).dst[1].present);
  OneWarp warp(k);
  warp.run();
  EXPECT_EQ(warp.get("%r1"), 0xffff'ffffu);
  EXPECT_EQ(warp.get("%p2", 30), 1u);
  EXPECT_EQ(warp.get("%p2", 31), 0u);
}

TEST(PtxDecodeArithmetic, equal_constants_share_a_row_of_their_width) {
  const auto k =
      kernel("mov.u32 %r1, 1; mov.u32 %r2, 1; mov.f32 %f1, 0f00000001; mov.u64 %rd1, 1; mov.pred %p1, 1;");
  EXPECT_EQ(k->code[0].src[0].offset, k->code[1].src[0].offset);
  EXPECT_EQ(k->code[0].src[0].offset, k->code[2].src[0].offset);
  EXPECT_NE(k->code[0].src[0].offset, k->code[3].src[0].offset);
  EXPECT_EQ(k->constants.size(), 128u + 256u + 64u);
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(k->code[i].src[0].offset % 64, 0u);
}

TEST(PtxDecodeArithmetic, every_supported_form_names_an_instruction_that_the_decoder_knows) {
  const auto list = supported_instructions();
  EXPECT_GT(list.size(), 80u);
  EXPECT_THAT(list, ::testing::Contains("mul.wide.(u16|s16|u32|s32)"));
  EXPECT_THAT(list, ::testing::Contains("bra{.uni}"));
  EXPECT_THAT(list, ::testing::Contains(HasSubstr("atom{.relaxed|acquire")));
  EXPECT_THAT(list, ::testing::Contains("call{.uni}"));
  EXPECT_THAT(list, ::testing::Not(::testing::Contains(HasSubstr("wgmma"))));
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_arithmetic_test
