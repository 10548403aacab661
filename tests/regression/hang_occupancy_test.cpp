// Hangs of full machines: as many warps as fit poll a flag that a CTA would set for which there is no room. The proof may not
// depend on how many they are, nor on whether the scheduler gives the last of them a turn within one of its windows.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::hang_occupancy_test {
namespace {

/// The last CTA of the grid sets the flag.
const std::string kLastSets = R"(.version 7.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 flag)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [flag];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  sub.u32 %r2, %r2, 1;
  setp.eq.u32 %p1, %r1, %r2;
  @%p1 bra SET;
POLL:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra POLL;
  ret;
SET:
  mov.u32 %r4, 1;
  st.volatile.global.u32 [%rd1], %r4;
  ret;
}
)";

/// Each thread polls a word of its own, through `how`, that nobody sets.
std::string own_words(const std::string& how) {
  return R"(.version 7.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 flag)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [flag];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
POLL:
  )" + how +
         R"( %r3, [%rd3];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra POLL;
  st.global.u32 [%rd1], %r4;
  ret;
}
)";
}

/// How the launch ends, and the instructions that all warps have issued until then.
std::string end_of(const std::string& ptx, std::uint32_t ctas, const std::vector<std::string>& settings,
                   std::uint64_t max_cycles) {
  const auto result = tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice device(gpu::load_platform("gtx480", settings),
                          {.max_cycles = max_cycles, .on_progress = {}});
    const auto module = device.load_ptx_text(ptx, "k.ptx");
    const std::uint64_t flag = device.allocate(std::uint64_t{1} << 20, "flag");
    try {
      device.launch(module, "k", {{ctas, 1, 1}, {256, 1, 1}, 0}, host::Args{}.add(flag));
    } catch (const base::Error& error) {
      return {{"what", error.what()}};
    }
    return {{"what", "it finished"}};
  });
  return result.contains("errors") ? result["errors"].dump() : result["what"].get<std::string>();
}

constexpr std::uint32_t kFull = 90;  ///< CTAs of 256 threads on 15 cores of 48 warps

class FullMachine : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(FullMachine, WaitsForACtaThatHasNoRoom) {
  const std::string end = end_of(kLastSets, kFull + 1, GetParam(), 300'000);
  EXPECT_EQ(end.rfind("kernel k hangs: wait for a CTA that cannot become resident", 0), 0u) << end;
  EXPECT_NE(end.find("spin in the loop"), std::string::npos) << end;
}

// 23,040 words, which the watchdog sees loaded.
TEST_P(FullMachine, WaitsForAsManyWordsAsThreads) {
  for (const char* how : {"ld.volatile.global.u32", "ld.global.u32"}) {
    const std::string end = end_of(own_words(how), kFull, GetParam(), 300'000);
    EXPECT_EQ(end.rfind("kernel k hangs: wait for a value that nobody will write", 0), 0u)
        << how << ": " << end;
  }
}

INSTANTIATE_TEST_SUITE_P(Under, FullMachine,
                         ::testing::Values(std::vector<std::string>{"core.scheduler.policy=gto"},
                                           std::vector<std::string>{"core.scheduler.policy=gto",
                                                                    "core.scheduler.gto_rotation_cycles=0"},
                                           std::vector<std::string>{"core.scheduler.policy=lrr"},
                                           std::vector<std::string>{"core.scheduler.policy=two_level"}),
                         [](const auto& test) {
                           return test.param.front().substr(test.param.front().find('=') + 1) +
                                  (test.param.size() > 1 ? "_without_rotation" : "");
                         });

}  // namespace
}  // namespace heddle::hang_occupancy_test
