// The BF array: the youngest older row whose signature meets what a row has read, no other one.
#include "tm/comparison/bf_array.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle::tm::bf_array_test {
namespace {

struct ArrayRig {
  explicit ArrayRig(std::uint32_t bits = 512, std::uint32_t checked = 0)
      : array([&] {
          CommitUnitConfig config;
          config.signature_bits = bits;
          config.signatures_checked = checked;
          return config;
        }()) {}
  void begin(Cid row, Cid since) {
    HazardEvent event;
    event.op = HazardEvent::Op::kBegin;
    event.row = row;
    event.since = since;
    array.serve(event);
  }
  HazardEvent row(Cid cid, Cid since, const std::vector<std::uint64_t>& reads,
                  const std::vector<std::uint64_t>& writes, Cid retired = 1) {
    HazardEvent event;
    event.row = cid;
    event.since = since;
    event.retired = retired;
    for (const std::uint64_t word : reads) {
      event.word = word;
      event.op = HazardEvent::Op::kLookUp;
      array.serve(event);
      EXPECT_FALSE(event.writer) << "known when all of them are";
    }
    event.op = HazardEvent::Op::kReadsEnd;
    array.serve(event);
    const HazardEvent answer = event;
    for (const std::uint64_t word : writes) {
      event.word = word;
      event.writer = cid;
      event.op = HazardEvent::Op::kInsert;
      array.serve(event);
    }
    event.op = HazardEvent::Op::kPass;
    event.row = cid + 1;
    array.serve(event);
    return answer;
  }
  BfArray array;
};

TEST(BfArray, FindsTheYoungestOlderWriter) {
  ArrayRig rig;
  for (Cid cid = 1; cid <= 5; ++cid) rig.begin(cid, 1);
  EXPECT_FALSE(rig.row(1, 1, {10}, {20}).writer);
  EXPECT_FALSE(rig.row(2, 1, {11}, {20, 21}).writer) << "writes do not meet writes";
  EXPECT_EQ(rig.row(3, 1, {20}, {30}).writer, 2u);
  EXPECT_FALSE(rig.row(4, 3, {20, 12}, {}).writer) << "2 had retired when it began";
  EXPECT_EQ(rig.row(5, 1, {30, 20}, {30}).writer, 3u) << "not its own writes";
}

TEST(BfArray, KeepsWhatMayStillBeAskedFor) {
  ArrayRig rig;
  rig.begin(1, 1);
  rig.begin(2, 1);
  rig.row(1, 1, {}, {20});
  EXPECT_EQ(rig.array.size(), 1u) << "2 has begun before 1 retired";
  rig.row(2, 1, {20}, {}, 2);
  EXPECT_EQ(rig.array.size(), 0u);
}

TEST(BfArray, SetsMeetFalselyThoughNoWordIsHeld) {
  // 16 words of 128 bits in each sub-array, against 8: 1 - (1 - 1/128)^128 = 0.63 to the power of 4, 16 % of the pairs.
  unsigned met = 0;
  std::mt19937 random(1);
  for (Cid seed = 1; seed <= 300; ++seed) {
    ArrayRig rig;
    rig.begin(1, 1);
    rig.begin(2, 1);
    std::vector<std::uint64_t> reads, writes;
    for (std::uint64_t i = 0; i < 16; ++i) reads.push_back(random() % 100'000);
    for (std::uint64_t i = 0; i < 8; ++i) writes.push_back(100'000 + random() % 100'000);
    rig.row(1, 1, {}, writes);
    met += rig.row(2, 1, reads, {}).writer ? 1 : 0;
  }
  EXPECT_GT(met, 25u);
  EXPECT_LT(met, 75u);
}

TEST(BfArray, ComparesAsManyEntriesAClockAsItMay) {
  ArrayRig rig(512, 4);
  rig.begin(41, 1);
  EXPECT_EQ(rig.row(41, 1, {7}, {}).clocks, 10u);
  EXPECT_EQ(ArrayRig(512, 0).row(41, 1, {7}, {}).clocks, 0u);
}

}  // namespace
}  // namespace heddle::tm::bf_array_test
