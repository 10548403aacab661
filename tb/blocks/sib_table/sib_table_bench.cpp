// The SIB prediction table in stopped time, as model and as RTL. clocked_sib_table_bench.cpp has it clock by clock.
#include "VSibTable16.h"
#include "VSibTable2.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cosim/lockstep_bench.h"
#include "cosim/twins.h"
#include "spin/sib_table.h"

namespace heddle::sib_table_bench {
namespace {

using base::Pc;
using spin::SibEntry;
using spin::SibRequest;
using Op = SibRequest::Op;

spin::SpinConfig config_of(std::uint32_t entries, std::uint32_t threshold,
                           sim::Implementation impl = sim::Implementation::kModel) {
  spin::SpinConfig config;
  config.source = spin::SibSource::kDdos;
  config.ddos.table_entries = entries;
  config.ddos.threshold = threshold;
  config.sib_table.impl = impl;
  return config;
}

// ---- Directed, through the block's socket

/// The table and its user.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, const spin::SpinConfig& config) : sc_module(name) {
    cosim::provide_twins(twins);
    table = std::make_unique<spin::SibTable>("sib_table", config, stats, &twins);
    isock.bind(table->sib_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  SibRequest taken(std::uint32_t pc, bool spinning) {
    return ask({.op = Op::kLookUp, .pc = Pc{pc}, .spinning = spinning});
  }
  SibEntry slot(std::uint32_t number) { return ask({.op = Op::kRead, .slot = number}).entry; }
  SibRequest ask(SibRequest request) {
    isock.call(request);
    return request;
  }
  sim::Twins twins;
  base::StatGroup stats;
  std::unique_ptr<spin::SibTable> table;
  sim::BlockInitiator<spin::SibProtocol> isock{"isock"};
};

class SibTableBench : public ::testing::TestWithParam<sim::Implementation> {};

TEST_P(SibTableBench, TheFourthSpinningExecutionConfirms) {
  Rig rig("rig", config_of(16, 4, GetParam()));
  for (std::uint32_t confidence = 1; confidence <= 3; ++confidence) {
    const SibRequest request = rig.taken(0x98, true);
    EXPECT_FALSE(request.predicted || request.confirmed);
    EXPECT_EQ(rig.slot(0), (SibEntry{true, Pc{0x98}, confidence, false}));
  }
  const SibRequest fourth = rig.taken(0x98, true);
  EXPECT_TRUE(fourth.confirmed);
  EXPECT_FALSE(fourth.predicted);
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(rig.taken(0x98, i % 2 == 0).predicted);
  EXPECT_TRUE(rig.slot(0).predicted);
  EXPECT_EQ(rig.stats.count("confirmed"), 1u);
  EXPECT_EQ(rig.stats.count("hits"), 9u);
}

TEST_P(SibTableBench, ABranchWhoseConfidenceFallsToZeroGivesItsSlotToTheNext) {
  Rig rig("rig", config_of(16, 4, GetParam()));
  for (const std::uint32_t pc : {10u, 20u, 20u, 30u}) rig.taken(pc, true);
  EXPECT_EQ(rig.taken(10, false).entries, 2u);
  EXPECT_EQ(rig.taken(10, false).entries, 2u) << "it is not there: nothing changes";
  EXPECT_FALSE(rig.slot(0).valid);
  EXPECT_EQ(rig.taken(20, false).entries, 2u);
  EXPECT_EQ(rig.slot(1), (SibEntry{true, Pc{20}, 1, false}));
  rig.taken(0xffffffff, true);
  EXPECT_EQ(rig.slot(0), (SibEntry{true, Pc{0xffffffff}, 1, false}));
  EXPECT_EQ(rig.stats.count("most_entries"), 3u);
}

TEST_P(SibTableBench, AFullTableTakesNoNewBranchAndAKernelStartsWithAnEmptyOne) {
  Rig rig("rig", config_of(2, 1, GetParam()));
  for (const std::uint32_t pc : {1u, 2u}) EXPECT_TRUE(rig.taken(pc, true).confirmed);
  for (int i = 0; i < 3; ++i) {
    const SibRequest third = rig.taken(3, true);
    EXPECT_TRUE(third.full);
    EXPECT_FALSE(third.confirmed);
  }
  EXPECT_EQ(rig.stats.count("full"), 3u);
  EXPECT_TRUE(rig.taken(2, false).predicted);
  EXPECT_EQ(rig.ask({.op = Op::kFlush}).entries, 0u);
  EXPECT_FALSE(rig.taken(2, false).predicted);
  EXPECT_TRUE(rig.taken(3, true).confirmed);
  EXPECT_EQ(rig.slot(0).pc, Pc{3});
}

INSTANTIATE_TEST_SUITE_P(As, SibTableBench, cosim::every_implementation(), cosim::name_implementation);

TEST(SibTableTwin, OtherSizesHaveNoRtl) {
  for (const auto& [entries, threshold] : {std::pair{16u, 1u}, {8u, 4u}}) {
    try {
      Rig rig("rig", config_of(entries, threshold, sim::Implementation::kRtl));
      ADD_FAILURE() << "not refused";
    } catch (const base::InputError& error) {
      EXPECT_NE(std::string(error.what())
                    .find(fmt::format("this core has {} for threshold {}", entries, threshold)),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace heddle::sib_table_bench
