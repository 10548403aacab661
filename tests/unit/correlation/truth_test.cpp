// Truth files: both forms, several files of one recording, and what is wrong with them, with its place.
#include "correlation/truth.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace heddle::correlation {
namespace {

const std::string kColumns =
    R"({"device": "card", "cold_caches": false, "replayed": false, "counters": ["a", "b"], "workloads": {
  "w": {"small": [{"kernel": "k", "launch_of_kernel": 2, "values": [1, 2.5]}]}}})";

std::string message_of(const std::string& text) {
  try {
    (void)parse_truth(text, "t.json");
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// A file of one launch, whose members are given.
std::string of_launch(const std::string& members) { return R"({"w": {"small": [{)" + members + "}]}}"; }

TEST(Truth, ColumnsGetTheirNames) {
  const Truth truth = parse_truth(kColumns, "t.json");
  EXPECT_EQ(truth.device, "card");
  EXPECT_FALSE(truth.cold_caches);
  EXPECT_FALSE(truth.replayed);
  ASSERT_EQ(truth.runs.size(), 1u);
  EXPECT_EQ(truth.runs[0].workload, "w");
  EXPECT_EQ(truth.runs[0].size, "small");
  const CardLaunch& launch = truth.runs[0].launches.at(0);
  EXPECT_EQ(launch.launch_of_kernel, 2u);
  EXPECT_EQ(launch.counters.at("a"), 1);
  EXPECT_EQ(launch.counters.at("b"), 2.5);
}

TEST(Truth, WorkloadsAloneAreAFileAsWell) {
  const Truth truth = parse_truth(
      of_launch(
          R"("kernel": "k", "launch_of_kernel": 1, "counters": {"a": 7}, "instructions": [[0, "MOV", 3, 96], [16, "EXIT", 3, 90]])"),
      "t.json");
  EXPECT_TRUE(truth.cold_caches);
  EXPECT_TRUE(truth.replayed);
  const CardLaunch& launch = truth.runs.at(0).launches.at(0);
  EXPECT_EQ(launch.counters.at("a"), 7);
  ASSERT_EQ(launch.instructions.size(), 2u);
  EXPECT_EQ(launch.instructions[1].offset, 16u);
  EXPECT_EQ(launch.instructions[1].text, "EXIT");
  EXPECT_EQ(launch.instructions[1].lanes, 90u);
}

TEST(Truth, EachMistakeIsOneErrorWithItsPlace) {
  const std::string launch = R"("kernel": "k", "launch_of_kernel": 1)";
  const std::pair<std::string, std::string> mistakes[] = {
      {"{\"w\": ", "t.json: parse error at line 1"},
      {"[]", "t.json: must be an object"},
      {"{}", "t.json: has no workloads"},
      {R"({"workloads": {"w": {"small": []}}})", "t.json: workloads.w.small: has no launches"},
      {R"({"workloads": {}, "worklods": 1})", "t.json: worklods: is not part of the form"},
      {R"({"w": {"small": 3}})", "t.json: w.small: must be a list"},
      {of_launch(R"("launch_of_kernel": 1)"), "t.json: w.small[0]: 'kernel' is missing"},
      {of_launch(R"("kernel": 3, "launch_of_kernel": 1)"), "t.json: w.small[0].kernel: must be a text"},
      {of_launch(R"("kernel": "k", "launch_of_kernel": 0)"),
       "t.json: w.small[0].launch_of_kernel: counts from 1"},
      {of_launch(R"("kernel": "k", "launch_of_kernel": 1.5)"),
       "t.json: w.small[0].launch_of_kernel: must be a whole number"},
      {of_launch(launch + R"(, "counters": {"a": "1"})"), "t.json: w.small[0].counters.a: must be a number"},
      {of_launch(launch + R"(, "counters": {"a": -1})"),
       "t.json: w.small[0].counters.a: must not be negative"},
      {of_launch(launch + R"(, "values": [1])"), "t.json: w.small[0].values: has 1 values for the 0 names"},
      {of_launch(launch + R"(, "count": {})"), "t.json: w.small[0].count: is not part of the form"},
      {of_launch(launch + R"(, "instructions": [[0, "MOV", 3]])"),
       "t.json: w.small[0].instructions[0]: must have four elements"},
      {of_launch(launch + R"(, "instructions": [[16, "MOV", 3, 4], [16, "MOV", 3, 4]])"),
       "t.json: w.small[0].instructions[1]: offsets must ascend"},
      {R"({"w": {"small": [{)" + launch + "}, {" + launch + "}]}}",
       "t.json: w.small[1]: launch 1 of k is here twice"},
  };
  for (const auto& [text, message] : mistakes)
    EXPECT_EQ(message_of(text).substr(0, message.size()), message) << text;
}

TEST(Truth, AFileThatIsNotThereIsNamed) {
  try {
    (void)read_truth("no/such/file.json");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where(), "no/such/file.json");
  }
}

TEST(Truth, FilesOfOneRecordingArePutTogether) {
  const std::string launch = R"("kernel": "k", "launch_of_kernel": 1)";
  Truth truth = parse_truth(of_launch(launch + R"(, "counters": {"a": 1})"), "a.json");
  truth.add(parse_truth(of_launch(launch + R"(, "counters": {"b": 2}, "instructions": [[0, "MOV", 3, 4]])"),
                        "b.json"),
            "b.json");
  truth.add(parse_truth(R"({"v": {"small": [{)" + launch + "}]}}", "c.json"), "c.json");
  ASSERT_EQ(truth.runs.size(), 2u);
  const CardLaunch& both = truth.runs[0].launches.at(0);
  EXPECT_EQ(both.counters.at("a"), 1);
  EXPECT_EQ(both.counters.at("b"), 2);
  EXPECT_EQ(both.instructions.size(), 1u);
  EXPECT_THROW(truth.add(parse_truth(of_launch(launch + R"(, "counters": {"b": 2})"), "d.json"), "d.json"),
               base::InputError);
  EXPECT_THROW(truth.add(parse_truth(kColumns, "e.json"), "e.json"), base::InputError);  // warm caches
}

}  // namespace
}  // namespace heddle::correlation
