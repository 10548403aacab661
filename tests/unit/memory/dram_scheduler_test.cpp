#include <algorithm>
#include <vector>

#include "unit/memory/dram_rig.h"

namespace heddle::memory::dram_scheduler_test {
namespace {

TEST(DramScheduler, RowMissThenHitThenConflict) {
  DramCounters c;
  const auto log = run(plain(), {read(0, 0), read(1, 128), read(2, kRowStride)}, &c);
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kRead, 0, 0, 0, false, 26},  // tRCD; data after tCL = 12 for 2 cycles
                     {14, Kind::kRead, 0, 0, 0, true, 28},   // tCCD
                     {16, Kind::kRead, 0, 0, 1, false, 30},
                     {18, Kind::kRead, 0, 0, 1, true, 32},
                     {28, Kind::kPrecharge, 0, 0, 2},  // tRAS after the activate
                     {40, Kind::kActivate, 0, 1, 2},   // tRP, tRC
                     {52, Kind::kRead, 0, 1, 2, false, 66},
                     {54, Kind::kRead, 0, 1, 2, true, 68},
                 }));
  EXPECT_EQ(c.row_misses, 1u);
  EXPECT_EQ(c.row_hits, 1u);
  EXPECT_EQ(c.row_conflicts, 1u);
  EXPECT_EQ(c.data_cycles, 12u);
  EXPECT_EQ(c.queue_cycles, 14u + 18u + 54u);
}

TEST(DramScheduler, WriteRecoveryDelaysThePrecharge) {
  const auto log = run(plain(), {write(0, 0), read(1, kRowStride)});
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kWrite, 0, 0, 0, false, 18},  // tWL = 4, 2 cycles of data
                     {14, Kind::kWrite, 0, 0, 0, true, 20},
                     {32, Kind::kPrecharge, 0, 0, 1},  // 20 + tWR
                     {44, Kind::kActivate, 0, 1, 1},
                     {56, Kind::kRead, 0, 1, 1, false, 70},
                     {58, Kind::kRead, 0, 1, 1, true, 72},
                 }));
}

TEST(DramScheduler, BusTurnsRoundBetweenReadsAndWrites) {
  const auto log = run(plain(), {write(0, 0), read(1, 128), write(2, 256)});
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kWrite, 0, 0, 0, false, 18},
                     {14, Kind::kWrite, 0, 0, 0, true, 20},
                     {25, Kind::kRead, 0, 0, 1, false, 39},  // 20 + tCDLR
                     {27, Kind::kRead, 0, 0, 1, true, 41},
                     {39, Kind::kWrite, 0, 0, 2, false, 45},  // 27 + tCL + 2 + 2 - tWL
                     {41, Kind::kWrite, 0, 0, 2, true, 47},
                 }));
}

TEST(DramScheduler, BanksOverlapButActivatesKeepTheirDistance) {
  const auto log = run(plain(), {read(0, 0), read(1, kBankStride), read(2, 2 * kBankStride)});
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {6, Kind::kActivate, 1, 0, 1},          // tRRD
                     {12, Kind::kRead, 0, 0, 0, false, 26},  // a column command goes before a row command
                     {13, Kind::kActivate, 2, 0, 2},
                     {14, Kind::kRead, 0, 0, 0, true, 28},
                     {18, Kind::kRead, 1, 0, 1, false, 32},
                     {20, Kind::kRead, 1, 0, 1, true, 34},
                     {25, Kind::kRead, 2, 0, 2, false, 39},
                     {27, Kind::kRead, 2, 0, 2, true, 41},
                 }));
}

std::vector<std::uint32_t> completion_order(const std::vector<IssuedCommand>& log) {
  std::vector<std::uint32_t> order;
  for (const IssuedCommand& i : log)
    if (i.last) order.push_back(i.id);
  return order;
}

TEST(DramScheduler, RowHitsOvertakeAnOlderConflict) {
  const auto log = run(plain(), {read(0, 0), read(1, kRowStride), read(2, 128), read(3, 256)});
  EXPECT_EQ(completion_order(log), (std::vector<std::uint32_t>{0, 2, 3, 1}));
}

TEST(DramScheduler, WithLimitZeroNothingOvertakes) {
  DramConfig config = plain();
  config.starvation_limit_cycles = 0;
  const auto log = run(config, {read(0, 0), read(1, kRowStride), read(2, 128), read(3, 256)});
  EXPECT_EQ(completion_order(log), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(DramScheduler, AStreamOfHitsCannotStarveAConflict) {
  DramConfig config = plain();
  config.starvation_limit_cycles = 100;
  std::vector<DramAccess> accesses{read(0, 0), read(1, kRowStride)};
  for (std::uint32_t k = 0; k < 200; ++k) accesses.push_back(read(2 + k, 128ull * (k % 32), 4ull * k));
  DramCounters counters;
  const auto order = completion_order(run(config, accesses, &counters));
  const auto position = std::find(order.begin(), order.end(), 1u) - order.begin();
  // 4 cycles a hit: about 25 hits fit before the limit, none after it.
  EXPECT_GT(position, 15);
  EXPECT_LT(position, 30);
  EXPECT_GE(counters.starved, 1u);
  config.starvation_limit_cycles = 1'000'000;
  const auto without = completion_order(run(config, accesses));
  EXPECT_EQ(without.back(), 1u);
}

TEST(DramScheduler, SustainsTheConfiguredBandwidthOnHits) {
  std::vector<DramAccess> accesses;
  for (std::uint32_t k = 0; k < 32 * 64; ++k) accesses.push_back(read(k, std::uint64_t{k} * 128));
  DramCounters counters;
  const auto log = run(plain(), accesses, &counters);
  const double bytes_per_cycle = 32.0 * 64 * 128 / static_cast<double>(log.back().data_end);
  EXPECT_GT(bytes_per_cycle, 31.0);  // 32 at most; the next row opens while this one is read
  EXPECT_EQ(counters.data_cycles, 32u * 64 * 4);
}

}  // namespace
}  // namespace heddle::memory::dram_scheduler_test
