// Lane functions of machine code: the builds for all x86-64 levels agree. Values of single operations are in tests/unit/sass,
// with the words; those of MUFU in mufu_test.cpp.
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
          for (unsigned function = 0; function < kSpecialFunctions; ++function)
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

}  // namespace
}  // namespace heddle::isa::test::machine_test
