// Launches that share the GPU: GpuDevice::launch_together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::testing::launch_together_test {
namespace {

using ::testing::HasSubstr;

const std::string kKernels = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry work(.param .u64 out, .param .u32 rounds)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  ld.param.u32 %r1, [rounds];
  ld.global.u32 %r2, [%o];
AGAIN:
  mad.lo.u32 %r2, %r2, 5, 3;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra AGAIN;
  st.global.u32 [%o], %r2;
  ret;
}
.visible .entry wait_for_ever(.param .u64 flag)
{
  .reg .pred %p;
  .reg .b32 %r<2>;
  .reg .b64 %o;
  ld.param.u64 %o, [flag];
AGAIN:
  ld.volatile.global.u32 %r1, [%o];
  setp.eq.u32 %p, %r1, 0;
  @%p bra AGAIN;
  ret;
}
)";

struct Rig {
  explicit Rig(const std::vector<std::string>& keys = {"cores=4"}, gpu::RunOptions options = {})
      : device(gpu::load_platform("tiny", keys), std::move(options)),
        module(device.load_ptx_text(kKernels, "kernels")),
        cells(device.allocate(64, "cells")) {}
  [[nodiscard]] host::QueuedLaunch work(std::uint32_t cell, std::uint32_t rounds, std::uint32_t grid = 1,
                                        std::vector<std::size_t> after = {}) const {
    return {module,
            "work",
            {{grid, 1, 1}, {32, 1, 1}},
            host::Args().add(cells + cell * 4).add(rounds),
            0,
            std::move(after),
            0};
  }
  gpu::GpuDevice device;
  host::ModuleHandle module;
  std::uint64_t cells;
};

bool overlap(const host::LaunchInterval& a, const host::LaunchInterval& b) {
  return a.begin_ns < b.end_ns && b.begin_ns < a.end_ns;
}

TEST(LaunchTogether, GridsThatLeaveCoresShareTheGpu) {
  Rig rig;
  const auto times =
      rig.device.launch_together(std::vector{rig.work(0, 500), rig.work(1, 400), rig.work(2, 300)});
  ASSERT_EQ(times.size(), 3u);
  EXPECT_TRUE(overlap(times[0], times[1]) && overlap(times[1], times[2]) && overlap(times[0], times[2]));
  EXPECT_GT(times[0].end_ns, times[1].end_ns);
  EXPECT_GT(times[1].end_ns, times[2].end_ns);
}

TEST(LaunchTogether, OneThatWaitsForAnotherBeginsBehindIt) {
  Rig rig;
  std::vector launches{rig.work(0, 50), rig.work(0, 50, 1, {0}), rig.work(1, 50)};
  launches[1].behind_ns = 2000;
  launches[2].ready_ns = 5000;
  const auto times = rig.device.launch_together(launches);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_GE(times[1].begin_ns, times[0].end_ns + 1999);
  EXPECT_GE(times[2].begin_ns, 4999);
  std::uint32_t value = 0;
  for (int i = 0; i < 100; ++i) value = value * 5 + 3;
  EXPECT_EQ(rig.device.download<std::uint32_t>(rig.cells, 1)[0], value);
}

TEST(LaunchTogether, TheOlderOneComesFirstAndTheNextFillsWhatItLeaves) {
  Rig rig({"cores=2", "core.occupancy.max_ctas=1"});
  // Three CTAs on two cores: one core is free a round earlier.
  const auto times = rig.device.launch_together(std::vector{rig.work(0, 400, 3), rig.work(1, 100)});
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GT(times[1].begin_ns, times[0].begin_ns + (times[0].end_ns - times[0].begin_ns) * 0.3);
  EXPECT_LT(times[1].end_ns, times[0].end_ns);
}

TEST(LaunchTogether, RecordsHaveTheCountsOfEachAndTheTreeOfAllOnce) {
  gpu::RunOptions options;
  options.per_launch = true;
  Rig rig({"cores=4"}, options);
  rig.device.launch(rig.module, "work", {{1, 1, 1}, {32, 1, 1}}, host::Args().add(rig.cells).add(200u));
  rig.device.launch(rig.module, "work", {{1, 1, 1}, {32, 1, 1}}, host::Args().add(rig.cells).add(300u));
  const auto times = rig.device.launch_together(std::vector{rig.work(0, 200), rig.work(1, 300)});
  ASSERT_EQ(times.size(), 2u);
  const auto& launches = rig.device.launches();
  ASSERT_EQ(launches.size(), 4u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launches[i].warp_instructions, launches[i + 2].warp_instructions);
    EXPECT_EQ(launches[i].thread_instructions, launches[i + 2].thread_instructions);
    EXPECT_TRUE(launches[i + 2].complete);
  }
  EXPECT_GT(launches[3].cycles, launches[2].cycles);
  const auto issued = [&](int i) {
    const auto tree = rig.device.statistics(launches[i].values);
    std::uint64_t sum = 0;
    for (const char* core : {"core0", "core1", "core2", "core3"})
      sum += tree[core]["issue"]["warp_instructions"].get<std::uint64_t>();
    return sum;
  };
  EXPECT_EQ(issued(2), launches[2].warp_instructions + launches[3].warp_instructions);
  EXPECT_EQ(issued(3), 0u);
}

TEST(LaunchTogether, AHangIsProvenWhenTheOthersHaveEnded) {
  Rig rig;
  const std::vector launches{
      rig.work(0, 3000),
      host::QueuedLaunch{
          rig.module, "wait_for_ever", {{1, 1, 1}, {32, 1, 1}}, host::Args().add(rig.cells + 4), 0, {}, 0}};
  try {
    rig.device.launch_together(launches);
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kHang);
    EXPECT_THAT(error.what(), HasSubstr("kernel wait_for_ever hangs"));
  }
}

TEST(LaunchTogether, NothingHangsBeforeALaunchThatIsToBegin) {
  Rig rig;
  std::vector launches{
      host::QueuedLaunch{
          rig.module, "wait_for_ever", {{1, 1, 1}, {32, 1, 1}}, host::Args().add(rig.cells + 4), 0, {}, 0},
      rig.work(1, 1), rig.work(2, 1)};
  launches[1].ready_ns = 400'000;  // it writes what the first one waits for
  launches[2].after = {0};
  launches[2].behind_ns = 400'000;  // nobody is on the GPU as long
  const auto times = rig.device.launch_together(launches);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_GE(times[0].end_ns, times[1].begin_ns);
  EXPECT_GE(times[2].begin_ns, times[0].end_ns + 399'999);
}

TEST(LaunchTogether, NotWithAMechanismOfTheWholeGpu) {
  Rig rig({"cores=2", "determinism.enabled=true"});
  EXPECT_TRUE(rig.device.launch_together(std::vector{rig.work(0, 5), rig.work(1, 5)}).empty());
  EXPECT_EQ(rig.device.launch_count(), 0u);
}

}  // namespace
}  // namespace heddle::testing::launch_together_test
