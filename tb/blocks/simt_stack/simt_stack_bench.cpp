// The SIMT stack as model and as RTL, request by request. The worked examples of the publications are in
// tests/unit/simt/stack_test.cpp and stack_calls_test.cpp, which are part of this program.
#include "VSimtStack.h"
#include "VSimtStackNotTaken.h"
#include "VSimtStackSmaller.h"
#include "VSimtStackTaken.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest.h>

#include <tuple>

#include "cosim/lockstep_bench.h"
#include "cosim/twins.h"
#include "simt/lockstep.h"
#include "stack_traffic.h"

namespace heddle::simt_stack_bench {
namespace {

using cosim::StackReference;
using simt::ControlFlowEvent;
using simt::ControlFlowRequest;
using simt::FirstSide;
using simt::LaneMask;
using simt::Pc;
using simt::Transfer;
using simt::WarpId;

// As in rtl/simt_stack/simt_stack.cmake.
constexpr std::uint32_t kDepth = 128, kFrames = 96;
constexpr std::uint32_t kSmallDepth = 9, kSmallFrames = 3;

template <class V>
using Bench = cosim::LockstepBench<V, cosim::StackBenchPins, cosim::StackBenchBlock>;

using Parameters = std::tuple<cosim::StallRates, FirstSide>;
std::string name_parameters(const ::testing::TestParamInfo<Parameters>& info) {
  static constexpr const char* kSides[] = {"Auto", "Taken", "NotTaken", "Smaller"};
  const auto [rates, side] = info.param;
  return cosim::name_stalls(::testing::TestParamInfo<cosim::StallRates>(rates, info.index)) +
         kSides[static_cast<unsigned>(side)];
}

class SimtStackLockstep : public ::testing::TestWithParam<Parameters> {
 protected:
  template <class V>
  void any_traffic(std::uint32_t depth, std::uint32_t frames, bool small, std::uint64_t requests) {
    const auto [stalls, first_side] = GetParam();
    Bench<V> bench(StackReference(cosim::kWarps, first_side, depth, frames), "simt_stack", 1);
    cosim::AnyTraffic traffic(small);
    bench.run(requests, stalls, std::ref(traffic));
    EXPECT_TRUE(traffic.coverage.missing().empty())
        << ::testing::PrintToString(traffic.coverage.missing()) << " of\n"
        << traffic.coverage.table();
  }
};

TEST_P(SimtStackLockstep, AnySequenceEqualsTheModelClockByClock) {
  any_traffic<VSimtStack>(kDepth, kFrames, false, 60000);
}

TEST_P(SimtStackLockstep, WithoutRoomNothingIsDoneAndSaidSo) {
  // Of RTL whose FirstSide is a parameter.
  switch (std::get<FirstSide>(GetParam())) {
    case FirstSide::kTaken:
      return any_traffic<VSimtStackTaken>(kSmallDepth, kSmallFrames, true, 150000);
    case FirstSide::kNotTaken:
      return any_traffic<VSimtStackNotTaken>(kSmallDepth, kSmallFrames, true, 150000);
    default:
      return any_traffic<VSimtStackSmaller>(kSmallDepth, kSmallFrames, true, 150000);
  }
}

TEST_P(SimtStackLockstep, ProgramsEqualTheModelClockByClock) {
  const auto [stalls, first_side] = GetParam();
  Bench<VSimtStack> bench(StackReference(cosim::kWarps, first_side, kDepth, kFrames), "simt_stack_programs",
                          2);
  cosim::ProgramTraffic traffic;
  bench.run(40000, stalls, std::ref(traffic));
  EXPECT_GT(traffic.programs, 50u);
  EXPECT_GT(traffic.max_depth, 8u);
}

INSTANTIATE_TEST_SUITE_P(With, SimtStackLockstep,
                         ::testing::Combine(cosim::stall_rates(),
                                            ::testing::Values(FirstSide::kTaken, FirstSide::kNotTaken,
                                                              FirstSide::kSmaller)),
                         name_parameters);

// ---- The adapter, beside the model

class Adapter : public ::testing::Test {
 protected:
  std::unique_ptr<simt::ControlFlow> make(std::uint32_t warps, FirstSide first = FirstSide::kTaken) {
    return sim::Twins::make<simt::SimtStackBlock>(&twins, sim::Implementation::kRtl, {warps, first},
                                                  "gpu.core0");
  }
  Adapter() { cosim::provide_twins(twins); }
  /// An error that has these texts in its message and its remedy.
  template <class Fn>
  static void expect_error(Fn&& fn, const char* message, const char* remedy) {
    try {
      fn();
      ADD_FAILURE() << "no error";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.where(), "gpu.core0");
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
    }
  }
  template <class Kind>
  static ControlFlowRequest event(Kind kind, Pc next) {
    ControlFlowRequest r;
    r.set(kind);
    r.mask = r.taken = LaneMask::all();
    r.next = next;
    r.target = Pc{50};
    return r;
  }
  sim::Twins twins;
};

// Lanes leave one by one, each for a different target: the deepest stack possible without calls.
TEST_F(Adapter, WithoutCallsAWarpTakesTwiceItsLanesLessOneEntries) {
  const auto rtl = make(1);
  base::StatGroup stats;
  rtl->register_stats(stats);
  ControlFlowRequest r = event(ControlFlowEvent::kLaunch, Pc{0});
  rtl->serve(r);
  for (unsigned lane = 0; lane < base::kLanes - 1; ++lane) {
    r = event(Transfer::kJump, Pc{100 + lane});
    r.target = Pc{200 + lane};
    r.rpc = Pc{300 + lane};
    r.taken = LaneMask::difference(LaneMask::all(), LaneMask::first_lanes(lane + 1));
    rtl->serve(r);
    EXPECT_TRUE(r.diverged);
  }
  EXPECT_EQ(stats.count("max_depth"), 63u);
  EXPECT_EQ(stats.count("divergences"), 31u);
  EXPECT_EQ(twins.uses().front().clocks, 1u + 31 * 2);
}

TEST_F(Adapter, CallsDeeperThanTheRtlAreAnErrorWithARemedy) {
  const auto rtl = make(2);
  ControlFlowRequest r = event(ControlFlowEvent::kLaunch, Pc{0});
  r.warp = WarpId{1};
  rtl->serve(r);
  std::uint32_t calls = 0;
  const auto call = [&] {
    r = event(Transfer::kCall, Pc{7});
    r.warp = WarpId{1};
    rtl->serve(r);
    EXPECT_EQ(r.call_depth, ++calls);
  };
  while (calls < kFrames - 1) call();
  expect_error(call, "warp 1 calls functions deeper", "more Frames");
}

TEST_F(Adapter, AStackDeeperThanTheRtlIsAnErrorWithARemedy) {
  const auto rtl = make(1);
  ControlFlowRequest r = event(ControlFlowEvent::kLaunch, Pc{0});
  rtl->serve(r);
  // One lane less in every function for a while: three more entries each, then one.
  std::uint32_t depth = 1;
  for (unsigned lane = 0; depth < kDepth; ++lane) {
    r = event(Transfer::kJump, Pc{1});
    r.rpc = Pc{9};
    if (lane < 20) {
      r.taken = LaneMask(~((2u << lane) - 1));
      rtl->serve(r), depth += 2;
    }
    if (depth == kDepth) break;
    r = event(Transfer::kCall, Pc{7});
    rtl->serve(r), ++depth;
  }
  expect_error([&] { r = event(Transfer::kCall, Pc{7}), rtl->serve(r); }, "warp 0 has 128 stack entries",
               "more Depth");
}

TEST_F(Adapter, MoreWarpsThanTheRtlAreAnError) { EXPECT_THROW(make(65), base::InputError); }

}  // namespace
}  // namespace heddle::simt_stack_bench
