// The synchronisation patterns of the literature (K0 to K13, as workloads) on every control-flow mechanism.
// In MIMD form they are diagnosed as SIMT-induced hangs wherever lanes that have left a loop wait for the
// others. Otherwise the result is right, for any check interval of the watchdog.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "hang_corpus.h"
#include "workload_scenario.h"

namespace heddle::hang_patterns_test {
namespace {

using testing::hang_corpus;
using workloads::Compiler;

class HangPatterns : public ::testing::TestWithParam<std::tuple<std::size_t, Compiler>> {};

TEST_P(HangPatterns, FinishOrAreDiagnosed) {
  const auto& [index, compiler] = GetParam();
  const auto& one = hang_corpus().at("workloads").at(index);
  for (const testing::HangMachine& machine : testing::machines_of(one, index, testing::test_name(compiler))) {
    SCOPED_TRACE(machine.title());
    testing::Scenario what{one.at("name"), "tiny", compiler, testing::assignments_of(one, machine)};
    what.max_cycles = hang_corpus().at("max_cycles");
    const auto result = testing::run(what);
    const auto classes = testing::accepted(one, testing::test_name(compiler), machine);
    if (result.contains("errors")) {
      const std::string text = result["errors"][0];
      EXPECT_TRUE(testing::names_one_of(classes, text, ""))
          << "expected " << nlohmann::json(classes).dump() << ", got:\n"
          << text;
    } else {
      EXPECT_EQ(classes.front(), testing::kFinishes) << "it finished";
      EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    }
  }
}

std::vector<std::tuple<std::size_t, Compiler>> all_patterns() {
  std::vector<std::tuple<std::size_t, Compiler>> all;
  for (std::size_t i = 0; i < hang_corpus().at("workloads").size(); ++i)
    for (const Compiler compiler : {Compiler::kNvcc, Compiler::kClang}) all.emplace_back(i, compiler);
  return all;
}

std::string pattern_name(const ::testing::TestParamInfo<HangPatterns::ParamType>& test) {
  const auto& [index, compiler] = test.param;
  const std::string workload = hang_corpus().at("workloads").at(index).at("name");
  return testing::test_name(workload) + "_" + testing::test_name(compiler);
}

INSTANTIATE_TEST_SUITE_P(All, HangPatterns, ::testing::ValuesIn(all_patterns()), pattern_name);

}  // namespace
}  // namespace heddle::hang_patterns_test
