// AWARE and Multi-Path under timing: contract: in which cycle an event is served and answered (split_work.h), what waits for it, and in which order the
// events of a warp are. Warps are issued by schedulers in turn; warp w of AWARE is group w.
#include "simt/clocked_splits.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "blocks/simt/rig.h"

namespace heddle::simt::clocked_splits_test {
namespace {

constexpr std::uint32_t kWarps = 4, kSchedulers = 2;

class Rig : public SimtRig {
 public:
  explicit Rig(const ControlFlowConfig& config)
      : SimtRig(clocked(config), kWarps, "rig", nullptr, kSchedulers) {
    cycle = 10;
  }
  void start(std::uint32_t warp) {
    launch('A', mask("1111"), WarpId{warp});
    settle();
  }
  /// Until nothing waits and nothing is to be told.
  void settle() {
    while (due != kNever) next();
  }
  void next() { tick(cycle + 1); }
  /// Cycles until the group may go on, or waits for something else.
  Cycle answer(std::uint32_t group = 0) {
    const Cycle from = cycle;
    while (held(group) && cycle < from + 100) next();
    return cycle - from;
  }
  [[nodiscard]] bool held(std::uint32_t group = 0) {
    return groups.contains(GroupId{group}) && groups[GroupId{group}].blocked &&
           groups[GroupId{group}].cause == BlockCause::kUnit;
  }
  Cycle branch_of(std::uint32_t group, char target, const char* taken, char next, char rpc) {
    branch(GroupId{group}, pc(target), mask(taken), pc(next), pc(rpc));
    EXPECT_TRUE(held(group));
    return answer(group);
  }
  Cycle go_to(std::uint32_t group, char to) {
    go(GroupId{group}, pc(to));
    return answer(group);
  }
};

TEST(ClockedSplits, AnEventOfAwareIsAnsweredWhenItsWorkIsDone) {
  Rig rig(aware());
  rig.launch('A', mask("1111"));
  EXPECT_EQ(rig.answer(), 3u) << "served; written; in front";
  EXPECT_EQ(rig.branch_of(0, 'B', "1111", 'C', '-'), 3u) << "looked up; written; in front again";
  // Looked up; RT and the first side; the second side; a look at the one in front.
  EXPECT_EQ(rig.branch_of(0, 'C', "1100", 'D', 'G'), 4u);
  EXPECT_EQ(rig.fifo(), "D0011 C1100");
  EXPECT_EQ(rig.branch_of(0, 'E', "0011", 'H', 'G'), 3u) << "the other one is in front, and looked up";
  EXPECT_EQ(rig.fifo(), "C1100 E0011");
  // Looked up; the split ends, and the RT is looked at; the RT is written; the one in front is looked at.
  EXPECT_EQ(rig.go_to(0, 'G'), 4u);
  EXPECT_EQ(rig.rt(), "G - 1111/0011");
  EXPECT_EQ(rig.go_to(0, 'G'), 5u) << "the RT is written, and a clock later the split that it makes";
  EXPECT_EQ(rig.fifo(), "G1111");
  rig.barrier(kGroup, pc('H'));
  EXPECT_EQ(rig.answer(), 3u) << "written; that nobody else can run is known";
  EXPECT_EQ(rig.groups[kGroup].cause, BlockCause::kBarrier);
  rig.release(mask("1111"));
  EXPECT_EQ(rig.groups[kGroup].blocked, true) << "until the answer";
  const Cycle from = rig.cycle;
  while (rig.groups[kGroup].blocked) rig.next();
  EXPECT_EQ(rig.cycle - from, 4u) << "a blocked split is looked at; it is there, and in front";
}

TEST(ClockedSplits, AllSidesOfMultiPathAreToldAtOnce) {
  Rig rig(multi_path(32));
  rig.start(0);
  EXPECT_EQ(rig.branch_of(0, 'C', "1100", 'D', 'G'), 4u) << "a side is written in a clock, and passes by";
  EXPECT_EQ(rig.groups.size(), 2u);
  EXPECT_EQ(rig.branch_of(rig.at('C').value(), 'E', "1100", 'H', 'G'), 3u);
  EXPECT_EQ(rig.groups[rig.at('D')].blocked, false) << "the others go on meanwhile";
}

TEST(ClockedSplits, OneEventIsServedAtATimeAndTheOtherSchedulersWaits) {
  Rig rig(aware());
  rig.start(0), rig.start(1);
  // Without a second look the clock behind the last step of one is the first of the next.
  for (const std::uint32_t warp : {0u, 1u})
    rig.branch(GroupId{warp}, pc('B'), mask("1111"), pc('C'), pc('-'));
  EXPECT_EQ(rig.busy, 3u) << "both are in their latches";
  EXPECT_EQ(rig.answer(0) + rig.answer(1), 3u + 2u);
  rig.settle();
  for (const std::uint32_t warp : {0u, 1u})
    rig.branch(GroupId{warp}, pc('C'), mask("1100"), pc('D'), pc('G'));
  rig.next();
  EXPECT_TRUE(rig.busy == 1u || rig.busy == 2u) << "one waits";
  EXPECT_EQ(1 + rig.answer(0) + rig.answer(1), 4u + 4u);
  EXPECT_EQ(rig.busy, 0u);
  EXPECT_EQ(rig.stats.count("unit.events"), 6u);
  EXPECT_EQ(rig.stats.count("unit.wait_cycles"), 2u + 4u);
  EXPECT_EQ(rig.stats.count("unit.busy_cycles"), 4u * 2u + 2u * 4u);
}

TEST(ClockedSplits, ASchedulersLatchHoldsOneEvent) {
  Rig rig(aware());
  rig.start(0), rig.start(kSchedulers);
  rig.branch(GroupId{0}, pc('B'), mask("1111"), pc('C'), pc('-'));
  EXPECT_THROW(rig.branch(GroupId{kSchedulers}, pc('B'), mask("1111"), pc('C'), pc('-')), std::logic_error);
}

TEST(ClockedSplits, AWarpThatEndsIsGoneAtOnceAndItsSlotsLaunchWaitsForIt) {
  Rig rig(aware());
  rig.start(3);
  rig.exit(GroupId{3}, mask("1111"), pc('B'));
  EXPECT_FALSE(rig.groups.contains(GroupId{3}));
  rig.launch('C', mask("1111"), WarpId{3});
  EXPECT_EQ(rig.answer(3), 6u) << "three cycles later";
  EXPECT_EQ(rig.groups[GroupId{3}].pc, pc('C'));
  EXPECT_EQ(rig.groups.size(), 1u);
}

TEST(ClockedSplits, AWarpWhosePathsEndCloseTogetherLeavesNoneBehind) {
  Rig rig(multi_path(4));
  rig.start(0);
  rig.branch_of(0, 'C', "1100", 'D', 'G');
  const GroupId first = rig.at('C'), second = rig.at('D');
  rig.exit(first, mask("1100"), pc('E'));
  rig.next();
  ASSERT_EQ(rig.busy, 0u) << "it has been served,";
  ASSERT_TRUE(rig.held(first.value())) << "and not been answered";
  rig.exit(second, mask("0011"), pc('E'));
  EXPECT_TRUE(rig.groups.empty()) << "the slot may be given to another warp, or the launch may end";
  rig.launch('X', mask("1111"));
  rig.settle();
  EXPECT_EQ(rig.groups.size(), 1u);
  EXPECT_EQ(rig.groups[kGroup].pc, pc('X'));
}

TEST(ClockedSplits, ALaunchThatFailsInTheUnitEnds) {
  Rig rig(aware());
  rig.start(0);
  rig.indirect(Transfer::kReturn, kGroup, {pc('B'), pc('B'), pc('B'), pc('B')}, mask("1111"), pc('C'));
  rig.release(mask("1111"));
  EXPECT_THROW(rig.next(), std::logic_error) << "outside of any call";
  rig.send({.event = ControlFlowEvent::kEndLaunch});
}

TEST(ClockedSplits, TheNextLaunchFindsTheUnitIdle) {
  Rig rig(aware());
  rig.start(0);
  rig.exit(kGroup, mask("1111"), pc('B'));
  rig.send({.event = ControlFlowEvent::kEndLaunch});
  rig.launch('A', mask("1111"));
  EXPECT_EQ(rig.answer(), 3u);
}

TEST(ClockedSplits, AReleaseWaitsForTheArrival) {
  Rig rig(aware());
  rig.start(2);
  rig.barrier(GroupId{2}, pc('B'));
  rig.release(mask("1111"));  // of warp 0, which has none: nothing comes of it
  ControlFlowRequest release = rig.event(ControlFlowEvent::kBarrierRelease, GroupId{2}, kNoPc);
  release.mask = mask("1111");
  rig.send(release);
  rig.settle();
  EXPECT_FALSE(rig.groups[GroupId{2}].blocked);
  EXPECT_EQ(rig.groups[GroupId{2}].pc, pc('B'));
}

TEST(ClockedSplits, AnIndirectBranchWritesASideAClock) {
  Rig rig(aware());
  rig.start(0);
  EXPECT_TRUE(rig.indirect(Transfer::kJump, kGroup, {pc('B'), pc('C'), pc('D'), pc('E')}, mask("1111"),
                           pc('A', 1), pc('G'))
                  .diverged);
  EXPECT_EQ(rig.answer(), 6u) << "four sides, and the look at the first";
}

ControlFlowConfig with_clocked(const std::vector<std::string>& tables) {
  ControlFlowConfig config = aware();
  for (const std::string& table : tables) config.clocked_block(table).timing = sim::Timing::kContract;
  return config;
}

TEST(ClockedSplits, TablesOfTheirOwnAreAskedOneRequestAtATime) {
  Rig rig(with_clocked({"split_table", "reconvergence_table", "split_fifo"}));
  rig.start(0);
  // ST: read, written, read; FIFO: turned, read.
  EXPECT_EQ(rig.branch_of(0, 'B', "1111", 'C', '-'), 2u + 5u);
  // ST: read, freed, two inserted, read; RT: inserted; FIFO: popped, two pushed, read.
  EXPECT_EQ(rig.branch_of(0, 'C', "1100", 'D', 'G'), 2u + 10u);
}

TEST(ClockedSplits, ATableThatIsNotClockedTakesNoTime) {
  Rig rig(with_clocked({"split_table"}));
  rig.start(0);
  EXPECT_EQ(rig.branch_of(0, 'B', "1111", 'C', '-'), 2u + 3u);
}

TEST(ClockedSplits, TablesAreNotClockedWithoutTheUnit) {
  const ControlFlowFactory factory = with_clocked({"split_fifo"}).factory(kSchedulers);
  base::StatGroup stats;
  EXPECT_THROW(ControlFlowUnit("unit", factory, 1, stats), base::InputError);
}

TEST(ClockedSplits, TooManySchedulersAreRefused) {
  const ControlFlowFactory factory = clocked(aware()).factory(ClockedSplits::kMostSchedulers + 1);
  base::StatGroup stats;
  EXPECT_THROW(ControlFlowUnit("unit", factory, 1, stats), base::InputError);
}

}  // namespace
}  // namespace heddle::simt::clocked_splits_test
