// A sweep's database: what is written is read, in the order of the spec, whatever the order of writing.
#include "results/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "results/results_writer.h"
#include "unit/results/scratch_folder.h"

namespace heddle::results {
namespace {

MeasuredRun run_with(const std::string& ways, double hits) {
  MeasuredRun measured;
  measured.run.parameters = {{"workload", "w"}, {"core.l1d.ways", ways}};
  measured.run.status = RunStatus::kPassed;
  measured.run.cycles = 100;
  measured.statistics = {{"total.cycles", "core cycles", "time"}, {"l1d.hits", "accesses", "hits"}};
  measured.values = {100, hits};
  return measured;
}

MeasuredRun hung() {
  MeasuredRun measured;
  measured.run.parameters = {{"workload", "w"}, {"core.l1d.ways", "8"}};
  measured.run.status = RunStatus::kHang;
  measured.run.exit_code = 4;
  measured.run.verdict = "hangs";
  measured.run.diagnosis = "lane 0 waits\nfor lane 1";
  return measured;
}

TEST(Results, RunsAreInTheOrderOfTheSpec) {
  const ScratchFolder scratch;
  {
    ResultsWriter writer(scratch.in(kResultsFile));
    writer.add(2, hung());
    writer.add(1, run_with("4", 40));
    writer.add(0, run_with("2", 20));
  }
  const Results results = Results::open({scratch.path()});
  ASSERT_EQ(results.runs().size(), 3u);
  EXPECT_EQ(*results.runs()[0].parameter("core.l1d.ways"), "2");
  EXPECT_EQ(results.differing(), std::vector<std::string>{"core.l1d.ways"});
  EXPECT_EQ(results.runs()[2].status, RunStatus::kHang);
  EXPECT_EQ(results.runs()[2].diagnosis, "lane 0 waits\nfor lane 1");
  EXPECT_FALSE(results.runs()[2].cycles);
  const auto table = results.table({"l1d.hits", "unknown", "total.cycles"});
  EXPECT_EQ(table[0][0], 20);
  EXPECT_EQ(table[0][1], 40);
  EXPECT_TRUE(std::isnan(table[0][2])) << "a run without statistics";
  EXPECT_TRUE(std::isnan(table[1][0]));
  EXPECT_EQ(table[2][1], 100);
  EXPECT_EQ(results.statistic("l1d.hits")->description, "hits");
  EXPECT_EQ(results.values_of(1), (std::vector<double>{100, 40}));
}

TEST(Results, ARunIsReplaced) {
  const ScratchFolder scratch;
  ResultsWriter writer(scratch.in(kResultsFile));
  writer.add(0, hung());
  writer.add(0, run_with("4", 1));
  EXPECT_EQ(writer.runs(), std::set<std::size_t>{0});
  EXPECT_EQ(Results::open({scratch.path()}).values("l1d.hits"), std::vector<double>{1});
  writer.remove(0);
  EXPECT_TRUE(Results::open({scratch.path()}).runs().empty());
}

TEST(Results, LayoutsOfSeveralPlatformsAreOneTable) {
  const ScratchFolder scratch;
  ResultsWriter writer(scratch.in(kResultsFile));
  MeasuredRun other = run_with("1", 0);
  other.statistics = {{"tm.commits", "", ""}, {"total.cycles", "", ""}};
  other.values = {5, 200};
  writer.add(0, run_with("1", 7));
  writer.add(1, other);
  const Results results = Results::open({scratch.path()});
  ASSERT_EQ(results.statistics().size(), 3u);
  EXPECT_EQ(results.values("total.cycles"), (std::vector<double>{100, 200}));
  EXPECT_EQ(results.values("tm.commits")[1], 5);
  EXPECT_TRUE(std::isnan(results.values("tm.commits")[0]));
}

TEST(Results, AboutIsKept) {
  const ScratchFolder scratch;
  ResultsWriter writer(scratch.in(kResultsFile));
  writer.set_about({{"spec", "a: 1"}, {"machine", "m"}});
  writer.set_about({{"machine", "n"}});
  EXPECT_EQ(writer.about("machine"), "n");
  EXPECT_EQ(writer.about("nothing"), "");
  EXPECT_EQ(Results::open({scratch.path()}).about().size(), 2u);
}

TEST(Results, FoldersOfRunsDifferInTheirKeys) {
  const ScratchFolder scratch;
  const std::string stats =
      R"({"platform": "p", "workload": "w", "passed": true, "verdict": "", "total": {"cycles": 5}, "kernels": [], "dictionary": {}})";
  for (const std::string name : {"a", "b"}) {
    scratch.write(name + "/stats.json", stats);
    scratch.write(name + "/config.yaml",
                  "core: {ways: " + std::string(name == "a" ? "2" : "4") + ", same: 1}\n");
  }
  const Results results = Results::open({scratch.in("a"), scratch.in("b")});
  EXPECT_EQ(results.differing(), (std::vector<std::string>{"results", "core.ways"}));
  EXPECT_EQ(*results.runs()[1].parameter("core.ways"), "4");
  EXPECT_EQ(results.document(0, "stats.json").at("workload"), "w");
  EXPECT_TRUE(results.document(0, "profile.json").is_null());
  EXPECT_EQ(results.configuration(1).size(), 2u);
  EXPECT_TRUE(results.series_names(0).empty());
}

TEST(Results, OtherDatabasesAreRefused) {
  const ScratchFolder scratch;
  const auto message = [&](const std::string& path) {
    try {
      (void)Results::open({path});
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  scratch.write("text.sqlite",
                "no database, but a text that is long enough to have a header of a hundred bytes, as "
                "databases have, and more");
  EXPECT_NE(message(scratch.in("text.sqlite")).find("not a database"), std::string::npos);
  {
    const Database other(scratch.in("other.sqlite"), Database::Access::kWrite);
    other.execute("CREATE TABLE t (a)");
  }
  EXPECT_NE(message(scratch.in("other.sqlite")).find("not one of results"), std::string::npos);
  { const ResultsWriter mine(scratch.in("new.sqlite")); }
  {
    const Database newer(scratch.in("new.sqlite"), Database::Access::kWrite);
    newer.execute("PRAGMA user_version = 99");
  }
  EXPECT_NE(message(scratch.in("new.sqlite")).find("version 99"), std::string::npos);
}

TEST(RunStatus, NamesAreReadBack) {
  for (int i = 0; i <= static_cast<int>(RunStatus::kFailed); ++i)
    EXPECT_EQ(status_named(name_of(static_cast<RunStatus>(i))), static_cast<RunStatus>(i));
  EXPECT_FALSE(status_named("other"));
  EXPECT_EQ(status_of(base::ExitCode::kAssertion), RunStatus::kFault);
  EXPECT_EQ(status_of(base::ExitCode::kTerminated), RunStatus::kFailed);
}

}  // namespace
}  // namespace heddle::results
