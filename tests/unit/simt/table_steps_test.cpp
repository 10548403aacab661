// Steps on the splits and reconvergence tables, with a keeper that plays the mechanism: what they leave in the tables, in which
// order, and that all wait behind one that cannot be done yet.
#include "simt/table_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <systemc>
#include <vector>

#include "blocks/simt/mask_text.h"
#include "simt/aware.h"

namespace heddle::simt::table_steps_test {
namespace {

constexpr WarpId kWarp{1};

class NoPorts final : public ControlFlowPorts {
 public:
  Pc next_pc(GroupId) override { return kNoPc; }
  bool start(TableEntryTransfer&) override { return false; }
};

/// Tables of two warps, with time-outs of 100 cycles, and the keeper of their entries.
class Bench : public sc_core::sc_module, public EntryKeeper {
 public:
  explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) {}

  bool insert(WarpId warp, const Split& split) override {
    if (!may_insert) return false;
    bool physical = false;
    tables.insert(warp, split, physical);
    done.push_back("insert " + std::to_string(split.pc.value()));
    return true;
  }
  bool have(WarpId, ReconvergenceId) override { return may_have; }
  bool admit(WarpId, ReconvergenceId, const std::array<std::uint32_t, 4>&) override { return true; }

  [[nodiscard]] std::vector<Split> splits(WarpId warp = kWarp) const {
    std::vector<Split> found;
    tables.for_each_split(warp, [&](SplitId, const Split& split) { found.push_back(split); });
    return found;
  }
  [[nodiscard]] std::vector<Reconvergence> points() const {
    std::vector<Reconvergence> found;
    tables.for_each_point(kWarp,
                          [&](ReconvergenceId, const Reconvergence& entry, bool) { found.push_back(entry); });
    return found;
  }

  bool may_insert = true, may_have = true;
  std::vector<std::string> done;
  ControlFlowConfig config{{aware_mechanism()}};
  NoPorts ports;
  DivergenceTables tables{{.config = config, .warps = 2, .ports = ports, .path = "bench"},
                          {kTableEntries, {kTableEntries, TableVictim::kLeastRecent, {100, 1}}},
                          nullptr};
  TableSteps steps{2, tables, *this, /*timed=*/true};
  base::StatGroup stats;
};

class Steps : public ::testing::Test {
 protected:
  Steps() {
    bench_.steps.declare(bench_.stats);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench_.tables.reset(kWarp);
    bench_.tables.reset(WarpId{0});
  }
  /// A point at `pc` that all of `lanes` are to come to.
  ReconvergenceId point(std::uint32_t pc, const char* lanes, MeetingPoint parent = {},
                        std::uint32_t frame = 0, MeetingPoint::Kind kind = MeetingPoint::Kind::kBranch) {
    return bench_.tables.allocate(kWarp, {Pc{pc}, frame, kind, parent, mask(lanes), mask(lanes)}).id;
  }
  Bench bench_{"bench"};
};

TEST_F(Steps, what_is_added_last_is_done_first) {
  bench_.steps.place(kWarp, {Pc{1}, {}, mask("0011")});
  bench_.steps.place(kWarp, {Pc{2}, {}, mask("1100")});
  bench_.steps.drain(kWarp);
  EXPECT_EQ(bench_.done, (std::vector<std::string>{"insert 2", "insert 1"}));
  EXPECT_FALSE(bench_.steps.waiting(kWarp));
}

TEST_F(Steps, all_wait_behind_one_that_cannot_be_done_and_other_warps_do_not) {
  bench_.may_insert = false;
  bench_.steps.place(kWarp, {Pc{1}, {}, mask("0011")});
  bench_.steps.place(kWarp, {Pc{2}, {}, mask("1100")});
  bench_.steps.drain(kWarp);
  EXPECT_TRUE(bench_.steps.waiting(kWarp));
  EXPECT_FALSE(bench_.steps.waiting(WarpId{0}));
  EXPECT_TRUE(bench_.done.empty());
  bench_.may_insert = true;
  bench_.steps.drain(kWarp);
  EXPECT_EQ(bench_.done, (std::vector<std::string>{"insert 2", "insert 1"})) << "once each, in their order";
}

TEST_F(Steps, lanes_go_on_together_when_the_last_one_has_arrived) {
  const ReconvergenceId at = point(7, "1111");
  bench_.steps.arrive(kWarp, at, mask("0101"));
  bench_.steps.drain(kWarp);
  ASSERT_EQ(bench_.points().size(), 1u);
  EXPECT_EQ(bench_.points()[0].pend, mask("1010"));
  EXPECT_TRUE(bench_.splits().empty());
  bench_.steps.arrive(kWarp, at, mask("1010"));
  bench_.steps.drain(kWarp);
  EXPECT_TRUE(bench_.points().empty());
  ASSERT_EQ(bench_.splits().size(), 1u);
  EXPECT_EQ(bench_.splits()[0].pc, Pc{7});
  EXPECT_EQ(bench_.splits()[0].mask, mask("1111"));
  EXPECT_EQ(bench_.stats.count("reconvergences"), 1u);
}

TEST_F(Steps, an_arrival_waits_for_an_entry_in_memory) {
  const ReconvergenceId at = point(7, "1111");
  bench_.may_have = false;
  bench_.steps.arrive(kWarp, at, mask("1111"));
  bench_.steps.drain(kWarp);
  EXPECT_TRUE(bench_.steps.waiting(kWarp));
  EXPECT_EQ(bench_.points()[0].pend, mask("1111"));
  bench_.may_have = true;
  bench_.steps.drain(kWarp);
  EXPECT_EQ(bench_.splits().size(), 1u);
}

TEST_F(Steps, a_split_at_its_point_arrives_there_instead_of_becoming_an_entry) {
  const ReconvergenceId outer = point(9, "1111");
  const ReconvergenceId inner =
      point(9, "0011", {Pc{9}, 0, outer, MeetingPoint::Kind::kBranch});  // meets where the outer one meets
  bench_.steps.arrive(kWarp, inner, mask("0011"));
  bench_.steps.drain(kWarp);
  EXPECT_TRUE(bench_.splits().empty());
  ASSERT_EQ(bench_.points().size(), 1u);
  EXPECT_EQ(bench_.points()[0].pend, mask("1100"));
}

TEST_F(Steps, threads_that_end_are_expected_nowhere_any_more) {
  const ReconvergenceId outer = point(20, "1111");
  const ReconvergenceId inner = point(10, "0011", {Pc{20}, 0, outer, MeetingPoint::Kind::kBranch});
  bench_.steps.leave(kWarp, inner, mask("0001"));
  bench_.steps.drain(kWarp);
  ASSERT_EQ(bench_.points().size(), 2u);
  for (const Reconvergence& entry : bench_.points()) EXPECT_FALSE(entry.rec.test(0)) << entry.pc.value();
  bench_.steps.leave(kWarp, inner, mask("0010"));
  bench_.steps.drain(kWarp);
  ASSERT_EQ(bench_.points().size(), 1u) << "nobody comes to the inner one";
  EXPECT_EQ(bench_.points()[0].rec, mask("1100"));
  EXPECT_EQ(bench_.stats.count("reconvergences"), 0u);
}

TEST_F(Steps, lanes_that_return_first_wait_for_the_others_of_the_activation) {
  const ReconvergenceId within = point(30, "1111", {}, /*frame=*/1);
  bench_.steps.come_back(kWarp, within, mask("0001"), Pc{5}, /*frame=*/1);
  bench_.steps.drain(kWarp);
  // Between the entry and its parent there is now one at the return point, which the rest is expected at.
  const std::vector<Reconvergence> points = bench_.points();
  ASSERT_EQ(points.size(), 2u);
  const Reconvergence& inner = points[within.value()];
  EXPECT_EQ(inner.rec, mask("1110"));
  EXPECT_EQ(inner.rpc.pc, Pc{5});
  const Reconvergence& behind = points[inner.rpc.index.value()];
  EXPECT_EQ(behind.kind, MeetingPoint::Kind::kReturn);
  EXPECT_EQ(behind.frame, 0u);
  EXPECT_EQ(behind.arrived(), mask("0001"));
}

TEST_F(Steps, lanes_give_up_waiting_when_the_timer_has_fired_and_nothing_came_in_between) {
  const ReconvergenceId at = point(7, "1111");
  bench_.tables.set_now(10);
  bench_.steps.arrive(kWarp, at, mask("0101"));
  bench_.steps.drain(kWarp);
  const Cycle due = bench_.tables.timers_due();
  ASSERT_NE(due, kNever);
  EXPECT_GT(due, 100u);
  bench_.tables.set_now(due);
  WarpId warp{};
  ReconvergenceId fired;
  ASSERT_TRUE(bench_.tables.take_fired(warp, fired));
  EXPECT_EQ(warp, kWarp);
  EXPECT_EQ(fired, at);
  bench_.steps.go_alone(kWarp, at);
  bench_.steps.drain(kWarp);
  ASSERT_EQ(bench_.splits().size(), 1u);
  EXPECT_EQ(bench_.splits()[0].mask, mask("0101"));
  EXPECT_EQ(bench_.points()[0].rec, mask("1010"));
  EXPECT_EQ(bench_.stats.count("timeouts"), 1u);
}

TEST_F(Steps, a_time_out_waits_behind_all_steps_and_is_void_if_one_of_them_changed_the_entry) {
  const ReconvergenceId at = point(7, "1111");
  bench_.steps.arrive(kWarp, at, mask("0101"));
  bench_.steps.drain(kWarp);
  bench_.tables.set_now(bench_.tables.timers_due());
  WarpId warp{};
  ReconvergenceId fired;
  ASSERT_TRUE(bench_.tables.take_fired(warp, fired));
  bench_.steps.arrive(kWarp, at, mask("0010"));
  bench_.steps.go_alone(kWarp, at);
  bench_.steps.drain(kWarp);
  EXPECT_TRUE(bench_.splits().empty());
  EXPECT_EQ(bench_.points()[0].pend, mask("1000"));
  EXPECT_EQ(bench_.stats.count("timeouts"), 0u);
}

TEST_F(Steps, a_split_that_goes_another_way_leaves_those_that_it_was_to_catch_up_with) {
  const ReconvergenceId outer = point(20, "1111");
  const ReconvergenceId early =
      point(12, "0011", {Pc{20}, 0, outer, MeetingPoint::Kind::kBranch}, 0, MeetingPoint::Kind::kEarly);
  bench_.tables.arrive(kWarp, early, mask("0001"), kNoPc);
  Split split{Pc{11}, {Pc{12}, 0, early, MeetingPoint::Kind::kEarly}, mask("0010")};
  bench_.steps.leave_early_point(kWarp, split);
  EXPECT_EQ(split.rpc.index, outer) << "where the early point was on the way to";
  bench_.steps.drain(kWarp);
  ASSERT_EQ(bench_.splits().size(), 1u) << "nobody is missing any more";
  EXPECT_EQ(bench_.splits()[0].mask, mask("0001"));
}

TEST_F(Steps, points_are_given_up_when_all_entries_are_in_use) {
  bench_.tables.declare(bench_.stats);
  for (unsigned i = 0; i < kTableEntries; ++i) EXPECT_NE(point(100 + i, "1"), kNoReconvergence);
  EXPECT_EQ(point(200, "1"), kNoReconvergence);
  EXPECT_EQ(bench_.stats.count("full_table"), 1u);
  bench_.tables.reset(kWarp);
  EXPECT_NE(point(200, "1"), kNoReconvergence);
}

}  // namespace
}  // namespace heddle::simt::table_steps_test
