// The SIMT stack under timing: contract: in which cycle an event is served and answered (rtl/simt_stack/README.md, Contract), what waits
// for it, and in which order the events of a warp are.
#include "simt/clocked_stack.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heddle::simt {
namespace {

constexpr std::uint32_t kWarps = 8, kSchedulers = 2;

/// A core: it asks for the answers that are due, cycle by cycle.
class Rig {
 public:
  explicit Rig(std::unique_ptr<StackUnit> unit = model())
      : stack_({kWarps, kSchedulers, FirstSide::kTaken, 0}, std::move(unit), "rig") {}
  static std::unique_ptr<StackUnit> model() {
    return std::make_unique<StackUnitModel>(kWarps, kSchedulers + 1, FirstSide::kTaken);
  }

  ControlFlowRequest ask(ControlFlowRequest request) {
    request.cycle = now;
    request.group = GroupId{request.warp.value()};
    stack_.serve(request);
    last_.assign(request.updates.begin(), request.updates.end());
    due_ = request.due;
    busy = request.busy;
    return request;
  }
  /// What became of the group at once.
  [[nodiscard]] const GroupUpdate& at_once() const { return last_.at(0); }
  /// Goes on to the next cycle, and hears of what is due in it.
  void next() {
    ++now;
    while (due_ <= now) {
      ControlFlowRequest tick{.event = ControlFlowEvent::kTick, .cycle = now};
      stack_.serve(tick);
      due_ = tick.due;
      busy = tick.busy;
      for (const GroupUpdate& update : tick.updates) heard[update.group.value()] = {now, update};
    }
  }
  /// Cycles until the warp's group is told.
  Cycle answer_of(std::uint32_t warp) {
    const Cycle from = now;
    heard.erase(warp);
    while (!heard.contains(warp) && now < from + 100) next();
    return now - from;
  }
  void launch(std::uint32_t warp) {
    ask({.event = ControlFlowEvent::kLaunch, .warp = WarpId{warp}, .mask = LaneMask::all(), .next = Pc{0}});
  }
  void exit(std::uint32_t warp) {
    ask({.event = ControlFlowEvent::kExit, .warp = WarpId{warp}, .mask = LaneMask::all(), .next = Pc{9}});
  }
  void end_launch() {
    ControlFlowRequest end{.event = ControlFlowEvent::kEndLaunch, .cycle = now};
    stack_.serve(end);
  }
  static ControlFlowRequest branch(std::uint32_t warp, std::uint32_t taken) {
    ControlFlowRequest request{
        .warp = WarpId{warp}, .taken = LaneMask(taken), .target = Pc{20}, .next = Pc{5}, .rpc = Pc{40}};
    request.set(Transfer::kJump);
    return request;
  }

  struct Heard {
    Cycle cycle = 0;
    GroupUpdate update;
  };
  Cycle now = 10;
  std::uint32_t busy = 0;
  std::map<std::uint32_t, Heard> heard;

 private:
  ClockedStack stack_;
  std::vector<GroupUpdate> last_;
  Cycle due_ = kNever;
};

TEST(ClockedStack, AnEventIsAnsweredWhenItsCostSays) {
  Rig rig;
  rig.launch(0);
  EXPECT_EQ(rig.at_once().change, GroupChange::kBlocked);
  EXPECT_EQ(rig.at_once().cause, BlockCause::kUnit);
  EXPECT_EQ(rig.answer_of(0), cost(StackWork{}).answer);
  EXPECT_EQ(rig.heard[0].update.change, GroupChange::kMoved);
  EXPECT_EQ(rig.heard[0].update.mask, LaneMask::all());
  // Three entries take the place of the top: a second one is pushed.
  EXPECT_TRUE(rig.ask(Rig::branch(0, 0xff)).diverged);
  EXPECT_EQ(rig.answer_of(0), (cost(StackWork{.pushes = 1}).answer));
  EXPECT_EQ(rig.heard[0].update.pc, Pc{20});
  EXPECT_EQ(rig.heard[0].update.mask, LaneMask(0xff));
  // To the RPC: the entry is popped.
  rig.ask({.event = ControlFlowEvent::kAdvance, .warp = WarpId{0}, .next = Pc{40}});
  EXPECT_EQ(rig.answer_of(0), (cost(StackWork{.pops = 1}).answer));
  EXPECT_EQ(rig.heard[0].update.pc, Pc{5});
}

TEST(ClockedStack, OneEventIsServedInACycleAndTheOtherSchedulersWaits) {
  Rig rig;
  rig.launch(0), rig.launch(1);
  EXPECT_EQ(rig.answer_of(0), 2u);
  EXPECT_EQ(rig.answer_of(1), 1u);  // the next cycle
  rig.ask(Rig::branch(0, ~0u)), rig.ask(Rig::branch(1, ~0u));
  EXPECT_EQ(rig.busy, 3u) << "both are in their latches";
  rig.next();
  EXPECT_NE(rig.busy, 0u) << "one waits";
  EXPECT_NE(rig.busy, 3u) << "one is served";
  rig.next(), rig.next();
  EXPECT_EQ(rig.busy, 0u);
  EXPECT_EQ(rig.heard[0].cycle + rig.heard[1].cycle, 2 * rig.now - 1) << "a cycle behind each other";
}

TEST(ClockedStack, NobodyIsServedWhileEntriesArePushed) {
  Rig rig;
  rig.launch(0), rig.launch(1);
  rig.answer_of(1);
  rig.ask(Rig::branch(0, 0xff));  // alone, and served at once
  rig.next();
  rig.ask(Rig::branch(1, ~0u));
  EXPECT_EQ(rig.answer_of(1), 3u) << "a cycle later than it would";
}

TEST(ClockedStack, AWarpThatEndsIsGoneAtOnceAndItsSlotsLaunchWaitsForIt) {
  Rig rig;
  rig.launch(3);
  rig.answer_of(3);
  rig.exit(3);
  EXPECT_EQ(rig.at_once().change, GroupChange::kVanished);
  rig.launch(3);
  // The EXIT is served now and answered two cycles later, in which the LAUNCH is served.
  EXPECT_EQ(rig.answer_of(3), 4u);
  EXPECT_EQ(rig.heard[3].update.change, GroupChange::kMoved);
}

TEST(ClockedStack, AReleaseWaitsForTheArrivalAndNobodyForThat) {
  Rig rig;
  rig.launch(2);
  rig.answer_of(2);
  rig.ask(
      {.event = ControlFlowEvent::kBarrierArrive, .warp = WarpId{2}, .mask = LaneMask::all(), .next = Pc{7}});
  EXPECT_EQ(rig.at_once().cause, BlockCause::kBarrier);
  rig.ask({.event = ControlFlowEvent::kBarrierRelease, .warp = WarpId{2}, .mask = LaneMask::all()});
  EXPECT_EQ(rig.at_once().cause, BlockCause::kUnit);
  EXPECT_EQ(rig.answer_of(2), 4u);
  EXPECT_EQ(rig.heard[2].update.change, GroupChange::kSchedulable);
  EXPECT_EQ(rig.heard[2].update.pc, Pc{7});
}

TEST(ClockedStack, AnEventWithSeveralTargetsIsARequestForEach) {
  Rig rig;
  rig.launch(0);
  rig.answer_of(0);
  std::array<Pc, base::kLanes> targets{};
  for (unsigned lane = 0; lane < base::kLanes; ++lane) targets[lane] = Pc{20 + lane % 4};
  ControlFlowRequest indirect = Rig::branch(0, ~0u);
  indirect.lane_target = targets.data();
  EXPECT_TRUE(rig.ask(indirect).diverged);
  EXPECT_EQ(rig.answer_of(0), 5 * cost(StackWork{}).answer)
      << "SPLIT and four SIDEs, each behind the one before";
  EXPECT_EQ(rig.heard[0].update.mask, LaneMask(0x11111111));
}

TEST(ClockedStack, ASchedulersLatchHoldsOneEvent) {
  Rig rig;
  rig.launch(0), rig.launch(kSchedulers);
  rig.answer_of(0), rig.answer_of(kSchedulers);
  rig.ask(Rig::branch(0, ~0u));
  EXPECT_THROW(rig.ask(Rig::branch(kSchedulers, ~0u)), std::logic_error);
}

/// A block that serves no EXIT as it should.
class LeavesALane final : public StackUnit {
 public:
  [[nodiscard]] StackLimits limits() const override { return {}; }
  [[nodiscard]] StackAnswer answer() const override { return model_->answer(); }
  [[nodiscard]] std::optional<std::uint32_t> grant(const StackPins& pins, Cycle cycle) override {
    return model_->grant(pins, cycle);
  }
  void edge(const StackPins& pins, Cycle cycle) override {
    StackPins wrong = pins;
    for (auto& request : wrong.requests)
      if (request && request->op == StackOp::kExit) request->lanes = LaneMask(~1u);
    model_->edge(wrong, cycle);
  }
  [[nodiscard]] StackContents read(WarpId warp) const override { return model_->read(warp); }

 private:
  std::unique_ptr<StackUnit> model_ = Rig::model();
};

TEST(ClockedStack, TheLastRequestsOfALaunchAreCompared) {
  Rig rig(lockstep_stack_unit("rig", Rig::model(), std::make_unique<LeavesALane>()));
  rig.launch(0);
  rig.answer_of(0);
  rig.exit(0);
  EXPECT_THROW(rig.end_launch(), base::Error);
}

TEST(ClockedStack, ALaunchThatBeginsAtOnceFindsItIdle) {
  Rig rig;
  rig.launch(0);
  rig.answer_of(0);
  for (unsigned i = 0; i < 3; ++i) {
    rig.exit(0);
    rig.end_launch();
    rig.next();
    rig.launch(0);
    EXPECT_EQ(rig.answer_of(0), cost(StackWork{}).answer);
  }
}

}  // namespace
}  // namespace heddle::simt
