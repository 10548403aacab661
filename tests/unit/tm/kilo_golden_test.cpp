// Worked examples about commit units: [WarpTM:G8], [KiloTM:G11] to [KiloTM:G16], one test each.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "tm/last_written_times.h"
#include "tm/recency_bloom_filter.h"
#include "unit/tm/commit_rig.h"

namespace heddle::tm::testing::kilo_golden_test {
namespace {

constexpr Cid kEnd = ~Cid{0} >> 1;
const CidWindow kAlways{1, kEnd, 64};

/// Two sub-arrays of two buckets; H1: 0x10->0, 0x20->1, 0x30->1. H2: 0x10->1, 0x20->0, 0x30->1.
RecencyBloomFilter figure_6_8() {
  return {2, 2, [](unsigned array, std::uint64_t key) -> std::uint32_t {
            constexpr std::array<std::array<std::uint32_t, 3>, 2> kBuckets{{{0, 1, 1}, {1, 0, 1}}};
            return kBuckets[array][key / 0x10 - 1];
          }};
}

TEST(KiloGolden, G8LastWrittenTimes) {
  RecencyBloomFilter times = figure_6_8();
  // All 0 is before every time of the window: never written.
  EXPECT_EQ(times.lookup(0x10, kAlways), std::nullopt);  // T=1: XC reads, FRT=1
  times.insert(0x10, 7, kAlways);
  EXPECT_EQ(times.bucket(0, 0), 7u);
  EXPECT_EQ(times.bucket(0, 1), 0u);
  EXPECT_EQ(times.bucket(1, 0), 0u);
  EXPECT_EQ(times.bucket(1, 1), 7u);
  EXPECT_EQ(times.lookup(0x30, kAlways), std::nullopt);  // T=10: min(0, 7) = 0
  times.insert(0x20, 15, kAlways);
  EXPECT_EQ(times.bucket(0, 0), 7u);
  EXPECT_EQ(times.bucket(0, 1), 15u);
  EXPECT_EQ(times.bucket(1, 0), 15u);
  EXPECT_EQ(times.bucket(1, 1), 7u);
  EXPECT_EQ(times.lookup(0x20, kAlways), 15u);  // T=18: 15 > FRT=1, a conflict
  EXPECT_EQ(times.lookup(0x30, kAlways), 7u);   // a false one
  EXPECT_EQ(times.lookup(0x10, kAlways), 7u);
}

TEST(KiloGolden, G16RecencyFilter) {
  RecencyBloomFilter filter = figure_6_8();
  filter.insert(0x10, 7, kAlways);
  filter.insert(0x20, 15, kAlways);
  EXPECT_EQ(filter.lookup(0x10, kAlways), 7u);
  EXPECT_EQ(filter.lookup(0x20, kAlways), 15u);
  EXPECT_EQ(filter.lookup(0x30, kAlways), 7u);  // never written: a false writer, the older one

  // P -> (0,0), Q -> (0,1).
  const auto hash = [](unsigned array, std::uint64_t key) -> std::uint32_t {
    return key == 'Q' && array == 1 ? 1 : 0;
  };
  RecencyBloomFilter max(2, 2, hash);
  max.insert('P', 9, kAlways);
  max.insert('Q', 5, kAlways);
  EXPECT_EQ(max.bucket(0, 0), 9u);
  EXPECT_EQ(max.lookup('P', kAlways), 9u);  // 5, and a hazard missed, if the older one overwrote the younger
}

constexpr std::uint64_t kH = 0x1000, kK = 0x2000, kW = 0x3000;

TEST(KiloGolden, G11TwoConflictingTransactions) {
  // A: K += 10*H (10). B: H += 10*K (11). H=1 is in partition 0, K=2 in partition 1.
  CommitRig cu0, cu1;
  cu0.memory[kH] = 1;
  cu1.memory[kK] = 2;
  cu0.skip_to(10);
  cu1.skip_to(10);
  const Log a0{{{kH, 1}}, {}}, a1{{{kK, 2}}, {{kK, 12}}};
  const Log b0{{{kH, 1}}, {{kH, 21}}}, b1{{{kK, 2}}, {}};
  // Both are there before either is final: RCID is 10 in both units.
  cu0.transfer(10, a0);
  cu1.transfer(10, a1);
  cu0.transfer(11, b0);
  cu1.transfer(11, b1);
  EXPECT_EQ(cu0.outcome, (std::map<Cid, bool>{{10, true}, {11, true}}));
  EXPECT_EQ(cu1.outcome, (std::map<Cid, bool>{{10, true}}));
  EXPECT_EQ(cu0.model.counters().hazards, 0u);
  EXPECT_EQ(cu1.model.counters().hazards, 1u);
  ASSERT_TRUE(cu1.model.conflict());
  EXPECT_EQ(cu1.model.conflict()->waits, 11u);
  EXPECT_EQ(cu1.model.conflict()->for_cid, 10u);
  EXPECT_EQ(cu1.model.conflict()->word, kK);
  cu0.final(10, true);
  cu1.final(10, true);
  EXPECT_EQ(cu1.memory[kK], 12u);
  EXPECT_EQ(cu1.done, std::vector<Cid>{10});
  EXPECT_EQ(cu1.outcome.at(11), false);  // 12 != 2
  cu0.final(11, false);
  cu1.final(11, false);
  EXPECT_EQ(cu0.memory[kH], 1u);  // untouched
  EXPECT_EQ(cu0.done, (std::vector<Cid>{10, 11}));
  // B again, as 12: K=12, H=1 -> H=121.
  const Log c0{{{kH, 1}}, {{kH, 121}}}, c1{{{kK, 12}}, {}};
  cu0.transfer(12, c0);
  cu1.transfer(12, c1);
  EXPECT_TRUE(cu0.outcome.at(12));
  EXPECT_TRUE(cu1.outcome.at(12));
  cu0.final(12, true);
  cu1.final(12, true);
  EXPECT_EQ(cu1.memory[kK], 12u);
  EXPECT_EQ(cu0.memory[kH], 121u);
}

TEST(KiloGolden, G12SecondChance) {
  CommitRig cu;
  cu.memory[kW] = 5;
  cu.memory[kH] = 1;
  cu.skip_to(10);
  const Log x{{{kH, 99}}, {{kW, 6}}};  // what it has read is not there any more
  const Log y{{{kW, 5}}, {}};
  // What it has read comes back from L2 after hazard detection: its writes are in the history ([KiloTM:E5]).
  cu.hold_reads = true;
  cu.transfer(10, x);
  cu.transfer(11, y);
  EXPECT_TRUE(cu.outcome.empty());
  cu.release_reads();
  EXPECT_EQ(cu.outcome, (std::map<Cid, bool>{{10, false}}));
  ASSERT_TRUE(cu.model.conflict());
  EXPECT_EQ(cu.model.conflict()->for_cid, 10u);
  cu.final(10, false);
  EXPECT_EQ(cu.memory[kW], 5u);
  EXPECT_TRUE(cu.outcome.at(11));
  EXPECT_EQ(cu.model.counters().second_chances, 1u);
}

// Rule 2 of [KiloTM] §4.2.5: what is older than the retire pointer, and younger than the RCID, is a hazard.
TEST(KiloGolden, G13LateHazard) {
  CommitRig cu;
  cu.memory[kW] = 5;
  cu.skip_to(10);
  const Log x{{}, {{kW, 6}}}, y{{{kW, 5}}, {}};
  cu.reads(11, y);  // speculative, RCID = 10
  cu.transfer(10, x);
  cu.final(10, true);
  EXPECT_EQ(cu.done, std::vector<Cid>{10});
  EXPECT_EQ(cu.memory[kW], 6u);
  cu.done_fill(11, y);
  EXPECT_FALSE(cu.outcome.at(11));
}

TEST(KiloGolden, G14WriteAfterWrite) {
  for (const bool younger_first : {false, true}) {
    CommitRig cu;
    cu.skip_to(10);
    const Log x{{}, {{kW, 1}}}, y{{}, {{kW, 2}}};
    cu.transfer(younger_first ? 11 : 10, younger_first ? y : x);
    cu.transfer(younger_first ? 10 : 11, younger_first ? x : y);
    EXPECT_EQ(cu.outcome, (std::map<Cid, bool>{{10, true}, {11, true}}));
    cu.final(younger_first ? 11 : 10, true);
    cu.final(younger_first ? 10 : 11, true);
    EXPECT_EQ(cu.memory[kW], 2u);
    EXPECT_EQ(cu.done, (std::vector<Cid>{10, 11}));
  }
}

TEST(KiloGolden, G15ValueComesBack) {
  CommitRig cu;
  cu.memory[kW] = 5;
  cu.skip_to(10);
  const Log x{{}, {{kW, 6}}}, z{{}, {{kW, 5}}}, y{{{kW, 5}}, {{kH, 7}}};
  cu.reads(12, y);
  cu.transfer(10, x);
  cu.final(10, true);
  EXPECT_EQ(cu.memory[kW], 6u);
  cu.transfer(11, z);
  cu.final(11, true);
  cu.writes(12, y);
  cu.done_fill(12, y);
  EXPECT_TRUE(cu.outcome.at(12));
  cu.final(12, true);
  EXPECT_EQ(cu.memory[kH], 7u);
}

TEST(KiloGolden, G17PartOfATransaction) {
  const RecencyBloomFilter::Hash hash = [](unsigned, std::uint64_t) { return 0u; };
  LastWrittenTimes a(2, 2, hash), b(2, 2, hash);  // partitions 0 and 1
  constexpr Cid kWriter = 10;  // nothing of it has retired everywhere when the reader begins
  a.written(0x100, 5, kWriter);
  FirstRead reader;
  reader.sent(10, kWriter, 0);
  reader.returned(a.read(0x100));  // the new a: TW = 5
  reader.returned(b.read(0x200));  // the old b, at 12: TW = 0
  b.written(0x200, 20, kWriter);
  EXPECT_FALSE(reader.conflict(false));  // as published: commits silently, wrong
  EXPECT_TRUE(reader.conflict(true));
}

TEST(Temporal, ReadsWhatWasWrittenBeforeItBegan) {
  LastWrittenTimes times(4, 512, 1);
  times.written(0x1000, 7, 3);
  FirstRead reader;
  reader.sent(8, 4, 2);
  reader.returned(times.read(0x1000));
  reader.returned(times.read(0x2000));
  EXPECT_FALSE(reader.conflict(true));
  times.written(0x2000, 9, 4);
  reader.returned(times.read(0x207c));  // the same block
  EXPECT_TRUE(reader.conflict(false));
  reader.begin();
  // The thread's own last transaction has not retired everywhere ([KiloTM:E4]).
  reader.sent(20, 4, 4);
  EXPECT_FALSE(reader.conflict(false));
  EXPECT_TRUE(reader.conflict(true));
}

TEST(KiloStorage, IsThatOfSection12) {
  const CommitUnitConfig config;
  EXPECT_EQ(config.entry_bytes(), 19200u);                                     // 19 kB
  EXPECT_EQ(config.buffer_bytes(), 32000u);                                    // 32 kB
  EXPECT_EQ(LastWriterHistory::storage_bytes(config.history), 3072u + 2048u);  // 3 kB and 2 kB
  EXPECT_EQ(LastWrittenTimes::storage_bytes(4, 512), 16384u);                  // 16 kB
  EXPECT_EQ(FirstRead::storage_bytes(1536), 12288u);                           // 12 kB
  EXPECT_EQ(IntraWarpConfig{}.table_bytes(), 4096u);                           // 4 kB
  EXPECT_EQ(config.bf_array_bytes(), 2 * 122'880u);                     // [KiloTM:A11]: the text says 120 kB
  EXPECT_EQ(2 * config.ring_entries * config.set_words * 8, 245'760u);  // 240 kB without pooling
}

}  // namespace
}  // namespace heddle::tm::testing::kilo_golden_test
