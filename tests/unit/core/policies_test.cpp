// User-defined policies of the warp schedulers and of the CTA dispatcher.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "core/cta/cta_dispatcher.h"
#include "core/cta/gpc_dispatch.h"
#include "core/cta/round_robin.h"
#include "core/schedule/cawa.h"
#include "core/schedule/gto.h"
#include "core/schedule/lrr.h"
#include "core/schedule/two_level.h"
#include "core/schedule/warp_scheduler.h"

namespace heddle::core::policies_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- Warp schedulers

/// Lets no warp issue before cycle 40.
class Late final : public WarpSchedulingPolicy {
 public:
  void assign(WarpId /*warp*/, Cycle /*now*/) override {}
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now < 40) return std::nullopt;
    return WarpId{*candidates.next(0)};
  }
  [[nodiscard]] Cycle due(const base::IndexSet& /*candidates*/, Cycle /*now*/) const override { return 40; }
  void issued(WarpId /*warp*/, Cycle /*now*/) override {}
};

SchedulingPolicy late() {
  return {
      "late", "nobody before cycle 40", {}, [](const SchedulerConfig& /*config*/, std::uint32_t /*warps*/) {
        return std::make_unique<Late>();
      }};
}

struct SchedulerUser : sc_core::sc_module {
  SchedulerUser(const sc_core::sc_module_name& name, const SchedulerConfig& config,
                std::uint32_t groups_per_warp)
      : sc_module(name), scheduler("scheduler", config, 16, groups_per_warp) {
    isock.bind(scheduler.scheduler_tsock);
    tap_isock.bind(scheduler.issue_tap_tsock);
  }
  SchedulerRequest pick(Cycle now) {
    base::IndexSet ready(64);
    ready.insert(5);
    SchedulerRequest request;
    request.candidates = &ready;
    request.cycle = now;
    isock.call(request);
    return request;
  }
  WarpScheduler scheduler;
  sim::BlockInitiator<SchedulerProtocol> isock{"isock"};
  sim::BlockInitiator<IssueTapProtocol> tap_isock{"tap_isock"};
};

TEST(Scheduler, SaysWhenAPolicyThatHoldsAllBackMayAnswerDifferently) {
  SchedulerUser one("one", {{lrr_policy(), late()}, "late"}, 1);
  SchedulerUser four("four", {{late()}, "late"}, 4);
  SchedulerUser two_level("two_level", {{two_level_policy()}, "two_level"}, 1);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (SchedulerUser* user : {&one, &four}) {
    const SchedulerRequest early = user->pick(7);
    EXPECT_FALSE(early.found);
    EXPECT_EQ(early.due, 40u);
    EXPECT_TRUE(user->pick(40).found);
  }
  const SchedulerRequest held = two_level.pick(7);  // the warp was never assigned: it is in no set
  EXPECT_FALSE(held.found);
  EXPECT_EQ(held.due, 8u) << "a policy that does not say is asked again in the next cycle";
}

TEST(Scheduler, AsksThePolicyWhatItNeedsAndWhetherItStarves) {
  SchedulerConfig never{{gto_policy()}, "gto"};
  SchedulerUser rotating("rotating", never, 1);
  never.get<GtoConfig>().rotation_cycles = 0;
  SchedulerUser fixed("fixed", never, 1);
  SchedulerUser cawa("cawa", {{cawa_policy()}, "cawa"}, 1);
  EXPECT_FALSE(rotating.scheduler.may_starve());
  EXPECT_TRUE(fixed.scheduler.may_starve());
  EXPECT_FALSE(cawa.scheduler.may_starve());
  SchedulerConfig critical{{cawa_policy()}, "cawa"};
  critical.get<CawaConfig>().rotation_cycles = 0;
  SchedulerUser for_ever("for_ever", critical, 1);
  EXPECT_TRUE(for_ever.scheduler.may_starve()) << "a criticality is fixed while its warp waits";
  critical.get<CawaConfig>().estimate = CawaEstimate::kOutcomes;
  SchedulerUser grows("grows", critical, 1);
  EXPECT_FALSE(grows.scheduler.may_starve()) << "it grows while its warp waits";
}

TEST(SchedulerConfig, NamesTheNearestPolicy) {
  const SchedulerConfig config{{lrr_policy(), gto_policy()}, "gtoo"};
  try {
    (void)config.make(8);
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "core.scheduler.policy: there is no 'gtoo'; did you mean 'gto'?\n  choices: lrr, gto");
  }
}

// ---- CTA dispatcher

/// Cores with capacity for some CTAs each, which end when the test says so.
struct Cores : sc_core::sc_module {
  struct Core : sc_core::sc_module {
    explicit Core(const sc_core::sc_module_name& name) : sc_module(name) {}
    void serve(CtaRequest& request) {
      if (request.op == CtaRequest::Op::kFits) request.room = room;
      if (request.op != CtaRequest::Op::kStart) return;
      request.slot = CtaSlot{7 - room--};
      started.push_back(request.linear_id);
    }
    std::uint32_t room = 2;
    std::vector<std::uint64_t> started;
    sim::BlockTarget<CtaProtocol, Core, &Core::serve> cta_tsock{"cta_tsock", this};
    sim::BlockInitiator<CtaDoneProtocol> done_isock{"done_isock"};
  };
  Cores(const sc_core::sc_module_name& name, const DispatchConfig& config, std::uint32_t count)
      : sc_module(name), dispatcher("dispatcher", config, count, clock, faults, stats) {
    dispatcher.on_finished = [this] { finished = true; };
    for (std::uint32_t i = 0; i < count; ++i) {
      cores.push_back(std::make_unique<Core>(("core" + std::to_string(i)).c_str()));
      dispatcher.cta_isocks[i]->bind(cores[i]->cta_tsock);
      cores[i]->done_isock.bind(*dispatcher.done_tsocks[i]);
    }
  }
  void launch(std::uint32_t ctas) {
    context.shape.grid = {ctas, 1, 1};
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    dispatcher.begin(&context);
    sc_core::sc_start();
  }
  void end(std::uint32_t core, CtaSlot slot, std::uint64_t cta) {
    ++cores[core]->room;
    CtaDone done{core, slot, cta};
    cores[core]->done_isock.call(done);
    sc_core::sc_start();
  }
  base::StatGroup stats{"gpu", ""};
  sim::ClockManager clocks{"clocks"};
  sim::FaultLatch faults{clocks};
  sim::ClockDomain clock{clocks, "clock", 1000, sim::ClockRank::kSystem};
  CtaDispatcher dispatcher;
  std::vector<std::unique_ptr<Core>> cores;
  LaunchContext context;
  bool finished = false;
};

TEST(CtaDispatcher, RoundRobinGivesACoreOneCtaACycleAndMovesOn) {
  Cores gpu("gpu", DispatchConfig({round_robin_dispatch()}), 3);
  gpu.launch(8);
  EXPECT_THAT(gpu.cores[0]->started, ElementsAre(0, 5));
  EXPECT_THAT(gpu.cores[1]->started, ElementsAre(1, 3)) << "the first one of the second cycle";
  EXPECT_THAT(gpu.cores[2]->started, ElementsAre(2, 4));
  gpu.end(2, CtaSlot{5}, 2);
  EXPECT_THAT(gpu.cores[2]->started, ElementsAre(2, 4, 6));
  EXPECT_FALSE(gpu.finished);
}

TEST(CtaDispatcher, TheLaunchOverheadPassesBeforeTheFirstCta) {
  DispatchConfig config({round_robin_dispatch()});
  config.launch_overhead_cycles = 100;
  Cores gpu("gpu", config, 1);
  gpu.launch(1);
  EXPECT_THAT(gpu.cores[0]->started, ElementsAre(0));
  gpu.end(0, CtaSlot{5}, 0);
  EXPECT_TRUE(gpu.finished);
  EXPECT_EQ(gpu.stats.sum("launch_overhead_cycles"), 100u);
  EXPECT_GE(gpu.dispatcher.end_cycle() - gpu.dispatcher.begin_cycle(), 100u);
}

TEST(GpcDispatch, CoresAreNumberedTpcByTpcInTurnsOfTheGpcs) {
  // GPC 0: cores 0 1; GPC 1: 2 3 and 6 7; GPC 2: 4 5 and 8 9; behind the bar GPC 3: 10 11.
  const GpcDispatchConfig config{.tpcs = "1 2 2 | 1", .order = "3 1 0 2"};
  EXPECT_THAT(gpc_sweep(config, 12), ElementsAre(10, 11, 2, 3, 6, 7, 0, 1, 4, 5, 8, 9));
  EXPECT_THAT(gpc_sweep({.tpcs = "2 1", .order = "", .cores_per_tpc = 1}, 3), ElementsAre(0, 2, 1));
  EXPECT_THAT(gpc_sweep({}, 3), ElementsAre(0, 1, 2)) << "one GPC";
  EXPECT_THAT(gpc_of_cores(config, 12), ElementsAre(0, 0, 1, 1, 2, 2, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(gpc_of_cores({}, 3), ElementsAre(0, 0, 0));
}

TEST(GpcDispatch, AGpuOfFewerCoresHasTheFirstOnes) {
  const GpcDispatchConfig config{.tpcs = "1 2 2 | 1", .order = "3 1 0 2"};
  EXPECT_THAT(gpc_sweep(config, 7), ElementsAre(2, 3, 6, 0, 1, 4, 5));
  EXPECT_THAT(gpc_of_cores(config, 7), ElementsAre(0, 0, 1, 1, 2, 2, 1));
}

TEST(GpcDispatch, AWrongShapeIsRefused) {
  const auto message = [](const GpcDispatchConfig& config) {
    try {
      (void)gpc_sweep(config, 4);
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({.tpcs = "1", .order = ""}), testing::HasSubstr("make 2 cores, the GPU has 4"));
  EXPECT_THAT(message({.tpcs = "1 x", .order = ""}),
              testing::HasSubstr("dispatch.gpc.tpcs: 'x' is not a number"));
  EXPECT_THAT(message({.tpcs = "1 1", .order = "0 0"}),
              testing::HasSubstr("does not name each of the 2 GPCs"));
  EXPECT_THAT(message({.tpcs = "1 1", .order = "0 2"}), testing::HasSubstr("name the GPCs 0 to 1"));
}

TEST(CtaDispatcher, GpcByGpcGivesEveryCoreOneInASweep) {
  DispatchConfig config({gpc_dispatch()});
  config.options.get<GpcDispatchConfig>() = {.tpcs = "1 1", .order = "1 0", .cores_per_tpc = 1};
  Cores gpu("gpu", config, 2);
  gpu.launch(5);
  EXPECT_THAT(gpu.cores[1]->started, ElementsAre(0, 2));
  EXPECT_THAT(gpu.cores[0]->started, ElementsAre(1, 3));
  gpu.end(0, CtaSlot{5}, 1);
  EXPECT_THAT(gpu.cores[0]->started, ElementsAre(1, 3, 4)) << "whichever has room";
}

/// Sends all CTAs to the last core, the last CTA first; records its notifications.
class Backwards final : public CtaDispatchPolicy {
 public:
  void begin(std::uint64_t ctas, std::uint32_t cores) override {
    left_ = ctas;
    cores_ = cores;
  }
  std::optional<CtaChoice> next(std::span<const std::uint32_t> room) override {
    rooms.emplace_back(room.begin(), room.end());
    if (room[cores_ - 1] == 0) return std::nullopt;
    return CtaChoice{cores_ - 1, --left_};
  }
  void started(const CtaChoice& choice, CtaSlot slot) override { told("start", choice, slot); }
  void done(const CtaChoice& choice, CtaSlot slot) override { told("done", choice, slot); }

  static inline std::vector<std::string> log;
  static inline std::vector<std::vector<std::uint32_t>> rooms;

 private:
  static void told(const char* what, const CtaChoice& choice, CtaSlot slot) {
    log.push_back(fmt::format("{} {} on {} in {}", what, choice.cta, choice.core, slot.value()));
  }
  std::uint64_t left_ = 0;
  std::uint32_t cores_ = 0;
};

template <class Policy>
DispatchConfig only(const std::string& name) {
  return DispatchConfig(
      {{name, "a test's", {}, [](const DispatchConfig& /*config*/) { return std::make_unique<Policy>(); }}});
}

TEST(CtaDispatcher, TellsThePolicyRoomsAndSlots) {
  Cores gpu("gpu", only<Backwards>("backwards"), 2);
  gpu.launch(3);
  EXPECT_THAT(gpu.cores[1]->started, ElementsAre(2, 1));
  EXPECT_TRUE(gpu.cores[0]->started.empty());
  gpu.end(1, CtaSlot{5}, 2);
  gpu.end(1, CtaSlot{6}, 1);
  gpu.end(1, CtaSlot{6}, 0);
  EXPECT_TRUE(gpu.finished);
  EXPECT_THAT(Backwards::log, ElementsAre("start 2 on 1 in 5", "start 1 on 1 in 6", "done 2 on 1 in 5",
                                          "start 0 on 1 in 6", "done 1 on 1 in 6", "done 0 on 1 in 6"));
  EXPECT_THAT(Backwards::rooms.front(), ElementsAre(2, 2));
  EXPECT_THAT(Backwards::rooms[1], ElementsAre(2, 0)) << "at most one CTA a core in a cycle";
}

/// Dispatches the first CTA twice.
class Twice final : public CtaDispatchPolicy {
 public:
  void begin(std::uint64_t /*ctas*/, std::uint32_t /*cores*/) override { given_ = 0; }
  std::optional<CtaChoice> next(std::span<const std::uint32_t> /*room*/) override {
    return CtaChoice{given_++, 0};
  }

 private:
  std::uint32_t given_ = 0;
};

TEST(CtaDispatcher, RefusesWhatAPolicyMayNotChoose) {
  Cores gpu("gpu", only<Twice>("twice"), 2);
  gpu.launch(3);
  try {
    gpu.faults.rethrow();
    FAIL() << "no error";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("dispatch policy twice: CTA 0 of 3 on core 1 of 2, which has started"));
  }
}

}  // namespace
}  // namespace heddle::core::policies_test
