// Integer and bit instructions of the oracle against values worked out by hand from the PTX ISA's
// definitions.
#include "unit/oracle/harness.h"

namespace heddle::oracle::test::integer_test {
namespace {

struct Word {
  const char* text;
  std::array<std::uint64_t, 4> in;
  std::uint32_t expected;
};

void check(std::initializer_list<Word> cases) {
  for (const Word& c : cases) EXPECT_EQ(compute(c.text, c.in).word, c.expected) << c.text;
}

struct Wide {
  const char* text;
  std::array<std::uint64_t, 4> in;
  std::uint64_t expected;
};

void check(std::initializer_list<Wide> cases) {
  for (const Wide& c : cases) EXPECT_EQ(compute(c.text, c.in).wide, c.expected) << c.text;
}

constexpr std::uint64_t kMin32 = 0x8000'0000;
constexpr std::uint64_t kMax32 = 0x7fff'ffff;
constexpr std::uint64_t kOnes32 = 0xffff'ffff;
constexpr std::uint64_t kOnes64 = ~std::uint64_t{0};
constexpr std::uint64_t kMin64 = std::uint64_t{1} << 63;

TEST(OracleInteger, AdditionWrapsOrSaturates) {
  check({Word{"add.u32 %ro, %ra, %rb;", {kOnes32, 2}, 1}, Word{"add.s32 %ro, %ra, -5;", {3}, 0xffff'fffe},
         Word{"sub.s32 %ro, %ra, %rb;", {3, 5}, 0xffff'fffe},
         Word{"add.sat.s32 %ro, %ra, %rb;", {kMax32, 1}, kMax32},
         Word{"add.sat.s32 %ro, %ra, %rb;", {kMin32, kOnes32}, kMin32},
         Word{"sub.sat.s32 %ro, %ra, %rb;", {kMin32, 1}, kMin32},
         Word{"sub.sat.s32 %ro, %ra, %rb;", {10, 3}, 7}});
  check({Wide{"add.s64 %wo, %wa, %wb;", {kOnes64, 1}, 0}, Wide{"sub.u64 %wo, %wa, %wb;", {0, 1}, kOnes64}});
}

TEST(OracleInteger, SixteenBitResultsFillSixteenBits) {
  check(
      {Word{"mov.b32 {%h0, %h1}, %ra; add.u16 %h2, %h0, %h1; cvt.u32.u16 %ro, %h2;", {0xffff'0002}, 1},
       Word{"mov.b32 {%h0, %h1}, %ra; mul.lo.s16 %h2, %h0, %h1; cvt.s32.s16 %ro, %h2;",
            {0xffff'0003},
            0xffff'fffd},
       Word{
           "mov.b32 {%h0, %h1}, %ra; mul.hi.u16 %h2, %h0, %h1; cvt.u32.u16 %ro, %h2;", {0xffff'ffff}, 0xfffe},
       Word{"mov.b32 {%h0, %h1}, %ra; mul.wide.s16 %ro, %h0, %h1;", {0xffff'0003}, 0xffff'fffd},
       Word{"mov.b32 {%h0, %h1}, %ra; shr.s16 %h2, %h1, 4; cvt.u32.u16 %ro, %h2;", {0x8000'0000}, 0xf800},
       Word{"mov.b32 {%h0, %h1}, %ra; min.s16 %h2, %h0, %h1; cvt.u32.u16 %ro, %h2;", {0x8000'0001}, 0x8000}});
}

TEST(OracleInteger, Multiplication) {
  check({Word{"mul.lo.u32 %ro, %ra, %rb;", {0x1'0001, 0x1'0001}, 0x2'0001},
         Word{"mul.hi.u32 %ro, %ra, %rb;", {kOnes32, kOnes32}, 0xffff'fffe},
         Word{"mul.hi.s32 %ro, %ra, %rb;", {kOnes32, kOnes32}, 0},
         Word{"mul.hi.s32 %ro, %ra, %rb;", {kMin32, 2}, kOnes32},
         Word{"mad.lo.s32 %ro, %ra, %rb, %rc;", {7, s32(-3), 1}, 0xffff'ffec},
         Word{"mad.hi.u32 %ro, %ra, %rb, %rc;", {kMin32, 4, 5}, 7},
         Word{"mad.hi.sat.s32 %ro, %ra, %rb, %rc;", {kMax32, kMax32, kMax32}, kMax32},
         Word{"mul24.lo.u32 %ro, %ra, %rb;", {0xff00'0002, 3}, 6},
         Word{"mul24.lo.s32 %ro, %ra, %rb;", {0x00ff'ffff, 3}, 0xffff'fffd},
         Word{"mul24.hi.u32 %ro, %ra, %rb;", {0x00ff'ffff, 0x00ff'ffff}, 0xffff'fe00},
         Word{"mad24.lo.s32 %ro, %ra, %rb, %rc;", {5, 6, 7}, 37},
         Word{"sad.u32 %ro, %ra, %rb, %rc;", {3, 10, 100}, 107},
         Word{"sad.s32 %ro, %ra, %rb, %rc;", {s32(-3), 4, 100}, 107}});
  check({Wide{"mul.wide.s32 %wo, %ra, %rb;", {s32(-2), 3}, static_cast<std::uint64_t>(-6)},
         Wide{"mul.wide.u32 %wo, %ra, %rb;", {kOnes32, kOnes32}, 0xffff'fffe'0000'0001},
         Wide{"mad.wide.u32 %wo, %ra, %rb, %wc;", {kOnes32, 2, 1}, 0x1'ffff'ffff},
         Wide{"mad.wide.s32 %wo, %ra, %rb, %wc;", {s32(-1), 2, 1}, kOnes64},
         Wide{"mul.hi.u64 %wo, %wa, %wb;", {kOnes64, kOnes64}, kOnes64 - 1},
         Wide{"mul.hi.s64 %wo, %wa, %wb;", {kMin64, 4}, static_cast<std::uint64_t>(-2)},
         Wide{"mul.lo.s64 %wo, %wa, %wb;", {0x1'0000'0001, 0x1'0000'0001}, 0x2'0000'0001},
         Wide{"mad.lo.s64 %wo, %wa, %wb, %wc;", {3, 4, 5}, 17}});
}

TEST(OracleInteger, Division) {
  check({Word{"div.s32 %ro, %ra, %rb;", {s32(-7), 2}, 0xffff'fffd},
         Word{"rem.s32 %ro, %ra, %rb;", {s32(-7), 2}, 0xffff'ffff},
         Word{"div.u32 %ro, %ra, %rb;", {kOnes32, 16}, 0x0fff'ffff},
         Word{"div.s32 %ro, %ra, %rb;", {kMin32, kOnes32}, kMin32},
         Word{"rem.s32 %ro, %ra, %rb;", {kMin32, kOnes32}, 0},
         Word{"div.u32 %ro, %ra, %rb;", {5, 0}, kOnes32}, Word{"rem.u32 %ro, %ra, %rb;", {5, 0}, kOnes32}});
  check({Wide{"div.s64 %wo, %wa, %wb;", {kMin64, kOnes64}, kMin64},
         Wide{"rem.u64 %wo, %wa, %wb;", {kOnes64, 10}, 5}});
}

TEST(OracleInteger, MinimumMaximumSign) {
  check({Word{"min.s32 %ro, %ra, %rb;", {kOnes32, 1}, kOnes32},
         Word{"min.u32 %ro, %ra, %rb;", {kOnes32, 1}, 1}, Word{"max.s32 %ro, %ra, %rb;", {kOnes32, 1}, 1},
         Word{"max.u32 %ro, %ra, %rb;", {kOnes32, 1}, kOnes32}, Word{"abs.s32 %ro, %ra;", {s32(-9)}, 9},
         Word{"abs.s32 %ro, %ra;", {kMin32}, kMin32}, Word{"neg.s32 %ro, %ra;", {9}, 0xffff'fff7}});
}

TEST(OracleInteger, Logic) {
  check({Word{"and.b32 %ro, %ra, %rb;", {0xff00, 0x0ff0}, 0x0f00},
         Word{"or.b32 %ro, %ra, %rb;", {0xf0, 0x0f}, 0xff},
         Word{"xor.b32 %ro, %ra, %rb;", {0xff, 0x0f}, 0xf0}, Word{"not.b32 %ro, %ra;", {0xff}, 0xffff'ff00},
         Word{"cnot.b32 %ro, %ra;", {0}, 1}, Word{"cnot.b32 %ro, %ra;", {4}, 0},
         // lop3 0xe8 is the majority function.
         Word{"lop3.b32 %ro, %ra, %rb, %rc, 0xe8;", {0b1100, 0b1010, 0b0110}, 0b1110}});
  check({Wide{"not.b64 %wo, %wa;", {0}, kOnes64}, Wide{"and.b64 %wo, %wa, -2;", {7}, 6}});
}

TEST(OracleInteger, ShiftsClampTheirAmount) {
  check({Word{"shl.b32 %ro, %ra, %rb;", {1, 31}, kMin32}, Word{"shl.b32 %ro, %ra, %rb;", {1, 32}, 0},
         Word{"shl.b32 %ro, %ra, %rb;", {1, 0xffff'ff00}, 0}, Word{"shr.u32 %ro, %ra, %rb;", {kMin32, 31}, 1},
         Word{"shr.s32 %ro, %ra, %rb;", {kMin32, 40}, kOnes32},
         Word{"shr.b32 %ro, %ra, %rb;", {kMin32, 40}, 0},
         Word{"shf.l.wrap.b32 %ro, %ra, %rb, %rc;", {0xaabb'ccdd, 0x1122'3344, 40}, 0x2233'44aa},
         Word{"shf.r.wrap.b32 %ro, %ra, %rb, %rc;", {0xaabb'ccdd, 0x1122'3344, 8}, 0x44aa'bbcc},
         Word{"shf.r.clamp.b32 %ro, %ra, %rb, %rc;", {0xaabb'ccdd, 0x1122'3344, 40}, 0x1122'3344},
         Word{"shf.l.clamp.b32 %ro, %ra, %rb, %rc;", {0xaabb'ccdd, 0x1122'3344, 99}, 0xaabb'ccdd}});
  check({Wide{"shl.b64 %wo, %wa, %rb;", {1, 63}, kMin64}, Wide{"shl.b64 %wo, %wa, %rb;", {1, 64}, 0},
         Wide{"shr.s64 %wo, %wa, %rb;", {kMin64, 64}, kOnes64}});
}

TEST(OracleInteger, BitCounting) {
  check({Word{"popc.b32 %ro, %ra;", {0xf0f0}, 8}, Word{"popc.b64 %ro, %wa;", {kOnes64}, 64},
         Word{"clz.b32 %ro, %ra;", {1}, 31}, Word{"clz.b32 %ro, %ra;", {0}, 32},
         Word{"clz.b64 %ro, %wa;", {1}, 63}, Word{"brev.b32 %ro, %ra;", {0x8000'0001}, 0x8000'0001},
         Word{"brev.b32 %ro, %ra;", {6}, 0x6000'0000}, Word{"bfind.u32 %ro, %ra;", {0x0001'0000}, 16},
         Word{"bfind.u32 %ro, %ra;", {0}, kOnes32}, Word{"bfind.s32 %ro, %ra;", {kOnes32}, kOnes32},
         Word{"bfind.s32 %ro, %ra;", {s32(-3)}, 1}, Word{"bfind.shiftamt.u32 %ro, %ra;", {0x0001'0000}, 15},
         Word{"bfind.u64 %ro, %wa;", {kMin64}, 63}});
}

TEST(OracleInteger, BitFields) {
  check({Word{"bfe.u32 %ro, %ra, %rb, %rc;", {0xabcd'1234, 8, 8}, 0x12},
         Word{"bfe.s32 %ro, %ra, %rb, %rc;", {0x0000'ff00, 8, 8}, kOnes32},
         Word{"bfe.s32 %ro, %ra, %rb, %rc;", {0x8000'0000, 31, 8}, kOnes32},
         Word{"bfe.u32 %ro, %ra, %rb, %rc;", {kOnes32, 28, 8}, 0xf},
         Word{"bfe.s32 %ro, %ra, %rb, 0;", {kOnes32, 3}, 0},
         Word{"bfi.b32 %ro, %ra, %rb, %rc, %rd;", {0xff, 0, 8, 4}, 0xf00},
         Word{"bfi.b32 %ro, %ra, %rb, %rc, %rd;", {0, kOnes32, 28, 8}, 0x0fff'ffff},
         Word{"bfi.b32 %ro, %ra, %rb, %rc, %rd;", {0, kOnes32, 40, 8}, kOnes32}});
  check({Wide{"bfi.b64 %wo, %wa, %wb, 32, 32;", {0x1234'5678, 0x9abc'def0}, 0x1234'5678'9abc'def0},
         Wide{"bfe.s64 %wo, %wa, 0, 33;", {0x1'0000'0000}, 0xffff'ffff'0000'0000}});
}

TEST(OracleInteger, BytePermutation) {
  check({Word{"prmt.b32 %ro, %ra, %rb, %rc;", {0x3322'1100, 0x7766'5544, 0x7531}, 0x7755'3311},
         Word{"prmt.b32 %ro, %ra, %rb, %rc;", {0x0000'0080, 0, 0x0008}, 0x8080'80ff},
         Word{"prmt.b32.f4e %ro, %ra, %rb, %rc;", {0x3322'1100, 0x7766'5544, 1}, 0x4433'2211},
         Word{"prmt.b32.b4e %ro, %ra, %rb, %rc;", {0x3322'1100, 0x7766'5544, 1}, 0x6677'0011},
         Word{"prmt.b32.rc8 %ro, %ra, %rb, %rc;", {0x3322'1100, 0, 2}, 0x2222'2222},
         Word{"prmt.b32.ecl %ro, %ra, %rb, %rc;", {0x3322'1100, 0, 1}, 0x3322'1111},
         Word{"prmt.b32.ecr %ro, %ra, %rb, %rc;", {0x3322'1100, 0, 1}, 0x1111'1100},
         Word{"prmt.b32.rc16 %ro, %ra, %rb, %rc;", {0x3322'1100, 0, 1}, 0x3322'3322}});
}

TEST(OracleInteger, PredicateLogic) {
  const auto p = [](const char* text, std::uint64_t a, std::uint64_t b) {
    return compute("setp.ne.u32 %p0, %ra, 0; setp.ne.u32 %p1, %rb, 0; " + std::string(text), {a, b}).p;
  };
  EXPECT_TRUE(p("and.pred %po, %p0, %p1;", 1, 1));
  EXPECT_FALSE(p("and.pred %po, %p0, !%p1;", 1, 1));
  EXPECT_TRUE(p("or.pred %po, %p0, %p1;", 0, 1));
  EXPECT_TRUE(p("xor.pred %po, %p0, %p1;", 0, 1));
  EXPECT_TRUE(p("not.pred %po, %p0;", 0, 0));
  EXPECT_FALSE(p("not.pred %po, %p0;", 1, 0));
  EXPECT_TRUE(p("mov.pred %po, %p0;", 1, 0));
}

}  // namespace
}  // namespace heddle::oracle::test::integer_test
