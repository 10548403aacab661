// What a warp or a launch leaves in the latches of a scoreboard under `timing: contract`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::left_in_latches_test {
namespace {

using nlohmann::ordered_json;

const std::string kScheduler = "core.scheduler.", kScoreboard = "core.scoreboard.";

constexpr std::uint32_t kCtas = 24, kThreads = 1024;

/// `leaves(out)`: each CTA adds 7 to an element of its own, which is the first that it loads, and ends with loads whose values
/// nobody waits for.
std::string leaves() {
  std::string values;
  for (std::uint32_t i = 0; i < kCtas * 256; ++i) values += (i == 0 ? "" : ",") + std::to_string(i + 1);
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 128 .b32 in[)" +
         std::to_string(kCtas * 256) + "] = {" + values + R"(};
.visible .entry leaves(.param .u64 out_ptr)
{
  .reg .b64 %rd<9>;
  .reg .b32 %r<20>;
  mov.u64 %rd1, in;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd8, %r1, 1024;
  add.u64 %rd5, %rd1, %rd8;
  ld.global.u32 %r12, [%rd5];
  add.u32 %r13, %r12, 7;
  ld.param.u64 %rd2, [out_ptr];
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r1, %r3, %r2;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r13;
  bar.sync 0;
  add.u64 %rd5, %rd5, 512;
  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd5];
  ld.global.v4.u32 {%r14, %r15, %r16, %r12}, [%rd5];
  ret;
}
)";
}
/// `sums(out)`: what one warp loads from shared memory, in a chain.
const std::string kSums = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 out_ptr)
{
  .reg .b32 %r<20>;
  .shared .align 4 .b32 values[32];
  ld.shared.u32 %r1, [values];
  mad.lo.u32 %r2, %r1, %r1, %r1;
  mad.lo.u32 %r3, %r2, %r1, %r2;
  mad.lo.u32 %r4, %r3, %r2, %r1;
  mad.lo.u32 %r5, %r4, %r3, %r2;
  mad.lo.u32 %r6, %r5, %r4, %r3;
  ret;
}
)";
/// A core whose releases are slow, and may wait in large numbers.
std::vector<std::string> slow_releases() {
  return {"cores=1",
          "core.l1d.mshr_targets=64",
          kScheduler + "count=1",
          kScoreboard + "timing=contract",
          kScoreboard + "write_ports=1",
          kScoreboard + "release_queue=64"};
}
void launch(gpu::GpuDevice& gpu, host::ModuleHandle module, const std::string& kernel, std::uint64_t out) {
  const std::uint32_t ctas = kernel == "sums" ? 1 : kCtas, threads = kernel == "sums" ? 32 : kThreads;
  gpu.launch(module, kernel, {{ctas, 1, 1}, {threads, 1, 1}, 0}, host::Args{}.add(out));
}

TEST(LeftInLatches, AWarpsReleasesDoNotEndRegistersOfTheNextInItsSlot) {
  const ordered_json result = tb::isolated([]() -> ordered_json {
    gpu::GpuDevice gpu(gpu::load_platform("gtx480", slow_releases()), {.on_progress = {}});
    const std::uint64_t to = gpu.allocate(kCtas * kThreads * 4, "out");
    launch(gpu, gpu.load_ptx_text(leaves(), "leaves.ptx"), "leaves", to);
    std::uint32_t wrong = 0;
    const auto out = gpu.download<std::uint32_t>(to, kCtas * kThreads);
    for (std::uint32_t i = 0; i < out.size(); ++i) wrong += out[i] != i / kThreads * 256 + 1 + 7 ? 1 : 0;
    return {{"wrong", wrong}, {"waits", gpu.stats().to_json()["core0"]["scoreboard"]["release_waits"]}};
  });
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["wrong"], 0u);
  EXPECT_GT(result["waits"].get<std::uint64_t>(), kCtas * kThreads) << "else nothing is left in latches";
}

// Behind the first launch of a device, which begins with the clock.
TEST(LeftInLatches, ALaunchCostsTheSameWhateverRanBefore) {
  const auto cycles = [](const std::string& before, const char* kernel) {
    return tb::isolated([&]() -> ordered_json {
      std::vector<std::string> settings = slow_releases();
      settings.push_back(
          "core.l1i.enabled=false");  // a launch begins before all that waits would have been released
      gpu::GpuDevice gpu(gpu::load_platform("gtx480", settings), {.on_progress = {}});
      const std::uint64_t out = gpu.allocate(1 << 17, "out");
      const auto module = gpu.load_ptx_text(before, "before.ptx");
      launch(gpu, module, kernel, out);
      gpu.unload(module);
      const auto sums = gpu.load_ptx_text(kSums, "sums.ptx");
      ordered_json all;
      for (unsigned i = 0; i < 2; ++i) {
        launch(gpu, sums, "sums", out);
        all.push_back(gpu.last_launch().cycles);
      }
      return all;
    });
  };
  const ordered_json same = cycles(kSums, "sums");
  ASSERT_TRUE(same.is_array()) << same.dump();
  EXPECT_EQ(same[0], same[1]);
  EXPECT_EQ(cycles(leaves(), "leaves"), same);
}

}  // namespace
}  // namespace heddle::left_in_latches_test
