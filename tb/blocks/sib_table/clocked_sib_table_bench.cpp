// The clocked SIB prediction table: model and RTL compared in every clock under random traffic of several schedulers with random
// stalls, and beside them the bench's own account of what each look-up must find.
#include "VSibTable16.h"
#include "VSibTable16NoDebug.h"
#include "VSibTable2.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "cosim/coverage.h"
#include "cosim/lockstep_bench.h"
#include "cosim/sib_table_pins.h"
#include "cosim/twins.h"
#include "spin/clocked_sib_table.h"

namespace heddle::clocked_sib_table_bench {
namespace {

using base::Cycle;
using base::LaneMask;
using base::Pc;
using base::WarpId;
using spin::SibAnswer;
using spin::SibAnswered;
using spin::SibPins;
using spin::SibUnitModel;

/// What a table of `entries` branches knows, by PC.
class Account {
 public:
  Account(std::uint32_t entries, std::uint32_t threshold) : entries_(entries), threshold_(threshold) {}

  SibAnswer look_up(std::uint32_t requester, std::uint32_t pc, bool spinning) {
    SibAnswer answer{.valid = true, .requester = requester};
    const auto found = times_.find(pc);
    if (found != times_.end() && found->second == threshold_) {
      answer.predicted = true;
    } else if (spinning) {
      answer.full = found == times_.end() && times_.size() == entries_;
      if (!answer.full) answer.confirmed = ++times_[pc] == threshold_;
    } else if (found != times_.end() && --found->second == 0) {
      times_.erase(found);
    }
    return answer;
  }
  void flush() { times_.clear(); }
  [[nodiscard]] std::size_t entries() const { return times_.size(); }
  [[nodiscard]] bool has(std::uint32_t pc) const { return times_.contains(pc); }

 private:
  std::uint32_t entries_, threshold_;
  std::map<std::uint32_t, std::uint32_t> times_;  ///< executions while spinning, that count
};

/// Branches of a kernel: more of them than there are entries, at times few, so that some are confirmed. PCs differ in their low, or in
/// their high bits only.
struct Branches {
  std::uint32_t entries;
  SibPins::Look any(std::mt19937& random, unsigned clock) const {
    const bool crowded = clock / 512 % 2 != 0;
    const auto which = static_cast<std::uint32_t>(random() % (crowded ? 2 * entries : entries / 2 + 1));
    return {.valid = true,
            .pc = Pc{random() % 2 == 0 ? which : which << 24},
            .spinning = random() % 16 < (crowded ? 11u : 8u)};
  }
};

// ---- On the pins

constexpr unsigned kQuiet = 252;  ///< Traffic::idle at times
struct Traffic {
  std::uint32_t requesters;
  unsigned idle;       ///< of 256 clocks in which a requester has nothing, so many begin without a look-up
  unsigned withdrawn;  ///< of 256 clocks in which it is not served, so many end the look-up
  friend void PrintTo(const Traffic& t, std::ostream* out) { *out << t.requesters << " requesters"; }
};
class SibUnitLockstep : public ::testing::TestWithParam<Traffic> {
 protected:
  template <class V, std::uint32_t entries>
  void run(std::uint32_t threshold) {
    const Traffic traffic = GetParam();
    spin::DdosConfig config;
    config.table_entries = entries;
    config.threshold = threshold;
    sim::TwinUse use;
    use.timing = sim::Timing::kContract;
    use.waves = cosim::waves_file("sib_table_" + std::to_string(entries));
    const auto both =
        spin::lockstep_sib_unit("bench", entries, std::make_unique<SibUnitModel>(config, traffic.requesters),
                                std::make_unique<cosim::SibTableRtl<V, entries>>(use));
    cosim::Coverage coverage({"is full", "confirmed", "predicted", "is not there and does not spin",
                              "flush of entries", "flush beside a look-up", "nothing"});
    if (traffic.requesters > 1)
      for (const char* event : {"several at once", "all at once", "waits a round"}) coverage.declare(event);
    if (traffic.withdrawn != 0) coverage.declare("withdrawn");
    const Branches branches{entries};
    Account account(entries, threshold);
    std::mt19937 random(5);
    SibPins pins;
    std::vector<std::uint32_t> passed(traffic.requesters);
    for (unsigned clock = 0; clock < 20000; ++clock) {
      std::uint32_t asking = 0;
      const unsigned idle = clock / 256 % 2 != 0 ? kQuiet : traffic.idle;
      for (std::uint32_t r = 0; r < traffic.requesters; ++r) {
        if (!pins.looks[r].valid && random() % 256 >= idle) pins.looks[r] = branches.any(random, clock);
        asking += pins.looks[r].valid ? 1u : 0u;
      }
      pins.flush = random() % 256 == 0;
      const auto granted = both->grant(pins, clock);
      ASSERT_EQ(granted.has_value(), asking != 0) << "clock " << clock;
      coverage.hit("nothing", asking == 0);
      if (traffic.requesters > 1) {
        coverage.hit("several at once", asking > 1);
        coverage.hit("all at once", asking == traffic.requesters);
      }
      coverage.hit("flush of entries", pins.flush && account.entries() != 0);
      coverage.hit("flush beside a look-up", pins.flush && asking != 0);
      SibAnswer expected;
      if (granted) {
        ASSERT_TRUE(pins.looks.at(*granted).valid) << "clock " << clock;
        const SibPins::Look& look = pins.looks[*granted];
        coverage.hit("is not there and does not spin", !look.spinning && !account.has(look.pc.value()));
        expected = account.look_up(*granted, look.pc.value(), look.spinning);
      }
      if (pins.flush) account.flush();
      both->edge(pins, clock);
      ASSERT_TRUE(both->answer() == expected) << "clock " << clock;  // of both: they are compared
      ASSERT_EQ(both->entries(), account.entries()) << "clock " << clock;
      coverage.hit("is full", expected.full);
      coverage.hit("confirmed", expected.confirmed);
      coverage.hit("predicted", expected.predicted);
      for (std::uint32_t r = 0; r < traffic.requesters; ++r) {
        if (!pins.looks[r].valid) continue;
        if (granted == r) {
          if (traffic.requesters > 1) coverage.hit("waits a round", passed[r] == traffic.requesters - 1);
          passed[r] = 0;
          pins.looks[r] = {};
          continue;
        }
        ASSERT_LT(++passed[r], traffic.requesters) << "clock " << clock << ": passed over for a round";
        if (random() % 256 >= traffic.withdrawn) continue;
        pins.looks[r] = {};
        passed[r] = 0;
        coverage.hit("withdrawn");
      }
    }
    EXPECT_TRUE(coverage.missing().empty()) << ::testing::PrintToString(coverage.missing()) << " of\n"
                                            << coverage.table();
    EXPECT_EQ(use.beyond_ports, 0u);
    EXPECT_EQ(use.clocks, 20000u);
  }
};
TEST_P(SibUnitLockstep, EqualsItsModelClockByClock) { run<VSibTable16, 16>(4); }
TEST_P(SibUnitLockstep, EqualsItsModelClockByClockWhereBranchesAreConfirmedAtOnce) { run<VSibTable2, 2>(1); }
INSTANTIATE_TEST_SUITE_P(Of, SibUnitLockstep,
                         ::testing::Values(Traffic{1, 100, 0}, Traffic{2, 128, 0}, Traffic{2, 200, 64},
                                           Traffic{8, 100, 16}),
                         [](const auto& test) {
                           return std::to_string(test.param.requesters) + "Withdraw" +
                                  std::to_string(test.param.withdrawn);
                         });

/// The block as it is synthesised: nothing is read out, so that the account alone says what is in it.
TEST(SibUnitWithoutReadOut, AnswersAsTheAccountInEveryClock) {
  sim::TwinUse use;
  use.timing = sim::Timing::kContract;
  cosim::SibTableRtl<VSibTable16NoDebug, 16> rtl(use);
  Account account(16, 4);
  const Branches branches{16};
  cosim::Coverage coverage({"is full", "confirmed", "predicted", "flush"});
  std::mt19937 random(7);
  SibPins pins;
  for (unsigned clock = 0; clock < 20000; ++clock) {
    for (std::uint32_t r = 0; r < 3; ++r)
      if (!pins.looks[r].valid && random() % 2 == 0) pins.looks[r] = branches.any(random, clock);
    pins.flush = random() % 256 == 0;
    const auto granted = rtl.grant(pins, clock);
    SibAnswer expected;
    if (granted) {
      const SibPins::Look& look = pins.looks.at(*granted);
      ASSERT_TRUE(look.valid) << "clock " << clock;
      expected = account.look_up(*granted, look.pc.value(), look.spinning);
    }
    if (pins.flush) account.flush();
    rtl.edge(pins, clock);
    const SibAnswer answer = rtl.answer();
    ASSERT_EQ(answer.valid, granted.has_value()) << "clock " << clock;
    if (granted) {
      ASSERT_TRUE(answer == expected) << "clock " << clock;
      pins.looks.at(*granted) = {};
    }
    ASSERT_EQ(rtl.entries(), 0u);
    ASSERT_TRUE(rtl.entry(clock % 16) == spin::SibEntry{});
    coverage.hit("is full", expected.full);
    coverage.hit("confirmed", expected.confirmed);
    coverage.hit("predicted", expected.predicted);
    coverage.hit("flush", pins.flush);
  }
  EXPECT_TRUE(coverage.missing().empty()) << ::testing::PrintToString(coverage.missing());
}

// ---- Through the block's socket, as a core asks

struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, sim::Implementation impl, spin::PortConflict conflict,
      std::uint32_t schedulers, std::uint32_t stall_seed)
      : sc_module(name) {
    cosim::provide_twins(twins);
    spin::SpinConfig config;
    config.source = spin::SibSource::kDdos;
    config.timing = sim::Timing::kContract;
    config.ddos.port_conflict = conflict;
    config.sib_table.impl = impl;
    config.sib_table.stall_seed = stall_seed;
    table = std::make_unique<spin::ClockedSibTable>("sib_table", config, schedulers, stats, &twins);
    isock.bind(table->sib_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  sim::Twins twins;
  base::StatGroup stats;
  std::unique_ptr<spin::ClockedSibTable> table;
  spin::SibPort isock{"isock"};
};

struct Core {
  std::uint32_t schedulers;
  spin::PortConflict conflict;
  std::uint32_t stall_seed;
  friend void PrintTo(const Core& core, std::ostream* out) {
    *out << core.schedulers << " schedulers" << (core.conflict == spin::PortConflict::kDrop ? ", drop" : "")
         << (core.stall_seed != 0 ? ", stalls" : "");
  }
};
class ClockedSibTableLockstep : public ::testing::TestWithParam<Core> {};

/// Cores whose schedulers issue backward branches when they may, sleep now and then, and whose warps and kernels end.
TEST_P(ClockedSibTableLockstep, EachLookUpIsAnsweredOnceInOrderAndInTime) {
  const Core core = GetParam();
  const bool drops = core.conflict == spin::PortConflict::kDrop;
  Rig rig("rig", sim::Implementation::kBoth, core.conflict, core.schedulers, core.stall_seed);
  const Branches branches{16};
  Account account(16, 4);
  std::mt19937 random(3);
  struct Asked {
    std::uint32_t pc;
    bool spinning;
    Cycle cycle;
    WarpId warp;
    bool gone;
  };
  std::vector<std::deque<Asked>> asked(core.schedulers);
  std::vector<SibAnswered> answers;
  std::uint64_t posted = 0, told = 0, waited = 0;
  Cycle cycle = 1;
  for (unsigned i = 0; i < 6000; ++i) {
    cycle += random() % 64 == 0 ? 1 + random() % 40 : 1;
    answers.clear();
    const std::uint32_t busy = rig.isock.step(cycle, answers);
    Cycle last = 0;
    for (const SibAnswered& answer : answers) {
      const Cycle known = answer.event.known;
      ASSERT_GT(known, last) << "one answer in a cycle";
      last = known;
      const auto scheduler = static_cast<std::uint32_t>(answer.event.warp.value() % core.schedulers);
      std::deque<Asked>& of = asked[scheduler];
      while (drops && !of.empty() && of.front().cycle != answer.event.cycle) of.pop_front();
      ASSERT_FALSE(of.empty());
      const Asked look = of.front();
      of.pop_front();
      ASSERT_EQ(look.cycle, answer.event.cycle);
      ASSERT_EQ(look.pc, answer.pc.value());
      ASSERT_EQ(look.gone, answer.event.lanes.none());
      const Cycle wait = known - look.cycle - spin::cost({}).answer;
      if (core.stall_seed == 0) {
        ASSERT_LT(wait, core.schedulers);
      }
      if (drops) {
        ASSERT_EQ(wait, 0u);
      }
      waited += wait;
      const SibAnswer expected = account.look_up(scheduler, look.pc, look.spinning);
      ASSERT_EQ(answer.predicted, expected.predicted);
      ASSERT_EQ(answer.confirmed, expected.confirmed);
      ++told;
    }
    for (std::uint32_t s = 0; s < core.schedulers; ++s) {
      if (!drops) {
        ASSERT_EQ((busy >> s & 1u) != 0, !asked[s].empty()) << "what has not been answered waits";
      }
      if ((busy >> s & 1u) != 0 || random() % 4 == 0) continue;
      const SibPins::Look look = branches.any(random, i);
      const WarpId warp{static_cast<std::uint32_t>(random() % 6) * core.schedulers + s};
      asked[s].push_back({look.pc.value(), look.spinning, cycle, warp, false});
      rig.isock.post(s, look.pc, look.spinning, {.warp = warp, .lanes = LaneMask::all(), .cycle = cycle});
      ++posted;
    }
    if (random() % 50 == 0) {
      const WarpId warp{static_cast<std::uint32_t>(random() % (6 * core.schedulers))};
      rig.isock.forget(warp);
      for (Asked& look : asked[warp.value() % core.schedulers]) look.gone |= look.warp == warp;
    }
    if (random() % 400 == 0) {
      rig.isock.flush();
      account.flush();
      for (auto& of : asked) posted -= of.size(), of.clear();
    }
  }
  EXPECT_EQ(rig.stats.count("look_ups"), told);
  EXPECT_EQ(rig.stats.count("port_wait_cycles"), waited);
  if (core.schedulers > 1) {
    EXPECT_GT(rig.stats.count("port_conflicts"), 1000u);
  }
  if (!drops) {
    EXPECT_LE(posted - told, core.schedulers) << "what has not been answered yet";
    EXPECT_EQ(waited == 0, core.schedulers == 1 && core.stall_seed == 0);
  } else {
    EXPECT_LT(told, posted);
  }
  for (const auto& use : rig.twins.uses()) {
    EXPECT_EQ(use.beyond_ports, 0u);
    EXPECT_EQ(use.most_clocks_in_a_cycle, 1u);
  }
}
INSTANTIATE_TEST_SUITE_P(Of, ClockedSibTableLockstep,
                         ::testing::Values(Core{1, spin::PortConflict::kWait, 0},
                                           Core{2, spin::PortConflict::kWait, 0},
                                           Core{2, spin::PortConflict::kDrop, 0},
                                           Core{4, spin::PortConflict::kWait, 7},
                                           Core{8, spin::PortConflict::kWait, 0}));

/// A table whose answer has another value in a corner: the comparison must end the run.
class Shy final : public spin::SibUnit {
 public:
  explicit Shy(const spin::DdosConfig& config) : right_(config, 2) {}
  [[nodiscard]] SibAnswer answer() const override {
    SibAnswer answer = right_.answer();
    if (entries() == 3) answer.full = !answer.full;
    return answer;
  }
  [[nodiscard]] std::optional<std::uint32_t> grant(const SibPins& pins, Cycle cycle) override {
    return right_.grant(pins, cycle);
  }
  void edge(const SibPins& pins, Cycle cycle) override { right_.edge(pins, cycle); }
  [[nodiscard]] std::uint32_t entries() const override { return right_.entries(); }
  [[nodiscard]] spin::SibEntry entry(std::uint32_t slot) const override { return right_.entry(slot); }

 private:
  SibUnitModel right_;
};
TEST(ClockedSibTable, ADifferenceEndsTheRun) {
  const spin::DdosConfig config;
  const auto both = spin::lockstep_sib_unit("core.sib_table", 16, std::make_unique<SibUnitModel>(config, 2),
                                            std::make_unique<Shy>(config));
  SibPins pins;
  for (std::uint32_t pc = 0; pc < 3; ++pc) {
    pins.looks[1] = {.valid = true, .pc = Pc{pc}, .spinning = true};
    both->edge(pins, pc);
  }
  try {
    both->edge({}, 3);
    FAIL() << "the difference was not noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kTwinMismatch);
    EXPECT_NE(
        std::string(error.what()).find("core.sib_table, core cycle 3: model and RTL of sib_table differ"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heddle::clocked_sib_table_bench
