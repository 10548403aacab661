// BOWS: worked examples [DDOS/BOWS:G15] to [DDOS/BOWS:G17], and what [DDOS/BOWS:S1] to [DDOS/BOWS:S11] add.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/schedule/gto.h"
#include "core/schedule/lrr.h"
#include "core/schedule/warp_scheduler.h"
#include "spin/backoff_unit.h"
#include "spin/delay_limit.h"

namespace heddle::spin::bows_test {
namespace {

using base::GroupId;
using core::SchedulerRequest;

/// One scheduler behind a back-off unit.
class Bench : public sc_core::sc_module, public core::GroupReader {
  /// The group's number.
  [[nodiscard]] base::Pc pc(base::GroupId group) const override { return base::Pc{group.value()}; }

 public:
  Bench(const BowsConfig& config, const std::string& policy, std::uint32_t warps,
        Timing timing = Timing::kIdeal, std::uint32_t groups_per_warp = 1, bool clocked_table = false,
        const sc_core::sc_module_name& name = "bench")
      : sc_module(name),
        groups_per_warp_(groups_per_warp),
        lanes_(warps * groups_per_warp, LaneMask::all()),
        scheduler_("scheduler", scheduler_config(policy), warps, groups_per_warp),
        limit_("limit", config, timing, stats.child("limit")),
        unit_("unit", config, {1, warps, groups_per_warp, {}, clocked_table, clocked_table},
              stats.child("unit")),
        history_("history_tsock", this),
        look_up_("look_up_tsock", this) {
    unit_.charge_to(3);
    if (unit_.may_be_busy()) unit_.charge_busy_to(4);
    pick_isock_.bind(unit_.port(0).scheduler_tsock);
    unit_.port(0).scheduler_isock.bind(scheduler_.scheduler_tsock);
    tap_isock_.bind(scheduler_.issue_tap_tsock);
    unit_.window_isock.bind(limit_.window_tsock);
    unit_.history_isock.bind(history_);
    unit_.look_up_isock.bind(look_up_);
    spin_isock_.bind(unit_.spin_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (std::uint32_t w = 0; w < warps; ++w) {
      SchedulerRequest assign;
      assign.op = SchedulerRequest::Op::kAssign;
      assign.warp = WarpId{w};
      pick_isock_.call(assign);
    }
  }
  /// The group chosen among these; `due_`, `cause_`: of the answer.
  std::optional<std::uint32_t> pick(std::vector<std::uint32_t> groups, Cycle cycle) {
    base::IndexSet candidates(static_cast<std::uint32_t>(lanes_.size()));
    for (const std::uint32_t group : groups) candidates.insert(group);
    SchedulerRequest request;
    request.cycle = cycle;
    request.candidates = &candidates;
    request.groups = this;
    pick_isock_.call(request);
    EXPECT_EQ(request.candidates, &candidates);
    due_ = request.due;
    cause_ = request.cause;
    if (!request.found) return std::nullopt;
    return request.group.value();
  }
  void spins(std::uint32_t warp, Cycle cycle, LaneMask lanes = LaneMask::all(), bool others = false,
             Cycle known = 0) {
    SpinEvent event;
    event.warp = WarpId{warp};
    event.lanes = lanes;
    event.cycle = cycle;
    event.known = known == 0 ? cycle : known;
    event.others = others;
    spin_isock_.call(event);
  }
  void leave(std::uint32_t warp) {
    SchedulerRequest request;
    request.op = SchedulerRequest::Op::kLeave;
    request.warp = WarpId{warp};
    pick_isock_.call(request);
  }
  void set_lanes(std::uint32_t group, LaneMask lanes) { lanes_[group] = lanes; }
  [[nodiscard]] const BackoffUnit& unit() const { return unit_; }
  [[nodiscard]] bool backed_off(std::uint32_t warp) const { return unit_.backed_off(WarpId{warp}); }
  [[nodiscard]] Cycle delay(std::uint32_t warp, Cycle now) const {
    return unit_.pending_delay(WarpId{warp}, now);
  }

  /// Branches back are those of these groups.
  void begin(std::vector<bool> backward) { unit_.begin(nullptr, std::move(backward)); }

  base::StatGroup stats;
  // Of the clocked table.
  std::uint32_t busy = 0;
  std::vector<SpinEvent> due_events;
  std::vector<Cycle> stepped;
  std::vector<std::uint32_t> forgotten;
  Cycle due_ = 0;
  unsigned cause_ = 0;

 private:
  static core::SchedulerConfig scheduler_config(const std::string& policy) {
    return {{core::gto_policy(), core::lrr_policy()}, policy};
  }
  [[nodiscard]] WarpId warp(GroupId group) const override { return WarpId{group.value() / groups_per_warp_}; }
  [[nodiscard]] LaneMask lanes(GroupId group) const override { return lanes_[group.value()]; }
  void serve_history(HistoryRequest&) {}
  void serve_look_up(LookUpRequest& request) {
    if (request.op == LookUpRequest::Op::kForget) return forgotten.push_back(request.warp.value());
    stepped.push_back(request.cycle);
    request.busy = busy;
    if (!due_events.empty() && due_events.front().known <= request.cycle) {
      spin_isock_.call(due_events.front());
      due_events.erase(due_events.begin());
    }
  }

  std::uint32_t groups_per_warp_;
  std::vector<LaneMask> lanes_;
  core::WarpScheduler scheduler_;
  DelayLimit limit_;
  BackoffUnit unit_;
  sim::BlockTarget<HistoryProtocol, Bench, &Bench::serve_history> history_;
  sim::BlockTarget<LookUpProtocol, Bench, &Bench::serve_look_up> look_up_;
  sim::BlockInitiator<core::SchedulerProtocol> pick_isock_{"pick_isock"};
  sim::BlockInitiator<core::IssueTapProtocol> tap_isock_{"tap_isock"};
  sim::BlockInitiator<SpinEventProtocol> spin_isock_{"spin_isock"};
};

BowsConfig fixed(std::uint32_t delay) {
  BowsConfig config;
  config.delay = DelayRule::kFixed;
  config.fixed_delay = delay;
  return config;
}

TEST(Golden, G15_Timeline) {
  Bench bench(fixed(1000), "gto", 4);
  EXPECT_EQ(bench.pick({0, 1, 2, 3}, 1), 0u);  // 1: W0 first in priority
  bench.spins(0, 2);                           // 2: order W1 W2 W3 W0
  EXPECT_TRUE(bench.backed_off(0));
  EXPECT_EQ(bench.pick({0, 1, 2, 3}, 3), 1u);
  EXPECT_EQ(bench.pick({0, 2, 3}, 4), 2u);
  EXPECT_EQ(bench.pick({0, 3}, 5), 3u);
  EXPECT_EQ(bench.pick({0}, 10), 0u);  // 3, 4: the others stall; it leaves the state
  EXPECT_FALSE(bench.backed_off(0));
  EXPECT_EQ(bench.delay(0, 10), 1000u);
  EXPECT_EQ(bench.pick({0, 1, 2, 3}, 11), 0u);  // and is first again
  bench.spins(0, 1500);                         // 6
  EXPECT_EQ(bench.delay(0, 1500), 0u);
  EXPECT_EQ(bench.pick({0, 1}, 1501), 1u);  // 7: when no one else can
  EXPECT_EQ(bench.pick({0}, 1502), 0u);
  bench.spins(0, 1600);                            // 8
  EXPECT_EQ(bench.pick({0}, 1601), std::nullopt);  // 9
  EXPECT_EQ(bench.due_, 2502u);
  EXPECT_EQ(bench.cause_, 3u);
  EXPECT_EQ(bench.pick({0}, 2501), std::nullopt);
  EXPECT_EQ(bench.pick({0}, 2502), 0u);  // 10
}

TEST(Golden, G16_Snapshot) {
  Bench bench(fixed(1000), "gto", 6);
  bench.spins(3, 400);
  EXPECT_EQ(bench.pick({3}, 500), 3u);  // W3: delay until 1500
  bench.spins(2, 700);
  bench.spins(3, 800);
  bench.spins(5, 900);
  EXPECT_EQ(bench.delay(2, 1000), 0u);
  EXPECT_EQ(bench.delay(3, 1000), 500u);
  EXPECT_EQ(bench.delay(5, 1000), 0u);
  EXPECT_EQ(bench.pick({3, 5}, 1000), 5u);
  EXPECT_FALSE(bench.backed_off(5));
  EXPECT_EQ(bench.delay(5, 1000), 1000u);
  EXPECT_TRUE(bench.backed_off(2));
  EXPECT_TRUE(bench.backed_off(3));
}

TEST(Golden, G17_AdaptiveLimit) {
  struct Estimator : sc_core::sc_module {
    explicit Estimator(const sc_core::sc_module_name& name) : sc_module(name) {
      isock.bind(limit.window_tsock);
    }
    base::StatGroup stats;
    DelayLimit limit{"limit", BowsConfig{}, Timing::kIdeal, stats};
    sim::BlockInitiator<WindowProtocol> isock{"isock"};
  } estimator("bench");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto after = [&](std::uint64_t instructions, std::uint64_t sibs) {
    WindowRequest window;
    window.instructions = instructions;
    window.sibs = sibs;
    estimator.isock.call(window);
    return window.limit;
  };
  EXPECT_EQ(after(1200, 100), 1250u);
  EXPECT_EQ(after(1300, 80), 1500u);
  EXPECT_EQ(after(900, 90), 1250u);
  EXPECT_EQ(after(1000, 20), 1250u);
  EXPECT_EQ(after(1000, 0), 1250u);
  EXPECT_EQ(after(1000, 60), 1000u);
}

TEST(Bows, TheLimitIsThatOfTheCoresLastWindow) {
  Bench bench(BowsConfig{}, "lrr", 2);
  for (Cycle cycle = 0; cycle < 1000; ++cycle) {
    EXPECT_TRUE(bench.pick({1}, cycle).has_value());
    if (cycle % 10 == 0) bench.spins(0, cycle);
  }
  EXPECT_EQ(bench.unit().limit(), 1000u);
  EXPECT_TRUE(bench.pick({1}, 1000).has_value());
  EXPECT_EQ(bench.unit().limit(), 1250u);  // 100 of 1000 are SIBs
  bench.leave(0);
  bench.leave(1);
  EXPECT_EQ(bench.unit().limit(), 1000u);  // an empty core starts again
}

TEST(Bows, ContractTheLimitComesLater) {
  Bench bench(BowsConfig{}, "lrr", 2, Timing::kContract);
  for (Cycle cycle = 0; cycle < 1000; ++cycle) {
    EXPECT_TRUE(bench.pick({1}, cycle).has_value());
    if (cycle % 10 == 0) bench.spins(0, cycle);
  }
  EXPECT_TRUE(bench.pick({1}, 1063).has_value());
  EXPECT_EQ(bench.unit().limit(), 1000u);
  EXPECT_TRUE(bench.pick({1}, 1064).has_value());
  EXPECT_EQ(bench.unit().limit(), 1250u);
}

TEST(Bows, ContractABackOffCountsFromTheClockAfterThePrediction) {
  Bench bench(fixed(0), "lrr", 2, Timing::kContract);
  bench.spins(0, 10, LaneMask::all(), false, 11);
  EXPECT_EQ(bench.pick({0, 1}, 11), 1u);  // round robin from 0
  EXPECT_EQ(bench.pick({0, 1}, 11), 0u);  // not yet backed off
  EXPECT_TRUE(bench.backed_off(0));       // it still will be
  EXPECT_EQ(bench.pick({0, 1}, 12), 1u);
  EXPECT_EQ(bench.pick({0, 1}, 13), 1u);
}

Bench clocked_bench() { return {fixed(0), "lrr", 3, Timing::kContract, 1, true}; }

TEST(Bows, AnIdealTableIsNeverAsked) {
  Bench bench(fixed(0), "lrr", 2);
  EXPECT_EQ(bench.pick({0, 1}, 10), 1u);
  bench.leave(1);
  EXPECT_TRUE(bench.stepped.empty() && bench.forgotten.empty());
  EXPECT_FALSE(bench.unit().may_be_busy());
}

TEST(Bows, ASchedulerWhoseBranchWaitsForTheTableIssuesNoOther) {
  Bench bench = clocked_bench();
  bench.begin({true, false, true});
  bench.busy = 0b10;  // another scheduler
  EXPECT_EQ(bench.pick({0, 1, 2}, 10), 1u);
  EXPECT_EQ(bench.pick({0, 1, 2}, 11), 2u);
  bench.busy = 1;
  EXPECT_EQ(bench.pick({0, 1, 2}, 12), 1u);
  EXPECT_EQ(bench.pick({0, 2}, 13), std::nullopt);
  EXPECT_EQ(bench.cause_, 4u) << "block_busy";
  EXPECT_EQ(bench.due_, 14u) << "it may have been served then";
  bench.busy = 0;
  EXPECT_EQ(bench.pick({0, 2}, 14), 2u);
  EXPECT_EQ(bench.stepped, (std::vector<Cycle>{10, 11, 12, 13, 14}));
}

TEST(Bows, RefusedAndBackedOffTogetherAreChargedToTheBlock) {
  Bench bench = clocked_bench();
  bench.begin({true, false, true});
  bench.spins(1, 10, LaneMask::all(), false, 10);
  bench.busy = 1;
  EXPECT_EQ(bench.pick({0, 1}, 11), 1u) << "backed off, and all others are refused";
  bench.spins(1, 12, LaneMask::all(), false, 15);
  EXPECT_EQ(bench.pick({0}, 16), std::nullopt);
  EXPECT_EQ(bench.cause_, 4u);
}

TEST(Bows, AClockedTableTellsOfBranchesWhenTheCycleBegins) {
  Bench bench = clocked_bench();
  bench.begin({false, false, false});
  bench.due_events = {{.warp = WarpId{1}, .lanes = LaneMask::all(), .cycle = 9, .known = 10}};
  EXPECT_EQ(bench.pick({0, 1}, 10), 1u) << "effective in the next cycle";
  EXPECT_EQ(bench.pick({0, 1}, 11), 0u);
  EXPECT_EQ(bench.pick({0, 1}, 12), 0u);
  EXPECT_TRUE(bench.backed_off(1));
  bench.forgotten.clear();
  bench.leave(1);
  EXPECT_EQ(bench.forgotten, std::vector<std::uint32_t>{1});
}

TEST(Bows, RoundRobinGoesOnBehindTheChoiceFromTheQueue) {
  Bench bench(fixed(0), "lrr", 4);
  bench.spins(2, 1);
  EXPECT_EQ(bench.pick({2}, 2), 2u);
  EXPECT_EQ(bench.pick({0, 1, 2, 3}, 3), 3u);
}

TEST(Bows, AStarvedWarpIsPromoted) {
  BowsConfig config = fixed(0);
  config.promote_after_cycles = 500;
  Bench bench(config, "gto", 2);
  bench.spins(1, 100);
  EXPECT_EQ(bench.pick({0, 1}, 600), 0u);
  EXPECT_EQ(bench.pick({0, 1}, 601), 1u);
  EXPECT_EQ(bench.stats.count("unit.promoted"), 1u);
  EXPECT_EQ(bench.pick({0, 1}, 602), 1u);  // greedy: it issued last and has not backed off again
}

TEST(Bows, WhoHasBackedOffFirstHasItsTurnFirst) {
  Bench bench(fixed(1000), "gto", 4);
  bench.spins(2, 100);
  bench.spins(0, 110);
  bench.spins(3, 120);
  EXPECT_EQ(bench.pick({0, 2, 3}, 200), 2u);
  EXPECT_EQ(bench.pick({0, 3}, 201), 0u);
  EXPECT_EQ(bench.pick({3}, 202), 3u);
}

TEST(Bows, AWarpWithAnotherRunnableSplitDoesNotBackOff) {
  Bench bench(fixed(1000), "gto", 2);
  bench.spins(0, 1, LaneMask(0xff), true);
  EXPECT_FALSE(bench.backed_off(0));
  EXPECT_EQ(bench.stats.count("unit.events"), 1u);
  EXPECT_EQ(bench.stats.count("unit.not_backed_off"), 1u);
}

TEST(Bows, SplitsBackOffByThemselves) {
  BowsConfig config = fixed(1000);
  config.granularity = Granularity::kSplit;
  Bench bench(config, "gto", 2, Timing::kIdeal, 2);
  bench.set_lanes(0, LaneMask(0x0000ffff));
  bench.set_lanes(1, LaneMask(0xffff0000));
  bench.spins(0, 1, LaneMask(0x0000ffff), true);
  EXPECT_EQ(bench.pick({0, 1}, 2), 1u);
  EXPECT_EQ(bench.pick({0, 2}, 3), 2u);
  EXPECT_EQ(bench.pick({0}, 4), 0u);
  bench.spins(0, 5, LaneMask(0x0000ffff), true);
  EXPECT_EQ(bench.pick({0}, 6), std::nullopt);
  EXPECT_EQ(bench.due_, 1004u);
  EXPECT_EQ(bench.pick({0, 1}, 7), 1u);  // the other lanes have no delay
  // Lanes that have met others run with them.
  bench.set_lanes(0, LaneMask::all());
  EXPECT_EQ(bench.pick({0}, 8), 0u);
  EXPECT_FALSE(bench.backed_off(0));
}

TEST(Bows, AWarpThatLeavesTakesItsBackOffAlong) {
  Bench bench(fixed(1000), "gto", 2);
  bench.spins(0, 1);
  EXPECT_EQ(bench.pick({0}, 2), 0u);
  bench.spins(0, 3);
  bench.leave(0);
  EXPECT_FALSE(bench.backed_off(0));
  EXPECT_EQ(bench.delay(0, 4), 0u);
}

TEST(Bows, SwitchedOffItCountsOnly) {
  BowsConfig config = fixed(1000);
  config.enabled = false;
  Bench bench(config, "gto", 2);
  EXPECT_EQ(bench.pick({0, 1}, 0), 0u);
  bench.spins(0, 1);
  EXPECT_EQ(bench.pick({0, 1}, 2), 0u);
  EXPECT_EQ(bench.stats.count("unit.events"), 1u);
}

}  // namespace
}  // namespace heddle::spin::bows_test
