// Extended precision, dot products, and the bit instructions that the PTX ISA defines by small programs,
// compared with 128-bit integers and with those programs.
#include <bit>

#include "unit/oracle/harness.h"

namespace heddle::oracle::test::extended_test {
namespace {

__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;

std::uint64_t low(Uint128 value) { return static_cast<std::uint64_t>(value); }
std::uint64_t high(Uint128 value) { return static_cast<std::uint64_t>(value >> 64); }
Uint128 whole(std::uint64_t upper, std::uint64_t lower) { return Uint128{upper} << 64 | lower; }

std::vector<Row> wide_rows() {
  return operand_rows(
      {0, 1, 2, 31, 32, 33, 63, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff, 0x1'0000'0000, 0x7fff'ffff'ffff'ffff,
       0x8000'0000'0000'0000, ~0ull, 0x5555'5555'aaaa'aaaa, 255, 256, ~0ull - 1},
      4000);
}

/// Both words of a 128-bit result, one sweep each.
void expect_wide(const std::string& body, Uint128 (*reference)(const Row&)) {
  expect_sweep(body + " mov.b64 %wo, %u0;", wide_rows(), [&](const Row& r) { return low(reference(r)); });
  expect_sweep(body + " mov.b64 %wo, %u1;", wide_rows(), [&](const Row& r) { return high(reference(r)); });
}

TEST(OracleExtended, AdditionAndSubtractionOf128Bits) {
  expect_wide("add.cc.u64 %u0, %wa, %wc; addc.u64 %u1, %wb, %wd;",
              [](const Row& r) { return whole(r[1], r[0]) + whole(r[3], r[2]); });
  expect_wide("sub.cc.u64 %u0, %wa, %wc; subc.s64 %u1, %wb, %wd;",
              [](const Row& r) { return whole(r[1], r[0]) - whole(r[3], r[2]); });
  // In four words of 32 bits.
  const std::string split =
      ".reg .b32 %x<8>; mov.b64 {%x0, %x1}, %wa; mov.b64 {%x2, %x3}, %wb; mov.b64 {%x4, %x5}, %wc; mov.b64 "
      "{%x6, %x7}, %wd;\n";
  const std::string join = "mov.b64 %u0, {%x0, %x1}; mov.b64 %u1, {%x2, %x3};";
  expect_wide(split +
                  "add.cc.u32 %x0, %x0, %x4; addc.cc.s32 %x1, %x1, %x5; addc.cc.u32 %x2, %x2, %x6; addc.u32 "
                  "%x3, %x3, "
                  "%x7;" +
                  join,
              [](const Row& r) { return whole(r[1], r[0]) + whole(r[3], r[2]); });
  expect_wide(split +
                  "sub.cc.u32 %x0, %x0, %x4; subc.cc.u32 %x1, %x1, %x5; subc.cc.s32 %x2, %x2, %x6; subc.u32 "
                  "%x3, %x3, "
                  "%x7;" +
                  join,
              [](const Row& r) { return whole(r[1], r[0]) - whole(r[3], r[2]); });
}

TEST(OracleExtended, TheCarryItself) {
  expect_sweep("add.cc.u64 %u0, %wa, %wb; addc.u64 %wo, 0, 0;", wide_rows(),
               [](const Row& r) { return high(Uint128{r[0]} + r[1]); });
  // A subtraction leaves "not borrow".
  expect_sweep("sub.cc.u64 %u0, %wa, %wb; addc.u64 %wo, 0, 0;", wide_rows(),
               [](const Row& r) { return r[0] < r[1] ? 0u : 1u; });
  expect_sweep("sub.cc.u64 %u0, %wa, %wb; subc.cc.u64 %u1, %wc, %wd; addc.u64 %wo, 0, 0;", wide_rows(),
               [](const Row& r) { return whole(r[2], r[0]) < whole(r[3], r[1]) ? 0u : 1u; });
  expect_sweep("add.cc.u64 %u0, %wa, %wb; subc.u64 %wo, %wc, %wd;", wide_rows(),
               [](const Row& r) { return r[2] - r[3] - (high(Uint128{r[0]} + r[1]) == 0 ? 1 : 0); });
  // Before any .cc the flag is 0, like a register.
  expect_sweep("subc.u64 %wo, %wa, %wb;", wide_rows(), [](const Row& r) { return r[0] - r[1] - 1; });
  // An addition without .cc leaves the carry unchanged; addc.cc with a carry into all ones passes it on.
  expect_sweep("add.cc.u32 %t0, %ra, %rb; add.u32 %t1, %ra, %ra; addc.cc.u32 %t2, -1, 0; addc.u64 %wo, 0, 0;",
               wide_rows(), [](const Row& r) { return ((r[0] & 0xffff'ffff) + (r[1] & 0xffff'ffff)) >> 32; });
  expect_sweep("mad.lo.cc.u32 %t0, %ra, %rb, %rc; addc.u64 %wo, 0, 0;", wide_rows(), [](const Row& r) {
    const std::uint32_t product = static_cast<std::uint32_t>(r[0]) * static_cast<std::uint32_t>(r[1]);
    return (std::uint64_t{product} + (r[2] & 0xffff'ffff)) >> 32;
  });
}

TEST(OracleExtended, MultiplicationOf64Bits) {
  // The four partial products of 32 bits, as compilers write a 64 x 64 to 128 bit product.
  expect_wide(
      ".reg .b32 %a<2>, %b<2>, %z<4>; mov.b64 {%a0, %a1}, %wa; mov.b64 {%b0, %b1}, %wb;\n"
      "mul.lo.u32 %z0, %a0, %b0; mul.hi.u32 %z1, %a0, %b0;\n"
      "mad.lo.cc.u32 %z1, %a1, %b0, %z1; madc.hi.u32 %z2, %a1, %b0, 0;\n"
      "mad.lo.cc.u32 %z1, %a0, %b1, %z1; madc.hi.cc.u32 %z2, %a0, %b1, %z2; addc.u32 %z3, 0, 0;\n"
      "mad.lo.cc.u32 %z2, %a1, %b1, %z2; madc.hi.u32 %z3, %a1, %b1, %z3;\n"
      "mov.b64 %u0, {%z0, %z1}; mov.b64 %u1, {%z2, %z3};",
      [](const Row& r) { return Uint128{r[0]} * r[1]; });
  expect_wide("mad.lo.cc.u64 %u0, %wa, %wb, %wc; madc.hi.u64 %u1, %wa, %wb, %wd;",
              [](const Row& r) { return Uint128{r[0]} * r[1] + whole(r[3], r[2]); });
  expect_wide("mad.lo.cc.s64 %u0, %wa, %wb, %wc; madc.hi.s64 %u1, %wa, %wb, %wd;", [](const Row& r) {
    const auto a = static_cast<std::int64_t>(r[0]);
    const auto b = static_cast<std::int64_t>(r[1]);
    return static_cast<Uint128>(Int128{a} * b) + whole(r[3], r[2]);
  });
}

TEST(OracleExtended, DotProducts) {
  const auto byte = [](std::uint64_t word, unsigned at, bool is_signed) -> std::int64_t {
    const auto bits = static_cast<std::uint8_t>(word >> (8 * at));
    return is_signed ? std::int64_t{static_cast<std::int8_t>(bits)} : std::int64_t{bits};
  };
  for (const bool sa : {false, true})
    for (const bool sb : {false, true}) {
      const std::string types = std::string(sa ? ".s32" : ".u32") + (sb ? ".s32" : ".u32");
      expect_sweep("dp4a" + types + " %ro, %ra, %rb, %rc; cvt.u64.u32 %wo, %ro;", wide_rows(),
                   [&](const Row& r) {
                     auto sum = std::int64_t{static_cast<std::uint32_t>(r[2])};
                     for (unsigned i = 0; i < 4; ++i) sum += byte(r[0], i, sa) * byte(r[1], i, sb);
                     return static_cast<std::uint32_t>(sum);
                   });
      for (const bool upper : {false, true})
        expect_sweep("dp2a" + std::string(upper ? ".hi" : ".lo") + types +
                         " %ro, %ra, %rb, %rc; cvt.u64.u32 %wo, %ro;",
                     wide_rows(), [&](const Row& r) {
                       auto sum = std::int64_t{static_cast<std::uint32_t>(r[2])};
                       for (unsigned i = 0; i < 2; ++i) {
                         const auto bits = static_cast<std::uint16_t>(r[0] >> (16 * i));
                         const std::int64_t a =
                             sa ? std::int64_t{static_cast<std::int16_t>(bits)} : std::int64_t{bits};
                         sum += a * byte(r[1], i + (upper ? 2 : 0), sb);
                       }
                       return static_cast<std::uint32_t>(sum);
                     });
    }
}

// The three programs below are the PTX ISA's definitions, in C.

std::uint32_t nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  if (offset == 0) return (mask >> base) & 1 ? base : ~0u;
  auto pos = static_cast<std::int32_t>(base);
  std::int64_t count = (offset < 0 ? -std::int64_t{offset} : std::int64_t{offset}) - 1;
  const int inc = offset > 0 ? 1 : -1;
  while (pos >= 0 && pos < 32) {
    if ((mask >> pos) & 1) {
      if (count == 0) return static_cast<std::uint32_t>(pos);
      --count;
    }
    pos += inc;
  }
  return ~0u;
}

std::uint32_t sign_or_zero_extended(std::uint32_t a, std::uint32_t b, bool clamp, bool is_signed) {
  const std::uint32_t b1 = b & 0x1f;
  const bool too_large = b >= 32 && clamp;
  const std::uint32_t mask = too_large ? 0 : ~0u << b1;
  const std::uint32_t sign_pos = (b1 - 1) & 0x1f;
  const bool sign = b1 != 0 && !too_large && is_signed && ((a >> sign_pos) & 1) != 0;
  return (a & ~mask) | (sign ? mask : 0);
}

std::uint32_t mask_of(std::uint32_t a, std::uint32_t b, bool clamp) {
  const std::uint32_t a1 = a & 0x1f;
  std::uint32_t mask0 = ~0u << a1;
  const std::uint32_t b1 = b & 0x1f;
  const std::uint32_t sum = a1 + b1;
  std::uint32_t mask1 = sum >= 32 ? 0 : ~0u << sum;
  if (clamp && a >= 32) mask0 = 0, mask1 = 0;
  if (clamp && b >= 32) mask1 = 0;
  return mask0 & ~mask1;
}

TEST(OracleExtended, BitProgramsOfTheManual) {
  std::vector<Row> small;
  Random random;
  for (std::uint64_t i = 0; i < 40; ++i)
    for (std::uint64_t j = 0; j < 70; ++j) small.push_back({random.next() & random.next(), i, j, j - 35});
  expect_sweep("and.b32 %t0, %rb, 31; fns.b32 %ro, %ra, %t0, %rd; cvt.u64.u32 %wo, %ro;", small,
               [](const Row& r) {
                 return nth_set(static_cast<std::uint32_t>(r[0]), r[1] & 31, static_cast<std::int32_t>(r[3]));
               });
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? ".clamp" : ".wrap";
    for (const bool is_signed : {false, true})
      expect_sweep("szext" + mode + (is_signed ? ".s32" : ".u32") + " %ro, %ra, %rc; cvt.u64.u32 %wo, %ro;",
                   small, [&](const Row& r) {
                     return sign_or_zero_extended(static_cast<std::uint32_t>(r[0]),
                                                  static_cast<std::uint32_t>(r[2]), clamp, is_signed);
                   });
    expect_sweep("bmsk" + mode + ".b32 %ro, %rb, %rc; cvt.u64.u32 %wo, %ro;", small, [&](const Row& r) {
      return mask_of(static_cast<std::uint32_t>(r[1]), static_cast<std::uint32_t>(r[2]), clamp);
    });
  }
}

TEST(OracleExtended, Lop3WithAPredicate) {
  for (unsigned table = 0; table < 256; table += 5)
    for (const bool q : {false, true})
      for (const bool is_and : {false, true}) {
        const std::string text = "setp.ne.u32 %p0, %rd, 0; lop3." + std::string(is_and ? "and" : "or") +
                                 ".b32 %ro|%po, %ra, %rb, %rc, " + std::to_string(table) + ", %p0;";
        const Result got = compute(text, {0xf0, 0xcc, 0xaa, q ? 1u : 0u});
        // With these operands, the low byte is the table and the others are its bit 0.
        const std::uint32_t expected = table | ((table & 1) != 0 ? 0xffff'ff00u : 0u);
        EXPECT_EQ(got.word, expected) << text;
        EXPECT_EQ(got.p, is_and ? expected != 0 && q : expected != 0 || q) << text;
      }
  EXPECT_TRUE(compute("setp.ne.u32 %p0, 1, 0; lop3.and.b32 _|%po, %ra, 0, 0, 0xf0, %p0;", {4}).p);
}

TEST(OracleExtended, PackingConversions) {
  const auto packed = [](const std::string& text, std::array<std::uint64_t, 4> in) {
    return compute(text, in).word;
  };
  EXPECT_EQ(packed("cvt.pack.sat.s16.s32 %ro, %ra, %rb;", {s32(-40000), 40000}), 0x8000'7fffu);
  EXPECT_EQ(packed("cvt.pack.sat.u16.s32 %ro, %ra, %rb;", {s32(-1), 70000}), 0x0000'ffffu);
  EXPECT_EQ(packed("cvt.pack.sat.u8.s32.b32 %ro, %ra, %rb, %rc;", {300, s32(-5), 0xaabb'ccdd}), 0xccdd'ff00u);
  EXPECT_EQ(packed("cvt.pack.sat.s8.s32.b32 %ro, %ra, %rb, %rc;", {s32(-300), 5, 0}), 0x0000'8005u);
  EXPECT_EQ(packed("cvt.pack.sat.s4.s32.b32 %ro, %ra, %rb, %rc;", {s32(-300), 100, 0x12}), 0x0000'1287u);
  EXPECT_EQ(packed("cvt.pack.sat.u2.s32.b32 %ro, %ra, %rb, %rc;", {2, 9, 1}), 0x0000'001bu);
}

}  // namespace
}  // namespace heddle::oracle::test::extended_test
