// Kernels that end under independent threads and hung, or went wrong, with the published SSDE and delayed reconvergence
// (analysis/SOUNDNESS.md), one by one: now they leave the oracle's memory, on every machine that has to finish them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"
#include "unit/ssde/kernels.h"
#include "unit/ssde/unsound_kernels.h"

namespace heddle::sound_placement_test {
namespace {

using nlohmann::ordered_json;
using ssde_test::UnsoundKernel;

const std::string kDelayed = "core.compiler=delayed_reconvergence";
const std::string kAware = "core.control_flow.mechanism=aware";
const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kSsde = "core.compiler=ssde";

std::vector<std::uint32_t> run(host::Device& device, const UnsoundKernel& kernel) {
  constexpr std::uint64_t kWords = 64;
  const auto module = device.load_ptx_text(ssde_test::module_text(kernel.body), "unsound.ptx");
  const std::uint64_t lock = device.upload(std::vector<std::uint32_t>(kWords), "lock");
  const std::uint64_t data = device.upload(std::vector<std::uint32_t>(kWords), "data");
  device.launch(module, "k", {{1, 1, 1}, {kernel.threads, 1, 1}, 0},
                host::Args{}.add(lock).add(data).add(std::uint32_t{0}));
  auto result = device.download<std::uint32_t>(lock, kWords);
  const auto more = device.download<std::uint32_t>(data, kWords);
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

ordered_json run_on_gpu(const UnsoundKernel& kernel, const std::vector<std::string>& assignments) {
  return tb::isolated([&]() -> ordered_json {
    gpu::RunOptions options;
    options.max_cycles = 300'000;
    gpu::GpuDevice device(gpu::load_platform("tiny", assignments), options);
    return {{"memory", run(device, kernel)}};
  });
}

class UnsoundKernels : public ::testing::TestWithParam<UnsoundKernel> {};

void expect_finish(const UnsoundKernel& kernel, const std::vector<std::vector<std::string>>& machines) {
  oracle::OracleDevice oracle;
  const auto expected = run(oracle, kernel);
  for (const std::vector<std::string>& machine : machines) {
    const ordered_json result = run_on_gpu(kernel, machine);
    ASSERT_FALSE(result.contains("errors")) << ordered_json(machine).dump() << ": " << result["errors"];
    EXPECT_EQ(result["memory"].get<std::vector<std::uint32_t>>(), expected) << ordered_json(machine).dump();
  }
}

TEST_P(UnsoundKernels, FinishWithDelayedReconvergence) {
  expect_finish(GetParam(), {{kAware, kDelayed},
                             {kAware, kDelayed, "core.control_flow.first_side=taken"},
                             {kMultiPath, kDelayed, "core.scoreboard.kind=per_thread_mask"}});
}

TEST_P(UnsoundKernels, FinishOnAStackAfterSsde) {
  if (GetParam().barriers) GTEST_SKIP() << "barriers in diverged code: beyond a stack";
  expect_finish(GetParam(), {{kSsde}, {kSsde, "core.control_flow.first_side=not_taken"}});
}

// Otherwise they would prove nothing. A stack may take the right side first by chance.
TEST_P(UnsoundKernels, HangWhereNothingIsDoneForThem) {
  const std::string mechanism = GetParam().barriers ? kAware : "core.control_flow.mechanism=simt_stack";
  EXPECT_TRUE(
      run_on_gpu(GetParam(), {mechanism}).contains("errors") ||
      run_on_gpu(GetParam(), {mechanism, "core.control_flow.first_side=not_taken"}).contains("errors"));
}

INSTANTIATE_TEST_SUITE_P(All, UnsoundKernels, ::testing::ValuesIn(ssde_test::unsound_kernels()),
                         [](const auto& test) { return std::string(test.param.name); });

// The loop ends when the whole warp votes so. Only one of its two ways back went through the switch, and lanes that met at the
// vote no longer did.
TEST(SsdeOfVotes, ALoopThatAVoteEndsKeepsItsLanesTogether) {
  for (const char* step : {"core.compiler=none", "core.compiler=ssde"}) {
    const ordered_json result = tb::isolated([&]() -> ordered_json {
      gpu::RunOptions options;
      options.max_cycles = 300'000;
      gpu::GpuDevice device(gpu::load_platform("tiny", {step}), options);
      const auto module = device.load_ptx_file(HEDDLE_SOURCE_DIR "/tests/data/ssde/vote_loop.nvcc.ptx");
      const std::uint64_t flag = device.upload(std::vector<std::int32_t>(64), "flag");
      const std::uint64_t out = device.upload(std::vector<std::int32_t>(32), "out");
      device.launch(module, "ssdevote", {{1, 1, 1}, {64, 1, 1}, 0}, host::Args{}.add(flag).add(out));
      return {{"out", device.download<std::int32_t>(out, 32)}};
    });
    ASSERT_FALSE(result.contains("errors")) << step << ": " << result["errors"];
    EXPECT_EQ(result["out"].get<std::vector<std::int32_t>>(), std::vector<std::int32_t>(32, 528)) << step;
  }
}

}  // namespace
}  // namespace heddle::sound_placement_test
