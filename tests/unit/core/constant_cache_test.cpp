// The constant cache, and the table of outstanding fills that caches share.
#include "core/memory/constant_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>

#include "base/error.h"
#include "cache/mshr_table.h"
#include "core/config_checks.h"

namespace heddle::core::constant_cache_test {
namespace {

class Constants : public testing::Test {
 protected:
  using Miss = ConstantCacheModel::Miss;
  /// The byte read at `address`, -1 on a miss.
  int read(std::uint64_t address) {
    const unsigned char* data = cache_.look_up(address);
    return data == nullptr ? -1 : *data;
  }
  Miss miss(std::uint64_t address, std::uint32_t op = 0, bool may_send = true) {
    return cache_.miss(address, {op, 0}, may_send, mshr_);
  }
  /// Byte i of the line holds first + i.
  void fill(unsigned first) {
    std::array<unsigned char, 64> line;
    std::iota(line.begin(), line.end(), static_cast<unsigned char>(first));
    cache_.fill(mshr_, line.data());
  }
  ConstantCacheConfig config_{
      .size_kib = 1, .line_bytes = 64, .ways = 2, .mshr_entries = 1, .mshr_targets = 2};
  sim::ProgressMonitor progress_;
  ConstantCacheModel cache_{config_, progress_};
  std::uint32_t mshr_ = 0;
};

TEST_F(Constants, MissFillHitWithTheBytesOfTheLine) {
  EXPECT_EQ(read(0x1010), -1);
  EXPECT_EQ(miss(0x1010), Miss::kSend);
  EXPECT_EQ(read(0x1010), -1) << "not before the line is there";
  fill(100);
  EXPECT_EQ(read(0x1010), 116);
  EXPECT_EQ(read(0x103f), 163);
  EXPECT_EQ(read(0x1040), -1);
  cache_.invalidate();
  EXPECT_EQ(read(0x1010), -1);
}

TEST(ConstantsOfTwoLevels, TheSecondKeepsWhatTheFirstGivesUp) {
  sim::ProgressMonitor progress;
  ConstantCacheModel cache({.size_kib = 1, .line_bytes = 64, .ways = 2, .second_kib = 2, .second_ways = 4},
                           progress);
  std::array<unsigned char, 64> bytes{};
  // 8 sets of 2 ways in both: three lines of one set.
  for (const std::uint64_t line : {0x1000u, 0x1200u, 0x1400u}) {
    std::uint32_t mshr = 0;
    EXPECT_EQ(cache.look_up(line), nullptr);
    EXPECT_EQ(cache.look_up_second(line, 0), nullptr);
    ASSERT_EQ(cache.miss(line, {}, true, mshr), ConstantCacheModel::Miss::kSend);
    bytes.fill(static_cast<unsigned char>(line >> 8));
    cache.fill(mshr, bytes.data());
  }
  EXPECT_EQ(cache.look_up(0x1000), nullptr);
  ASSERT_NE(cache.look_up_second(0x1004, 0), nullptr);
  EXPECT_EQ(cache.second_hits, 1u);
  ASSERT_NE(cache.look_up(0x1000), nullptr) << "the first has it again";
  EXPECT_EQ(*cache.look_up(0x1000), 0x10);
  EXPECT_EQ(cache.look_up(0x1200), nullptr) << "the least recently used one left";
  cache.invalidate();
  EXPECT_EQ(cache.look_up_second(0x1000, 0), nullptr);
  EXPECT_FALSE(cache.any_line());
}

TEST(ConstantsOfTwoLevels, ALineFromTheSecondIsOnItsWayForEverybody) {
  sim::ProgressMonitor progress;
  ConstantCacheModel cache({.size_kib = 1, .line_bytes = 64, .ways = 2, .second_kib = 2, .second_ways = 4},
                           progress);
  const std::array<std::byte, 128> bytes{};
  cache.hold(0x1000, bytes);
  ASSERT_NE(cache.look_up_second(0x1000, 175), nullptr);
  ASSERT_NE(cache.look_up(0x1010), nullptr);
  EXPECT_EQ(cache.until_arrival(105), 70u);
  EXPECT_EQ(cache.until_arrival(175), 0u);
  ASSERT_NE(cache.look_up_second(0x1040, 300), nullptr);
  ASSERT_NE(cache.look_up(0x1010), nullptr);
  EXPECT_EQ(cache.until_arrival(200), 0u) << "another line's arrival";
}

TEST(ConstantsOfTwoLevels, TheSecondHoldsTheWholeLinesItIsGiven) {
  sim::ProgressMonitor progress;
  ConstantCacheModel cache({.size_kib = 1, .line_bytes = 64, .ways = 2, .second_kib = 2, .second_ways = 4},
                           progress);
  std::array<std::byte, 160> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  cache.hold(0x1020, bytes);  // 32 bytes of a line, two lines
  EXPECT_EQ(cache.look_up(0x1040), nullptr) << "the first level has nothing";
  EXPECT_EQ(cache.look_up_second(0x1020, 0), nullptr) << "a part of a line";
  ASSERT_NE(cache.look_up_second(0x1044, 0), nullptr);
  EXPECT_EQ(*cache.look_up(0x1044), 36) << "now it is in the first";
  ASSERT_NE(cache.look_up_second(0x1080, 0), nullptr);
  EXPECT_EQ(cache.look_up_second(0x10c0, 0), nullptr);
}

class Immediates : public testing::Test {
 protected:
  /// Cycles until the operand c[bank][offset] is there in cycle `now`; bank 3 lies in memory.
  Cycle wait(std::uint32_t bank, std::uint32_t offset, Cycle now) {
    return cache_.immediate({.bank = bank, .offset = offset, .address = bank == 0 ? 0 : kBank3 + offset},
                            now);
  }
  static constexpr std::uint64_t kBank3 = 0x1000;
  sim::ProgressMonitor progress_;
  ConstantCacheModel cache_{{.size_kib = 1,
                             .line_bytes = 64,
                             .ways = 2,
                             .second_kib = 2,
                             .second_ways = 4,
                             .immediate_kib = 1,
                             .immediate_latency_cycles = 55},
                            progress_};
};

TEST_F(Immediates, WaitForTheirLineOnce) {
  EXPECT_EQ(wait(0, 0x210, 100), 55u);
  EXPECT_EQ(wait(0, 0x238, 120), 35u) << "on its way";
  EXPECT_EQ(wait(0, 0x210, 155), 0u);
  EXPECT_EQ(wait(0, 0x240, 155), 55u) << "the next line";
  EXPECT_EQ(cache_.immediate_misses, 2u);
  EXPECT_EQ(cache_.look_up(0x210), nullptr) << "loads have a level of their own";
  cache_.invalidate();
  EXPECT_EQ(wait(0, 0x210, 300), 55u);
}

TEST_F(Immediates, OfABankInMemoryComeThroughTheSecondLevel) {
  EXPECT_EQ(wait(3, 8, 100), kNever);
  std::uint32_t mshr = 0;
  const ConstantTarget nobody{ConstantTarget::kNobody, 0};
  ASSERT_EQ(cache_.miss(kBank3 + 8, nobody, true, mshr), ConstantCacheModel::Miss::kSend);
  const std::array<unsigned char, 64> line{};
  cache_.fill(mshr, line.data());
  EXPECT_EQ(cache_.look_up(kBank3), nullptr) << "no load has asked for it";
  EXPECT_EQ(wait(3, 8, 400), 55u);
  EXPECT_EQ(wait(0, 8, 400), 55u) << "the same place of another bank";
  EXPECT_EQ(wait(3, 8, 455), 0u);
}

TEST_F(Immediates, AskAgainWithoutTakingTargetsOfReads) {
  std::uint32_t mshr = 0;
  const ConstantTarget nobody{ConstantTarget::kNobody, 0};
  ASSERT_EQ(cache_.miss(kBank3, nobody, true, mshr), ConstantCacheModel::Miss::kSend);
  for (unsigned again = 0; again < 100; ++again)
    ASSERT_EQ(cache_.miss(kBank3, nobody, true, mshr), ConstantCacheModel::Miss::kMerged);
  EXPECT_EQ(cache_.merges, 0u);
  EXPECT_EQ(cache_.miss(kBank3 + 4, {7, 0}, true, mshr), ConstantCacheModel::Miss::kMerged);
  EXPECT_EQ(cache_.mshrs().target_count(mshr), 2u);
  const std::array<unsigned char, 64> line{};
  cache_.fill(mshr, line.data());
  EXPECT_NE(cache_.look_up(kBank3), nullptr) << "a load has asked as well";
}

TEST_F(Immediates, EvictTheLeastRecentlyUsedLine) {
  for (const std::uint32_t offset : {0u, 0x200u, 0u, 0x400u}) (void)wait(0, offset, 0);
  EXPECT_EQ(wait(0, 0, 100), 0u);
  EXPECT_EQ(wait(0, 0x400, 100), 0u);
  EXPECT_EQ(wait(0, 0x200, 100), 55u);
}

TEST(ConstantsConfig, OperandsNeedASecondLevelAndWholeSets) {
  ConstantCacheConfig config{.size_kib = 1, .line_bytes = 64, .ways = 2, .immediate_kib = 1};
  EXPECT_THROW(check_constants(config), base::InputError);
  config.second_kib = 4;
  check_constants(config);
  config.size_kib = config.ways = 3;
  EXPECT_THROW(check_constants(config), base::InputError) << "16 lines in sets of three";
}

TEST_F(Constants, OneLevelHoldsNothingAhead) {
  const std::array<std::byte, 64> bytes{};
  cache_.hold(0x1000, bytes);
  EXPECT_EQ(read(0x1000), -1);
  EXPECT_EQ(cache_.look_up_second(0x1000, 0), nullptr);
}

TEST_F(Constants, MissesToALineUnderWayMergeAndRememberTheirOffsets) {
  EXPECT_EQ(miss(0x1004, 7), Miss::kSend);
  EXPECT_EQ(miss(0x1020, 8), Miss::kMerged);
  EXPECT_EQ(miss(0x1030, 9), Miss::kStall) << "two targets";
  EXPECT_EQ(miss(0x2000, 9), Miss::kStall) << "one MSHR";
  fill(0);
  ASSERT_EQ(cache_.mshrs().target_count(mshr_), 2u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[0].target.op, 7u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[0].offset, 4u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[1].target.op, 8u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[1].offset, 0x20u);
  EXPECT_EQ(miss(0x2000, 9, false), Miss::kNoPort);
  EXPECT_EQ(miss(0x2000, 9), Miss::kSend);
}

TEST_F(Constants, EvictTheLeastRecentlyUsedWay) {
  for (const std::uint64_t line : {0x0000u, 0x0200u}) {  // 8 sets: lines 0x200 apart share one
    EXPECT_EQ(miss(line), Miss::kSend);
    fill(static_cast<unsigned>(line / 0x200));
  }
  EXPECT_EQ(read(0x0000), 0);
  EXPECT_EQ(miss(0x0400), Miss::kSend);
  fill(2);
  EXPECT_EQ(read(0x0000), 0);
  EXPECT_EQ(read(0x0200), -1);
  EXPECT_EQ(read(0x0400), 2);
}

TEST(MshrTable, FindsEveryOutstandingLineWhateverTheOrderOfRelease) {
  cache::MshrTable<unsigned> table(8, 2, 128);
  std::map<std::uint64_t, std::uint32_t> outstanding;
  std::uint64_t random = 1;
  for (unsigned step = 0; step < 5000; ++step) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t line = (random >> 40) % 24 * 128 + (random >> 33) % 2 * 0x400000;
    const auto known = outstanding.find(line);
    const std::uint32_t found = table.find(line);
    ASSERT_EQ(found, known == outstanding.end() ? table.kNone : known->second) << step;
    ASSERT_EQ(table.full(), outstanding.size() == 8);
    ASSERT_EQ(table.empty(), outstanding.empty());
    if (known != outstanding.end()) {
      ASSERT_EQ(table.line(found), line);
      table.release(found);
      outstanding.erase(known);
    } else if (!table.full()) {
      outstanding[line] = table.allocate(line, step);
    }
  }
}

TEST(MshrTable, SeveralEntriesOfOneLineAreFoundNewestFirst) {
  cache::MshrTable<unsigned> table(4, 1, 128);
  const std::uint32_t a = table.allocate(0x1000, 1);
  const std::uint32_t other = table.allocate(0x2000, 2);
  const std::uint32_t b = table.allocate(0x1000, 3);
  EXPECT_EQ(table.find(0x1000), b);
  EXPECT_EQ(table.find_next(b), a);
  EXPECT_EQ(table.find_next(a), table.kNone);
  EXPECT_FALSE(table.add(a, 9)) << "one target each";
  table.release(b);
  EXPECT_EQ(table.find(0x1000), a);
  EXPECT_EQ(table.find(0x2000), other);
}

}  // namespace
}  // namespace heddle::core::constant_cache_test
