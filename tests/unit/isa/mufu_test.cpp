// MUFU gives what an H100 gave (models/isa/mufu/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text_input.h"
#include "card/suite/values.h"
#include "isa/machine_ops.h"
#include "isa/mufu.h"

namespace heddle::isa::test::mufu_test {
namespace {

constexpr unsigned kWarp = 32;
constexpr std::uint32_t kBinade = 1u << 23, kNan = 0x7fff'ffff, kInfinity = 0x7f80'0000, kSign = 0x8000'0000;
constexpr std::array<const char*, kSpecialFunctions> kNames{"COS", "SIN",    "EX2",    "LG2",  "RCP",
                                                            "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"};
struct alignas(64) Row {
  std::array<std::uint32_t, kWarp> lane{};
};

/// sin.approx and cos.approx multiply by 1 / (2 pi), rounded towards zero, for MUFU.
std::uint32_t revolutions(std::uint32_t bits) {
  const double exact = static_cast<double>(std::bit_cast<float>(bits)) *
                       static_cast<double>(std::bit_cast<float>(0x3e22f983u));
  const auto rounded = static_cast<float>(exact);
  const auto result = std::bit_cast<std::uint32_t>(rounded);
  return std::abs(static_cast<double>(rounded)) > std::abs(exact) ? result - 1 : result;
}

/// FNV-1a over words: the results of the lane function for `count` floats from `first` on.
std::uint64_t hash_of(SpecialFunction function, std::uint32_t first, std::uint32_t count) {
  const bool sine = function == SpecialFunction::kSin || function == SpecialFunction::kCos;
  const LaneFn fn =
      find_machine_fn({.op = MachineOp::kSpecialFunction, .type = Type::kF32, .function = function});
  std::uint64_t hash = 0xcbf29ce484222325ull;
  Row in, out;
  LaneArgs args;
  args.src[0] = reinterpret_cast<const std::byte*>(&in);
  args.dst[0] = reinterpret_cast<std::byte*>(&out);
  args.mask = 0xffff'ffffu;
  for (std::uint32_t i = 0; i < count; i += kWarp) {
    for (unsigned lane = 0; lane < kWarp; ++lane)
      in.lane[lane] = sine ? revolutions(first + i + lane) : first + i + lane;
    fn(args);
    for (const std::uint32_t value : out.lane) hash = (hash ^ value) * 0x100000001b3ull;
  }
  return hash;
}

// Hashes of the recorded results. Of those whose distance from the correctly rounded result was not recorded, 532 of LG2, 543
// of SIN and 606 of COS, the hashes have these tables' values.
struct Recording {
  SpecialFunction function;
  std::uint32_t first;
  std::uint32_t count;
  std::uint64_t hash;
};
constexpr Recording kRecordings[] = {
    {SpecialFunction::kRcp, 0x3f80'0000, kBinade, 0xfa72a6c698274964},
    {SpecialFunction::kRsq, 0x3f80'0000, 2 * kBinade, 0xbdf1cb386ee78bc2},
    {SpecialFunction::kSqrt, 0x3f80'0000, 2 * kBinade, 0x50712c001bd4eb00},
    {SpecialFunction::kEx2, 0x3f00'0000, kBinade, 0x1938ae1ca053e4e7},
    {SpecialFunction::kEx2, 0x3f80'0000, kBinade, 0x3f0f3852f2fa7edb},
    {SpecialFunction::kEx2, 0xbf80'0000, kBinade, 0xbf4f30a37a9d5b98},
    {SpecialFunction::kLg2, 0x3f00'0000, kBinade, 0xf8884f097b12e53d},
    {SpecialFunction::kLg2, 0x3f80'0000, kBinade, 0x5ca43d6b0d176848},
    {SpecialFunction::kSin, 0x3f00'0000, kBinade, 0x751f616942de2910},
    {SpecialFunction::kSin, 0x3f80'0000, kBinade, 0xffc89f2c26d596ea},
    {SpecialFunction::kSin, 0x4000'0000, kBinade, 0x5c6b19fd65eecc06},
    {SpecialFunction::kCos, 0x3f80'0000, kBinade, 0x0f10a7e30f1e42ad},
    {SpecialFunction::kCos, 0x4000'0000, kBinade, 0x0d925790c47a3f92},
    {SpecialFunction::kTanh, 0x3e80'0000, 2 * kBinade, 0x56fd83a0c15ab145},
    {SpecialFunction::kTanh, 0x3f80'0000, 2 * kBinade, 0x801059d37e7b6365},
};

TEST(Mufu, GivesTheResultsOfACardForEveryFloatOfTheRecordings) {
  for (const Recording& of : kRecordings)
    EXPECT_EQ(hash_of(of.function, of.first, of.count), of.hash)
        << kNames.at(static_cast<unsigned>(of.function)) << std::hex << " from " << of.first;
}

TEST(Mufu, GivesSampledResultsOfACard) {
  std::istringstream lines(
      base::read_file(HEDDLE_SOURCE_DIR "/tests/data/mufu/recorded.txt", "recorded results", 1u << 20));
  std::string line;
  std::array<unsigned, kSpecialFunctions> seen{};
  while (std::getline(lines, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string name;
    std::uint32_t operand = 0, result = 0;
    words >> name >> std::hex >> operand >> result;
    ASSERT_TRUE(words) << line;
    const auto function =
        static_cast<unsigned>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
    ASSERT_LT(function, kSpecialFunctions) << line;
    ++seen.at(function);
    EXPECT_EQ(mufu_result(static_cast<SpecialFunction>(function), operand), result) << line;
  }
  for (const SpecialFunction each :
       {SpecialFunction::kCos, SpecialFunction::kSin, SpecialFunction::kEx2, SpecialFunction::kLg2,
        SpecialFunction::kRcp, SpecialFunction::kRsq, SpecialFunction::kSqrt, SpecialFunction::kTanh})
    EXPECT_GE(seen.at(static_cast<unsigned>(each)), 39u);
}

// Zeros, subnormals, infinities, NaNs, numbers below zero, and the ends of what is finite.
TEST(Mufu, SpecialValues) {
  struct Case {
    SpecialFunction function;
    std::uint32_t operand, result;
  };
  constexpr auto kRcp = SpecialFunction::kRcp, kRsq = SpecialFunction::kRsq, kSqrt = SpecialFunction::kSqrt,
                 kEx2 = SpecialFunction::kEx2, kLg2 = SpecialFunction::kLg2, kSin = SpecialFunction::kSin,
                 kCos = SpecialFunction::kCos, kTanh = SpecialFunction::kTanh,
                 kRcp64h = SpecialFunction::kRcp64h, kRsq64h = SpecialFunction::kRsq64h;
  constexpr std::uint32_t kOne = 0x3f80'0000, kLargest = 0x7f7f'ffff, kSubnormal = 0x007f'ffff,
                          kWideInfinity = 0x7ff0'0000;
  for (const Case& of : {
           Case{kRcp, 0, kInfinity},
           {kRcp, kSign, kSign | kInfinity},
           {kRcp, kSubnormal, kInfinity},
           {kRcp, kSign | 1, kSign | kInfinity},
           {kRcp, kInfinity, 0},
           {kRcp, kSign | kInfinity, kSign},
           {kRcp, kOne, kOne},
           {kRcp, 0x7e80'0000, 0x0080'0000},
           {kRcp, 0x7e80'0001, 0},
           {kRcp, 0xff00'0000, kSign},
           {kRcp, kLargest, 0},
           {kRsq, 0, kInfinity},
           {kRsq, kSign, kSign | kInfinity},
           {kRsq, kSign | kSubnormal, kSign | kInfinity},
           {kRsq, 0xbf80'0000, kNan},
           {kRsq, kInfinity, 0},
           {kRsq, kSign | kInfinity, kNan},
           {kRsq, kOne, kOne},
           {kRsq, 0x0080'0000, 0x5f00'0000},
           {kSqrt, 0, 0},
           {kSqrt, kSign, kSign},
           {kSqrt, kSubnormal, 0},
           {kSqrt, kSign | 1, kSign},
           {kSqrt, 0xbf80'0000, kNan},
           {kSqrt, kInfinity, kInfinity},
           {kSqrt, kSign | kInfinity, kNan},
           {kSqrt, kOne, kOne},
           {kSqrt, 0x0080'0000, 0x2000'0000},
           {kEx2, 0, kOne},
           {kEx2, kSign, kOne},
           {kEx2, kSubnormal, kOne},
           {kEx2, 0x3300'0000, kOne},
           {kEx2, 0x4300'0000, kInfinity},
           {kEx2, 0xc2fc'0000, 0x0080'0000},
           {kEx2, 0xc2fc'0001, 0},
           {kEx2, 0xc300'0000, 0},
           {kEx2, kInfinity, kInfinity},
           {kEx2, kSign | kInfinity, 0},
           {kEx2, kLargest, kInfinity},
           {kLg2, 0, kSign | kInfinity},
           {kLg2, kSign, kSign | kInfinity},
           {kLg2, kSubnormal, kSign | kInfinity},
           {kLg2, 0xbf80'0000, kNan},
           {kLg2, kInfinity, kInfinity},
           {kLg2, kSign | kInfinity, kNan},
           {kLg2, kOne, 0},
           {kLg2, 0x3f00'0000, 0xbf7f'fffe},
           {kLg2, 0x4000'0000, kOne},
           {kLg2, 0x0080'0000, 0xc2fb'ffff},
           {kSin, 0, 0},
           {kSin, kSign, kSign},
           {kSin, kSubnormal, 0},
           {kSin, kSign | 1, kSign},
           {kSin, kInfinity, kNan},
           {kSin, kSign | kInfinity, kNan},
           {kSin, kOne, 0},
           {kSin, 0x3f00'0000, kSign},
           {kSin, 0x3e80'0000, kOne},
           {kSin, kLargest, 0},
           {kCos, 0, kOne},
           {kCos, kSign | kSubnormal, kOne},
           {kCos, kInfinity, kNan},
           {kCos, kOne, kOne},
           {kCos, 0x3f00'0000, kSign | kOne},
           {kCos, kLargest, kOne},
           {kTanh, 0, 0},
           {kTanh, kSign, kSign},
           {kTanh, kSubnormal, kSubnormal},
           {kTanh, kSign | 1, kSign | 1},
           {kTanh, 0x3b7f'ffff, 0x3b7f'ffff},
           {kTanh, kInfinity, kOne},
           {kTanh, kSign | kInfinity, kSign | kOne},
           {kTanh, 0x4100'0000, kOne},
           {kTanh, 0xc100'0000, kSign | kOne},
           {kTanh, kLargest, kOne},
           {kRcp64h, 0, kWideInfinity},
           {kRcp64h, kSign | 0xf'ffff, kSign | kWideInfinity},
           {kRcp64h, kWideInfinity, 0},
           {kRcp64h, kSign | kWideInfinity, kSign},
           {kRcp64h, 0x3ff0'0000, 0x3ff0'0000},
           {kRcp64h, 0x7fd0'0000, 0x0010'0000},
           {kRcp64h, 0x7fd0'0001, 0},
           {kRcp64h, 0x7ff0'0001, kNan},
           {kRcp64h, 0xfff8'0000, kNan},
           {kRsq64h, 0, kWideInfinity},
           {kRsq64h, kSign, kSign | kWideInfinity},
           {kRsq64h, 0xbff0'0000, kNan},
           {kRsq64h, kWideInfinity, 0},
           {kRsq64h, kSign | kWideInfinity, kNan},
           {kRsq64h, 0x3ff0'0000, 0x3ff0'0000},
           {kRsq64h, 0x7ff8'0000, kNan},
       })
    EXPECT_EQ(mufu_result(of.function, of.operand), of.result)
        << kNames.at(static_cast<unsigned>(of.function)) << " of " << std::hex << of.operand;
  for (const SpecialFunction each : {kRcp, kRsq, kSqrt, kEx2, kLg2, kSin, kCos, kTanh})
    for (const std::uint32_t nan : {0x7f80'0001u, 0x7fc0'0000u, 0xff80'0001u, 0xffff'ffffu})
      EXPECT_EQ(mufu_result(each, nan), kNan) << kNames.at(static_cast<unsigned>(each));
}

// Exponents do not change the fractions.
TEST(Mufu, ScalesByExponents) {
  for (std::uint32_t fraction = 0; fraction < kBinade; fraction += 0x5a5a5) {
    const std::uint32_t x = 0x3f80'0000 | fraction;
    const auto of = [](SpecialFunction function, std::uint32_t bits) { return mufu_result(function, bits); };
    EXPECT_EQ(of(SpecialFunction::kRcp, x + 5 * kBinade), of(SpecialFunction::kRcp, x) - 5 * kBinade);
    EXPECT_EQ(of(SpecialFunction::kRsq, x + 6 * kBinade), of(SpecialFunction::kRsq, x) - 3 * kBinade);
    EXPECT_EQ(of(SpecialFunction::kSqrt, x - 6 * kBinade), of(SpecialFunction::kSqrt, x) - 3 * kBinade);
  }
}

// ---- Counts of an H200: of the card suite's operands, how many results are not the correctly rounded ones

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
std::uint32_t bits_of(float x) { return std::isnan(x) ? kNan : std::bit_cast<std::uint32_t>(x); }

struct Count {
  const char* instruction;
  SpecialFunction function;
  std::function<double(double)> exact;
  unsigned differ;
};

TEST(Mufu, DiffersFromCorrectRoundingAsOftenAsACard) {
  const auto all = card::operands_of({card::Values::kSingle}, card::Operands::kRecorded);
  const std::vector<std::uint64_t>& operands = all.front();
  ASSERT_EQ(operands.size(), 16384u);
  for (const Count& of : {
           Count{"rcp.approx.ftz.f32", SpecialFunction::kRcp, [](double x) { return 1 / x; }, 1492},
           {"rsqrt.approx.ftz.f32", SpecialFunction::kRsq, [](double x) { return 1 / std::sqrt(x); }, 2063},
           {"sqrt.approx.ftz.f32", SpecialFunction::kSqrt, [](double x) { return std::sqrt(x); }, 1188},
           {"ex2.approx.ftz.f32", SpecialFunction::kEx2, [](double x) { return std::exp2(x); }, 1173},
           {"lg2.approx.ftz.f32", SpecialFunction::kLg2, [](double x) { return std::log2(x); }, 4219},
           {"sin.approx.ftz.f32", SpecialFunction::kSin, [](double x) { return std::sin(x); }, 14966},
           {"cos.approx.ftz.f32", SpecialFunction::kCos, [](double x) { return std::cos(x); }, 10934},
       }) {
    const bool sine = of.function == SpecialFunction::kSin || of.function == SpecialFunction::kCos;
    unsigned differ = 0;
    for (const std::uint64_t operand : operands) {
      const auto bits = static_cast<std::uint32_t>(operand);
      const float x = flushed(std::bit_cast<float>(bits));
      const std::uint32_t expected = bits_of(flushed(static_cast<float>(of.exact(static_cast<double>(x)))));
      differ +=
          mufu_result(of.function, sine && std::isfinite(x) ? revolutions(bits) : bits) != expected ? 1 : 0;
    }
    EXPECT_EQ(differ, of.differ) << of.instruction;
  }
}

TEST(Mufu, DiffersFromTheHighWordOfDoublesAsOftenAsACard) {
  const auto all = card::operands_of({card::Values::kDouble}, card::Operands::kRecorded);
  for (const auto& [function, differ] :
       {std::pair{SpecialFunction::kRcp64h, 931u}, std::pair{SpecialFunction::kRsq64h, 7256u}}) {
    unsigned count = 0;
    for (const std::uint64_t operand : all.front()) {
      const auto flush = [](double x) {
        return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
      };
      const auto high = static_cast<std::uint32_t>(operand >> 32);
      const double x = flush(std::bit_cast<double>(std::uint64_t{high} << 32));
      const double exact = flush(function == SpecialFunction::kRcp64h ? 1 / x : 1 / std::sqrt(x));
      // The suite counts a NaN as 0xfff80000; the card's is another one.
      const std::uint32_t expected =
          std::isnan(exact) ? 0xfff8'0000u
                            : static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(exact) >> 32);
      count += mufu_result(function, high) != expected ? 1 : 0;
    }
    EXPECT_EQ(count, differ) << kNames.at(static_cast<unsigned>(function));
  }
}

double half_value(std::uint32_t half) {
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const double size = exponent == 31  ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  return (half & 0x8000) != 0 ? -size : size;
}
/// To nearest even.
std::uint32_t half_bits(double x) {
  if (std::isnan(x)) return 0x7fff;
  const std::uint32_t sign = std::signbit(x) ? 0x8000u : 0u;
  const double size = std::abs(x);
  if (size >= 65520) return sign | 0x7c00;
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return sign | (units + (static_cast<std::uint32_t>(exponent + 14) << 10));
}

TEST(Mufu, DiffersFromCorrectRoundingOfHalvesAsOftenAsACard) {
  unsigned differ = 0;
  for (std::uint32_t half = 0; half < 0x1'0000; ++half)
    differ += mufu_ex2_half(half) != half_bits(std::exp2(half_value(half))) ? 1 : 0;
  EXPECT_EQ(differ, 19417u);
  unsigned pairs = 0;
  const auto packed = card::operands_of({card::Values::kHalves}, card::Operands::kRecorded);
  for (const std::uint64_t two : packed.front()) {
    const auto low = static_cast<std::uint32_t>(two) & 0xffff, high = static_cast<std::uint32_t>(two >> 16);
    pairs += mufu_ex2_half(low) != half_bits(std::exp2(half_value(low))) ||
                     mufu_ex2_half(high) != half_bits(std::exp2(half_value(high)))
                 ? 1
                 : 0;
  }
  EXPECT_EQ(pairs, 7638u);
}

// TANH was recorded from 1/4 to 4. Over the suite's operands the card differed by 118 ulp at most.
TEST(Mufu, TanhIsNearTheExactFunctionWhereItWasNotRecorded) {
  std::int64_t largest = 0;
  for (std::uint32_t bits = 0; bits <= 0x4110'0000; bits += 97) {
    const auto exact = static_cast<float>(std::tanh(static_cast<double>(std::bit_cast<float>(bits))));
    const std::uint32_t result = mufu_result(SpecialFunction::kTanh, bits);
    EXPECT_EQ(mufu_result(SpecialFunction::kTanh, bits | kSign), result | kSign);
    if (bits >= 0x3e80'0000 && bits < 0x4080'0000) continue;
    largest =
        std::max(largest, std::abs(std::int64_t{result} - std::int64_t{std::bit_cast<std::uint32_t>(exact)}));
  }
  EXPECT_LE(largest, 118);
  EXPECT_EQ(mufu_tanh_half(0x1c00 - 1), 0x1c00u - 1);
  EXPECT_EQ(mufu_tanh_half(0x4800), 0x3c00u);  // 8
  EXPECT_EQ(mufu_tanh_half(0x8001), 0x8001u);
  EXPECT_EQ(mufu_tanh_half(0x7e00), 0x7fffu);
}

// ---- PTX: LaneSpec::mufu

std::vector<std::uint64_t> results_of(const LaneSpec& spec, const std::vector<std::uint64_t>& first,
                                      const std::vector<std::uint64_t>* second = nullptr) {
  const std::size_t bytes = type_bytes(spec.type) == 8 ? 8 : 4;
  const LaneFn fn = find_lane_fn(spec);
  std::vector<std::uint64_t> results;
  if (fn == nullptr) return results;
  struct alignas(64) Cells {
    std::array<std::byte, kWarp * 8> bytes;
  } a{}, b{}, out{};
  LaneArgs args;
  args.src[0] = a.bytes.data();
  args.src[1] = b.bytes.data();
  args.dst[0] = out.bytes.data();
  args.mask = 0xffff'ffffu;
  for (std::size_t i = 0; i < first.size(); i += kWarp) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      std::memcpy(a.bytes.data() + lane * bytes, &first[i + lane], bytes);
      if (second != nullptr) std::memcpy(b.bytes.data() + lane * bytes, &(*second)[i + lane], bytes);
    }
    fn(args);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      results.push_back(0);
      std::memcpy(&results.back(), out.bytes.data() + lane * bytes, bytes);
    }
  }
  return results;
}

TEST(MufuOfPtx, DiffersFromCorrectRoundingAsOftenAsACard) {
  const auto singles = card::operands_of({card::Values::kSingle}, card::Operands::kRecorded),
             doubles = card::operands_of({card::Values::kDouble}, card::Operands::kRecorded),
             halves = card::operands_of({card::Values::kHalf}, card::Operands::kRecorded),
             packed = card::operands_of({card::Values::kHalves}, card::Operands::kRecorded);
  struct Instruction {
    LaneSpec spec;
    unsigned differ;
  };
  const auto of = [](LaneOp op, Type type, bool ftz) {
    return LaneSpec{.op = op, .type = type, .ftz = ftz, .approx = op == LaneOp::kRcp || op == LaneOp::kSqrt};
  };
  for (const Instruction& each : {
           Instruction{of(LaneOp::kRcp, Type::kF32, false), 1505},
           {of(LaneOp::kRcp, Type::kF32, true), 1492},
           {of(LaneOp::kRsqrt, Type::kF32, false), 2318},
           {of(LaneOp::kRsqrt, Type::kF32, true), 2063},
           {of(LaneOp::kSqrt, Type::kF32, false), 1188},
           {of(LaneOp::kSqrt, Type::kF32, true), 1188},
           {of(LaneOp::kEx2, Type::kF32, false), 1175},
           {of(LaneOp::kEx2, Type::kF32, true), 1173},
           {of(LaneOp::kLg2, Type::kF32, false), 4297},
           {of(LaneOp::kLg2, Type::kF32, true), 4219},
           {of(LaneOp::kSin, Type::kF32, false), 15407},
           {of(LaneOp::kSin, Type::kF32, true), 14966},
           {of(LaneOp::kCos, Type::kF32, false), 10934},
           {of(LaneOp::kCos, Type::kF32, true), 10934},
           {of(LaneOp::kEx2, Type::kF16, false), 19417},
           {of(LaneOp::kEx2, Type::kF16x2, false), 7638},
           {of(LaneOp::kRcp, Type::kF64, true), 931},
           {of(LaneOp::kRsqrt, Type::kF64, true), 7256},
       }) {
    LaneSpec spec = each.spec;
    const auto& operands = spec.type == Type::kF64   ? doubles.front()
                           : spec.type == Type::kF16 ? halves.front()
                           : spec.type == Type::kF32 ? singles.front()
                                                     : packed.front();
    const std::vector<std::uint64_t> rounded = results_of(spec, operands);
    spec.mufu = true;
    const std::vector<std::uint64_t> mufu = results_of(spec, operands);
    ASSERT_EQ(mufu.size(), operands.size());
    ASSERT_EQ(rounded.size(), operands.size());
    unsigned differ = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) differ += mufu[i] != rounded[i] ? 1 : 0;
    EXPECT_EQ(differ, each.differ) << "operation " << static_cast<unsigned>(spec.op) << " type "
                                   << static_cast<unsigned>(spec.type) << " ftz " << spec.ftz;
  }
}

TEST(MufuOfPtx, QuotientsDifferFromCorrectRoundingAsOftenAsThoseOfACard) {
  const auto operands =
      card::operands_of({card::Values::kSingle, card::Values::kSingle}, card::Operands::kRecorded);
  struct Instruction {
    bool full, ftz;
    unsigned differ;
  };
  for (const auto& [full, ftz, expected] :
       {Instruction{false, false, 542}, {false, true, 497}, {true, false, 469}, {true, true, 448}}) {
    LaneSpec spec{.op = LaneOp::kDiv, .type = Type::kF32, .ftz = ftz, .approx = true, .full = full};
    const std::vector<std::uint64_t> rounded = results_of(spec, operands[0], &operands[1]);
    spec.mufu = true;
    const std::vector<std::uint64_t> mufu = results_of(spec, operands[0], &operands[1]);
    ASSERT_EQ(mufu.size(), 4096u);
    ASSERT_EQ(rounded.size(), 4096u);
    unsigned differ = 0;
    for (std::size_t i = 0; i < mufu.size(); ++i) differ += mufu[i] != rounded[i] ? 1 : 0;
    EXPECT_EQ(differ, expected) << "full " << full << " ftz " << ftz;
  }
}

TEST(MufuOfPtx, IsForApproximateFunctionsOnly) {
  LaneSpec spec{.op = LaneOp::kRcp, .type = Type::kF32, .rounding = Rounding::kRn, .mufu = true};
  EXPECT_EQ(find_lane_fn(spec), nullptr);
  spec = {.op = LaneOp::kSqrt, .type = Type::kF32, .rounding = Rounding::kRz, .mufu = true};
  EXPECT_EQ(find_lane_fn(spec), nullptr);
  spec = {.op = LaneOp::kRsqrt, .type = Type::kF64, .mufu = true};
  EXPECT_EQ(find_lane_fn(spec), nullptr);
  spec = {.op = LaneOp::kDiv, .type = Type::kF32, .rounding = Rounding::kRn, .mufu = true};
  EXPECT_EQ(find_lane_fn(spec), nullptr);
}

}  // namespace
}  // namespace heddle::isa::test::mufu_test
