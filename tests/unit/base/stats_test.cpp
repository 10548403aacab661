#include "base/stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/stat_sums.h"

namespace heddle::base::stats_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two cores with a cache each, and an L2.
class Stats : public testing::Test {
 protected:
  Stats() {
    for (int c = 0; c < 2; ++c) {
      StatGroup& core = gpu_.child("core" + std::to_string(c), "a SIMT core");
      core.counter("instructions", "warp instructions", "instructions issued", &instructions_[c]);
      core.counters("slots", "issue slots", "what became of each issue slot", {"issued", "idle", "data"},
                    slots_[c]);
      StatGroup& cache = core.child("l1d");
      cache.counter("accesses", "accesses", "all accesses", &accesses_[c]);
      cache.counter("hits", "accesses", "hits", &hits_[c]);
      cache.formula("hit_rate", "", "hits per access", [&cache] {
        return static_cast<double>(cache.count("hits")) / static_cast<double>(cache.count("accesses"));
      });
    }
    gpu_.child("l2").counter("accesses", "accesses", "all accesses", &l2_accesses_);
  }

  StatGroup gpu_{"gpu"};
  std::uint64_t instructions_[2] = {10, 20};
  std::uint64_t slots_[2][3] = {{1, 2, 3}, {4, 5, 6}};
  std::uint64_t accesses_[2] = {8, 0};
  std::uint64_t hits_[2] = {6, 0};
  std::uint64_t l2_accesses_ = 0;
};

TEST_F(Stats, CountFollowsThePath) {
  EXPECT_EQ(gpu_.count("core1.instructions"), 20u);
  EXPECT_EQ(gpu_.count("core1.slots.data"), 6u);
  EXPECT_EQ(gpu_.child("core0").count("l1d.hits"), 6u);
  instructions_[1] = 21;
  EXPECT_EQ(gpu_.count("core1.instructions"), 21u);
}

TEST_F(Stats, UnknownPathsThrow) {
  for (const char* path : {"", "core2.instructions", "core0", "core0.slots", "core0.slots.none",
                           "core0.l1d.hit_rate", "core0.instructions.x", "core*.instructions"})
    EXPECT_THROW((void)gpu_.count(path), std::out_of_range) << path;
}

TEST_F(Stats, SumMatchesWithinOnePathElement) {
  EXPECT_EQ(gpu_.sum("core*.instructions"), 30u);
  EXPECT_EQ(gpu_.sum("core*.slots.*"), 21u);
  EXPECT_EQ(gpu_.sum("core*.slots.i*"), 12u);
  EXPECT_EQ(gpu_.sum("*.l1d.*its"), 6u);
  EXPECT_EQ(gpu_.sum("core0.instructions"), 10u);
  EXPECT_EQ(gpu_.sum("*.accesses"), 0u);
  EXPECT_EQ(gpu_.sum("core*"), 0u) << "a group is not a counter";
  EXPECT_EQ(gpu_.sum("*.*"), 30u) << "'*' does not cross a dot";
}

TEST_F(Stats, SumsReadOftenFollowCountersResetsAndDerivedNumbers) {
  gpu_.child("sums").derived("hits", "accesses", "of all cores",
                             [this] { return gpu_.sum("core*.l1d.hits"); });
  int settled = 0;
  gpu_.child("core1").before_reading([&] { ++settled; });
  StatSums sums(gpu_,
                {"core*.instructions", "core*.slots.i*", "core1.slots.data", "sums.hits", "core*.none"});
  EXPECT_THAT(sums.read(), testing::ElementsAre(30, 12, 6, 6, 0));
  EXPECT_EQ(settled, 2) << "once for all sums, and once by the derived number";
  gpu_.reset();
  instructions_[1] += 5;
  hits_[0] += 2;
  EXPECT_THAT(sums.read(), testing::ElementsAre(5, 0, 0, 2, 0));
}

TEST_F(Stats, NamesAreThoseOfCountAndOfTheDictionary) {
  const auto of_first = stat_names(gpu_, false), of_all = stat_names(gpu_, true);
  std::vector<std::string> common;
  for (const StatName& name : of_first) common.push_back(name.common);
  EXPECT_THAT(common,
              testing::ElementsAre("core.instructions", "core.slots.issued", "core.slots.idle",
                                   "core.slots.data", "core.l1d.accesses", "core.l1d.hits", "l2.accesses"));
  EXPECT_EQ(of_first[1].path, "core0.slots.issued");
  EXPECT_EQ(of_all.size(), 13u);
  for (const StatName& name : of_all) EXPECT_NO_THROW((void)gpu_.count(name.path)) << name.path;
}

TEST_F(Stats, ResetStartsANewInterval) {
  gpu_.reset();
  EXPECT_EQ(gpu_.count("core0.instructions"), 0u);
  EXPECT_EQ(gpu_.sum("core*.slots.*"), 0u);
  instructions_[0] += 5;
  slots_[0][1] += 2;
  EXPECT_EQ(gpu_.count("core0.instructions"), 5u);
  EXPECT_EQ(gpu_.count("core0.slots.idle"), 2u);
}

TEST_F(Stats, ResetOfASubtreeLeavesTheRest) {
  gpu_.child("core0").reset();
  EXPECT_EQ(gpu_.count("core0.l1d.hits"), 0u);
  EXPECT_EQ(gpu_.count("core1.instructions"), 20u);
}

// What seldom changes is not looked at in an interval in which its owner says that it has not, but for what changes all the same.
TEST_F(Stats, WhatSeldomChangesIsLookedAtWhenItsOwnerSaysSo) {
  bool changed = true;
  gpu_.child("core0").seldom_changes(&changed, {"instructions", "slots.idle", "l1d.hits"});
  gpu_.reset();
  EXPECT_FALSE(changed);
  const auto next = [&] {
    StatValues values;
    gpu_.add_to(values);
    const auto json = gpu_.to_json(values);
    gpu_.reset();
    return json;
  };
  instructions_[0] += 3, slots_[0][1] += 4, hits_[0] += 5, instructions_[1] += 6, l2_accesses_ += 7;
  auto json = next();
  EXPECT_EQ(json["core0"]["instructions"], 3);
  EXPECT_EQ(json["core0"]["slots"]["idle"], 4);
  EXPECT_EQ(json["core0"]["l1d"]["hits"], 5);
  EXPECT_EQ(json["core1"]["instructions"], 6);
  EXPECT_EQ(json["l2"]["accesses"], 7);
  accesses_[0] += 9;
  EXPECT_EQ(next()["core0"]["l1d"]["accesses"], 0);
  changed = true;
  json = next();
  EXPECT_EQ(json["core0"]["l1d"]["accesses"], 9);  // since it was looked at last
  EXPECT_EQ(json["core0"]["instructions"], 0);
  EXPECT_FALSE(changed);
  EXPECT_EQ(next()["core0"]["l1d"]["accesses"], 0);
}

TEST_F(Stats, JsonIsNestedInOrderOfDeclaration) {
  EXPECT_EQ(gpu_.to_json().dump(), R"({"core0":{"instructions":10,"slots":{"issued":1,"idle":2,"data":3},)"
                                   R"("l1d":{"accesses":8,"hits":6,"hit_rate":0.75}},)"
                                   R"("core1":{"instructions":20,"slots":{"issued":4,"idle":5,"data":6},)"
                                   R"("l1d":{"accesses":0,"hits":0,"hit_rate":null}},"l2":{"accesses":0}})");
}

TEST_F(Stats, DictionaryDescribesNumberedGroupsOnce) {
  const auto dictionary = gpu_.dictionary();
  EXPECT_EQ(dictionary.at("core.instructions").dump(),
            R"({"unit":"warp instructions","description":"instructions issued"})");
  EXPECT_EQ(dictionary.at("core.slots").at("labels").dump(), R"(["issued","idle","data"])");
  EXPECT_EQ(dictionary.at("core").at("description"), "a SIMT core");
  EXPECT_TRUE(dictionary.contains("core.l1d.hit_rate"));
  EXPECT_TRUE(dictionary.contains("l2.accesses")) << "l2 is not the third of several";
  EXPECT_FALSE(dictionary.contains("core0.instructions"));
}

TEST_F(Stats, TableLeavesOutGroupsThatCountedNothing) {
  const std::string table = gpu_.to_table();
  EXPECT_THAT(table, HasSubstr("core0.instructions      10  warp instructions  instructions issued\n"));
  EXPECT_THAT(table, HasSubstr("core0.slots.data         3  issue slots"));
  EXPECT_THAT(table, HasSubstr("core0.l1d.hit_rate  0.7500"));
  EXPECT_THAT(table, Not(HasSubstr("core1.l1d")));
  EXPECT_THAT(table, Not(HasSubstr("l2")));
}

TEST_F(Stats, DerivedNumbersAreWholeAndFollowTheCounters) {
  gpu_.child("sums").derived("hits", "accesses", "of all cores",
                             [this] { return gpu_.sum("core*.l1d.hits"); });
  EXPECT_EQ(gpu_.count("sums.hits"), 6u);
  EXPECT_EQ(gpu_.to_json()["sums"].dump(), R"({"hits":6})");
  EXPECT_THAT(gpu_.to_table(), HasSubstr("sums.hits"));
  EXPECT_EQ(gpu_.dictionary().at("sums.hits").at("unit"), "accesses");
  base::StatValues both;
  gpu_.add_to(both);
  gpu_.reset();
  EXPECT_EQ(gpu_.count("sums.hits"), 0u);
  EXPECT_THAT(gpu_.to_table(), Not(HasSubstr("sums.hits")));
  hits_[1] += 3;
  gpu_.add_to(both);
  EXPECT_EQ(gpu_.to_json(both)["sums"]["hits"], 9);
  EXPECT_EQ(gpu_.count("sums.hits"), 3u) << "the present interval is still there";
  EXPECT_EQ(gpu_.sum("sums.*"), 0u) << "counters only";
  EXPECT_THROW((void)gpu_.count("sums.hits.more"), std::out_of_range);
}

TEST_F(Stats, ChildrenAreCreatedOnce) {
  EXPECT_EQ(&gpu_.child("core0"), &gpu_.child("core0"));
  EXPECT_THROW(gpu_.child("core0").child("instructions"), std::logic_error);
}

TEST_F(Stats, NamesAreUniqueAndWithoutDots) {
  EXPECT_THROW(gpu_.counter("l2", "", "", &l2_accesses_), std::logic_error);
  EXPECT_THROW(gpu_.counter("a.b", "", "", &l2_accesses_), std::logic_error);
  EXPECT_THROW(gpu_.counters("twice", "", "", {"a", "a"}, slots_[0]), std::logic_error);
}

/// Counters, a maximum, and a quotient of each.
class StatIntervals : public testing::Test {
 protected:
  StatIntervals() {
    StatGroup& stack = gpu_.child("core0").child("stack");
    stack.formula("pushes_per_branch", "", "", [&stack] {
      return static_cast<double>(stack.count("pushes")) / static_cast<double>(stack.count("branches"));
    });
    stack.counter("pushes", "", "", &pushes_);
    stack.counter("branches", "", "", &branches_);
    stack.counters("sides", "", "", {"one", "two"}, sides_);
    stack.maximum("max_depth", "", "", &max_depth_);
    stack.formula("depth_twice", "", "",
                  [&stack] { return 2 * static_cast<double>(stack.count("max_depth")); });
  }
  /// An interval with the given counts.
  void interval(std::uint64_t pushes, std::uint64_t branches, std::uint64_t depth) {
    gpu_.reset();
    pushes_ += pushes;
    branches_ += branches;
    sides_[1] += 3 * branches;
    max_depth_ = std::max(max_depth_, depth);
  }

  StatGroup gpu_{"gpu"};
  std::uint64_t pushes_ = 1000, branches_ = 2000, max_depth_ = 50;
  std::uint64_t sides_[2] = {7, 8};
};

TEST_F(StatIntervals, AMaximumIsThatOfTheInterval) {
  interval(0, 0, 9);
  EXPECT_EQ(gpu_.count("core0.stack.max_depth"), 9u) << "not what it exceeds earlier intervals by";
  interval(0, 0, 4);
  EXPECT_EQ(gpu_.count("core0.stack.max_depth"), 4u);
}

TEST_F(StatIntervals, EachKindIsPutTogetherInItsWay) {
  StatValues sum;
  EXPECT_TRUE(sum.empty());
  for (const auto& [pushes, branches, depth] : {std::array{1u, 2u, 9u}, {8u, 4u, 4u}, {0u, 0u, 5u}}) {
    interval(pushes, branches, depth);
    gpu_.add_to(sum);
  }
  const std::string present = gpu_.to_json().dump();
  // 9 / 6 is neither the mean of 1 / 2, 8 / 4 and 0 / 0 nor their sum.
  EXPECT_EQ(
      gpu_.to_json(sum).dump(),
      R"({"core0":{"stack":{"pushes_per_branch":1.5,"pushes":9,"branches":6,"sides":{"one":0,"two":18},)"
      R"("max_depth":9,"depth_twice":18.0}}})");
  EXPECT_EQ(gpu_.to_json().dump(), present) << "the present interval is still there";
  EXPECT_EQ(gpu_.count("core0.stack.max_depth"), 5u);
}

TEST_F(StatIntervals, OneIntervalAloneIsWrittenAsItIs) {
  interval(3, 7, 2);
  StatValues values;
  gpu_.add_to(values);
  EXPECT_EQ(gpu_.to_json(values), gpu_.to_json());
}

TEST_F(StatIntervals, LateWorkIsDoneBeforeAnIntervalIsTaken) {
  gpu_.child("core0").before_reading([this] { pushes_ += 5; });
  StatValues values;
  gpu_.add_to(values);
  EXPECT_EQ(gpu_.to_json(values)["core0"]["stack"]["pushes"], 1005);
}

TEST_F(StatIntervals, ValuesOfAnotherTreeAreRefused) {
  StatValues values;
  gpu_.child("core0").add_to(values);
  std::uint64_t more = 0;
  gpu_.counter("more", "", "", &more);
  EXPECT_THROW(gpu_.add_to(values), std::logic_error);
  EXPECT_THROW((void)gpu_.to_json(values), std::logic_error);
  EXPECT_THROW((void)gpu_.to_json(StatValues{}), std::logic_error);
}

}  // namespace
}  // namespace heddle::base::stats_test
