// For regression/scripts_test_cases.py: a test that passes, and one of each way not to.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "main/run_tests.h"

namespace {

int prepared = 0;

TEST(Ways, Passes) { EXPECT_EQ(prepared, 1) << "what another test has done is here"; }
TEST(Ways, Fails) { EXPECT_EQ(prepared, 2) << "said by the one that fails"; }
TEST(Ways, Dies) { std::abort(); }
TEST(Ways, Leaves) { std::exit(5); }
TEST(Ways, Hangs) {
  // So does a process that it has started.
  (void)fork();
  for (;;) pause();
}
TEST(Ways, IsSkipped) { GTEST_SKIP() << "said by the one that is skipped"; }
TEST(Others, Pass) { EXPECT_EQ(prepared, 1) << "what another test has done is here"; }

}  // namespace

int main(int argc, char** argv) {
  return heddle::tests::run_tests(argc, argv, [] { ++prepared; });
}
