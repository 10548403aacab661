// Single and double precision of the oracle in every rounding mode against __float128 arithmetic in the same
// mode, over special values, subnormals and random bits.
#include <cfenv>
#include <cmath>
#include <limits>

#include "unit/oracle/harness.h"

namespace heddle::oracle::test::rounding_test {
namespace {

__extension__ using Float128 = __float128;

struct Mode {
  const char* name;
  int host;
};
constexpr Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

struct Operation {
  const char* name;
  unsigned operands;
  Float128 (*exact)(Float128, Float128, Float128);
};
constexpr Operation kOperations[] = {
    {"add", 2, [](Float128 a, Float128 b, Float128) { return a + b; }},
    {"sub", 2, [](Float128 a, Float128 b, Float128) { return a - b; }},
    {"mul", 2, [](Float128 a, Float128 b, Float128) { return a * b; }},
    {"div", 2, [](Float128 a, Float128 b, Float128) { return a / b; }},
    {"rcp", 1, [](Float128 a, Float128, Float128) { return Float128{1} / a; }},
    {"fma", 3, [](Float128 a, Float128 b, Float128 c) { return a * b + c; }}};

Float128 in_mode(const Operation& op, const Float128* in, int mode) {
  std::fesetround(mode);
  volatile Float128 a = in[0];
  volatile Float128 b = in[1];
  volatile Float128 c = in[2];
  volatile Float128 result = op.exact(a, b, c);
  std::fesetround(FE_TONEAREST);
  return result;
}

/// A 113-bit value that rounds to F like the exact result: of the two neighbours of an inexact result, the
/// one whose last bit is set.
Float128 to_odd(const Operation& op, const Float128* in) {
  __extension__ using Bits = unsigned __int128;
  const Float128 down = in_mode(op, in, FE_DOWNWARD);
  const Float128 up = in_mode(op, in, FE_UPWARD);
  return (std::bit_cast<Bits>(down) & 1) != 0 ? down : up;
}

template <class F>
F rounded(const Operation& op, const Row& row, const Mode& mode, bool flush) {
  std::array<F, 3> in;
  for (unsigned i = 0; i < 3; ++i) {
    in[i] = std::bit_cast<F>(
        static_cast<std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>>(row[i]));
    if (flush && std::fpclassify(in[i]) == FP_SUBNORMAL) in[i] = std::copysign(F{0}, in[i]);
  }
  const Float128 operands[] = {in[0], in[1], in[2]};
  const Float128 same_mode = in_mode(op, operands, mode.host);
  // Zeros, infinities and NaNs have the sign and kind that the mode itself gives.
  const bool special = same_mode == 0 || same_mode != same_mode || same_mode - same_mode != 0;
  const Float128 exact = special ? same_mode : to_odd(op, operands);
  std::fesetround(mode.host);
  volatile Float128 wide = exact;
  volatile F result = static_cast<F>(wide);
  volatile F scaled = static_cast<F>(wide * 0x1p24);
  std::fesetround(FE_TONEAREST);
  const F value = result;
  // .ftz looks at the value rounded with an unbounded exponent (measured on an H200).
  return flush && std::fabs(scaled) < F{0x1p-102} ? std::copysign(F{0}, value) : value;
}

std::uint64_t single_bits(float value) { return std::isnan(value) ? 0x7fff'ffffull : bits(value); }
std::uint64_t double_bits(double value) { return std::isnan(value) ? 0xfff8'0000'0000'0000ull : bits(value); }

TEST(OracleRounding, SinglePrecision) {
  const std::vector<Row> rows = operand_rows(
      {0,           0x8000'0000, 1,           0x8000'0001, 0x007f'ffff, 0x0080'0000, 0x8080'0000, 0x0080'0001,
       0x3f80'0000, 0xbf80'0000, 0x3f80'0001, 0x3f7f'ffff, 0x7f7f'ffff, 0xff7f'ffff, 0x7f80'0000, 0xff80'0000,
       0x7fc0'0000, 0x7f80'0001, 0x3380'0000, 0x3300'0000, 0x4b00'0001, 0x0040'0000, 0x1f80'0000, 0x5f80'0000,
       0x3300'0001, 0x00a1'e58f, 0x3f4a'6691, 0x80a1'e58f, 0x3f00'0000},
      4000);
  for (const Operation& op : kOperations)
    for (const Mode& mode : kModes)
      for (const bool flush : {false, true}) {
        const bool saturates = op.name[0] != 'd' && op.name[0] != 'r';
        for (const bool sat : {false, true}) {
          if (sat && !saturates) continue;
          constexpr const char* kOperandTexts[] = {"%fa", "%fa, %fb", "%fa, %fb, %fc"};
          const std::string text = std::string(op.name) + "." + mode.name + (flush ? ".ftz" : "") +
                                   (sat ? ".sat" : "") + ".f32 %fo, " + kOperandTexts[op.operands - 1] +
                                   "; mov.b32 %ro, %fo; cvt.u64.u32 %wo, %ro;";
          expect_sweep(text, rows, [&](const Row& row) {
            const float value = rounded<float>(op, row, mode, flush);
            if (!sat) return single_bits(value);
            return single_bits(value > 0.0f ? std::fmin(value, 1.0f) : 0.0f);
          });
        }
      }
}

TEST(OracleRounding, DoublePrecision) {
  const std::vector<Row> rows = operand_rows(
      {0, 0x8000'0000'0000'0000, 1, 0x000f'ffff'ffff'ffff, 0x0010'0000'0000'0000, 0x8010'0000'0000'0001,
       0x3ff0'0000'0000'0000, 0xbff0'0000'0000'0001, 0x3fef'ffff'ffff'ffff, 0x7fef'ffff'ffff'ffff,
       0xffef'ffff'ffff'ffff, 0x7ff0'0000'0000'0000, 0xfff0'0000'0000'0000, 0x7ff8'0000'0000'0000,
       0x3ca0'0000'0000'0000, 0x3c90'0000'0000'0001, 0x4330'0000'0000'0001, 0x7ff0'0000'0000'0001,
       0xfff8'0000'0000'0123},
      4000);
  for (const Operation& op : kOperations)
    for (const Mode& mode : kModes) {
      constexpr const char* kOperandTexts[] = {"%da", "%da, %db", "%da, %db, %dc"};
      expect_sweep(std::string(op.name) + "." + mode.name + ".f64 %do, " + kOperandTexts[op.operands - 1] +
                       "; mov.b64 %wo, %do;",
                   rows, [&](const Row& row) -> std::uint64_t {
                     // The NaN of the second, the third or the first operand, quiet (measured on an H200).
                     const bool divides = op.name == std::string_view("div");
                     for (const unsigned i : divides ? std::array{0u, 1u, 2u} : std::array{1u, 2u, 0u})
                       if (i < op.operands && std::isnan(std::bit_cast<double>(row[i])))
                         return row[i] | 0x0008'0000'0000'0000u;
                     return double_bits(rounded<double>(op, row, mode, false));
                   });
    }
}

TEST(OracleRounding, ApproximationsAreTheRoundedDoubleFunction) {
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 0x1'0000; ++i) rows.push_back({i * 0x1'0007, 0, 0, 0});
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"rcp.approx", [](double x) { return 1 / x; }},
      {"sqrt.approx", [](double x) { return std::sqrt(x); }},
      {"rsqrt.approx", [](double x) { return 1 / std::sqrt(x); }},
      {"sin.approx", [](double x) { return std::sin(x); }},
      {"cos.approx", [](double x) { return std::cos(x); }},
      {"lg2.approx", [](double x) { return std::log2(x); }},
      {"ex2.approx", [](double x) { return std::exp2(x); }}};
  for (const auto& [name, function] : functions) {
    const auto exact = function;
    for (const bool flush : {false, true})
      expect_sweep(std::string(name) + (flush ? ".ftz" : "") +
                       ".f32 %fo, %fa; mov.b32 %ro, %fo; cvt.u64.u32 %wo, %ro;",
                   rows, [&](const Row& row) {
                     float x = std::bit_cast<float>(static_cast<std::uint32_t>(row[0]));
                     if (flush && std::fpclassify(x) == FP_SUBNORMAL) x = std::copysign(0.0f, x);
                     auto value = static_cast<float>(exact(x));
                     if (flush && std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.0f, value);
                     return single_bits(value);
                   });
  }
}

// As ptxas writes it: nothing is added to what is not finite, and .satfinite takes one from it.
TEST(OracleRounding, OfWhatIsNotFiniteToTf32CutsOff) {
  const std::vector<Row> rows{{0x7f80'0000, 0, 0, 0}, {0xff80'0001, 0, 0, 0}, {0x7fc1'2345, 0, 0, 0}};
  const auto kept = [](const Row& row) { return row[0] & 0xffff'e000; };
  expect_sweep("cvt.rna.tf32.f32 %ro, %fa; cvt.u64.u32 %wo, %ro;", rows, kept);
  expect_sweep("cvt.rna.satfinite.tf32.f32 %ro, %fa; cvt.u64.u32 %wo, %ro;", rows,
               [&](const Row& row) { return kept(row) - 0x2000; });
}

// As that of f32.
TEST(OracleRounding, NansOfBf16KeepSignAndPayloadAsDoubles) {
  expect_sweep("cvt.u16.u32 %ho, %ra; cvt.f64.bf16 %do, %ho; mov.b64 %wo, %do;",
               {{0x7f81, 0, 0, 0}, {0xffc1, 0, 0, 0}}, [](const Row& row) {
                 return row[0] == 0x7f81 ? 0x7ff8'2000'0000'0000u : 0xfff8'2000'0000'0000u;
               });
}

}  // namespace
}  // namespace heddle::oracle::test::rounding_test
