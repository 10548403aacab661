// AWARE with tables that hold only some of their entries on chip ([AWARE] §5.5.2).
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "blocks/simt/rig.h"

namespace heddle::simt::aware_virtual_test {
namespace {

ControlFlowConfig entries(std::uint32_t splits, std::uint32_t points) {
  ControlFlowConfig config = aware();
  config.get<AwareConfig>().st_entries = splits;
  config.get<AwareConfig>().rt_entries = points;
  return config;
}

std::vector<std::string> virtual_rows(SimtRig& rig, const char* table) {
  std::vector<std::string> rows;
  const nlohmann::ordered_json json = rig.table();
  for (const auto& row : json.at(table))
    if (row.contains("virtual")) rows.push_back(pc_name(pc_in(row.at("pc"))));
  return rows;
}
using Rows = std::vector<std::string>;

TEST(AwareVirtual, NothingMovesWhileTheEntriesSuffice) {
  SimtRig rig(entries(2, 1));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1010", 'B', 'D');
  rig.go('D');
  rig.go('D');
  EXPECT_EQ(rig.st(), "D - 1111");
  EXPECT_EQ(rig.spills, 0u);
}

TEST(AwareVirtual, TheSplitThatRunsLastIsSpilledFirst) {
  SimtRig rig(entries(2, 8));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');  // B C
  rig.branch('F', "0001", 'E', 'G');  // C E F: E goes when F comes
  EXPECT_EQ(rig.fifo(), "C1100 E0010 F0001");
  EXPECT_EQ(virtual_rows(rig, "st"), Rows{"E"});
  EXPECT_EQ(rig.spills, 1u);
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kNothing);

  rig.go('D');  // C: E's turn, which is in memory; F runs meanwhile
  EXPECT_EQ(rig.groups[kGroup].pc, pc('F'));
  EXPECT_EQ(rig.fifo(), "F0001 E0010");
  ASSERT_EQ(rig.fills.size(), 1u);
  EXPECT_TRUE(rig.fills[0].table == TableEntryTransfer::Table::kSplit);
  rig.fill();
  EXPECT_TRUE(rig.answered.empty()) << "F runs on";
  EXPECT_TRUE(virtual_rows(rig, "st").empty());
  rig.go('G');  // F
  EXPECT_EQ(rig.groups[kGroup].pc, pc('E'));
  EXPECT_EQ(rig.groups[kGroup].watch, pc('G'));
}

TEST(AwareVirtual, ASplitThatIsBackWaitsUntilTheRunningOneYields) {
  SimtRig rig(entries(1, 8));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  EXPECT_EQ(rig.groups[kGroup].pc, pc('B')) << "the one that runs keeps the only entry";
  EXPECT_EQ(virtual_rows(rig, "st"), Rows{"C"});
  rig.branch('B', "0011", 'E', 'D');  // B's turn is over, but C has yet to come
  EXPECT_EQ(rig.groups[kGroup].pc, pc('B'));
  rig.fill();
  EXPECT_EQ(virtual_rows(rig, "st"), Rows{"C"});
  rig.branch('B', "0011", 'E', 'D');
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  EXPECT_EQ(virtual_rows(rig, "st"), Rows{"B"});
}

TEST(AwareVirtual, WithAllOthersInMemoryTheWarpWaitsForOne) {
  SimtRig rig(entries(1, 8));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.go('D');  // B
  EXPECT_TRUE(rig.groups[kGroup].blocked);
  EXPECT_TRUE(rig.groups[kGroup].cause == BlockCause::kTables);
  rig.fill();
  EXPECT_FALSE(rig.groups[kGroup].blocked);
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  EXPECT_EQ(rig.groups[kGroup].mask, mask("1100"));
}

// [AWARE:A5], where the thesis does not define the order: polling splits take turns although most of them are
// in memory and a fill takes several turns. In every iteration the two lanes of a split diverge and
// reconverge, so that new splits need entries. Each gets its turn within a round of fills, and a split that
// has been filled runs before it may be evicted again. The arguments: entries of the split table; turns that
// a fill takes, 0: up to three fills per turn.
class Turns : public ::testing::TestWithParam<std::tuple<std::uint32_t, unsigned>> {};

TEST_P(Turns, EverySplitComesAndOneThatIsBackStaysUntilItHas) {
  const auto [physical, latency] = GetParam();
  constexpr unsigned kPairs = 6;
  constexpr unsigned kTurns = 1000;
  const auto base = [](unsigned pair) { return 100 * (pair + 1); };
  SimtRig rig(entries(physical, 32));
  rig.launch('A', LaneMask((1u << 2 * kPairs) - 1));
  std::vector<Pc> to(base::kLanes, pc('B'));
  for (unsigned lane = 0; lane < 2 * kPairs; ++lane) to[lane] = Pc{base(lane / 2)};
  rig.indirect(Transfer::kJump, kGroup, to, LaneMask((1u << 2 * kPairs) - 1), pc('Z'), pc('Z'));

  std::map<std::uint32_t, unsigned> last_lap;  // by base
  std::set<Pc> spilled, owed;
  unsigned longest = 0, fills = 0, under_way = 0;
  for (unsigned turn = 1; turn <= kTurns; ++turn) {
    if (rig.groups[kGroup].blocked) {
      ASSERT_FALSE(rig.fills.empty()) << "nobody runs and nobody is sent for";
      rig.fill();
      ASSERT_FALSE(rig.groups[kGroup].blocked);
      ++fills;
      under_way = 0;
    }
    const Pc running = rig.groups[kGroup].pc;
    const std::uint32_t lap = running.value() / 100 * 100;
    owed.erase(running);
    for (unsigned several = 0; !rig.fills.empty() && several < 3; ++several) {
      if (latency > 0 && (several > 0 || ++under_way < latency)) break;
      rig.fill();
      ++fills;
      under_way = 0;
    }
    switch (running.value() % 100) {
      case 0:  // diverge
        longest = std::max(longest, turn - last_lap[lap]);
        last_lap[lap] = turn;
        rig.branch(kGroup, Pc{lap + 20}, LaneMask(1u << 2 * (lap / 100 - 1)), Pc{lap + 40}, Pc{lap + 60});
        break;
      case 60:  // reconverged: another iteration
        rig.branch(kGroup, Pc{lap}, rig.groups[kGroup].mask, pc('Z'), pc('Z'));
        break;
      default:
        rig.go(kGroup, Pc{lap + 60});
    }
    std::set<Pc> now;
    const nlohmann::ordered_json table = rig.table();
    for (const auto& row : table.at("st"))
      if (row.contains("virtual")) now.insert(pc_in(row.at("pc")));
    for (const Pc back : spilled)
      if (!now.contains(back) && back != running && rig.groups[kGroup].pc != back) owed.insert(back);
    for (const Pc gone : now) ASSERT_FALSE(owed.contains(gone)) << gone.value() << " in turn " << turn;
    spilled = now;
  }
  EXPECT_EQ(last_lap.size(), kPairs) << "some never ran";
  // An iteration is four turns; each may have to wait for the fills of all others.
  const unsigned bound = 4 * 2 * kPairs * (latency + 1);
  EXPECT_LE(longest, bound);
  for (const auto& [which, turn] : last_lap) EXPECT_LE(kTurns - turn, bound) << which;
  EXPECT_LE(fills, kTurns + kPairs) << "a fill for a turn at most";
  EXPECT_GT(fills, kTurns / (latency + 1) / 4) << "else nothing was tried";
}

INSTANTIATE_TEST_SUITE_P(AwareVirtual, Turns,
                         ::testing::Combine(::testing::Values(1u, 2u, 4u, 6u),
                                            ::testing::Values(0u, 1u, 3u, 7u)),
                         [](const auto& test) {
                           return fmt::format("entries_{}_fill_{}", std::get<0>(test.param),
                                              std::get<1>(test.param));
                         });

TEST(AwareVirtual, AnArrivalWaitsForItsEntryAndHoldsTheWarp) {
  SimtRig rig(entries(8, 1));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'G');
  rig.branch('E', "0001", 'D', 'F');  // B: the entry of F replaces that of G
  EXPECT_EQ(virtual_rows(rig, "rt"), Rows{"G"});
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 0011/0011");
  rig.go('G');  // C
  EXPECT_EQ(rig.groups[kGroup].pc, pc('D'));
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kEverything) << "Pending-Mask Updates is occupied";
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 0011/0011");
  rig.fill();
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kNothing);
  EXPECT_EQ(rig.rt(), "G - 1111/0011 | F G 0011/0011");
  EXPECT_EQ(virtual_rows(rig, "rt"), Rows{"F"});
  rig.go('F');  // D
  rig.fill();
  rig.go('F');  // E
  EXPECT_EQ(rig.st(), "F G 0011");
  rig.go('G');
  rig.fill();
  EXPECT_EQ(rig.st(), "G - 1111");
  EXPECT_EQ(rig.rt(), "");
}

TEST(AwareVirtual, TheMostRecentEntryIsSpilledIfConfiguredSo) {
  ControlFlowConfig config = entries(8, 2);
  SimtRig least(config, 1, "least");
  config.get<AwareConfig>().rt_victim = TableVictim::kMostRecent;
  SimtRig most(config, 1, "most");
  for (SimtRig* rig : {&least, &most}) {
    rig->launch('A', mask("1111"));
    rig->branch('C', "1000", 'B', 'G');
    rig->branch('C', "1000", 'C', 'G');
    rig->branch('E', "0001", 'D', 'F');  // B: D and E meet at F
    rig->branch('C', "1000", 'C', 'G');
    rig->branch('K', "0010", 'J', 'H');  // D: J and K meet at H
  }
  EXPECT_EQ(virtual_rows(least, "rt"), Rows{"G"});
  EXPECT_EQ(virtual_rows(most, "rt"), Rows{"F"});
}

TEST(AwareVirtual, ASpillThatMemoryHasNoRoomForHoldsBranches) {
  SimtRig rig(entries(1, 8));
  bool room = false;
  rig.accept = [&] { return room; };
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  EXPECT_EQ(rig.groups[kGroup].pc, pc('B'));
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kBranches);
  EXPECT_EQ(rig.due, rig.cycle + 1);
  rig.tick(1);
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kBranches);
  EXPECT_EQ(rig.due, 2u);
  room = true;
  rig.tick(2);
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kNothing);
  EXPECT_TRUE(rig.answered.size() == 1 && rig.answered[0].change == GroupChange::kHeld);
  EXPECT_EQ(rig.due, kNever);
}

TEST(AwareVirtual, ABranchThatNeedsSeveralSpillsIsDoneOneByOne) {
  SimtRig rig(entries(1, 1));
  bool room = false;
  rig.accept = [&] { return room; };
  rig.launch('A', mask("1111"));
  rig.indirect(Transfer::kJump, kGroup, {pc('B'), pc('C'), pc('E'), pc('F')}, mask("1111"), pc('H'), pc('G'));
  // B has the entry; C waits in the spill buffer; E and F have not been inserted.
  EXPECT_EQ(rig.st(), "B G 0001 | C G 0010");
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kEverything);
  room = true;
  rig.tick(1);
  EXPECT_EQ(rig.st(), "B G 0001 | C G 0010 | E G 0100 | F G 1000");
  EXPECT_EQ(virtual_rows(rig, "st"), (Rows{"C", "E", "F"}));
  EXPECT_TRUE(rig.groups[kGroup].hold == Hold::kNothing);
}

TEST(AwareVirtual, WhatMemoryHoldsIsWhatIsUsed) {
  SimtRig rig(entries(1, 8));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  for (auto& [key, words] : rig.memory) words[0] += 7;  // the PC
  rig.go('D');
  rig.fill();
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C', 7));
}

TEST(AwareVirtual, ABlockedSplitIsFetchedOnlyAfterItsBarrier) {
  SimtRig rig(entries(1, 8));
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.barrier(kGroup, pc('B', 1));
  rig.fill();  // C, which replaces B
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  rig.barrier(kGroup, pc('C', 1));
  EXPECT_TRUE(rig.groups[kGroup].cause == BlockCause::kBarrier);
  EXPECT_TRUE(rig.fills.empty());
  rig.release(mask("1111"));
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C', 1));
  ASSERT_EQ(rig.fills.size(), 1u);
  rig.go('D');
  rig.fill();
  EXPECT_EQ(rig.groups[kGroup].pc, pc('B', 1));
}

TEST(AwareVirtual, TheTimerOfASpilledEntryFetchesIt) {
  ControlFlowConfig config = entries(8, 1);
  config.get<TimeoutConfig>().cycles = 100;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch('G', "1000", 'B', 'G');  // lane 3 waits at G
  rig.branch('E', "0001", 'D', 'F');
  EXPECT_EQ(virtual_rows(rig, "rt"), Rows{"G"});
  rig.tick(rig.due);
  EXPECT_EQ(rig.st(), "D F 0110 | E F 0001");
  ASSERT_EQ(rig.fills.size(), 1u);
  rig.fill();
  EXPECT_EQ(rig.st(), "D F 0110 | E F 0001 | G - 1000");
  EXPECT_EQ(rig.rt(), "G - 0111/0111 | F G 0111/0111");
}

TEST(AwareVirtual, AWarpThatEndsLeavesNothingBehind) {
  SimtRig rig(entries(1, 1));
  rig.launch('A', mask("0011"));
  rig.branch('C', "0001", 'B', 'D');
  rig.branch('B', "0010", 'E', 'D');
  rig.fill();
  rig.exit(kGroup, mask("0010"), pc('B', 1));
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  rig.exit(kGroup, mask("0001"), pc('C', 1));
  EXPECT_TRUE(rig.groups.empty());
  EXPECT_TRUE(rig.fills.empty());
  rig.launch('A', mask("1111"));
  EXPECT_EQ(rig.st(), "A - 1111");
}

}  // namespace
}  // namespace heddle::simt::aware_virtual_test
