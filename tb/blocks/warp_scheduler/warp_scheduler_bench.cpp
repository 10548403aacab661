// The pick among warps, as policy and as RTL.
#include "VWarpSchedulerGto.h"
#include "VWarpSchedulerGtoNoDebug.h"
#include "VWarpSchedulerLrr.h"
#include "VWarpSchedulerLrrNoDebug.h"
// verilated headers first: pin_driver.h
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/schedule/cawa.h"
#include "core/schedule/glrr.h"
#include "core/schedule/gto.h"
#include "core/schedule/lrr.h"
#include "core/schedule/two_level.h"
#include "core/schedule/warp_scheduler.h"
#include "cosim/lockstep_bench.h"
#include "cosim/twins.h"
#include "cosim/warp_scheduler_pins.h"
#include "pick_traffic.h"

namespace heddle::warp_scheduler_bench {
namespace {

using base::Cycle;
using base::WarpId;
using core::PickGrant;
using core::PickModel;
using core::PickPins;
using core::SchedulerConfig;
using core::SchedulerRequest;
using sim::Implementation;
using ::testing::HasSubstr;

constexpr std::uint32_t kWarps = 48;

SchedulerConfig configured(const std::string& policy, Implementation impl, std::uint32_t rotation = 50000) {
  SchedulerConfig config({core::lrr_policy(), core::gto_policy(), core::two_level_policy(),
                          core::cawa_policy(), core::glrr_policy()},
                         policy);
  config.impl = impl;
  config.get<core::GtoConfig>().rotation_cycles = rotation;
  return config;
}

// ---- Directed, through the block's socket

/// A scheduler and its user.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, const SchedulerConfig& config, std::uint32_t warps = kWarps,
      std::uint32_t groups_per_warp = 1)
      : sc_module(name), groups(warps * groups_per_warp) {
    cosim::provide_twins(twins);
    scheduler =
        std::make_unique<core::WarpScheduler>("warp_scheduler", config, warps, groups_per_warp, &twins);
    isock.bind(scheduler->scheduler_tsock);
    tap_isock.bind(scheduler->issue_tap_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void operator()(SchedulerRequest request) { isock.call(request); }
  void assign(std::uint32_t warp) { (*this)({.op = SchedulerRequest::Op::kAssign, .warp = WarpId{warp}}); }
  std::uint32_t pick(std::initializer_list<std::uint32_t> candidates, Cycle cycle = 0) {
    base::IndexSet set(groups);
    for (const std::uint32_t group : candidates) set.insert(group);
    SchedulerRequest request{.op = SchedulerRequest::Op::kPick, .cycle = cycle, .candidates = &set};
    isock.call(request);
    EXPECT_TRUE(request.found);
    return request.group.value();
  }
  std::uint32_t groups;
  sim::Twins twins;
  std::unique_ptr<core::WarpScheduler> scheduler;
  sim::BlockInitiator<core::SchedulerProtocol> isock{"isock"};
  sim::BlockInitiator<core::IssueTapProtocol> tap_isock{"tap_isock"};
};

class WarpSchedulerBench : public ::testing::TestWithParam<Implementation> {};

TEST_P(WarpSchedulerBench, LrrTakesTheNextBehindTheOneThatIssuedLast) {
  Rig rig("rig", configured("lrr", GetParam()));
  EXPECT_EQ(rig.pick({0, 1, 40}), 1u) << "warp 0 counts as the one that issued last";
  EXPECT_EQ(rig.pick({0, 1, 40}), 40u);
  EXPECT_EQ(rig.pick({0, 1, 40}), 0u);
  EXPECT_EQ(rig.pick({0}), 0u) << "itself, if there is no other";
  EXPECT_EQ(rig.pick({0, 47}), 47u);
}

TEST_P(WarpSchedulerBench, GtoGoesOnUntilItStallsThenTakesTheOldest) {
  Rig rig("rig", configured("gto", GetParam()));
  for (const std::uint32_t warp : {7u, 3u, 5u}) rig.assign(warp);
  EXPECT_EQ(rig.pick({3, 5}), 3u) << "older than 5";
  EXPECT_EQ(rig.pick({3, 5, 7}), 3u) << "greedy, although 7 is older";
  EXPECT_EQ(rig.pick({5, 7}), 7u) << "3 stalled: the oldest";
  EXPECT_EQ(rig.pick({3, 5, 7}), 7u);
}

TEST_P(WarpSchedulerBench, AReassignedSlotHasNeitherGreedNorAge) {
  Rig rig("rig", configured("gto", GetParam()));
  for (const std::uint32_t warp : {7u, 3u, 5u}) rig.assign(warp);
  EXPECT_EQ(rig.pick({7}), 7u);
  rig.assign(7);
  EXPECT_EQ(rig.pick({5, 7}), 5u);
  rig.assign(3);  // not the last one to issue: 5 remains the greedy choice
  EXPECT_EQ(rig.pick({3, 5, 7}), 5u);
}

TEST_P(WarpSchedulerBench, LeavingTakesTheAgeButNotTheGreed) {
  Rig rig("rig", configured("gto", GetParam()));
  for (const std::uint32_t warp : {7u, 3u, 5u}) rig.assign(warp);
  EXPECT_EQ(rig.pick({7}), 7u);
  rig({.op = SchedulerRequest::Op::kLeave, .warp = WarpId{7}});
  EXPECT_EQ(rig.pick({3, 7}), 7u);
  EXPECT_EQ(rig.pick({1, 2, 5}), 5u) << "of an age before all of none";
  EXPECT_EQ(rig.pick({9, 2, 7}), 2u) << "of no age: the lowest";
}

TEST_P(WarpSchedulerBench, AgesRotateWhenTheTimeHasCome) {
  Rig rig("rig", configured("gto", GetParam(), 100));
  for (const std::uint32_t warp : {7u, 3u, 5u}) rig.assign(warp);
  EXPECT_EQ(rig.pick({3, 5, 7}, 99), 7u);
  EXPECT_EQ(rig.pick({3, 5, 7}, 100), 3u) << "7 is the youngest now, and its greed has ended";
  EXPECT_EQ(rig.pick({5, 7}, 101), 5u);
  EXPECT_EQ(rig.pick({3, 7}, 399), 7u) << "once, however long nobody asked: 5, 7, 3";
  EXPECT_EQ(rig.pick({3, 5}, 400), 3u) << "7, 3, 5";
}

TEST_P(WarpSchedulerBench, ASplitThatStallsEndsTheGreedOfItsWarp) {
  Rig rig("rig", configured("gto", GetParam()), 8, 4);
  for (const std::uint32_t warp : {2u, 1u}) rig.assign(warp);
  EXPECT_EQ(rig.pick({4}), 4u) << "split 0 of warp 1";
  EXPECT_EQ(rig.pick({4, 8}), 4u);
  EXPECT_EQ(rig.pick({5, 8}), 8u) << "split 1 of warp 1 could, but it is not the one that was greedy";
}

TEST_P(WarpSchedulerBench, EverySchedulerOfACoreHasItsOwn) {
  struct Two : sc_core::sc_module {
    Two(const sc_core::sc_module_name& name, Implementation impl) : sc_module(name) {
      cosim::provide_twins(twins);
      for (auto& policy : policies)
        policy = core::make_scheduling_policy(configured("gto", impl), kWarps, "two", &twins);
    }
    sim::Twins twins;
    std::array<std::unique_ptr<core::WarpSchedulingPolicy>, 2> policies;
  } two("two", GetParam());
  for (unsigned s : {0u, 1u}) {
    two.policies[s]->assign(WarpId{1 + s}, 0);
    two.policies[s]->assign(WarpId{2 - s}, 0);
  }
  base::IndexSet both(kWarps);
  both.insert(1), both.insert(2);
  EXPECT_EQ(two.policies[0]->pick(both, 0), WarpId{1});
  EXPECT_EQ(two.policies[1]->pick(both, 0), WarpId{2});
}

INSTANTIATE_TEST_SUITE_P(As, WarpSchedulerBench, cosim::every_implementation(), cosim::name_implementation);

// ---- As a policy

std::unique_ptr<core::WarpSchedulingPolicy> rtl_policy(sim::Twins& twins, const std::string& policy,
                                                       std::uint32_t warps = kWarps) {
  if (twins.uses().empty()) cosim::provide_twins(twins);
  return core::make_scheduling_policy(configured(policy, Implementation::kRtl, 500), warps, "core.scheduler0",
                                      &twins);
}

/// A simulated core: time passes, warps come and go, and the policies are called in the order of the core's
/// stages. Their visible state, printed if they differ, must be equal at all times.
void run_and_compare(const std::string& kind) {
  sim::Twins twins;
  const auto rtl = rtl_policy(twins, kind);
  const auto model = configured(kind, Implementation::kModel, 500).make(kWarps);
  std::mt19937 random(2);
  base::IndexSet resident(kWarps);
  Cycle now = 0;
  for (unsigned step = 0; step < 20000; ++step) {
    now += random() % 4 == 0 ? random() % 200 : 1;
    const WarpId warp{static_cast<std::uint32_t>(random() % kWarps)};
    switch (random() % 16) {
      case 0:
        model->assign(warp, now), rtl->assign(warp, now);
        resident.insert(warp.value());
        break;
      case 1:
        model->leave(warp), rtl->leave(warp);
        resident.erase(warp.value());
        break;
      case 2:
        model->stalled(), rtl->stalled();
        break;
      default: {
        base::IndexSet ready(kWarps);
        resident.for_each([&](std::uint32_t w) {
          if (random() % 3 != 0) ready.insert(w);
        });
        if (ready.empty()) break;
        const auto picked = model->pick(ready, now);
        ASSERT_EQ(rtl->pick(ready, now), picked) << "step " << step;
        model->issued(*picked, now), rtl->issued(*picked, now);
      }
    }
    if (step % 16 == 0) {
      ASSERT_EQ(rtl->show(), model->show()) << "step " << step;
    }
  }
  EXPECT_GT(twins.uses().front().clocks, 10000u);
  EXPECT_EQ(twins.uses().front().clocks, twins.uses().front().requests) << "one clock for each change";
}

TEST(WarpSchedulerPolicy, LrrInRtlRunsACoreAsItsModel) { run_and_compare("lrr"); }
TEST(WarpSchedulerPolicy, GtoInRtlRunsACoreAsItsModel) { run_and_compare("gto"); }

template <class Fn>
std::string input_error_of(Fn&& fn) {
  try {
    fn();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WarpSchedulerPolicy, OthersHaveNoRtl) {
  for (const std::string name : {"two_level", "cawa", "glrr"}) {
    sim::Twins twins;
    const std::string error = input_error_of([&] { rtl_policy(twins, name); });
    EXPECT_THAT(error, HasSubstr("core.scheduler0: the policies lrr and gto have RTL, " + name));
    EXPECT_THAT(error, HasSubstr("impl: model"));
  }
}

TEST(WarpSchedulerPolicy, MoreWarpsThanTheRtlHasAreRefused) {
  sim::Twins twins;
  EXPECT_THAT(input_error_of([&] { rtl_policy(twins, "gto", 65); }),
              HasSubstr("built for 64 warps, this core has 65"));
}

TEST(WarpSchedulerPolicy, OnlyWhatWasPickedIssues) {
  sim::Twins twins;
  const auto rtl = rtl_policy(twins, "gto");
  base::IndexSet ready(kWarps);
  ready.insert(3);
  ASSERT_EQ(rtl->pick(ready, 0), WarpId{3});
  EXPECT_THROW(rtl->issued(WarpId{4}, 0), base::Error);
}

/// A block that now and then grants the wrong slot.
class Faulty final : public core::PickUnit {
 public:
  explicit Faulty(PickModel::Order order) : right_(order) {}
  [[nodiscard]] PickGrant grant(const PickPins& pins, Cycle cycle) override {
    PickGrant grant = right_.grant(pins, cycle);
    if (cycle == 7) ++grant.slot;
    return grant;
  }
  void edge(const PickPins& pins, Cycle cycle) override { right_.edge(pins, cycle); }
  [[nodiscard]] nlohmann::ordered_json show() const override { return right_.show(); }

 private:
  PickModel right_;
};
void provide_faulty(sim::Twins& twins) {
  twins.provide<core::WarpSchedulerBlock>([](const core::WarpSchedulerBlock::Shape&, sim::TwinUse&) {
    return std::make_unique<Faulty>(PickModel::Order::kGreedyOldest);
  });
}

TEST(WarpSchedulerPolicy, AnotherPickThanTheModelsEndsTheRun) {
  sim::Twins twins;
  provide_faulty(twins);
  const auto both = core::make_scheduling_policy(configured("gto", Implementation::kBoth), kWarps,
                                                 "core.scheduler0", &twins);
  both->assign(WarpId{4}, 0);
  base::IndexSet ready(kWarps);
  ready.insert(4);
  EXPECT_EQ(both->pick(ready, 6), WarpId{4});
  try {
    (void)both->pick(ready, 7);
    FAIL() << "the difference was not noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kTwinMismatch);
    EXPECT_THAT(error.what(),
                HasSubstr("core.scheduler0, core cycle 7: model and RTL of warp_scheduler differ"));
    EXPECT_THAT(error.what(), HasSubstr(R"(request        {"op":"pick","candidates":[4]})"));
    EXPECT_THAT(error.what(), HasSubstr(R"(model answers  {"warp":4})"));
    EXPECT_THAT(error.what(), HasSubstr(R"(RTL answers    {"warp":5})"));
    EXPECT_THAT(error.what(), HasSubstr("oldest_first"));
  }
}

// ---- timing: contract

/// A scheduler of two, clocked: its warps are 1, 3, 5 ...
class ClockedBench : public ::testing::TestWithParam<Implementation> {
 protected:
  static SchedulerConfig clocked(const std::string& policy, Implementation impl,
                                 std::uint32_t rotation = 50000) {
    SchedulerConfig config = configured(policy, impl, rotation);
    config.timing = sim::Timing::kContract;
    return config;
  }
  /// The choice of `cycle`, which issues.
  static std::uint32_t issue(Rig& rig, std::initializer_list<std::uint32_t> candidates, Cycle cycle) {
    const std::uint32_t warp = rig.pick(candidates, cycle);
    commit(rig, warp, cycle);
    return warp;
  }
  static void commit(Rig& rig, std::uint32_t warp, Cycle cycle) {
    rig({.op = SchedulerRequest::Op::kIssued,
         .warp = WarpId{warp},
         .group = base::GroupId{warp},
         .cycle = cycle});
  }
  static void assign(Rig& rig, std::uint32_t warp, Cycle cycle) {
    rig({.op = SchedulerRequest::Op::kAssign, .warp = WarpId{warp}, .cycle = cycle});
  }
};

TEST_P(ClockedBench, GrantsInTheCycleThatAsksAndCommitsInTheNext) {
  Rig rig("rig", clocked("gto", GetParam()));
  for (const std::uint32_t warp : {3u, 5u, 7u}) assign(rig, warp, warp);  // one after the other
  EXPECT_EQ(issue(rig, {7}, 10), 7u);
  EXPECT_EQ(issue(rig, {3, 7}, 11), 7u) << "greedy";
  EXPECT_EQ(rig.pick({3, 5}, 12), 3u) << "the oldest";
  EXPECT_EQ(issue(rig, {3, 5, 7}, 13), 7u) << "3 has been chosen, and has not issued: 7 is the last still";
  EXPECT_EQ(issue(rig, {3, 5}, 5000), 3u) << "after a long time without requests";
}

TEST_P(ClockedBench, WarpsThatComeTogetherAreInOrderOfTheirNumbers) {
  Rig rig("rig", clocked("gto", GetParam()));
  for (const std::uint32_t warp : {7u, 3u, 5u}) assign(rig, warp, 1);
  EXPECT_EQ(rig.pick({3, 5, 7}, 1), 3u) << "of no known age yet: the lowest";
  EXPECT_EQ(issue(rig, {5, 7}, 2), 5u);
  EXPECT_EQ(issue(rig, {7}, 3), 7u);
  EXPECT_EQ(issue(rig, {3, 5}, 4), 3u);
}

TEST_P(ClockedBench, ASlotThatIsLeftAndAssignedInOneCycleIsTheYoungest) {
  Rig rig("rig", clocked("gto", GetParam()));
  assign(rig, 3, 1);
  assign(rig, 5, 2);
  EXPECT_EQ(issue(rig, {3}, 3), 3u);
  rig({.op = SchedulerRequest::Op::kLeave, .warp = WarpId{3}, .cycle = 4});
  assign(rig, 3, 4);
  EXPECT_EQ(issue(rig, {3, 5}, 5), 5u) << "3 has neither greed nor age";
}

TEST_P(ClockedBench, AgesRotateBehindThePickThatIsDue) {
  Rig rig("rig", clocked("gto", GetParam(), 100));
  for (const std::uint32_t warp : {7u, 5u, 3u}) assign(rig, warp, 8 - warp);
  EXPECT_EQ(issue(rig, {3, 5, 7}, 99), 7u);
  EXPECT_EQ(issue(rig, {3, 5, 7}, 100), 7u) << "counts from the next cycle on";
  EXPECT_EQ(issue(rig, {3, 5, 7}, 101), 5u) << "7 is the youngest now, and its greed has ended";
}

TEST_P(ClockedBench, OnePickACycle) {
  Rig rig("rig", clocked("lrr", GetParam()));
  EXPECT_EQ(rig.pick({3, 5}, 2), 3u);
  base::IndexSet set(kWarps);
  set.insert(5);
  SchedulerRequest again{.op = SchedulerRequest::Op::kPick, .cycle = 2, .candidates = &set};
  rig.isock.call(again);
  EXPECT_FALSE(again.found);
  EXPECT_EQ(again.due, 3u);
}

TEST_P(ClockedBench, StallsAtRandomLoseNothing) {
  SchedulerConfig config = clocked("lrr", GetParam());
  config.stall_seed = 3;
  Rig rig("rig", config);
  base::IndexSet set(kWarps);
  for (const std::uint32_t warp : {1u, 3u, 5u}) set.insert(warp);
  std::vector<std::uint32_t> order;
  Cycle cycle = 1;
  for (; order.size() < 60; ++cycle) {
    SchedulerRequest request{.op = SchedulerRequest::Op::kPick, .cycle = cycle, .candidates = &set};
    rig.isock.call(request);
    if (!request.found) continue;
    commit(rig, request.group.value(), cycle);
    order.push_back(request.group.value());
  }
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_EQ(order[i], order[i - 1] == 5 ? 1 : order[i - 1] + 2);
  EXPECT_GT(cycle, 70u) << "none of 60 was stalled";
}

INSTANTIATE_TEST_SUITE_P(As, ClockedBench, cosim::every_implementation(), cosim::name_implementation);

TEST(WarpSchedulerClocked, TheFirstCycleThatDiffersEndsTheRun) {
  sim::Twins twins;
  provide_faulty(twins);
  SchedulerConfig config = configured("gto", Implementation::kBoth);
  config.timing = sim::Timing::kContract;
  const auto both = core::make_scheduling_policy(config, kWarps, "core.scheduler0", &twins);
  base::IndexSet ready(kWarps);
  ready.insert(4);
  EXPECT_EQ(both->pick(ready, 6), WarpId{4});
  try {
    (void)both->pick(ready, 7);
    FAIL() << "the difference was not noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kTwinMismatch);
    EXPECT_THAT(error.what(),
                HasSubstr("core.scheduler0, core cycle 7: model and RTL of warp_scheduler differ"));
    EXPECT_THAT(error.what(), HasSubstr(R"(request        {"candidates":[2]})"));
    EXPECT_THAT(error.what(), HasSubstr(R"(model answers  {"valid":true,"slot":2,"last":0,"greedy":false})"));
  }
}

TEST(WarpSchedulerClocked, WhatHasNoContractIsRefused) {
  SchedulerConfig config = configured("cawa", Implementation::kModel);
  config.timing = sim::Timing::kContract;
  EXPECT_THAT(input_error_of([&] { (void)core::make_scheduling_policy(config, kWarps, "s", nullptr); }),
              HasSubstr("core.scheduler.timing: lrr, gto have a clocked block, cawa has not"));
  config.policy = "gto";
  EXPECT_THAT(input_error_of([&] { (void)core::make_scheduling_policy(config, 130, "s", nullptr); }),
              HasSubstr("has 64 slots, a scheduler of this core 65"));
  config.perturb_seed = 1;
  EXPECT_THAT(input_error_of([&] { (void)core::make_scheduling_policy(config, kWarps, "s", nullptr); }),
              HasSubstr("knows no random turns"));
  SchedulerConfig ideal = configured("gto", Implementation::kModel);
  ideal.stall_seed = 1;
  EXPECT_THAT(input_error_of([&] { (void)core::make_scheduling_policy(ideal, kWarps, "s", nullptr); }),
              HasSubstr("with timing ideal every choice is taken"));
}

// ---- Random, clock by clock

/// Of 256 cycles, those in which a grant is not taken.
class WarpSchedulerLockstep : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr Cycle kCycles = 20000;
  /// `Unread`: the block as it is synthesised, beside them: nothing is read out.
  template <class V, class Unread>
  void run(PickModel::Order order, const char* name) {
    const bool gto = order == PickModel::Order::kGreedyOldest;
    sim::TwinUse use, unread_use;
    use.timing = sim::Timing::kContract;
    use.waves = cosim::waves_file(name);
    auto model = std::make_unique<PickModel>(order);
    PickModel& state = *model;
    const auto both = core::lockstep_pick(
        "bench", std::move(model), std::make_unique<cosim::PickRtl<V>>(use, cosim::PickShown{gto, gto}));
    cosim::PickRtl<Unread> unread(unread_use, {});
    cosim::PickTraffic traffic(gto);
    std::mt19937 random(1);
    for (Cycle cycle = 1; cycle <= kCycles; ++cycle) {
      const PickPins pins = traffic(state, random, GetParam());
      const PickGrant right = both->grant(pins, cycle), other = unread.grant(pins, cycle);
      ASSERT_TRUE(right.valid == other.valid && (!right.valid || right.slot == other.slot)) << cycle;
      both->edge(pins, cycle);
      unread.edge(pins, cycle);
    }
    EXPECT_TRUE(traffic.coverage().missing().empty())
        << ::testing::PrintToString(traffic.coverage().missing()) << " of\n"
        << traffic.coverage().table();
    EXPECT_EQ(use.clocks, kCycles);
    EXPECT_EQ(use.beyond_ports, 0u);
  }
};

TEST_P(WarpSchedulerLockstep, LrrEqualsItsModelClockByClock) {
  run<VWarpSchedulerLrr, VWarpSchedulerLrrNoDebug>(PickModel::Order::kRoundRobin, "warp_scheduler_lrr");
}
TEST_P(WarpSchedulerLockstep, GtoEqualsItsModelClockByClock) {
  run<VWarpSchedulerGto, VWarpSchedulerGtoNoDebug>(PickModel::Order::kGreedyOldest, "warp_scheduler_gto");
}

INSTANTIATE_TEST_SUITE_P(Stalls, WarpSchedulerLockstep, ::testing::Values(8u, 64u, 200u));

}  // namespace
}  // namespace heddle::warp_scheduler_bench
