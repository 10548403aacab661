// Fences of a core in rounds (core.fence.round_cycles): what each takes, from the times at which they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::fence_rounds_test {
namespace {

using Json = nlohmann::ordered_json;

struct Fence {
  std::uint32_t came = 0, took = 0;  ///< core cycles
};

/// One CTA, whose warp w comes to a fence of the GPU `step` * w cycles after the first. `before` runs in front of the fence: %p1 says
/// that the warp is number 0, %rd3 is an address that no other warp uses. Returns what each fence has stored, and statistics.
Json run(std::uint32_t warps, std::uint32_t step, std::vector<std::string> keys,
         const std::string& before = "") {
  const Json result = tb::isolated([&]() -> Json {
    keys.insert(keys.begin(), {"cores=1", "core.memory_model=scoped", "core.fence.gpu_cycles=600"});
    gpu::RunOptions options;
    options.per_launch = true;
    gpu::GpuDevice device(gpu::load_platform("gtx480", keys), std::move(options));
    const auto module = device.load_ptx_text(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 step)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  .reg .pred %p<8>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r9, [step];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  setp.eq.u32 %p1, %r2, 0;
  mul.wide.u32 %rd2, %r2, 8;
  add.u64 %rd2, %rd1, %rd2;
  add.u64 %rd3, %rd2, 4096;
  membar.gl;
  bar.sync 0;
  mov.u32 %r3, %clock;
  and.b32 %r3, %r3, -8192;
  mad.lo.u32 %r3, %r2, %r9, %r3;
  add.u32 %r3, %r3, 16384;
WAIT:
  mov.u32 %r4, %clock;
  setp.lt.u32 %p2, %r4, %r3;
  @%p2 bra WAIT;
)" + before + R"(
  mov.u32 %r5, %clock;
  membar.gl;
  mov.u32 %r6, %clock;
  sub.u32 %r6, %r6, %r5;
  st.global.u32 [%rd2], %r5;
  st.global.u32 [%rd2+4], %r6;
  ret;
}
)",
                                             "kernel.ptx");
    const std::uint64_t data = device.upload(std::vector<std::uint32_t>(2048, 0), "data");
    device.launch(module, "k", {{1, 1, 1}, {32 * warps, 1, 1}, 0}, host::Args{}.add(data).add(step));
    Json out;
    out["words"] = device.download<std::uint32_t>(data, 2 * warps);
    out["stats"] = device.statistics(device.last_launch().values);
    return out;
  });
  if (result.contains("errors")) throw std::runtime_error(result.dump());
  return result;
}

std::vector<Fence> fences(std::uint32_t warps, std::uint32_t step, const std::vector<std::string>& keys,
                          const std::string& before = "") {
  const Json result = run(warps, step, keys, before);
  const auto words = result["words"].get<std::vector<std::uint32_t>>();
  std::vector<Fence> out;
  for (std::uint32_t w = 0; w < warps; ++w) out.push_back({words[2 * w], words[2 * w + 1]});
  return out;
}

const std::vector<std::string> kRounds{"core.fence.round_cycles=400", "core.fence.join_cycles=30"};

TEST(FenceRounds, WithoutThemEachFenceGoesAtOnce) {
  for (const Fence& fence : fences(6, 100, {})) EXPECT_NEAR(fence.took, fences(1, 0, {})[0].took, 3);
}

TEST(FenceRounds, AFenceGoesWithTheRoundThatHasJustBegunOrWithTheNextOne) {
  const std::uint32_t alone = fences(1, 0, kRounds)[0].took;
  EXPECT_NEAR(alone, 600, 30);
  for (const std::uint32_t step : {20u, 60u, 150u, 390u, 700u}) {
    std::vector<Fence> found = fences(12, step, kRounds);
    std::sort(found.begin(), found.end(), [](const Fence& a, const Fence& b) { return a.came < b.came; });
    std::uint32_t begun = 0, next = 0;  // of the last round; of the one behind it, if a fence waits for it
    for (const Fence& fence : found) {
      if (next != 0 && fence.came >= next) begun = std::exchange(next, 0);
      std::uint32_t goes = 0;
      if (begun != 0 && next == 0 && fence.came <= begun + 30)
        goes = fence.came;
      else if (begun != 0 && fence.came < begun + 400)
        goes = next = begun + 400;
      else
        goes = begun = fence.came;
      // Warps that still wait for their time take issue slots.
      EXPECT_NEAR(fence.took, goes - fence.came + alone, 12) << step << " cycles apart, came " << fence.came;
    }
  }
}

TEST(FenceRounds, ARoundLastsUntilWhatTheCoreHasWrittenIsPerformed) {
  std::vector<std::string> keys = kRounds;
  keys.push_back("memory.l2.latency_cycles=1500");
  const std::vector<Fence> found = fences(2, 100, keys, "  @%p1 st.global.u32 [%rd3], 1;\n");
  const auto end = [&](std::size_t w) { return found[w].came + found[w].took; };
  EXPECT_GT(found[0].took, 1500u) << "it waits for the store";
  EXPECT_NEAR(end(1) - end(0), 600, 30) << "the second round begins when the first is over";
}

TEST(FenceRounds, EachSendsAMessageToEverySlice) {
  std::vector<std::string> keys = kRounds;
  keys.push_back("core.fence.completion_cycles=50");
  const Json without = run(8, 150, keys)["stats"];
  keys.push_back("core.fence.messages=slices");
  const Json with = run(8, 150, keys)["stats"];
  const auto rounds = with["core0"]["issue"]["fence_rounds"].get<std::uint64_t>();
  EXPECT_GE(rounds, 4u) << "with that of the fences in front of the barrier";
  unsigned slices = 0;
  for (const auto& [name, stats] : with.items()) {
    if (!name.starts_with("partition")) continue;
    ++slices;
    EXPECT_EQ(stats["l2"]["responses"].get<std::uint64_t>(),
              without[name]["l2"]["responses"].get<std::uint64_t>() + rounds)
        << name;
  }
  EXPECT_EQ(slices, 6u);
}

TEST(FenceRounds, TheSameInEveryRun) {
  const std::vector<Fence> one = fences(12, 35, kRounds), two = fences(12, 35, kRounds);
  for (std::size_t w = 0; w < one.size(); ++w) EXPECT_EQ(one[w].took, two[w].took);
}

}  // namespace
}  // namespace heddle::fence_rounds_test
