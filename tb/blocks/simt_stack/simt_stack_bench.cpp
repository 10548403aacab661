// The SIMT stack as model and as RTL, clock by clock, and beside them the mechanism's model (stack_reference.h). The worked examples of
// the publications are in tests/unit/simt/stack_test.cpp and stack_calls_test.cpp, which are part of this program.
#include "VSimtStack.h"
#include "VSimtStackNoDebug.h"
#include "VSimtStackNotTaken.h"
#include "VSimtStackSmaller.h"
#include "VSimtStackTaken.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "cosim/lockstep_bench.h"
#include "cosim/simt_stack_pins.h"
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
using simt::StackAnswer;
using simt::StackPins;
using simt::Transfer;
using simt::WarpId;

// As in rtl/simt_stack/simt_stack.cmake.
constexpr std::uint32_t kDepth = 128, kFrames = 96;
constexpr std::uint32_t kSmallDepth = 9, kSmallFrames = 3;
constexpr std::uint32_t kUnreadDepth = 10;

struct Stalls {
  std::uint32_t requesters;
  unsigned withheld;  ///< of 256 clocks in which a requester has none
  friend void PrintTo(const Stalls& stalls, std::ostream* out) {
    *out << stalls.requesters << " requesters, withheld in " << stalls.withheld << " of 256";
  }
};
using Parameters = std::tuple<Stalls, FirstSide>;
std::string name_parameters(const ::testing::TestParamInfo<Parameters>& info) {
  static constexpr const char* kSides[] = {"Auto", "Taken", "NotTaken", "Smaller"};
  const auto [stalls, side] = info.param;
  return "Requesters" + std::to_string(stalls.requesters) + "Withheld" + std::to_string(stalls.withheld) +
         kSides[static_cast<unsigned>(side)];
}

using Limits = simt::StackLimits;

/// Requesters with a request each, at random withheld; one of a warp at a time.
template <class V>
class Bench {
 public:
  /// `read_out`: V has it, and its entries are compared; without, V is by itself, and the bench's account says what it answers and when.
  Bench(FirstSide first_side, Limits limits, const std::string& name, bool read_out = true)
      : reference_(cosim::kWarps, first_side, limits.depth, limits.frames), read_out_(read_out) {
    use_.timing = sim::Timing::kContract;
    use_.waves = cosim::waves_file(name);
    unit_ = std::make_unique<cosim::StackRtl<V>>(use_, first_side, limits);
    if (read_out)
      unit_ = simt::lockstep_stack_unit(
          "bench", std::make_unique<simt::StackUnitModel>(cosim::kWarps, kRequesters, first_side, limits),
          std::move(unit_));
  }

  template <class Traffic>
  void run(std::uint64_t count, const Stalls& stalls, Traffic& traffic) {
    std::mt19937 random(stalls.requesters);
    std::uint64_t free_from = 0;
    std::optional<std::uint32_t> last;
    for (std::uint64_t clock = 0, answered = 0; answered < count; ++clock) {
      for (std::uint32_t r = 0; r < stalls.requesters; ++r) {
        if (pins_.requests[r] || random() % 256 < stalls.withheld) continue;
        const auto request = traffic(reference_, random);
        if (!request) continue;
        Expected& expected = expected_[request->warp];
        expected.clocks = reference_.clocks(*request);
        expected.answer = reference_.serve(*request);
        expected.whole = request->last && expected.answer.error == StackAnswer::Error::kNone;
        pins_.requests[r] = *request;
      }
      // Who is served, by the bench's own account
      std::optional<std::uint32_t> turn;
      for (std::uint32_t i = 1; i <= kRequesters && clock >= free_from && !turn; ++i)
        if (const std::uint32_t r = (last.value_or(kRequesters - 1) + i) % kRequesters; pins_.requests[r])
          turn = r;
      ASSERT_EQ(unit_->grant(pins_, clock), turn) << "clock " << clock;
      unit_->edge(pins_, clock);
      if (turn) {
        Expected& expected = expected_[pins_.requests[*turn]->warp];
        free_from = expected.due = clock + expected.clocks;
        last = turn;
        pins_.requests[*turn].reset();
      }
      const StackAnswer got = unit_->answer();
      std::optional<WarpId> due;
      for (const auto& [warp, expected] : expected_)
        if (expected.due == clock) due = warp;
      ASSERT_EQ(got.valid, due.has_value()) << "clock " << clock;
      if (!due) continue;
      ++answered;
      Expected& expected = expected_[*due];
      expected.due = kNotServed;
      StackAnswer compared = got;
      // Between the requests of an event the mechanism has no top.
      if (!expected.whole) compared.top = expected.answer.top;
      ASSERT_TRUE(compared == expected.answer)
          << "clock " << clock << ", warp " << due->value() << ", depth " << got.depth << " for "
          << expected.answer.depth << ", mask " << got.top.mask.to_string() << " for "
          << expected.answer.top.mask.to_string() << ", pc " << got.top.pc.value() << " for "
          << expected.answer.top.pc.value();
      if (!read_out_) {
        ASSERT_TRUE(unit_->read(*due).entries.empty()) << "clock " << clock;
      } else if (expected.whole) {
        ASSERT_EQ(unit_->read(*due).entries, reference_.entries(*due)) << "clock " << clock;
      }
      traffic.answered(*due);
    }
  }

 private:
  static constexpr std::uint32_t kRequesters = StackPins::kMostRequesters;
  static constexpr std::uint64_t kNotServed = ~std::uint64_t{0};
  struct Expected {
    StackAnswer answer;
    std::uint64_t clocks = 0;
    std::uint64_t due = kNotServed;
    bool whole = true;
  };
  StackReference reference_;
  bool read_out_;
  sim::TwinUse use_;
  std::unique_ptr<simt::StackUnit> unit_;
  StackPins pins_;
  std::map<WarpId, Expected> expected_;
};

class SimtStackLockstep : public ::testing::TestWithParam<Parameters> {
 protected:
  template <class V>
  void any_traffic(Limits limits, bool small, std::uint64_t requests, bool read_out = true) {
    const auto [stalls, first_side] = GetParam();
    Bench<V> bench(first_side, limits, "simt_stack", read_out);
    cosim::AnyTraffic traffic(small);
    bench.run(requests, stalls, traffic);
    EXPECT_TRUE(traffic.coverage.missing().empty())
        << ::testing::PrintToString(traffic.coverage.missing()) << " of\n"
        << traffic.coverage.table();
  }
};

TEST_P(SimtStackLockstep, AnySequenceEqualsTheModelClockByClock) {
  any_traffic<VSimtStack>({kDepth, kFrames}, false, 50000);
}

TEST_P(SimtStackLockstep, WithoutRoomNothingIsDoneAndSaidSo) {
  // Of RTL whose FirstSide is a parameter.
  constexpr Limits kSmall{kSmallDepth, kSmallFrames};
  switch (std::get<FirstSide>(GetParam())) {
    case FirstSide::kTaken:
      any_traffic<VSimtStackTaken>(kSmall, true, 120000);
      return any_traffic<VSimtStackNoDebug>({kUnreadDepth, kSmallFrames}, true, 120000, false);
    case FirstSide::kNotTaken:
      return any_traffic<VSimtStackNotTaken>(kSmall, true, 120000);
    default:
      return any_traffic<VSimtStackSmaller>(kSmall, true, 120000);
  }
}

TEST_P(SimtStackLockstep, ProgramsEqualTheModelClockByClock) {
  const auto [stalls, first_side] = GetParam();
  Bench<VSimtStack> bench(first_side, {kDepth, kFrames}, "simt_stack_programs");
  cosim::ProgramTraffic traffic;
  bench.run(40000, stalls, traffic);
  EXPECT_GT(traffic.programs, 50u);
  EXPECT_GT(traffic.max_depth, 8u);
}

INSTANTIATE_TEST_SUITE_P(
    With, SimtStackLockstep,
    ::testing::Combine(::testing::Values(Stalls{1, 0}, Stalls{3, 0}, Stalls{3, 128}, Stalls{9, 200}),
                       ::testing::Values(FirstSide::kTaken, FirstSide::kNotTaken, FirstSide::kSmaller)),
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
  EXPECT_EQ(twins.uses().front().clocks, 2u + 31 * 3);
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
