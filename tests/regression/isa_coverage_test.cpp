// Coverage of the instructions that the unit tests cannot run on registers alone: every word of each of their
// forms occurs in a fragment that runs on the GPU. Runs after the other tests of this program, in the same
// process (isa_regression.coverage); alone it has nothing to check.
#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

#include "isa_support.h"

namespace heddle::testing::isa_coverage_test {
namespace {

/// Textures and surfaces need objects (textures_test.cpp, tests/programs).
/// Matrix products have shapes and types in tests/programs (tensor_cores) and in models/isa's tests, L2's policies have no effect.
/// trap and brkpt end the simulation: one per process. Calls, indirect branches, their parameters and the
/// stack need more than a fragment of one kernel (calls_test.cpp).
bool has_tests_of_its_own(const std::string& missing) {
  constexpr std::string_view kOpcodes[] = {
      "trap ", "brkpt ",        "call ", "brx ",  "alloca ", "stacksave ", "stackrestore ", "wmma ",
      "mma ",  "createpolicy ", "tex ",  "tld4 ", "txq ",    "suq ",       "suld ",         "sust "};
  for (const std::string_view opcode : kOpcodes)
    if (missing.starts_with(opcode)) return true;
  return missing.find("space=param::func") != std::string::npos ||
         missing.find("space=param|param::func") != std::string::npos;
}

// Suites with parameters run last, in the order of the files; this file is the last.
class IsaCoverage : public ::testing::TestWithParam<bool> {};

TEST_P(IsaCoverage, EveryWordOfEveryFormHasRun) {
  if (!anything_ran()) GTEST_SKIP() << "needs the other tests in the same process";
  FormCoverage coverage = form_coverage();
  std::erase_if(coverage.missing, has_tests_of_its_own);
  for (const std::string& missing : coverage.missing) ADD_FAILURE() << "never run: " << missing;
  std::printf("%zu forms, %zu words, %zu never run\n", coverage.forms, coverage.words,
              coverage.missing.size());
}

INSTANTIATE_TEST_SUITE_P(Last, IsaCoverage, ::testing::Values(true));

}  // namespace
}  // namespace heddle::testing::isa_coverage_test
