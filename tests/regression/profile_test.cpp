// The profile by PC: taking it changes nothing, it is complete and reproducible, and in kernels made for the
// purpose the hottest instruction is the expected one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "cli/profile_model.h"
#include "cli/profile_report.h"
#include "depth.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "workloads/workload.h"

namespace heddle::profile_test {
namespace {

std::vector<std::string> finishing_workloads() {
  std::vector<std::string> names;
  for (const workloads::Workload& workload : workloads::all())
    if (!workload.needs_simt_progress && !workload.needs_transactions) names.push_back(workload.name);
  return names;
}

std::string test_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

cli::RunHeader header() {
  cli::RunHeader header;
  header.identity = nlohmann::ordered_json::object();
  return header;
}

/// The totals of a launch's profile, as counted by the statistics and by the profile.
nlohmann::ordered_json sums(const gpu::LaunchRecord& launch, const nlohmann::ordered_json& stats) {
  core::PcProfile all;
  if (launch.profile)
    for (const core::PcProfile& pc : launch.profile->by_pc()) all += pc;
  return {{"issues", {launch.warp_instructions, all.issues}},
          {"lanes", {launch.thread_instructions, all.lanes}},
          {"transactions", {cli::sum_at(stats, "core*.lsu.line_accesses"), all.transactions}},
          {"extra_passes", {cli::sum_at(stats, "core*.lsu.replays.*"), all.extra_passes}},
          {"group_cycles", {cli::sum_at(stats, "core*.issue.group_cycles"), all.group_cycles()}}};
}

nlohmann::ordered_json run(const std::string& name, const std::string& platform, bool profile,
                           bool keep_awake = false) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice gpu(gpu::load_platform(platform, {}),
                       {.keep_awake = keep_awake, .profile = profile, .per_launch = true, .on_progress = {}});
    const workloads::Verdict verdict = workloads::find(name)->run(gpu, {.size = workloads::Size::kTiny});
    nlohmann::ordered_json result{{"passed", verdict.passed}};
    for (const gpu::LaunchRecord& launch : gpu.launches()) {
      const nlohmann::ordered_json stats = gpu.statistics(launch.values);
      result["stats"].push_back(stats);
      result["sums"].push_back(sums(launch, stats));
    }
    const std::vector<cli::KernelHeat> kernels = cli::profiled_kernels(gpu.kernels());
    result["text"] = cli::profile_text(kernels, 20) + cli::profile_listing(kernels);
    result["profile"] = cli::profile_json(header(), platform, kernels);
    return result;
  });
}

const std::vector<std::string> kPlatforms{"tiny", "gtx480", "rtx2060"};

class Profile : public ::testing::TestWithParam<std::size_t> {};

void changes_nothing(const std::string& name, const std::string& platform) {
  SCOPED_TRACE(platform);
  const auto off = run(name, platform, false);
  const auto on = run(name, platform, true);
  ASSERT_FALSE(on.contains("errors")) << on.dump();
  EXPECT_TRUE(on["passed"].get<bool>());
  EXPECT_EQ(on["stats"].dump(), off["stats"].dump());
  EXPECT_EQ(off["text"], "");
  for (const auto& launch : on["sums"])
    for (const auto& [what, pair] : launch.items()) {
      EXPECT_EQ(pair[0], pair[1]) << what;
    }
  EXPECT_GT(on["sums"][0]["group_cycles"][0].get<std::uint64_t>(), 0u);
  const auto awake = run(name, platform, true, true);
  EXPECT_EQ(awake["profile"].dump(), on["profile"].dump())
      << "cycles slept through are charged differently, or a second profile differs";
  EXPECT_EQ(awake["text"], on["text"]);
}

// On the platforms in turn; on all from HEDDLE_TEST_DEPTH=3 on.
TEST_P(Profile, ChangesNothingLosesNothingAndRepeats) {
  for (const std::size_t turn : depth::turns(GetParam(), kPlatforms.size()))
    changes_nothing(finishing_workloads()[GetParam()], kPlatforms[turn]);
}

INSTANTIATE_TEST_SUITE_P(All, Profile, ::testing::Range(std::size_t{0}, finishing_workloads().size()),
                         [](const auto& test) { return test_name(finishing_workloads()[test.param]); });

/// Profile of one kernel `k(in, out)`; in[] are zeros.
nlohmann::ordered_json profile_of(const std::string& body, host::Launch shape) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice gpu(gpu::load_platform("gtx480", {"cores=1", "core.l1i.enabled=false"}),
                       {.profile = true, .on_progress = {}});
    const auto handle = gpu.load_ptx_text(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in_ptr, .param .u64 out_ptr)
{
  .shared .align 4 .b32 tile[4096];
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .reg .pred %p<4>;
  ld.param.u64 %rd1, [in_ptr];
  ld.param.u64 %rd2, [out_ptr];
  mov.u32 %r1, %tid.x;
)" + body + "  ret;\n}\n",
                                          "kernel.ptx");
    const std::uint64_t in = gpu.allocate(1 << 20, "in");
    const std::uint64_t out = gpu.allocate(1 << 12, "out");
    gpu.launch(handle, "k", shape, host::Args{}.add(in).add(out));
    return cli::profile_json(header(), "gtx480", cli::profiled_kernels(gpu.kernels()))["kernels"][0];
  });
}

/// The PC with the most group-cycles.
nlohmann::ordered_json hottest(const nlohmann::ordered_json& kernel) {
  nlohmann::ordered_json best = kernel.at("pcs").at(0);
  for (const auto& pc : kernel.at("pcs"))
    if (pc.at("group_cycles") > best.at("group_cycles")) best = pc;
  return best;
}

/// The PC of the instruction with this text.
nlohmann::ordered_json pc_of(const nlohmann::ordered_json& kernel, const std::string& ptx) {
  for (const auto& pc : kernel.at("pcs"))
    if (pc.at("ptx") == ptx) return pc;
  ADD_FAILURE() << "no instruction " << ptx;
  return {};
}

constexpr host::Launch kEightWarps{{1, 1, 1}, {256, 1, 1}, 0};

// Each division needs the result of the previous one.
TEST(ProfileOfAKernel, WaitingForADivisionIsFoundWhereItsResultIsNeeded) {
  const auto kernel = profile_of(R"(
  mov.u32 %r2, 1000000;
  add.u32 %r3, %r1, 3;
  div.u32 %r2, %r2, %r3;
  add.u32 %r4, %r3, %r3;
  div.u32 %r5, %r2, %r4;
  add.u32 %r6, %r4, %r4;
  sub.u32 %r7, %r5, %r6;
)",
                                 {{1, 1, 1}, {32, 1, 1}, 0});
  ASSERT_FALSE(kernel.contains("errors")) << kernel.dump();
  const auto division = pc_of(kernel, "div.u32 %r5, %r2, %r4;");
  const auto subtraction = pc_of(kernel, "sub.u32 %r7, %r5, %r6;");
  EXPECT_GT(division["waiting"]["scoreboard_alu"], 140);
  EXPECT_EQ(subtraction["waiting"]["scoreboard_memory"], 0);
  // Between the issues of two divisions, with one instruction in between, is the configured latency.
  EXPECT_EQ(division["group_cycles"].get<int>() +
                pc_of(kernel, "add.u32 %r4, %r3, %r3;")["group_cycles"].get<int>(),
            145);
  EXPECT_EQ(subtraction["group_cycles"].get<int>() +
                pc_of(kernel, "add.u32 %r6, %r4, %r4;")["group_cycles"].get<int>(),
            145);
}

// Two equal loads, with strides of a word and of a line.
TEST(ProfileOfAKernel, AStridedLoadIsHotterThanACoalescedOne) {
  const auto kernel = profile_of(R"(
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  mul.wide.u32 %rd5, %r1, 128;
  add.u64 %rd6, %rd1, %rd5;
  ld.global.u32 %r2, [%rd4+65536];
  add.u32 %r3, %r2, 1;
  ld.global.u32 %r4, [%rd6];
  ld.global.u32 %r5, [%rd6+32768];
  add.u32 %r6, %r4, %r5;
  st.global.u32 [%rd2], %r6;
)",
                                 kEightWarps);
  ASSERT_FALSE(kernel.contains("errors")) << kernel.dump();
  EXPECT_EQ(pc_of(kernel, "ld.global.u32 %r2, [%rd4+65536];")["transactions"], 8);
  EXPECT_EQ(pc_of(kernel, "ld.global.u32 %r4, [%rd6];")["transactions"], 8 * 32);
  EXPECT_EQ(pc_of(kernel, "ld.global.u32 %r4, [%rd6];")["extra_passes"], 8 * 31);
  const auto hot = hottest(kernel);
  EXPECT_EQ(hot["ptx"], "add.u32 %r6, %r4, %r5;") << "needs what the strided loads bring";
  EXPECT_GT(hot["waiting"]["scoreboard_memory"].get<double>(), 0.9 * hot["group_cycles"].get<double>());
  EXPECT_GT(hot["group_cycles"].get<double>(),
            3 * pc_of(kernel, "add.u32 %r3, %r2, 1;")["group_cycles"].get<double>());
}

// Shared memory: conflict-free, and with all lanes in one bank.
TEST(ProfileOfAKernel, ABankConflictIsHottest) {
  const auto kernel = profile_of(R"(
  mov.u32 %r10, tile;
  and.b32 %r11, %r1, 31;
  mad.lo.u32 %r12, %r11, 4, %r10;
  mad.lo.u32 %r13, %r11, 128, %r10;
  ld.shared.u32 %r2, [%r12];
  add.u32 %r3, %r2, 1;
  ld.shared.u32 %r4, [%r13];
  add.u32 %r5, %r4, 1;
  ld.shared.u32 %r6, [%r13+4];
  add.u32 %r7, %r6, %r5;
)",
                                 kEightWarps);
  ASSERT_FALSE(kernel.contains("errors")) << kernel.dump();
  EXPECT_EQ(pc_of(kernel, "ld.shared.u32 %r2, [%r12];")["extra_passes"], 0);
  EXPECT_EQ(pc_of(kernel, "ld.shared.u32 %r4, [%r13];")["extra_passes"], 8 * 31);
  EXPECT_EQ(pc_of(kernel, "ld.shared.u32 %r4, [%r13];")["transactions"], 0);
  EXPECT_EQ(hottest(kernel)["ptx"], "add.u32 %r7, %r6, %r5;");
  EXPECT_GT(pc_of(kernel, "add.u32 %r5, %r4, 1;")["group_cycles"].get<double>(),
            3 * pc_of(kernel, "add.u32 %r3, %r2, 1;")["group_cycles"].get<double>());
}

// One warp is late; the others wait for it at the barrier, and the profile charges the barrier.
TEST(ProfileOfAKernel, WaitingAtABarrierIsChargedToTheBarrier) {
  const auto kernel = profile_of(R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra JOIN;
  mov.u32 %r2, 0;
LOOP:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 200;
  @%p2 bra LOOP;
JOIN:
  bar.sync 0;
  add.u32 %r3, %r1, 1;
)",
                                 kEightWarps);
  ASSERT_FALSE(kernel.contains("errors")) << kernel.dump();
  const auto hot = hottest(kernel);
  EXPECT_EQ(hot["ptx"], "bar.sync 0;");
  EXPECT_GT(hot["waiting"]["barrier"].get<double>(), 0.9 * hot["group_cycles"].get<double>());
  EXPECT_EQ(pc_of(kernel, "add.u32 %r3, %r1, 1;")["waiting"]["barrier"], 0);
}

TEST(ProfileOfAKernel, DivergencesAndLanesAreThoseOfTheBranches) {
  const auto kernel = profile_of(R"(
  and.b32 %r2, %r1, 3;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra QUARTER;
  add.u32 %r3, %r1, 1;
  bra.uni JOIN;
QUARTER:
  add.u32 %r3, %r1, 2;
JOIN:
  setp.ge.u32 %p2, %r1, 128;
  @%p2 bra DONE;
  add.u32 %r4, %r3, 3;
DONE:
  st.global.u32 [%rd2], %r3;
)",
                                 kEightWarps);
  ASSERT_FALSE(kernel.contains("errors")) << kernel.dump();
  EXPECT_EQ(pc_of(kernel, "@%p1 bra QUARTER;")["divergences"], 8);
  EXPECT_EQ(pc_of(kernel, "@%p2 bra DONE;")["divergences"], 0) << "whole warps go one way";
  EXPECT_EQ(pc_of(kernel, "add.u32 %r3, %r1, 2;")["lanes"], 8 * 8);
  EXPECT_EQ(pc_of(kernel, "add.u32 %r3, %r1, 1;")["lanes"], 8 * 24);
  EXPECT_EQ(pc_of(kernel, "add.u32 %r4, %r3, 3;")["issues"], 4);
}

}  // namespace
}  // namespace heddle::profile_test
