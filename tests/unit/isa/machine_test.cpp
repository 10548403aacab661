// Lane functions of machine code: the builds for all x86-64 levels agree, and MUFU gives what a card gave. Values of single
// operations are in tests/unit/sass, with the words.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "isa/machine_ops.h"

namespace heddle::isa::test::machine_test {
namespace {

constexpr unsigned kWarp = 32;
struct alignas(64) Row {
  std::array<std::uint32_t, kWarp> lane{};
  bool operator==(const Row&) const = default;
};

std::uint32_t sample(std::mt19937_64& random) {
  constexpr std::uint32_t kSpecial[] = {
      0,           1,           0x80000000u, 0x80000001u, 0x7fffffffu, 0xffffffffu, 0x3f800000u, 0xbf800000u,
      0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u, 0x00800000u, 0x007fffffu, 0x3c003c00u, 0x7c00fc00u,
      0x7e018001u, 0x33000000u, 0x7ff00000u, 0xfff80000u, 32,          64,          0x3ff00000u, 0x4b000000u};
  const std::uint64_t bits = random();
  if ((bits & 7) < 3) return kSpecial[(bits >> 8) % std::size(kSpecial)];
  return static_cast<std::uint32_t>(bits >> 32) >> ((bits & 7) == 3 ? (bits >> 8) % 32 : 0);
}

/// Every choice that find_machine_fn() knows.
std::vector<MachineSpec> specs() {
  constexpr Type kTypes[] = {Type::kB32, Type::kB64, Type::kU8,  Type::kS8,  Type::kU16,
                             Type::kS16, Type::kU32, Type::kS32, Type::kU64, Type::kS64,
                             Type::kF16, Type::kF32, Type::kF64};
  constexpr Rounding kRoundings[] = {Rounding::kRn,  Rounding::kRz,  Rounding::kRm,  Rounding::kRp,
                                     Rounding::kRni, Rounding::kRzi, Rounding::kRmi, Rounding::kRpi};
  std::vector<MachineSpec> all;
  std::set<LaneFn> seen;
  for (unsigned op = 0; op < kMachineOps; ++op)
    for (const Type type : kTypes)
      for (const Type src_type : kTypes)
        for (const Rounding rounding : kRoundings)
          for (unsigned function = 0; function < 10; ++function)
            for (unsigned flags = 0; flags < 32; ++flags) {
              if (static_cast<MachineOp>(op) != MachineOp::kSpecialFunction && function != 0) continue;
              if (static_cast<MachineOp>(op) != MachineOp::kConvert && src_type != Type::kB32) continue;
              const MachineSpec spec{.op = static_cast<MachineOp>(op),
                                     .type = type,
                                     .src_type = src_type,
                                     .rounding = rounding,
                                     .function = static_cast<SpecialFunction>(function),
                                     .is_signed = (flags & 1) != 0,
                                     .extended = (flags & 2) != 0,
                                     .carry_out = (flags & 4) != 0,
                                     .ftz = (flags & 8) != 0,
                                     .sat = (flags & 16) != 0};
              const LaneFn fn = find_machine_fn_at(LaneLevel::kBaseline, spec);
              if (fn != nullptr && seen.insert(fn).second) all.push_back(spec);
            }
  return all;
}

TEST(MachineLevels, GiveTheSameBits) {
  std::mt19937_64 random(11);
  const std::vector<MachineSpec> all = specs();
  EXPECT_GT(all.size(), 250u);
  std::array<bool, kMachineOps> have{};
  for (const MachineSpec& spec : all) have.at(static_cast<unsigned>(spec.op)) = true;
  for (unsigned op = 0; op < kMachineOps; ++op) EXPECT_TRUE(have.at(op)) << op;
  std::array<Row, kMaxSources> sources;
  for (const MachineSpec& spec : all)
    for (unsigned round = 0; round < 24; ++round) {
      for (Row& row : sources)
        for (std::uint32_t& value : row.lane) value = sample(random);
      LaneArgs args;
      for (unsigned i = 0; i < kMaxSources; ++i)
        args.src[i] = reinterpret_cast<const std::byte*>(&sources[i]);
      args.mask = round % 3 == 0 ? 0xffff'ffffu : static_cast<std::uint32_t>(random());
      args.negated = static_cast<std::uint8_t>(random());
      args.cycle = random();
      args.immediate = round % 4 == 0 ? 0 : random();
      std::vector<std::array<Row, kMaxDestinations>> results;
      for (const LaneLevel level : kLaneLevels) {
        if (!lane_level_supported(level)) continue;
        std::array<Row, kMaxDestinations> out;
        for (unsigned i = 0; i < kMaxDestinations; ++i) out[i].lane.fill(0x1234'5678u + i);
        for (unsigned i = 0; i < kMaxDestinations; ++i) args.dst[i] = reinterpret_cast<std::byte*>(&out[i]);
        find_machine_fn_at(level, spec)(args);
        results.push_back(out);
      }
      for (std::size_t i = 1; i < results.size(); ++i)
        for (unsigned d = 0; d < kMaxDestinations; ++d)
          ASSERT_EQ(results[i][d].lane, results[0][d].lane)
              << "operation " << static_cast<unsigned>(spec.op) << " level " << i << " destination " << d
              << " immediate " << args.immediate;
    }
}

// ---- MUFU

/// FNV-1a over the results of a function for `count` floats from `first` on, words instead of bytes.
template <class Operand>
std::uint64_t hash_of(SpecialFunction function, std::uint32_t first, std::uint32_t count, Operand operand) {
  const LaneFn fn =
      find_machine_fn({.op = MachineOp::kSpecialFunction, .type = Type::kF32, .function = function});
  std::uint64_t hash = 0xcbf29ce484222325ull;
  Row in;
  Row out;
  LaneArgs args;
  args.src[0] = reinterpret_cast<const std::byte*>(&in);
  args.dst[0] = reinterpret_cast<std::byte*>(&out);
  args.mask = 0xffff'ffffu;
  for (std::uint32_t i = 0; i < count; i += kWarp) {
    for (unsigned lane = 0; lane < kWarp; ++lane) in.lane[lane] = operand(first + i + lane);
    fn(args);
    for (const std::uint32_t value : out.lane) hash = (hash ^ value) * 0x100000001b3ull;
  }
  return hash;
}
std::uint32_t itself(std::uint32_t bits) { return bits; }
/// sin.approx multiplies by 1 / (2 pi), rounded to zero, for MUFU.
std::uint32_t revolutions(std::uint32_t bits) {
  const double exact = static_cast<double>(std::bit_cast<float>(bits)) *
                       static_cast<double>(std::bit_cast<float>(0x3e22f983u));
  const auto rounded = static_cast<float>(exact);
  const auto result = std::bit_cast<std::uint32_t>(rounded);
  return static_cast<double>(rounded) > exact ? result - 1 : result;
}

// The hashes are of the results that an H100 gave for every float of these ranges (sines and cosines: within 32767 ulp of
// the correctly rounded result, where they are not, the hash is that of these tables).
struct Range {
  SpecialFunction function;
  std::uint32_t first;
  std::uint32_t count;
  std::uint64_t hash;
};
constexpr std::uint32_t kBinade = 1u << 23;

TEST(Mufu, GivesTheResultsOfACardForEveryFloatOfItsRanges) {
  for (const Range& of : {
           Range{SpecialFunction::kRcp, 0x3f800000u, kBinade, 0xfa72a6c698274964ull},
           Range{SpecialFunction::kRsq, 0x3f800000u, 2 * kBinade, 0xbdf1cb386ee78bc2ull},
           Range{SpecialFunction::kSqrt, 0x3f800000u, 2 * kBinade, 0x50712c001bd4eb00ull},
           Range{SpecialFunction::kEx2, 0x3f800000u, kBinade, 0x3f0f3852f2fa7edbull},
           Range{SpecialFunction::kEx2, 0x3f000000u, kBinade, 0x1938ae1ca053e4e7ull},
           Range{SpecialFunction::kEx2, 0xbf800000u, kBinade, 0xbf4f30a37a9d5b98ull},
           Range{SpecialFunction::kLg2, 0x3f800000u, kBinade, 0x5ca43d6b0d176848ull},
           Range{SpecialFunction::kLg2, 0x3f000000u, kBinade, 0xf8884f097b12e53dull},
       })
    EXPECT_EQ(hash_of(of.function, of.first, of.count, itself), of.hash)
        << "function " << static_cast<unsigned>(of.function) << " from " << of.first;
}

TEST(Mufu, GivesTheSinesOfACard) {
  for (const Range& of : {
           Range{SpecialFunction::kSin, 0x3f000000u, kBinade, 0x751f616942de2910ull},
           Range{SpecialFunction::kSin, 0x3f800000u, kBinade, 0xffc89f2c26d596eaull},
           Range{SpecialFunction::kSin, 0x40000000u, kBinade, 0x5c6b19fd65eecc06ull},
           Range{SpecialFunction::kCos, 0x3f800000u, kBinade, 0x0f10a7e30f1e42adull},
           Range{SpecialFunction::kCos, 0x40000000u, kBinade, 0x0d925790c47a3f92ull},
       })
    EXPECT_EQ(hash_of(of.function, of.first, of.count, revolutions), of.hash)
        << "function " << static_cast<unsigned>(of.function) << " from " << of.first;
}

// Exponents do not change the fractions: a power of two scales reciprocals by its own, and roots by its half.
TEST(Mufu, ScalesByExponents) {
  const auto one = [](SpecialFunction function, std::uint32_t bits) {
    const LaneFn fn =
        find_machine_fn({.op = MachineOp::kSpecialFunction, .type = Type::kF32, .function = function});
    Row in;
    Row out;
    in.lane.fill(bits);
    LaneArgs args;
    args.src[0] = reinterpret_cast<const std::byte*>(&in);
    args.dst[0] = reinterpret_cast<std::byte*>(&out);
    args.mask = 1;
    fn(args);
    return out.lane[0];
  };
  constexpr std::uint32_t kOneExponent = kBinade;
  for (std::uint32_t fraction = 0; fraction < kBinade; fraction += 0x5a5a5) {
    const std::uint32_t x = 0x3f800000u | fraction;
    EXPECT_EQ(one(SpecialFunction::kRcp, x + 5 * kOneExponent),
              one(SpecialFunction::kRcp, x) - 5 * kOneExponent);
    EXPECT_EQ(one(SpecialFunction::kRsq, x + 6 * kOneExponent),
              one(SpecialFunction::kRsq, x) - 3 * kOneExponent);
    EXPECT_EQ(one(SpecialFunction::kSqrt, x - 6 * kOneExponent),
              one(SpecialFunction::kSqrt, x) - 3 * kOneExponent);
  }
}

}  // namespace
}  // namespace heddle::isa::test::machine_test
