// DDOS' SIB prediction table ([DDOS/BOWS] §6.3.1).
#include "spin/sib_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "spin/clocked_sib_table.h"

namespace heddle::spin::sib_table_test {
namespace {

class Table : public sc_core::sc_module {
 public:
  explicit Table(const DdosConfig& config = {}, const sc_core::sc_module_name& name = "bench")
      : sc_module(name), table_("table", section(config), stats) {
    isock_.bind(table_.sib_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  SibRequest taken(std::uint32_t pc, bool spinning, Cycle cycle = 0) {
    SibRequest request;
    request.pc = Pc{pc};
    request.cycle = cycle;
    request.spinning = spinning;
    isock_.call(request);
    return request;
  }
  void flush() {
    SibRequest request;
    request.op = SibRequest::Op::kFlush;
    isock_.call(request);
  }
  [[nodiscard]] SibEntry slot(std::uint32_t number) { return read(number).entry; }
  [[nodiscard]] std::uint32_t entries() { return read(0).entries; }
  base::StatGroup stats;

 private:
  static SpinConfig section(const DdosConfig& ddos) {
    SpinConfig config;
    config.ddos = ddos;
    return config;
  }
  SibRequest read(std::uint32_t slot) {
    SibRequest request;
    request.op = SibRequest::Op::kRead;
    request.slot = slot;
    isock_.call(request);
    return request;
  }
  SibTable table_;
  sim::BlockInitiator<SibProtocol> isock_{"isock"};
};

TEST(SibTable, TheFourthSpinningExecutionConfirms) {
  Table t;
  for (std::uint32_t conf = 1; conf <= 3; ++conf) {
    EXPECT_FALSE(t.taken(0x98, true).predicted);
    ASSERT_EQ(t.entries(), 1u);
    EXPECT_EQ(t.slot(0).confidence, conf);
    EXPECT_FALSE(t.slot(0).predicted);
  }
  const SibRequest fourth = t.taken(0x98, true);
  EXPECT_TRUE(fourth.confirmed);
  EXPECT_FALSE(fourth.predicted);  // the execution that confirms does not back off itself
  EXPECT_TRUE(t.taken(0x98, false).predicted);
}

TEST(SibTable, ConfidenceFallsUntilConfirmedOnly) {
  Table t;
  t.taken(7, true);
  t.taken(7, true);
  t.taken(7, false);
  EXPECT_EQ(t.slot(0).confidence, 1u);
  t.taken(7, false);
  EXPECT_TRUE(t.entries() == 0);  // freed
  t.taken(7, false);
  EXPECT_TRUE(t.entries() == 0);
  for (int i = 0; i < 4; ++i) t.taken(7, true);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(t.taken(7, false).predicted);
}

TEST(SibTable, AFullTableTakesNoNewBranch) {
  DdosConfig config;
  config.table_entries = 2;
  Table t(config);
  t.taken(1, true);
  t.taken(2, true);
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(t.taken(3, true).predicted);
  EXPECT_EQ(t.stats.count("full"), 8u);
  t.taken(2, false);  // frees its entry
  t.taken(3, true);
  EXPECT_EQ(t.slot(1).pc, Pc{3});
  EXPECT_EQ(t.stats.count("most_entries"), 2u);
}

TEST(SibTable, AKernelStartsWithAnEmptyTable) {
  Table t;
  for (int i = 0; i < 4; ++i) t.taken(7, true);
  t.flush();
  EXPECT_FALSE(t.taken(7, false).predicted);
}

TEST(SibTable, ThresholdOneConfirmsAtOnce) {
  DdosConfig config;
  config.threshold = 1;
  Table t(config);
  EXPECT_TRUE(t.taken(7, true).confirmed);
  EXPECT_TRUE(t.taken(7, false).predicted);
}

TEST(SibTable, IdealAnswersAtOnce) {
  Table t;
  EXPECT_EQ(t.taken(1, true, 10).known, 10u);
  EXPECT_EQ(t.taken(2, true, 10).known, 10u);
}

// ---- timing: contract

/// Three schedulers.
class Clocked : public sc_core::sc_module {
 public:
  explicit Clocked(PortConflict conflict = PortConflict::kWait, const sc_core::sc_module_name& name = "bench")
      : sc_module(name), table_("table", section(conflict), 3, stats) {
    isock_.bind(table_.sib_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void post(std::uint32_t scheduler, std::uint32_t pc, Cycle cycle, std::uint32_t warp = 9) {
    isock_.post(scheduler, Pc{pc}, true, {.warp = WarpId{warp}, .lanes = LaneMask::all(), .cycle = cycle});
  }
  /// {PC, cycle in which the answer was there} of what is told in `cycle`.
  std::vector<std::pair<std::uint32_t, Cycle>> step(Cycle cycle) {
    answers.clear();
    busy = isock_.step(cycle, answers);
    std::vector<std::pair<std::uint32_t, Cycle>> told;
    for (const SibAnswered& answer : answers) told.emplace_back(answer.pc.value(), answer.event.known);
    return told;
  }
  void forget(std::uint32_t warp) { isock_.forget(WarpId{warp}); }
  void flush() { isock_.flush(); }
  std::vector<SibAnswered> answers;
  std::uint32_t busy = 0;
  base::StatGroup stats;

 private:
  static SpinConfig section(PortConflict conflict) {
    SpinConfig config;
    config.source = SibSource::kDdos;
    config.timing = Timing::kContract;
    config.ddos.port_conflict = conflict;
    return config;
  }
  ClockedSibTable table_;
  SibPort isock_{"isock"};
};
using Told = std::vector<std::pair<std::uint32_t, Cycle>>;

TEST(ClockedSibTable, AnswersInTheNextCycle) {
  Clocked t;
  EXPECT_EQ(t.step(10), Told{});
  t.post(1, 7, 10);
  EXPECT_EQ(t.step(11), (Told{{7, 11}}));
  EXPECT_EQ(t.busy, 0u);
  EXPECT_EQ(t.step(12), Told{}) << "once";
  t.post(1, 7, 12);
  EXPECT_EQ(t.step(500), (Told{{7, 13}})) << "asked late, it says when it was there";
}

TEST(ClockedSibTable, SchedulersTakeTurnsAndWaitInTheirLatches) {
  Clocked t;
  t.step(10);
  for (std::uint32_t s = 0; s < 3; ++s) t.post(s, s, 10);
  EXPECT_EQ(t.step(11), (Told{{0, 11}}));
  EXPECT_EQ(t.busy, 0b110u);
  t.post(0, 9, 11);
  EXPECT_EQ(t.step(12), (Told{{1, 12}})) << "0 was served last: its turn comes last";
  EXPECT_EQ(t.busy, 0b101u);
  EXPECT_EQ(t.step(20), (Told{{2, 13}, {9, 14}}));
  EXPECT_EQ(t.stats.count("look_ups"), 4u);
  EXPECT_EQ(t.stats.count("port_conflicts"), 3u);
  EXPECT_EQ(t.stats.count("port_wait_cycles"), 1u + 2u + 2u);
  EXPECT_EQ(t.stats.count("most_entries"), 4u);
}

TEST(ClockedSibTable, OrIsDropped) {
  Clocked t(PortConflict::kDrop);
  t.step(10);
  t.post(0, 1, 10), t.post(1, 2, 10);
  EXPECT_EQ(t.step(11), (Told{{1, 11}}));
  EXPECT_EQ(t.busy, 0u);
  t.post(1, 2, 11);
  EXPECT_EQ(t.step(12), (Told{{2, 12}}));
  EXPECT_EQ(t.stats.count("port_conflicts"), 1u);
  EXPECT_EQ(t.stats.count("look_ups"), 2u);
  EXPECT_EQ(t.stats.count("port_wait_cycles"), 0u);
}

TEST(ClockedSibTable, WhatIsUnderWayForAWarpThatIsGoneIsLearntAndNotTold) {
  Clocked t;
  for (Cycle cycle = 1; cycle <= 4; ++cycle) t.step(cycle), t.post(0, 7, cycle);
  t.step(5);
  ASSERT_TRUE(t.answers.front().confirmed);
  t.post(0, 7, 5, 3), t.post(1, 7, 5, 4), t.post(2, 8, 5, 4);
  t.forget(4);
  ASSERT_EQ(t.step(9).size(), 3u);
  for (const SibAnswered& answer : t.answers)
    EXPECT_EQ(answer.event.lanes.any(), answer.event.warp == WarpId{3});
  EXPECT_EQ(t.stats.count("most_entries"), 2u);
}

TEST(ClockedSibTable, AKernelStartsWithAnEmptyTableAndEmptyLatches) {
  Clocked t;
  for (Cycle cycle = 1; cycle <= 4; ++cycle) t.step(cycle), t.post(0, 7, cycle);
  t.step(5);
  t.post(0, 7, 5), t.post(1, 7, 5);
  t.flush();
  EXPECT_EQ(t.step(6), Told{});
  EXPECT_EQ(t.busy, 0u);
  t.post(1, 7, 6);
  t.step(7);
  EXPECT_FALSE(t.answers.front().predicted);
}

}  // namespace
}  // namespace heddle::spin::sib_table_test
