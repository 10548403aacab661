// Coverage of the instructions that the unit tests cannot run on registers alone: every word of every form of
// them is in a fragment that runs on the GPU. Runs behind the other tests of this program, in their process
// (isa_regression.coverage); alone it has nothing to look at.
#include <gtest/gtest.h>

#include <cstdio>

#include "isa_support.h"

namespace heddle::testing {
namespace {

// Suites with parameters run last, in the order of the files; this file is the last.
class IsaCoverage : public ::testing::TestWithParam<bool> {};

TEST_P(IsaCoverage, EveryWordOfEveryFormHasRun) {
  if (!anything_ran()) GTEST_SKIP() << "needs the other tests in the same process";
  FormCoverage coverage = form_coverage();
  // trap and brkpt end the simulation and have tests of their own.
  std::erase_if(coverage.missing, [](const std::string& text) {
    return text.starts_with("trap ") || text.starts_with("brkpt ");
  });
  for (const std::string& missing : coverage.missing) ADD_FAILURE() << "never run: " << missing;
  std::printf("%zu forms, %zu words, %zu never run\n", coverage.forms, coverage.words,
              coverage.missing.size());
}

INSTANTIATE_TEST_SUITE_P(Last, IsaCoverage, ::testing::Values(true));

}  // namespace
}  // namespace heddle::testing
