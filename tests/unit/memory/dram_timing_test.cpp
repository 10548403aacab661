// Every timing rule by its number, and refresh.
#include <vector>

#include "memory/dram_timing.h"
#include "unit/memory/dram_rig.h"

namespace heddle::memory::dram_timing_test {
namespace {

/// Every rule has a unique value, so that a distance identifies the rule it comes from.
DramConfig distinct() {
  DramConfig c;
  c.t_cl = 10;
  c.t_rcd = 14;
  c.t_rcdwr = 9;
  c.t_rp = 13;
  c.t_ras = 31;
  c.t_rc = 47;
  c.t_rrd = 5;
  c.t_rrdl = 8;
  c.t_faw = c.t_32aw = c.t_refi = 0;
  c.t_wl = 6;
  c.t_cdlr = 7;
  c.t_cdlrl = 11;
  c.t_wr = 15;
  c.t_rtp = 4;
  c.t_rtpl = 3;
  c.t_rtw = 12;
  c.t_ccd = 3;
  c.t_ccdl = 5;
  c.t_ppd = 2;
  c.bank_groups = 4;  // bursts take 2 cycles
  return c;
}

constexpr std::uint32_t kSame = 0, kGroup = 4, kOther = 1;  // banks, seen from bank 0

/// Cycles from a command on bank 0 to the earliest one on bank `to`, with no other recent commands.
base::Cycle distance(const DramConfig& config, Kind first, Kind second, std::uint32_t to) {
  DramTiming timing(config);
  constexpr base::Cycle kAt = 10'000;
  if (first != Kind::kActivate) timing.issue(Kind::kActivate, 0, 0, 0);
  if (to != kSame && second != Kind::kActivate) timing.issue(Kind::kActivate, to, 0, 1'000);
  timing.issue(first, 0, 0, kAt);
  return timing.earliest(second, to) - kAt;
}

TEST(DramTiming, EveryRuleKeepsItsDistance) {
  const DramConfig c = distinct();
  const Kind act = Kind::kActivate, pre = Kind::kPrecharge, rd = Kind::kRead, wr = Kind::kWrite;
  const struct {
    Kind first, second;
    base::Cycle same, group, other;  // 0: not possible
  } table[] = {
      {act, act, 47, 8, 5},                         // tRC, tRRDL, tRRD
      {act, rd, 14, 1, 1},                          // tRCD
      {act, wr, 9, 1, 1},                           // tRCDWR
      {act, pre, 31, 1, 1},                         // tRAS
      {pre, act, 13, 1, 1},                         // tRP
      {pre, pre, 0, 2, 2},                          // tPPD
      {rd, pre, 4, 3, 1},                           // tRTP, tRTPL
      {wr, pre, 6 + 2 + 15, 1, 1},                  // tWL + b + tWR
      {rd, rd, 5, 5, 3},                            // tCCDL, tCCD
      {wr, wr, 5, 5, 3},                            //
      {rd, wr, 12, 12, 12},                         // tRTW
      {wr, rd, 6 + 2 + 11, 6 + 2 + 11, 6 + 2 + 7},  // tWL + b + tCDLRL, tCDLR
      {rd, act, 0, 1, 1},
      {wr, act, 0, 1, 1},  // only the command bus matters
  };
  for (const auto& row : table) {
    const auto where = [&] {
      return std::to_string(int(row.first)) + " to " + std::to_string(int(row.second));
    };
    if (row.same != 0) {
      EXPECT_EQ(distance(c, row.first, row.second, kSame), row.same) << where();
    }
    EXPECT_EQ(distance(c, row.first, row.second, kGroup), row.group) << where();
    EXPECT_EQ(distance(c, row.first, row.second, kOther), row.other) << where();
  }
}

TEST(DramTiming, ARuleOfZeroIsOffOrFallsBack) {
  const Kind act = Kind::kActivate, pre = Kind::kPrecharge, rd = Kind::kRead, wr = Kind::kWrite;
  const auto without = [](std::uint32_t DramConfig::*key) {
    DramConfig c = distinct();
    c.*key = 0;
    return c;
  };
  EXPECT_EQ(distance(without(&DramConfig::t_rcdwr), act, wr, kSame), 14u);
  EXPECT_EQ(distance(without(&DramConfig::t_rrdl), act, act, kGroup), 5u);
  EXPECT_EQ(distance(without(&DramConfig::t_ccdl), rd, rd, kSame), 3u);
  EXPECT_EQ(distance(without(&DramConfig::t_ccdl), wr, wr, kGroup), 3u);
  EXPECT_EQ(distance(without(&DramConfig::t_cdlrl), wr, rd, kGroup), 6u + 2 + 7);
  EXPECT_EQ(distance(without(&DramConfig::t_rtw), rd, wr, kSame), 10u + 2 + 2 - 6);
  EXPECT_EQ(distance(without(&DramConfig::t_rtpl), rd, pre, kGroup), 1u);
  EXPECT_EQ(distance(without(&DramConfig::t_rtp), rd, pre, kSame), 3u);  // only tRTPL applies
  EXPECT_EQ(distance(without(&DramConfig::t_ppd), pre, pre, kOther), 1u);
}

TEST(DramTiming, TheColumnDistanceOfAGroupHoldsForReadToWriteToo) {
  DramConfig c = distinct();
  c.t_rtw = 6;
  c.t_ccdl = 9;
  EXPECT_EQ(distance(c, Kind::kRead, Kind::kWrite, kSame), 9u);
  EXPECT_EQ(distance(c, Kind::kRead, Kind::kWrite, kGroup), 9u);
  EXPECT_EQ(distance(c, Kind::kRead, Kind::kWrite, kOther), 6u);
}

TEST(DramTiming, ABurstLongerThanTheColumnDistanceHoldsTheBus) {
  DramConfig c = distinct();
  c.burst_bytes = 256;  // 8 cycles
  c.t_rtw = 0;
  EXPECT_EQ(distance(c, Kind::kRead, Kind::kRead, kOther), 8u);
  EXPECT_EQ(distance(c, Kind::kWrite, Kind::kWrite, kOther), 8u);
  EXPECT_EQ(distance(c, Kind::kRead, Kind::kWrite, kOther), 10u + 8 + 2 - 6);
}

/// Cycles of `count` activates of different banks, each as early as possible.
std::vector<base::Cycle> activates(const DramConfig& config, unsigned count) {
  DramTiming timing(config);
  std::vector<base::Cycle> cycles;
  for (unsigned bank = 0; bank < count; ++bank) {
    cycles.push_back(timing.earliest(Kind::kActivate, bank));
    timing.issue(Kind::kActivate, bank, 0, cycles.back());
  }
  return cycles;
}

TEST(DramTiming, WindowsLimitTheActivates) {
  DramConfig c = distinct();
  c.banks = 64;
  c.t_rrdl = 0;
  EXPECT_EQ(activates(c, 6), (std::vector<base::Cycle>{0, 5, 10, 15, 20, 25}));
  c.t_faw = 32;
  EXPECT_EQ(activates(c, 10), (std::vector<base::Cycle>{0, 5, 10, 15, 32, 37, 42, 47, 64, 69}));
  c.t_faw = 0;
  c.t_32aw = 300;
  const auto cycles = activates(c, 64);
  EXPECT_EQ(cycles[31], 155u);
  EXPECT_EQ(cycles[32], 300u);
  EXPECT_EQ(cycles[33], 305u);
  EXPECT_EQ(cycles[63], 455u);
}

// ---- refresh ----

DramConfig refreshed() {
  DramConfig c = plain();
  c.t_refi = 200;
  c.t_rfc = 30;
  return c;
}

TEST(DramRefresh, ClosesTheRowsAndComesBeforeEverything) {
  DramCounters counters;
  const auto log = run(refreshed(), {read(0, 0), read(1, 128, 198), read(2, kBankStride, 210)}, &counters);
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kRead, 0, 0, 0, false, 26},
                     {14, Kind::kRead, 0, 0, 0, true, 28},
                     {198, Kind::kRead, 0, 0, 1, false, 212},
                     {200, Kind::kPrechargeAll, 0, 0, 0},  // in the middle of request 1
                     {212, Kind::kRefresh, 0, 0, 0},       // tRP
                     {242, Kind::kActivate, 0, 0, 1},      // tRFC
                     {248, Kind::kActivate, 1, 0, 2},
                     {254, Kind::kRead, 0, 0, 1, true, 268},
                     {260, Kind::kRead, 1, 0, 2, false, 274},
                     {262, Kind::kRead, 1, 0, 2, true, 276},
                 }));
  EXPECT_EQ(counters.refreshes, 1u);
  EXPECT_EQ(counters.precharges, 1u);
  EXPECT_EQ(counters.row_hits, 1u);  // request 1 had found its row open
  EXPECT_EQ(counters.row_misses, 2u);
}

TEST(DramRefresh, WaitsForWriteRecovery) {
  const auto log = run(refreshed(), {write(0, 0, 178), read(1, 128, 199)});
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {178, Kind::kActivate, 0, 0, 0},
                     {190, Kind::kWrite, 0, 0, 0, false, 196},
                     {192, Kind::kWrite, 0, 0, 0, true, 198},
                     {210, Kind::kPrechargeAll, 0, 0, 0},  // 198 + tWR
                     {222, Kind::kRefresh, 0, 0, 0},
                     {252, Kind::kActivate, 0, 0, 1},
                     {264, Kind::kRead, 0, 0, 1, false, 278},
                     {266, Kind::kRead, 0, 0, 1, true, 280},
                 }));
}

TEST(DramRefresh, OfAnIdleChannelIsFoundOutByTheNextRequest) {
  const auto after_first = [](base::Cycle arrival, DramCounters& counters) {
    auto log = run(refreshed(), {read(0, 0), read(1, 128, arrival)}, &counters);
    EXPECT_EQ(log, run(refreshed(), {read(0, 0), read(1, 128, arrival)}, nullptr, true));
    log.erase(log.begin(), log.begin() + 3);
    return log;
  };
  DramCounters counters;
  // Between precharge (200) and refresh (212).
  EXPECT_EQ(after_first(205, counters), (std::vector<IssuedCommand>{
                                            {212, Kind::kRefresh, 0, 0, 0},
                                            {242, Kind::kActivate, 0, 0, 1},
                                            {254, Kind::kRead, 0, 0, 1, false, 268},
                                            {256, Kind::kRead, 0, 0, 1, true, 270},
                                        }));
  EXPECT_EQ(counters.refreshes, 1u);
  // During the refresh.
  EXPECT_EQ(after_first(230, counters).front(), (IssuedCommand{242, Kind::kActivate, 0, 0, 1}));
  // Long after: the row has been closed all the same.
  EXPECT_EQ(after_first(250, counters).front(), (IssuedCommand{250, Kind::kActivate, 0, 0, 1}));
  EXPECT_EQ(counters.row_hits, 0u);
  EXPECT_EQ(counters.precharges, 1u);
  // Four refreshes later, when the fifth is due.
  EXPECT_EQ(after_first(1000, counters), (std::vector<IssuedCommand>{
                                             {1000, Kind::kRefresh, 0, 0, 0},
                                             {1030, Kind::kActivate, 0, 0, 1},
                                             {1042, Kind::kRead, 0, 0, 1, false, 1056},
                                             {1044, Kind::kRead, 0, 0, 1, true, 1058},
                                         }));
  EXPECT_EQ(counters.refreshes, 5u);
  // Just before: the row is opened, and closed again as soon as possible.
  EXPECT_EQ(after_first(999, counters), (std::vector<IssuedCommand>{
                                            {999, Kind::kActivate, 0, 0, 1},
                                            {1027, Kind::kPrechargeAll, 0, 0, 0},  // tRAS
                                            {1039, Kind::kRefresh, 0, 0, 0},
                                            {1069, Kind::kActivate, 0, 0, 1},
                                            {1081, Kind::kRead, 0, 0, 1, false, 1095},
                                            {1083, Kind::kRead, 0, 0, 1, true, 1097},
                                        }));
  EXPECT_EQ(after_first(100'000, counters).front(), (IssuedCommand{100'000, Kind::kRefresh, 0, 0, 0}));
  EXPECT_EQ(counters.refreshes, 500u);
}

TEST(DramRefresh, TakesItsShareOfTheBandwidth) {
  DramConfig config = plain();
  std::vector<DramAccess> accesses;
  for (std::uint32_t k = 0; k < 32 * 256; ++k) accesses.push_back(read(k, std::uint64_t{k} * 128));
  const auto without = run(config, accesses).back().data_end;
  config.t_refi = 3604;
  config.t_rfc = 60;
  DramCounters counters;
  const auto with = run(config, accesses, &counters).back().data_end;
  EXPECT_EQ(counters.refreshes, with / 3604);
  // Per refresh: precharge, tRFC, and reopening the row before data can flow.
  EXPECT_GT(with, without + counters.refreshes * (60 + 12));
  EXPECT_LT(with, without + counters.refreshes * (60 + 12 + 12 + 14 + 10));
}

}  // namespace
}  // namespace heddle::memory::dram_timing_test
