// Launches that end while an instruction of made warps is in a pipe.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::compaction_launches_test {
namespace {

// Odd lanes of one warp and even lanes of the next take the same side, so that warps are made of both. Their last instruction but one
// takes long, and no lane executes it: the next kernel would be there when it leaves its pipe.
constexpr const char* kModule = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry ends()
{
  .reg .b32 %r<4>;
  .reg .f64 %fd<4>;
  .reg .pred %p<4>;
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  xor.b32 %r2, %r2, %r1;
  and.b32 %r2, %r2, 1;
  setp.eq.u32 %p1, %r2, 0;
  setp.gt.u32 %p2, %r1, 100000;
  mov.f64 %fd1, 0d3ff0000000000000;
  @%p1 bra EVEN;
  @%p2 div.rn.f64 %fd2, %fd1, %fd1;
  exit;
EVEN:
  @%p2 div.rn.f64 %fd3, %fd1, %fd1;
  exit;
}
.visible .entry counts(.param .u64 out_ptr)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out_ptr];
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 7;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  exit;
}
)";

constexpr std::uint32_t kThreads = 128;

class CompactionLaunches : public ::testing::TestWithParam<const char*> {};

TEST_P(CompactionLaunches, WaitForInstructionsThatNoLaneExecutes) {
  const auto result = tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice device(
        gpu::load_platform("gtx480", {"cores=1", std::string("core.control_flow.mechanism=") + GetParam()}),
        {});
    const auto module = device.load_ptx_text(kModule, "launches.ptx");
    const std::uint64_t out = device.allocate(std::uint64_t{4} * kThreads, "out");
    device.launch(module, "ends", {{1, 1, 1}, {kThreads, 1, 1}, 0}, {});
    device.launch(module, "counts", {{1, 1, 1}, {kThreads, 1, 1}, 0}, host::Args{}.add(out));
    return {{"words", device.download<std::uint32_t>(out, kThreads)}};
  });
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kThreads; ++i) expected.push_back(i + 7);
  EXPECT_EQ(result["words"].get<std::vector<std::uint32_t>>(), expected);
}

// The stack makes no warps: the kernels are right without.
INSTANTIATE_TEST_SUITE_P(On, CompactionLaunches, ::testing::Values("tbc", "dwf", "simt_stack"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace heddle::compaction_launches_test
