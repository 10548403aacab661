// A run from its folder: parameters, outcome, sums over units and kernels.
#include "results/run_folder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "results/run_statistics.h"
#include "unit/results/scratch_folder.h"

namespace heddle::results {
namespace {

constexpr const char* kStats =
    R"({"heddle": "1.0", "platform": "p", "workload": "w", "size": "tiny", "seed": 3,
 "parameters": {"n": 7}, "passed": true, "verdict": "ok",
 "total": {"launches": 2, "cycles": 30, "ipc": 1.5, "issue_slots": {"all": 60, "by_cause": {"issued": 45, "idle": 15}}},
 "kernels": [
  {"statistics": {"core0": {"issue": {"slots": {"issued": 10, "idle": 2}, "rate": 0.5}, "stack": {"max_depth": 4}},
                  "core1": {"issue": {"slots": {"issued": 5, "idle": 1}, "rate": 0.5}, "stack": {"max_depth": 9}}, "l2": {"hits": 1}}},
  {"statistics": {"core0": {"issue": {"slots": {"issued": 20, "idle": 7}, "rate": null}, "stack": {"max_depth": 5}},
                  "core1": {"issue": {"slots": {"issued": 10, "idle": 5}, "rate": 0.0}, "stack": {"max_depth": 1}}, "l2": {"hits": 2}}}],
 "dictionary": {"core.issue.slots": {"unit": "slots", "description": "outcomes", "labels": ["issued", "idle"]},
                "l2.hits": {"unit": "requests", "description": "hits"}}})";

double value_of(const MeasuredRun& run, const std::string& name) {
  for (std::size_t i = 0; i < run.statistics.size(); ++i)
    if (run.statistics[i].name == name) return run.values[i];
  ADD_FAILURE() << "no statistic " << name;
  return -1;
}

TEST(RunFolder, ParametersAreWhatStatsSayOfTheRun) {
  const ScratchFolder scratch;
  scratch.write("run/stats.json", kStats);
  const results::Run run = read_run(scratch.in("run")).run;
  ASSERT_EQ(run.parameters.size(), 5u);
  EXPECT_EQ(run.parameters[0].name, "platform");
  EXPECT_EQ(*run.parameter("seed"), "3");
  EXPECT_EQ(*run.parameter("param.n"), "7");
  EXPECT_EQ(run.parameter("heddle"), nullptr);
  EXPECT_EQ(run.status, RunStatus::kPassed);
  EXPECT_EQ(run.cycles, 30u);
}

TEST(RunFolder, UnitsOfANameAndKernelsAreSummedUp) {
  const ScratchFolder scratch;
  scratch.write("run/stats.json", kStats);
  const MeasuredRun run = read_run(scratch.in("run"));
  EXPECT_EQ(value_of(run, "core.issue.slots.issued"), 45);
  EXPECT_EQ(value_of(run, "core.issue.slots.idle"), 15);
  EXPECT_EQ(value_of(run, "core.stack.max_depth"), 9) << "of a maximum the largest";
  EXPECT_EQ(value_of(run, "l2.hits"), 3) << "l2 is a name, not the second l";
  EXPECT_EQ(value_of(run, "total.ipc"), 1.5);
  EXPECT_EQ(value_of(run, "total.issue_slots.by_cause.issued"), 45);
  for (const Statistic& each : run.statistics) {
    EXPECT_EQ(each.name.find("rate"), std::string::npos) << "rates of units cannot be summed";
    if (each.name == "core.issue.slots.idle") {
      EXPECT_EQ(each.description, "outcomes");
    }
    if (each.name == "total.issue_slots.by_cause.idle") {
      EXPECT_EQ(each.unit, "slots");
    }
  }
}

TEST(RunFolder, ExitCodeIsTheHostFiles) {
  const ScratchFolder scratch;
  auto stats = nlohmann::ordered_json::parse(kStats);
  stats["complete"] = false;
  stats["diagnosis"] = "first\nsecond";
  scratch.write("run/stats.json", stats.dump());
  scratch.write("run/host.json", R"({"seconds": 0.25, "exit_code": 4})");
  const results::Run run = read_run(scratch.in("run")).run;
  EXPECT_EQ(run.status, RunStatus::kHang);
  EXPECT_EQ(run.diagnosis, "first\nsecond");
  EXPECT_EQ(run.seconds, 0.25);
  EXPECT_FALSE(run.complete());
}

TEST(RunFolder, ConfigurationIsFlat) {
  const ScratchFolder scratch;
  scratch.write("config.yaml",
                "name: p\ncore:\n  l1d: {ways: 4, size_kib: 16}\n  scheduler:\n    policy: gto\n");
  const auto keys = configuration_of(scratch.path());
  ASSERT_EQ(keys.size(), 4u);
  EXPECT_EQ(keys[1].name, "core.l1d.ways");
  EXPECT_EQ(keys[3].value, "gto");
  EXPECT_TRUE(configuration_of(scratch.in("none")).empty());
}

TEST(RunFolder, OtherFoldersAreRefusedByName) {
  const ScratchFolder scratch;
  const auto message = [](const std::string& folder) {
    try {
      (void)read_run(folder);
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message(scratch.in("none")).find("there is no such folder"), std::string::npos);
  EXPECT_NE(message(scratch.path()).find("has no stats.json"), std::string::npos);
  scratch.write("cut/stats.json", std::string(kStats).substr(0, 100));
  EXPECT_NE(message(scratch.in("cut")).find("ends too early"), std::string::npos);
  scratch.write("other/stats.json", "{}");
  EXPECT_NE(message(scratch.in("other")).find("is not one of the model's runs"), std::string::npos);
}

TEST(RunStatistics, MaximaAreKnownByName) {
  EXPECT_TRUE(is_maximum("core.stack.max_depth"));
  EXPECT_TRUE(is_maximum("most_entries"));
  EXPECT_FALSE(is_maximum("core.almost"));
  EXPECT_FALSE(is_maximum("max_unit.hits"));
}

}  // namespace
}  // namespace heddle::results
