// DDOS' SIB prediction table ([DDOS/BOWS] §6.3.1).
#include "spin/sib_table.h"

#include <gtest/gtest.h>

namespace heddle::spin::sib_table_test {
namespace {

class Table : public sc_core::sc_module {
 public:
  explicit Table(const DdosConfig& config = {}, Timing timing = Timing::kIdeal,
                 const sc_core::sc_module_name& name = "bench")
      : sc_module(name), table_("table", section(config, timing), stats) {
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
  static SpinConfig section(const DdosConfig& ddos, Timing timing) {
    SpinConfig config;
    config.timing = timing;
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

TEST(SibTable, ContractASecondLookUpInAClockWaits) {
  Table t({}, Timing::kContract);
  EXPECT_EQ(t.taken(1, true, 10).known, 11u);
  EXPECT_EQ(t.taken(2, true, 10).known, 12u);
  EXPECT_EQ(t.taken(3, true, 10).known, 13u);
  EXPECT_EQ(t.taken(4, true, 13).known, 14u);
  EXPECT_EQ(t.stats.count("port_conflicts"), 2u);
  EXPECT_EQ(t.stats.count("port_wait_cycles"), 3u);
  EXPECT_EQ(t.entries(), 4u);
}

TEST(SibTable, ContractOrIsDropped) {
  DdosConfig config;
  config.port_conflict = PortConflict::kDrop;
  Table t(config, Timing::kContract);
  EXPECT_FALSE(t.taken(1, true, 10).dropped);
  EXPECT_TRUE(t.taken(2, true, 10).dropped);
  EXPECT_FALSE(t.taken(2, true, 11).dropped);
  EXPECT_EQ(t.entries(), 2u);
  EXPECT_EQ(t.stats.count("port_conflicts"), 1u);
}

TEST(SibTable, IdealAnswersAtOnce) {
  Table t;
  EXPECT_EQ(t.taken(1, true, 10).known, 10u);
  EXPECT_EQ(t.taken(2, true, 10).known, 10u);
}

}  // namespace
}  // namespace heddle::spin::sib_table_test
