// Every workload on the oracle, compiled by both compilers, with several interleavings.
#include <gtest/gtest.h>

#include "oracle/oracle.h"
#include "workloads/workload.h"

namespace heddle::oracle::workloads_test {
namespace {

class OracleWorkloads : public testing::TestWithParam<workloads::Compiler> {};

TEST_P(OracleWorkloads, MatchTheCpuReference) {
  for (const workloads::Workload& workload : workloads::all()) {
    if (workload.needs_lockstep) continue;  // threads of the oracle are independent
    for (const Options& options : {Options{}, Options{.slice = 1}, Options{.slice = 50, .seed = 9}}) {
      OracleDevice device(options);
      const auto verdict =
          workload.run(device, {.compiler = GetParam(), .size = workloads::Size::kTiny, .seed = 3});
      EXPECT_TRUE(verdict.passed) << workload.name << ": " << verdict.summary;
    }
  }
}

// Otherwise the flag would be meaningless.
TEST_P(OracleWorkloads, LoseUpdatesThatRelyOnLockstep) {
  for (const workloads::Workload& workload : workloads::all()) {
    if (!workload.needs_lockstep) continue;
    OracleDevice device({.slice = 1});
    const auto verdict =
        workload.run(device, {.compiler = GetParam(), .size = workloads::Size::kTiny, .seed = 3});
    EXPECT_FALSE(verdict.passed) << workload.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, OracleWorkloads,
                         testing::Values(workloads::Compiler::kNvcc, workloads::Compiler::kClang),
                         [](const auto& of) {
                           return of.param == workloads::Compiler::kNvcc ? "nvcc" : "clang";
                         });

}  // namespace
}  // namespace heddle::oracle::workloads_test
