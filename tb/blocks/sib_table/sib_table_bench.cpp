// The SIB prediction table, as model and as RTL.
#include "VSibTable16.h"
#include "VSibTable2.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "cosim/coverage.h"
#include "cosim/lockstep_bench.h"
#include "cosim/sib_table_pins.h"
#include "cosim/twins.h"

namespace heddle::sib_table_bench {
namespace {

using base::Pc;
using spin::SibEntry;
using spin::SibRequest;
using spin::SibTableBlock;
using spin::SibTableModel;
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

// ---- Random, clock by clock

/// Branches of a kernel: more of them than there are entries, at times few, so that some are confirmed.
class Traffic {
 public:
  Traffic(std::uint32_t entries, std::uint32_t threshold) : entries_(entries), threshold_(threshold) {
    for (const char* event : {"enters", "enters the last slot", "is full", "confirmed", "predicted",
                              "predicted although it does not spin", "is not there and does not spin",
                              "flush of entries", "read of a free slot", "read of the last slot"})
      coverage.declare(event);
    // With a threshold of 1 each branch is predicted as soon as it is there.
    if (threshold_ > 1)
      for (const char* event :
           {"confidence rises", "confidence falls", "is forgotten", "enters a slot below others"})
        coverage.declare(event);
  }

  SibRequest operator()(const SibTableModel& model, std::mt19937& random) {
    SibRequest request;
    const unsigned kind = random() % 256;
    if (kind == 0) {
      request.op = Op::kFlush;
    } else if (kind < 64) {
      request.op = Op::kRead;
      request.slot = random() % entries_;
    } else {
      const bool crowded = phase_++ / 512 % 2 != 0;
      // PCs that differ in their low, or in their high bits only.
      const std::uint32_t which = random() % (crowded ? 2 * entries_ : entries_ / 2 + 1);
      request.pc = Pc{random() % 2 == 0 ? which : which << 24};
      request.spinning = random() % 16 < (crowded ? 11u : 8u);
    }
    cover(request, model);
    return request;
  }

  cosim::Coverage coverage{{}};

 private:
  void cover(const SibRequest& request, const SibTableModel& model) {
    SibEntry there;
    std::uint32_t lowest_free = entries_, used = 0, highest = 0;
    for (std::uint32_t slot = entries_; slot-- != 0;) {
      SibRequest read{.op = Op::kRead, .slot = slot};
      model.inspect(read);
      used = read.entries;
      if (!read.entry.valid) lowest_free = slot;
      if (read.entry.valid && highest == 0) highest = slot;
      if (read.entry.valid && read.entry.pc == request.pc) there = read.entry;
    }
    switch (request.op) {
      case Op::kFlush:
        coverage.hit("flush of entries", used != 0);
        break;
      case Op::kRead:
        coverage.hit("read of a free slot", request.slot >= lowest_free && request.slot > highest);
        coverage.hit("read of the last slot", request.slot == entries_ - 1 && used == entries_);
        break;
      case Op::kLookUp:
        coverage.hit("is not there and does not spin", !there.valid && !request.spinning);
        coverage.hit("predicted", there.predicted);
        coverage.hit("predicted although it does not spin", there.predicted && !request.spinning);
        if (there.predicted) break;
        coverage.hit("confirmed", request.spinning && (there.valid || used < entries_) &&
                                      there.confidence + 1 == threshold_);
        if (!there.valid && request.spinning) {
          coverage.hit("enters", used < entries_);
          coverage.hit("enters the last slot", lowest_free == entries_ - 1);
          coverage.hit("is full", used == entries_);
          if (threshold_ > 1) coverage.hit("enters a slot below others", lowest_free < highest);
        }
        if (threshold_ == 1 || !there.valid) break;
        coverage.hit("confidence rises", request.spinning);
        coverage.hit("confidence falls", !request.spinning && there.confidence > 1);
        coverage.hit("is forgotten", !request.spinning && there.confidence == 1);
        break;
    }
  }
  std::uint32_t entries_, threshold_;
  unsigned phase_ = 0;
};

class SibTableLockstep : public ::testing::TestWithParam<cosim::StallRates> {
 protected:
  template <class V>
  void run(std::uint32_t entries, std::uint32_t threshold) {
    cosim::LockstepBench<V, cosim::SibTablePins, SibTableBlock> bench(
        SibTableModel(config_of(entries, threshold).ddos), "sib_table_" + std::to_string(entries), 1,
        {entries});
    Traffic traffic(entries, threshold);
    bench.run(40000, GetParam(), std::ref(traffic));
    EXPECT_TRUE(traffic.coverage.missing().empty())
        << ::testing::PrintToString(traffic.coverage.missing()) << " of\n"
        << traffic.coverage.table();
  }
};

TEST_P(SibTableLockstep, EqualsItsModelClockByClock) { run<VSibTable16>(16, 4); }
TEST_P(SibTableLockstep, EqualsItsModelClockByClockWhereBranchesAreConfirmedAtOnce) { run<VSibTable2>(2, 1); }

INSTANTIATE_TEST_SUITE_P(Stalls, SibTableLockstep, cosim::stall_rates(), cosim::name_stalls);

/// A block that differs from the RTL in a corner: it does not enter branches at the end of the address space.
struct ShySibTable : SibTableBlock {
  struct Model : SibTableModel {
    using SibTableModel::SibTableModel;
    void serve(SibRequest& request) {
      if (request.pc.value() >= 17u << 24) request.spinning = false;
      SibTableModel::serve(request);
    }
  };
};

TEST(SibTableLockstep, SeesADifferenceInACorner) {
  // Not the object itself: a failure of the inner run is expected, once.
  static auto differ = [] {
    cosim::LockstepBench<VSibTable16, cosim::SibTablePins, ShySibTable> bench(
        ShySibTable::Model(config_of(16, 4).ddos), "sib_table_differs", 1, {16});
    Traffic traffic(16, 4);
    bench.run(40000, {}, std::ref(traffic));
  };
  EXPECT_FATAL_FAILURE(differ(), "clock");
}

}  // namespace
}  // namespace heddle::sib_table_bench
