#include "report/block_area.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report::block_area_test {
namespace {

using testing::ElementsAre;

SheetPoint point(const std::string& name, std::map<std::string, double> parameters, double area) {
  return {.name = name, .parameters = std::move(parameters), .gate_equivalents = area};
}

/// Of each block points of two sizes, and one that must not be taken.
std::map<std::string, Sheet> sheets() {
  std::map<std::string, Sheet> all;
  all["simt_stack"] = {"simt_stack",
                       "",
                       {point("5", {{"Warps", 1}, {"Depth", 5}, {"Frames", 1}}, 10),
                        point("32", {{"Warps", 1}, {"Depth", 32}, {"Frames", 1}}, 30),
                        point("two warps", {{"Warps", 2}, {"Depth", 32}, {"Frames", 1}}, 1000)}};
  all["scoreboard"] = {"scoreboard",
                       "",
                       {point("8", {{"Warps", 1}, {"Entries", 8}, {"Masks", 0}}, 3),
                        point("16", {{"Warps", 1}, {"Entries", 16}, {"Masks", 0}}, 7),
                        point("masks", {{"Warps", 1}, {"Entries", 8}, {"Masks", 1}}, 8)}};
  all["warp_scheduler"] = {
      "warp_scheduler",
      "",
      {point("lrr", {{"Warps", 16}, {"Gto", 0}}, 0.25), point("gto 16", {{"Warps", 16}, {"Gto", 1}}, 2),
       point("gto 48", {{"Warps", 48}, {"Gto", 1}}, 20)}};
  all["split_table"] = {"split_table",
                        "",
                        {point("6", {{"Warps", 1}, {"Physical", 6}, {"Match", 0}, {"Calls", 0}}, 6),
                         point("all", {{"Warps", 1}, {"Physical", 32}, {"Match", 0}, {"Calls", 0}}, 27),
                         point("merging", {{"Warps", 1}, {"Physical", 8}, {"Match", 1}, {"Calls", 1}}, 9)}};
  all["reconvergence_table"] = {
      "reconvergence_table",
      "",
      {point("all", {{"Warps", 1}, {"Physical", 32}, {"Timers", 0}, {"Calls", 0}}, 36),
       point("timers", {{"Warps", 1}, {"Physical", 32}, {"Timers", 1}, {"Calls", 1}}, 54)}};
  all["split_fifo"] = {"split_fifo", "", {point("32", {{"Warps", 1}, {"Entries", 32}}, 20)}};
  all["sib_table"] = {"sib_table", "", {point("16", {{"Entries", 16}, {"Threshold", 4}}, 7)}};
  return all;
}

class BlockArea : public testing::Test {
 protected:
  BlocksInUse found() {
    return blocks_in_use(
        [&](const std::string& key) {
          const auto at = keys_.find(key);
          return at == keys_.end() ? nullptr : &at->second;
        },
        sheets_);
  }
  std::map<std::string, Sheet> sheets_ = sheets();
  std::map<std::string, std::string> keys_ = {{"core.control_flow.mechanism", "simt_stack"},
                                              {"core.scoreboard.kind", "per_warp"},
                                              {"core.scoreboard.entries_per_warp", "8"},
                                              {"core.scheduler.policy", "gto"},
                                              {"core.scheduler.count", "2"},
                                              {"core.occupancy.max_warps", "48"},
                                              {"core.spin.source", "none"}};
};

TEST_F(BlockArea, IsTheSumOfACoresBlocks) { EXPECT_EQ(found().gate_equivalents(sheets_), 30 + 3 + 2 * 2); }

TEST_F(BlockArea, TheNearestPointStandsForTheMachineAndSaysHowItDiffers) {
  keys_["core.scoreboard.entries_per_warp"] = "12";
  keys_["core.occupancy.max_warps"] = "80";
  const BlocksInUse blocks = found();
  ASSERT_EQ(blocks.uses.size(), 3u);
  EXPECT_EQ(blocks.uses[0].note, "");
  EXPECT_EQ(blocks.uses[1].note, "Entries 16 instead of 12");
  EXPECT_EQ(blocks.uses[2].note, "Warps 48 instead of 40");
  EXPECT_EQ(blocks.gate_equivalents(sheets_), 30 + 7 + 2 * 20);
}

TEST_F(BlockArea, FollowsTheMechanism) {
  keys_["core.control_flow.mechanism"] = "aware";
  EXPECT_EQ(found().gate_equivalents(sheets_), 27 + 36 + 20 + 3 + 4);
  keys_["core.control_flow.aware.st_entries"] = "4";
  EXPECT_EQ(found().gate_equivalents(sheets_), 6 + 36 + 20 + 3 + 4);
  keys_["core.control_flow.mechanism"] = "multi_path";
  keys_["core.scoreboard.kind"] = "per_thread_mask";
  EXPECT_EQ(found().gate_equivalents(sheets_), 27 + 36 + 8 + 4);
  keys_["core.control_flow.multi_path.opportunistic_reconvergence"] = "true";
  EXPECT_EQ(found().gate_equivalents(sheets_), 9 + 36 + 8 + 4);
}

TEST_F(BlockArea, SpinDetectionAddsItsTable) {
  keys_["core.spin.source"] = "ddos";
  EXPECT_EQ(found().gate_equivalents(sheets_), 30 + 3 + 4 + 7);
}

TEST_F(BlockArea, WhatIsNotInRtlLeavesNoSum) {
  keys_["core.control_flow.mechanism"] = "hanoi";
  keys_["core.scheduler.policy"] = "two_level";
  keys_["core.scoreboard.kind"] = "control_codes";
  const BlocksInUse blocks = found();
  EXPECT_THAT(blocks.without_rtl,
              ElementsAre("mechanism hanoi", "scoreboard control_codes", "scheduling policy two_level"));
  EXPECT_EQ(blocks.gate_equivalents(sheets_), std::nullopt);
}

TEST_F(BlockArea, TimersNeedACircuitWithTimers) {
  keys_["core.control_flow.mechanism"] = "aware";
  keys_["core.control_flow.timeout.cycles"] = "1000";
  // With time-outs the tables keep calls, and there is no point of the split table with calls but the one that merges.
  const BlocksInUse blocks = found();
  EXPECT_THAT(blocks.without_rtl, ElementsAre("split_table"));
  ASSERT_FALSE(blocks.uses.empty());
  EXPECT_EQ(sheets_.at("reconvergence_table").points[blocks.uses[0].point].name, "timers");
}

}  // namespace
}  // namespace heddle::report::block_area_test
