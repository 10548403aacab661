// From lanes' addresses to accesses: address patterns, coalescing, bank conflicts. The fast paths for
// patterns give the same results as processing lane by lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <span>

#include "core/memory/bank_conflicts.h"
#include "core/memory/coalescer.h"

namespace heddle::core::accesses_test {
namespace {

using Addresses = std::array<std::uint64_t, kLanes>;

Addresses strided(std::uint64_t base, std::uint64_t stride) {
  Addresses a;
  for (unsigned lane = 0; lane < kLanes; ++lane) a[lane] = base + lane * stride;
  return a;
}

/// The pattern of addresses held by a row of 64-bit registers.
AddressPattern pattern_of(const Addresses& address, LaneMask lanes, unsigned unit, LaneRuns& runs) {
  isa::Operand base;
  base.present = true;
  base.width = isa::RowWidth::k64;
  return recognise(reinterpret_cast<const std::byte*>(address.data()), base, 0, lanes, unit, runs);
}

class Accesses : public testing::Test {
 protected:
  /// Coalesces global accesses of op_.bytes.
  void coalesce_global(const Addresses& address, LaneMask lanes = LaneMask::all(), unsigned line = 128) {
    op_.address = address;
    op_.access_count = 0;
    coalesce(op_, pattern_of(address, lanes, op_.bytes, op_.runs), lanes, line);
  }
  void coalesce_words(const Addresses& offset, unsigned bytes, LaneMask lanes = LaneMask::all(),
                      unsigned line = 128) {
    op_.bytes = static_cast<std::uint8_t>(bytes);
    op_.address = offset;
    op_.access_count = 0;
    AddressPattern pattern = pattern_of(offset, lanes, bytes, op_.runs);
    if (pattern.shape == Shape::kRuns) pattern.shape = Shape::kScattered;
    coalesce_local(op_, pattern, lanes, kRegion, line);
  }
  /// Device address of every byte of every lane, by (lane, byte of its data), as the accesses have them.
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> bytes_of_accesses() {
    std::map<std::pair<unsigned, unsigned>, std::uint64_t> bytes;
    for (unsigned a = 0; a < op_.access_count; ++a) {
      const LineAccess& access = op_.accesses[a];
      const LaneOffsets offsets = op_.offsets(access);
      access.lanes.for_each([&](unsigned lane) {
        for (unsigned i = 0; i < op_.unit(access); ++i) {
          const bool fresh = bytes
                                 .emplace(std::pair{lane, MemoryInstruction::first_byte(access) + i},
                                          access.line + offsets.offset(lane, op_.unit(access)) + i)
                                 .second;
          EXPECT_TRUE(fresh) << "byte twice";
        }
      });
    }
    return bytes;
  }
  static constexpr std::uint64_t kRegion = 0x10004000;
  MemoryInstruction op_;
};

TEST_F(Accesses, PatternsOfRegisterRows) {
  const auto shape = [&](const Addresses& a, LaneMask lanes = LaneMask::all()) {
    return pattern_of(a, lanes, 4, op_.runs).shape;
  };
  EXPECT_EQ(shape(strided(64, 0)), Shape::kUniform);
  EXPECT_EQ(shape(strided(64, 4)), Shape::kUnitStride);
  EXPECT_EQ(shape(strided(64, 8)), Shape::kScattered);
  Addresses a = strided(64, 4);
  a[9] += 4;
  EXPECT_EQ(shape(a), Shape::kRuns);
  EXPECT_EQ(shape(a, LaneMask(0xff00'fdf0)), Shape::kUnitStride) << "lane 9 is not active";
  EXPECT_EQ(pattern_of(a, LaneMask(0xff00'fdf0), 4, op_.runs).first, 64u + 16);
  EXPECT_EQ(pattern_of(a, LaneMask(0xff00'fdf0), 4, op_.runs).last, 64u + 31 * 4);
  EXPECT_EQ(shape(a, LaneMask(1u << 9)), Shape::kUniform) << "one lane";
}

TEST_F(Accesses, RowsOfATileAreRuns) {
  Addresses a = strided(0x1000, 4);
  for (unsigned lane = 16; lane < 32; ++lane) a[lane] = 0x2000;
  ASSERT_EQ(pattern_of(a, LaneMask(0xfff0'fff8), 4, op_.runs).shape, Shape::kRuns);
  ASSERT_EQ(op_.runs.count, 2u);
  EXPECT_EQ(op_.runs.run[0].lanes, LaneMask(0x0000'fff8));
  EXPECT_FALSE(op_.runs.run[0].uniform);
  EXPECT_EQ(op_.runs.run[0].first, 0x100cu);
  EXPECT_EQ(op_.runs.run[1].lanes, LaneMask(0xfff0'0000));
  EXPECT_TRUE(op_.runs.run[1].uniform);
  EXPECT_EQ(op_.runs.run[1].first, 0x2000u);
  EXPECT_EQ(pattern_of(a, LaneMask(0x5555'5555), 4, op_.runs).shape, Shape::kScattered)
      << "16 runs are too many";
}

TEST_F(Accesses, RowsOf32BitAddressesDoNotWrapIntoAPattern) {
  std::array<std::uint32_t, kLanes> row;
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = 0xffff'fff0u + lane * 4;
  isa::Operand base;
  base.present = true;
  const auto* bytes = reinterpret_cast<const std::byte*>(row.data());
  const auto pattern = [&](std::uint64_t displacement, LaneMask lanes) {
    return recognise(bytes, base, displacement, lanes, 4, op_.runs);
  };
  EXPECT_EQ(pattern(0, LaneMask::all()).shape, Shape::kScattered);
  EXPECT_EQ(pattern(16, LaneMask(0xf)).shape, Shape::kUnitStride);
  EXPECT_EQ(pattern(16, LaneMask(0xf)).first, 0u);
  expand(bytes, base, 16, op_.address.data());
  EXPECT_EQ(op_.address[4], 16u);
  base.present = false;
  EXPECT_EQ(recognise(nullptr, base, 48, LaneMask::all(), 4, op_.runs).first, 48u);
}

TEST_F(Accesses, SumsOf32BitBasesAre32BitsWide) {
  // As nvcc writes `tile[i - 1][j]` for shared memory: a negative base compensated by the displacement.
  std::array<std::uint32_t, kLanes> row{};
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = 0u - 4u * kLanes + 4u * lane;
  isa::Operand base;
  base.present = true;
  base.width = isa::RowWidth::k32;
  const auto* bytes = reinterpret_cast<const std::byte*>(row.data());
  const AddressPattern pattern = recognise(bytes, base, 148, LaneMask::all(), 4, op_.runs);
  EXPECT_EQ(pattern.shape, Shape::kUnitStride);
  EXPECT_EQ(pattern.first, 20u);
  EXPECT_EQ(pattern.last, 20u + 4 * 31);
  expand(bytes, base, 148, op_.address.data());
  EXPECT_EQ(op_.address[31], 20u + 4 * 31);
  // Lanes 0 to 15 end up just below 2^32, the others just above 0.
  EXPECT_NE(recognise(bytes, base, 64, LaneMask::all(), 4, op_.runs).shape, Shape::kUnitStride);
  std::swap(row[3], row[4]);
  row[9] = row[8];
  expand(bytes, base, 148, op_.address.data());
  ASSERT_EQ(recognise(bytes, base, 148, LaneMask::all(), 4, op_.runs).shape, Shape::kRuns);
  for (unsigned r = 0; r < op_.runs.count; ++r)
    op_.runs.run[r].lanes.for_each([&](unsigned lane) {
      EXPECT_EQ(op_.runs.run[r].address(lane, 4), op_.address[lane]) << "lane " << lane;
    });
}

TEST_F(Accesses, ConsecutiveWordsAreOneLine) {
  coalesce_global(strided(0x1000, 4));
  ASSERT_EQ(op_.access_count, 1u);
  EXPECT_EQ(op_.accesses[0].line, 0x1000u);
  EXPECT_EQ(op_.accesses[0].lanes, LaneMask::all());
  EXPECT_TRUE(op_.offsets(op_.accesses[0]).contiguous());
  EXPECT_EQ(op_.offsets(op_.accesses[0]).offset(5, 4), 20u);
}

TEST_F(Accesses, LineCountFollowsStrideAndAlignment) {
  for (const auto& [base, stride, lines] : {std::tuple{0x1000u, 8u, 2u},
                                            {0x1000u, 64u, 16u},
                                            {0x1000u, 128u, 32u},
                                            {0x1040u, 4u, 2u},
                                            {0x1000u, 0u, 1u}}) {
    coalesce_global(strided(base, stride));
    EXPECT_EQ(op_.access_count, lines) << "base " << base << " stride " << stride;
  }
}

TEST_F(Accesses, ScatteredLanesAreGroupedByLineInOrderOfLowestLane) {
  Addresses a = strided(0x1000, 4);
  a[1] = 0x2000;
  a[3] = 0x2004;
  coalesce_global(a, LaneMask(0xf));
  ASSERT_EQ(op_.access_count, 2u);
  EXPECT_EQ(op_.accesses[0].line, 0x1000u);
  EXPECT_EQ(op_.accesses[0].lanes, LaneMask(0x5));
  EXPECT_EQ(op_.accesses[1].line, 0x2000u);
  EXPECT_EQ(op_.accesses[1].lanes, LaneMask(0xa));
  EXPECT_EQ(op_.accesses[0].shape, Shape::kRuns);
  // More runs than the capacity.
  for (unsigned lane = 1; lane < kLanes; lane += 2) a[lane] = 0x3000 - 4 * lane;
  coalesce_global(a);
  ASSERT_EQ(op_.access_count, 2u);
  EXPECT_EQ(op_.accesses[0].lanes, LaneMask(0x5555'5555));
  EXPECT_EQ(op_.accesses[0].shape, Shape::kUnitStride) << "with holes";
  EXPECT_EQ(op_.accesses[1].shape, Shape::kScattered);
}

TEST_F(Accesses, RowsOfATileAreCopiesEach) {
  Addresses a = strided(0x1000, 4);
  for (unsigned lane = 16; lane < 32; ++lane) a[lane] += 0x800;
  coalesce_global(a);
  ASSERT_EQ(op_.access_count, 2u);
  EXPECT_TRUE(op_.offsets(op_.accesses[0]).contiguous());
  EXPECT_TRUE(op_.offsets(op_.accesses[1]).contiguous());
  EXPECT_EQ(op_.accesses[1].lanes, LaneMask(0xffff'0000));
}

TEST_F(Accesses, EqualLocalOffsetsAreOneLineAWord) {
  coalesce_words(strided(8, 0), 4);
  ASSERT_EQ(op_.access_count, 1u);
  EXPECT_EQ(op_.accesses[0].line, kRegion + 256);
  EXPECT_TRUE(op_.offsets(op_.accesses[0]).contiguous());
  coalesce_words(strided(0, 0), 16);
  EXPECT_EQ(op_.access_count, 4u) << "16 bytes per lane are four words, four lines";
  EXPECT_EQ(bytes_of_accesses().size(), 512u);
}

TEST_F(Accesses, LocalAccessesFollowDeviceAccesses) {
  coalesce_global(strided(0x1000, 4), LaneMask(0x0000ffff));
  for (unsigned lane = 16; lane < 32; ++lane) op_.address[lane] = 0;
  coalesce_local(op_, {Shape::kScattered, 0, 0}, LaneMask(0xffff0000), kRegion, 128);
  ASSERT_EQ(op_.access_count, 2u);
  EXPECT_EQ(op_.accesses[0].lanes, LaneMask(0x0000ffff));
  EXPECT_FALSE(op_.accesses[0].local);
  EXPECT_EQ(op_.accesses[1].line, kRegion);
  EXPECT_EQ(op_.accesses[1].lanes, LaneMask(0xffff0000));
  EXPECT_TRUE(op_.accesses[1].local);
}

// ---- Random addresses against lane by lane

struct Random {
  explicit Random(unsigned seed) : bits(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(bits() % n); }
  LaneMask lanes() {
    constexpr std::array kMasks{0xffff'ffffu, 0x0000'ffffu, 0xfff0'0000u, 0x5555'5555u, 0x8000'0001u};
    const unsigned kind = below(8);
    if (kind < kMasks.size()) return LaneMask(kMasks[kind]);
    return LaneMask(static_cast<std::uint32_t>(bits()) | 1u << below(32));
  }
  /// Multiples of `unit` in [base, base + span): uniform, consecutive, in two runs, strided or at random.
  Addresses addresses(std::uint64_t base, unsigned unit, unsigned span) {
    const unsigned slots = span / unit;
    Addresses a;
    const unsigned kind = below(6);
    const unsigned first = below(slots);
    const unsigned second = below(slots);
    const unsigned step = 1 + below(40);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      unsigned slot = below(slots);
      if (kind == 0) slot = first;
      if (kind == 1) slot = first + lane;
      if (kind == 2) slot = lane < 16 ? first + lane : second + lane;
      if (kind == 3) slot = first + lane * step;
      if (kind == 4) slot = lane % 8 < 4 ? first : second + lane / 4;
      a[lane] = base + std::uint64_t{slot % slots} * unit;
    }
    return a;
  }
  std::mt19937_64 bits;
};

constexpr std::array kUnits{1u, 2u, 4u, 8u, 16u};

TEST_F(Accesses, EveryByteOfRandomGlobalAccessesIsThereOnceAndInItsLine) {
  Random random(1);
  for (unsigned trial = 0; trial < 4000; ++trial) {
    const unsigned unit = kUnits[random.below(kUnits.size())];
    const unsigned line = 32u << random.below(3);
    const LaneMask lanes = random.lanes();
    const Addresses a = random.addresses(0x10000000, unit, 16u << random.below(10));
    op_.bytes = static_cast<std::uint8_t>(unit);
    coalesce_global(a, lanes, line);
    std::map<std::pair<unsigned, unsigned>, std::uint64_t> expected;
    std::vector<std::uint64_t> lines;  // in order of first use
    lanes.for_each([&](unsigned lane) {
      for (unsigned i = 0; i < unit; ++i) expected[{lane, i}] = a[lane] + i;
      const std::uint64_t of = a[lane] / line * line;
      if (std::find(lines.begin(), lines.end(), of) == lines.end()) lines.push_back(of);
    });
    ASSERT_EQ(bytes_of_accesses(), expected) << trial;
    ASSERT_EQ(op_.access_count, lines.size()) << trial;
    for (unsigned i = 0; i < lines.size(); ++i) ASSERT_EQ(op_.accesses[i].line, lines[i]) << trial;
  }
}

TEST_F(Accesses, EveryByteOfRandomLocalAccessesIsThereOnceAndInItsLine) {
  Random random(2);
  for (unsigned trial = 0; trial < 4000; ++trial) {
    const unsigned unit = kUnits[random.below(kUnits.size())];
    const unsigned line = 32u << random.below(3);
    const LaneMask lanes = random.lanes();
    const Addresses a = random.addresses(0, unit, 16u << random.below(6));
    coalesce_words(a, unit, lanes, line);
    std::map<std::pair<unsigned, unsigned>, std::uint64_t> expected;
    std::set<std::uint64_t> lines;
    lanes.for_each([&](unsigned lane) {
      for (unsigned i = 0; i < unit; ++i) {
        const std::uint64_t at = a[lane] + i;
        const std::uint64_t device = kRegion + at / 4 * 128 + lane * std::uint64_t{4} + at % 4;
        expected[{lane, i}] = device;
        lines.insert(device / line * line);
      }
    });
    ASSERT_EQ(bytes_of_accesses(), expected) << trial;
    ASSERT_EQ(op_.access_count, lines.size()) << trial << ": one access a line";
  }
}

class BankPasses : public testing::Test {
 protected:
  unsigned passes(const Addresses& a, unsigned bytes = 4, LaneMask lanes = LaneMask::all(),
                  std::uint32_t banks = 32, std::uint32_t wide_lanes = 0) {
    const AddressPattern pattern = pattern_of(a, lanes, bytes, op_.runs);
    op_.instruction = &instruction_;
    op_.bytes = static_cast<std::uint8_t>(bytes);
    op_.shared_lanes = lanes;
    op_.shared_shape = pattern.shape;
    op_.shared_first = static_cast<std::uint32_t>(pattern.first);
    op_.address = a;
    SharedMemoryConfig config;
    config.banks = banks;
    config.wide_lanes = wide_lanes;
    const core::BankPasses all = bank_passes(op_, config);
    without_conflict_ = all.without_conflict;
    return all.all;
  }
  unsigned without_conflict_ = 0;  ///< of the last instruction
  isa::Instruction instruction_;
  MemoryInstruction op_;
};

TEST_F(BankPasses, FollowTheStride) {
  for (const auto& [stride, expected] :
       {std::pair{4u, 1u}, {8u, 2u}, {16u, 4u}, {128u, 32u}, {12u, 1u}, {0u, 1u}})
    EXPECT_EQ(passes(strided(0, stride)), expected) << "stride " << stride;
  EXPECT_EQ(passes(strided(0, 8), 8), 2u) << "doubles";
  EXPECT_EQ(passes(strided(0, 16), 16), 4u);
  EXPECT_EQ(passes(strided(0, 1), 1), 1u);
  EXPECT_EQ(passes(strided(64, 4)), 1u) << "33 banks wide, but every bank once";
  EXPECT_EQ(passes(strided(0, 4), 4, LaneMask::all(), 16), 2u);
}

// What an H100 counts for LDS.128: two wavefronts where all lanes read one address (nonbonded) or one of two (sgemm), no conflict.
TEST_F(BankPasses, WideAccessesTakeOneForEachSetOfLanesAtLeast) {
  Addresses two_rows = strided(0, 0);
  for (unsigned lane = 16; lane < 32; ++lane) two_rows[lane] = 64;
  for (const Addresses& same : {strided(0, 0), two_rows}) {
    EXPECT_EQ(passes(same, 16), 1u);
    EXPECT_EQ(passes(same, 16, LaneMask::all(), 32, 16), 2u);
    EXPECT_EQ(without_conflict_, 2u);
    EXPECT_EQ(passes(same, 16, LaneMask(0xffff), 32, 16), 1u) << "nobody in the other set";
    EXPECT_EQ(passes(same, 8, LaneMask::all(), 32, 16), 1u) << "of 8 bytes";
  }
  EXPECT_EQ(passes(strided(0, 16), 16, LaneMask::all(), 32, 16), 4u) << "as many words as four passes take";
  EXPECT_EQ(without_conflict_, 4u);
  EXPECT_EQ(passes(strided(0, 128), 16, LaneMask::all(), 32, 16), 32u);
  EXPECT_EQ(without_conflict_, 4u);
}

TEST_F(BankPasses, WideRandomAddressesAreTheSumOfTheirSets) {
  Random random(5);
  for (unsigned trial = 0; trial < 1000; ++trial) {
    const LaneMask lanes = random.lanes();
    const Addresses a = random.addresses(0, 16, 64u << random.below(10));
    unsigned expected = 0;
    for (const unsigned first : {0u, 8u, 16u, 24u})
      if (const LaneMask set = lanes & LaneMask(0xffu << first); set.any()) expected += passes(a, 16, set);
    ASSERT_EQ(passes(a, 16, lanes, 32, 8), expected) << trial;
  }
}

TEST_F(BankPasses, AtomicsCountEveryLane) {
  instruction_.op = isa::Opcode::kAtomic;
  EXPECT_EQ(passes(strided(64, 0)), 32u);
  EXPECT_EQ(passes(strided(64, 4)), 1u);
  EXPECT_EQ(passes(strided(64, 0), 4, LaneMask(0xf0)), 4u);
}

TEST_F(BankPasses, RandomAddressesNeedAsManyAsTheFullestBankHasWords) {
  Random random(3);
  for (unsigned trial = 0; trial < 4000; ++trial) {
    const unsigned bytes = kUnits[random.below(kUnits.size())];
    const std::uint32_t banks = std::array{32u, 16u, 8u, 5u, 1u}[random.below(5)];
    const LaneMask lanes = random.lanes();
    const Addresses a = random.addresses(0, bytes, 64u << random.below(10));
    std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
    lanes.for_each([&](unsigned lane) {
      for (unsigned i = 0; i < bytes; ++i) words_of_bank[(a[lane] + i) / 4 % banks].insert((a[lane] + i) / 4);
    });
    std::size_t expected = 0;
    for (const auto& [bank, words] : words_of_bank) expected = std::max(expected, words.size());
    ASSERT_EQ(passes(a, bytes, lanes, banks), expected) << trial;
  }
}

/// Accesses of lanes with `bytes` each, to lines of `line` bytes.
struct LinePasses {
  unsigned bytes, line;
};

class PassesOfLines : public Accesses, public testing::WithParamInterface<LinePasses> {};

TEST_P(PassesOfLines, AreAsManyAsLinesWantTheFullestBank) {
  const auto [bytes, line] = GetParam();
  const unsigned banks = std::min(line / 4, 32u);
  Random random(4);
  unsigned runs = 0;
  for (unsigned trial = 0; trial < 1000; ++trial) {
    const LaneMask lanes = random.lanes();
    const Addresses a = random.addresses(0x10000000, bytes, 64u << random.below(8));
    op_.bytes = static_cast<std::uint8_t>(bytes);
    coalesce_global(a, lanes, line);
    std::map<std::uint64_t, std::set<std::uint64_t>> lines_of_bank;
    lanes.for_each([&](unsigned lane) {
      for (unsigned i = 0; i < bytes; ++i)
        lines_of_bank[(a[lane] + i) / 4 % banks].insert((a[lane] + i) / line);
    });
    std::size_t expected = 0;
    for (const auto& [bank, lines] : lines_of_bank) expected = std::max(expected, lines.size());
    ASSERT_EQ(line_bank_passes(op_, line), expected) << trial;
    const std::span accesses = std::span(op_.accesses).first(op_.access_count);
    const auto of_runs = [](const LineAccess& access) { return access.shape == Shape::kRuns; };
    runs += accesses.size() > 1 && std::any_of(accesses.begin(), accesses.end(), of_runs);
  }
  EXPECT_GT(runs, 20u);
}

INSTANTIATE_TEST_SUITE_P(Of, PassesOfLines,
                         testing::Values(LinePasses{4, 128}, LinePasses{8, 128}, LinePasses{16, 128},
                                         LinePasses{8, 64}, LinePasses{16, 64}, LinePasses{4, 32},
                                         LinePasses{16, 32}, LinePasses{1, 128}, LinePasses{16, 256}),
                         [](const auto& of) {
                           return std::to_string(of.param.bytes) + "_bytes_of_lines_of_" +
                                  std::to_string(of.param.line);
                         });

}  // namespace
}  // namespace heddle::core::accesses_test
