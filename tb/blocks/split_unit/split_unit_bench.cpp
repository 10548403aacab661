// The branch unit of AWARE as model and as RTL, clock by clock (SplitTwin compares), with random programs of branches, indirect branches, calls,
// returns, exits and barriers, and random stalls. Every thread takes the path that it takes alone (walk.h).
#include "VSplitUnitNoDebug.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest.h>

#include "blocks/simt/walk.h"
#include "cosim/split_unit_pins.h"
#include "cosim/twins.h"

namespace heddle::simt::split_unit_bench {
namespace {

using sim::Implementation;

sim::Twins& rtl_twins() {
  static sim::Twins twins;
  static const bool provided = (cosim::provide_twins(twins), true);
  static_cast<void>(provided);
  return twins;
}
/// The block as it is synthesised: nothing is read out.
sim::Twins& twins_without_read_out() {
  static sim::Twins twins;
  static const bool provided = [] {
    twins.provide<SplitUnitBlock>([](const SplitUnitBlock::Shape& shape, sim::TwinUse& use) {
      use.timing = sim::Timing::kContract;
      return std::make_unique<cosim::SplitUnitRtl<VSplitUnitNoDebug>>(use, shape.rotates);
    });
    return true;
  }();
  static_cast<void>(provided);
  return twins;
}
ControlFlowConfig unit(Implementation impl, std::uint32_t stall_seed = 0) {
  ControlFlowConfig config = clocked(aware(), stall_seed);
  config.clocked_block(ClockedSplits::kBlock).impl = impl;
  return config;
}

struct Way {
  const char* name;
  std::uint32_t stall_seed;
  bool rotates;
  FirstSide first_side;
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

class SplitUnitLockstep : public ::testing::TestWithParam<Way> {
 protected:
  static WalkCase on(Implementation impl) {
    const Way& way = GetParam();
    WalkCase which{way.name, unit(impl, way.stall_seed)};
    which.config.get<AwareConfig>().rotate_on_taken_branch = way.rotates;
    which.config.first_side = way.first_side;
    return which;
  }
};

TEST_P(SplitUnitLockstep, ProgramsTakeTheSameClocksTablesAndPaths) {
  Walk model(on(Implementation::kModel)), both(on(Implementation::kBoth), &rtl_twins()),
      rtl(on(Implementation::kRtl), &rtl_twins()),
      unread(on(Implementation::kRtl), &twins_without_read_out());
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed)
    for (Walk* walk : {&model, &both, &rtl, &unread}) walk->run(seed);
  EXPECT_GT(model.programs, 50u);
  const auto counted = [](const Walk& walk) {
    nlohmann::ordered_json all = walk.statistics();
    if (GetParam().stall_seed != 0) all["unit"].erase("wait_cycles");  // random by the unit's path
    return all;
  };
  EXPECT_EQ(counted(model), counted(both));
  EXPECT_EQ(counted(model), counted(rtl)) << "the RTL alone takes other clocks";
  EXPECT_EQ(counted(model), counted(unread)) << "without read-out it takes other clocks";
  for (const char* what : {"divergences", "calls", "reconvergences", "rotations"})
    EXPECT_GT(model.count(what), 1000u) << what;
  EXPECT_GT(model.count("max_splits"), 16u);
}

INSTANTIATE_TEST_SUITE_P(With, SplitUnitLockstep,
                         ::testing::Values(Way{"Rotation", 0, true, FirstSide::kAuto},
                                           Way{"StallsAndTakenFirst", 5, true, FirstSide::kTaken},
                                           Way{"NoRotationAndSmallerFirst", 7, false, FirstSide::kSmaller}),
                         [](const auto& test) { return std::string(test.param.name); });

// ---- Without a number for a point

/// In every function a lane parts from the others, and returns at once: a point where it would have met them, and one where it waits for them.
TEST(SplitUnitRtl, WithoutANumberForAPointLanesGoOnWithoutOne) {
  SimtRig rig(unit(Implementation::kBoth), 1, "rig", &rtl_twins());
  const auto send = [&](ControlFlowRequest r) {
    rig.send(r);
    while (rig.due != kNever) rig.tick(rig.cycle + 1);
  };
  const auto jump = [&](LaneMask taken, Pc target, Pc rpc) {
    ControlFlowRequest r = rig.event(Transfer::kJump, kGroup, Pc{1});
    r.taken = taken;
    r.target = target;
    r.rpc = rpc;
    send(r);
  };
  rig.launch('A', LaneMask::all());
  while (rig.due != kNever) rig.tick(rig.cycle + 1);
  for (std::uint32_t lane = 0; lane + 1 < base::kLanes; ++lane) {
    const LaneMask others = LaneMask::difference(LaneMask::all(), LaneMask::first_lanes(lane + 1));
    const auto front = [&](LaneMask lanes) {
      for (unsigned turns = 0; rig.groups.at(kGroup).mask != lanes; ++turns) {
        ASSERT_LT(turns, 2 * base::kLanes) << lanes.to_string();
        jump(rig.groups.at(kGroup).mask, rig.groups.at(kGroup).pc, kNoPc);
      }
    };
    ControlFlowRequest call = rig.event(Transfer::kCall, kGroup, Pc{5000 + lane});
    call.taken = rig.groups.at(kGroup).mask;
    call.target = Pc{100};
    send(call);
    // In every third function it is where they are to meet.
    const Pc rpc{200 + lane};
    jump(LaneMask(1u << lane), lane % 3 == 2 ? rpc : Pc{300}, rpc);
    if (lane % 3 != 2) {
      front(LaneMask(1u << lane));
      std::array<Pc, base::kLanes> places{};
      places.fill(Pc{5000 + lane});
      ControlFlowRequest back = rig.event(Transfer::kReturn, kGroup, Pc{301});
      back.taken = rig.groups.at(kGroup).mask;
      back.lane_target = places.data();
      send(back);
    }
    front(others);
    if (HasFailure()) return;
  }
  EXPECT_EQ(rig.stats.count("unit.max_reconvergence_entries"), 32u);
  EXPECT_GT(rig.stats.count("unit.full_table"), 5u);
}

// ---- What the RTL has not

void expect_refusal(const ControlFlowConfig& config, const char* message, std::uint32_t warps = 1) {
  base::StatGroup stats;
  try {
    ControlFlowUnit refused("refused", config.factory(2), warps, stats, &rtl_twins());
    ADD_FAILURE() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(SplitUnitRtl, IsRefusedByNameWhereItCannotBe) {
  ControlFlowConfig config = unit(Implementation::kBoth);
  config.get<AwareConfig>().st_entries = 4;
  expect_refusal(config, "no spilled entries");
  config = unit(Implementation::kRtl);
  config.get<TimeoutConfig>().cycles = 100;
  expect_refusal(config, "no timers");
  config = unit(Implementation::kRtl);
  config.clocked_block(ClockedSplits::kBlock).timing = sim::Timing::kIdeal;
  expect_refusal(config, "clocked once per core cycle");
  config = clocked(multi_path());
  config.clocked_block(ClockedSplits::kBlock).impl = Implementation::kRtl;
  expect_refusal(config, "that of aware only");
  expect_refusal(unit(Implementation::kRtl), "64 warps", cosim::kWarps + 1);
}

TEST(SplitUnitRtl, CallsDeeperThanItHasRoomForAreAnError) {
  SimtRig rig(unit(Implementation::kRtl), 1, "rig", &rtl_twins());
  const auto call = [&] {
    ControlFlowRequest r = rig.event(Transfer::kCall, kGroup, pc('B'));
    r.taken = LaneMask::all();
    r.target = pc('F');
    rig.send(r);
    while (rig.due != kNever) rig.tick(rig.cycle + 1);
  };
  rig.launch('A', LaneMask::all());
  while (rig.due != kNever) rig.tick(rig.cycle + 1);
  for (std::uint32_t depth = 1; depth < cosim::kSplitFrames; ++depth) call();
  EXPECT_THROW(call(), base::InputError);
}

}  // namespace
}  // namespace heddle::simt::split_unit_bench
