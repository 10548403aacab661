// Cores whose scoreboard has few ports: which instructions issue together, how long others wait, and that
// nothing else changes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "cli/profile_model.h"
#include "cli/report_model.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "workload_scenario.h"

namespace heddle::scoreboard_ports_test {
namespace {

using testing::Scenario;

constexpr std::uint64_t kMads = 400;  ///< of each of two warps
constexpr std::uint64_t kMoves = 3;

/// `kMads` independent instructions of three source registers and one destination.
std::string mads() {
  std::string text;
  for (std::uint64_t i = 0; i < kMads; ++i)
    text += "  mad.lo.u32 %r" + std::to_string(10 + i % 24) + ", %r1, %r2, %r3;\n";
  return text;
}

/// One kernel `k(flag, out)`.
std::string module_text(const std::string& body) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 flag_ptr, .param .u64 out_ptr)
{
  .reg .b32 %r<40>;
  .reg .b64 %rd<8>;
  .reg .pred %p<4>;
)" + body +
         "  ret;\n}\n";
}

/// One CTA of `warps` warps on one core with two schedulers; nothing but the scoreboard's ports limits issue.
nlohmann::ordered_json run(const std::string& body, std::uint32_t warps, const std::string& reads,
                           const std::string& writes, std::vector<std::string> more = {}) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    more.insert(more.end(), {"cores=1", "core.l1i.enabled=false", "core.fetch.width_instructions=8",
                             "core.fetch.ibuffer_slots=16", "core.register_file.banks=0",
                             "core.register_file.writeback_ports=0", "core.scoreboard.entries_per_warp=64",
                             "core.scoreboard.read_ports=" + reads, "core.scoreboard.write_ports=" + writes});
    gpu::GpuDevice gpu(gpu::load_platform("gtx480", more), {.max_cycles = 2'000'000, .on_progress = {}});
    const auto handle = gpu.load_ptx_text(module_text(body), "ports.ptx");
    const std::uint64_t flag = gpu.allocate(1 << 12, "flag");
    const std::uint64_t out = gpu.allocate(1 << 16, "out");
    gpu.launch(handle, "k", {{1, 1, 1}, {warps * 32, 1, 1}, 0}, host::Args{}.add(flag).add(out));
    return {{"cycles", gpu.last_launch().cycles}, {"stats", gpu.stats().to_json()["core0"]}};
  });
}

std::uint64_t slots(const nlohmann::ordered_json& result, const char* use) {
  return result["stats"]["issue"]["slots"][use].get<std::uint64_t>();
}
std::uint64_t ports(const nlohmann::ordered_json& result, const char* kind) {
  return result["stats"]["scoreboard"][kind].get<std::uint64_t>();
}

const std::string kTwoChains = "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, 5;\n  mov.u32 %r3, 7;\n" + mads();

// Two schedulers with a warp each, four registers per instruction: with eight ports they issue together, with
// seven one after the other.
TEST(ScoreboardPorts, InstructionsWhoseRegistersExceedThemIssueOneAfterTheOther) {
  const auto enough = run(kTwoChains, 2, "8", "0");
  ASSERT_FALSE(enough.contains("errors")) << enough.dump();
  EXPECT_EQ(slots(enough, "scoreboard_ports"), 0u);
  EXPECT_LT(enough["cycles"].get<std::uint64_t>(), 2 * kMads) << "else it could not tell";
  for (const char* reads : {"7", "6", "4"}) {
    const auto few = run(kTwoChains, 2, reads, "0");
    ASSERT_FALSE(few.contains("errors")) << few.dump();
    EXPECT_GE(few["cycles"].get<std::uint64_t>(), 2 * kMads) << reads;
    EXPECT_LT(few["cycles"].get<std::uint64_t>(), 2 * kMads + 100) << reads << ": nothing else is lost";
    EXPECT_GT(slots(few, "scoreboard_ports"), kMads / 2) << reads;
    EXPECT_EQ(slots(few, "issued"), slots(enough, "issued"));
    // Four registers each, one for each of the moves; the return has none.
    EXPECT_EQ(ports(few, "port_reads"), 2 * (4 * kMads + kMoves));
    EXPECT_EQ(ports(few, "port_writes"), 0u) << "not limited, not counted";
  }
}

TEST(ScoreboardPorts, OneThatNeedsMoreThanThereAreTakesThemForSeveralCycles) {
  const auto one = run(kTwoChains, 2, "1", "0");
  ASSERT_FALSE(one.contains("errors")) << one.dump();
  EXPECT_GE(one["cycles"].get<std::uint64_t>(), 2 * (4 * kMads));
  EXPECT_LT(one["cycles"].get<std::uint64_t>(), 2 * (4 * kMads) + 100);
}

TEST(ScoreboardPorts, ReservationsAndReleasesShareTheWritePorts) {
  for (const std::uint64_t writes : {1, 2, 3}) {
    const auto few = run(kTwoChains, 2, "0", std::to_string(writes));
    ASSERT_FALSE(few.contains("errors")) << few.dump();
    const std::uint64_t all = 2 * (2 * (kMads + kMoves));  // by two warps, reserved and released
    EXPECT_EQ(ports(few, "port_writes"), all);
    EXPECT_EQ(ports(few, "port_reads"), 0u);
    EXPECT_GE(few["cycles"].get<std::uint64_t>() * writes, all - 8) << "but for what is released at the end";
    EXPECT_GT(slots(few, "scoreboard_ports"), 0u);
  }
}

TEST(ScoreboardPorts, WaitersOfBothSchedulersTakeTurns) {
  // The second half of the warps has the odd numbers, and so a separate scheduler. Equal work, equal end.
  const auto result = run(kTwoChains + R"(
  ld.param.u64 %rd1, [out_ptr];
  mul.wide.u32 %rd2, %r1, 8;
  add.u64 %rd1, %rd1, %rd2;
  mov.u64 %rd3, %clock64;
  st.global.u64 [%rd1], %rd3;
)",
                          2, "4", "1");
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  // Without alternation the second warp would only start when the first one is done.
  const auto& pipes = result["stats"]["issue"]["slots"];
  EXPECT_LT(slots(result, "no_warp"), result["cycles"].get<std::uint64_t>() / 4) << pipes.dump();
}

// Seven polling warps share two schedulers with the warp they wait for; that one loads vectors, which need
// all the ports at once.
TEST(ScoreboardPorts, WarpsThatPollKeepNobodyFromIssuing) {
  const std::string body = R"(
  ld.param.u64 %rd1, [flag_ptr];
  ld.param.u64 %rd2, [out_ptr];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 bra WORK;
POLL:
  add.u32 %r3, %r3, 1;
  add.u32 %r4, %r4, 1;
  add.u32 %r5, %r5, 1;
  ld.volatile.global.u32 %r6, [%rd1];
  setp.eq.u32 %p2, %r6, 0;
  @%p2 bra POLL;
  bra.uni DONE;
WORK:
  mov.u32 %r7, 0;
MORE:
  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd2];
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, 100;
  @%p3 bra MORE;
  mov.u32 %r12, 1;
  st.volatile.global.u32 [%rd1], %r12;
DONE:
)";
  for (const char* policy : {"gto", "lrr", "two_level", "cawa", "glrr"})
    for (const std::uint32_t warps : {2u, 8u, 24u}) {
      const auto result = run(body, warps, "1", "1", {std::string("core.scheduler.policy=") + policy});
      ASSERT_FALSE(result.contains("errors")) << policy << ", " << warps << " warps: " << result.dump();
      EXPECT_GT(slots(result, "scoreboard_ports"), 0u);
    }
}

struct Machine {
  const char* name;
  std::vector<std::string> assignments;
};
const std::vector<Machine> kMachines{
    {"few_ports_stack", {"core.scoreboard.read_ports=2", "core.scoreboard.write_ports=1"}},
    {"published_ports_multi_path",
     {"core.scoreboard.kind=per_thread_mask", "core.control_flow.mechanism=multi_path"}},
    {"one_port_multi_path",
     {"core.scoreboard.kind=per_thread_mask", "core.scoreboard.read_ports=1", "core.scoreboard.write_ports=1",
      "core.control_flow.mechanism=multi_path", "core.scheduler.count=4", "core.scheduler.policy=two_level"}},
};

class FewPorts : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  [[nodiscard]] Scenario what() const {
    Scenario result{std::get<0>(GetParam()), "tiny"};
    result.assignments = kMachines[std::get<1>(GetParam())].assignments;
    return result;
  }
};

TEST_P(FewPorts, EverySlotIsAccountedForAndTheMemoryIsTheOracles) {
  Scenario once = what();
  once.oracle = true;
  once.statistics = testing::all_of;
  const auto result = testing::run(once);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (testing::same_on_the_oracle(*workloads::find(once.workload))) {
    EXPECT_EQ(result["oracle"], "same");
  }
  const gpu::GpuConfig config = gpu::load_platform("tiny", once.assignments);
  const core::ScoreboardConfig& scoreboard = config.core.scoreboard;
  std::uint64_t lost = 0;
  for (const auto& launch : result["launches"])
    for (std::uint32_t c = 0; c < config.cores; ++c) {
      const auto& core = launch["stats"]["core" + std::to_string(c)];
      const auto& issue = core["issue"];
      std::uint64_t sum = 0;
      for (const auto& [use, count] : issue["slots"].items()) sum += count.get<std::uint64_t>();
      EXPECT_EQ(sum, launch["cycles"].get<std::uint64_t>() * config.core.scheduler.count);
      EXPECT_EQ(issue["slots"]["issued"], issue["warp_instructions"]);
      lost += issue["slots"]["scoreboard_ports"].get<std::uint64_t>();
      // Not more than there are, except for the surplus of the last issue or write-back.
      const std::uint64_t cycles = launch["cycles"].get<std::uint64_t>();
      EXPECT_LE(core["scoreboard"]["port_reads"].get<std::uint64_t>(),
                cycles * scoreboard.resolved_read_ports() + 16);
      EXPECT_LE(core["scoreboard"]["port_writes"].get<std::uint64_t>(),
                cycles * scoreboard.resolved_write_ports() + 64);
      EXPECT_GT(core["scoreboard"]["port_reads"].get<std::uint64_t>() + 1,
                issue["ctas"].get<std::uint64_t>());
    }
  EXPECT_GT(lost, 0u) << "else the test says nothing about ports";
}

TEST_P(FewPorts, SameStatisticsTwiceInAnyOrderOfCreationAndWithoutSleep) {
  const auto statistics = [&](std::uint64_t shuffle, bool awake) {
    Scenario scenario = what();
    scenario.assignments.push_back("watchdog.enabled=false");
    scenario.shuffle = shuffle;
    scenario.keep_awake = awake;
    scenario.statistics = testing::text_asleep_or_awake;
    nlohmann::ordered_json result = testing::run(scenario);
    EXPECT_FALSE(result.contains("errors")) << result.dump();
    return result;
  };
  const auto first = statistics(0, false);
  EXPECT_EQ(nlohmann::ordered_json::diff(first, statistics(0, false)).dump(2), "[]");
  EXPECT_EQ(nlohmann::ordered_json::diff(first, statistics(42, false)).dump(2), "[]");
  EXPECT_EQ(nlohmann::ordered_json::diff(first, statistics(0, true)).dump(2), "[]") << "without sleep";
}

TEST_P(FewPorts, TheProfileLosesNothing) {
  const auto result = tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice gpu(gpu::load_platform("tiny", what().assignments),
                       {.profile = true, .per_launch = true, .on_progress = {}});
    (void)workloads::find(what().workload)->run(gpu, {.size = workloads::Size::kTiny});
    nlohmann::ordered_json sums;
    for (const gpu::LaunchRecord& launch : gpu.launches()) {
      const nlohmann::ordered_json stats = gpu.statistics(launch.values);
      core::PcProfile all;
      for (const core::PcProfile& pc : launch.profile->by_pc()) all += pc;
      sums.push_back({{"issues", {launch.warp_instructions, all.issues}},
                      {"group_cycles", {cli::sum_at(stats, "core*.issue.group_cycles"), all.group_cycles()}},
                      // A slot that ports cost is a cycle for each group that could have had it, the refused
                      // one at least.
                      {"ports",
                       {cli::sum_at(stats, "core*.issue.slots.scoreboard_ports"),
                        all.waiting[static_cast<unsigned>(core::WaitCause::kScoreboardPorts)]}}});
    }
    return {{"sums", sums}};
  });
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  for (const auto& launch : result["sums"]) {
    EXPECT_EQ(launch["issues"][0], launch["issues"][1]);
    EXPECT_EQ(launch["group_cycles"][0], launch["group_cycles"][1]);
    EXPECT_GE(launch["ports"][1].get<double>(), launch["ports"][0].get<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(All, FewPorts,
                         ::testing::Combine(::testing::Values("sgemm", "bfs", "histogram", "bvh", "lud"),
                                            ::testing::Range<std::size_t>(0, kMachines.size())),
                         [](const auto& test) {
                           return testing::test_name(std::get<0>(test.param)) + "_" +
                                  kMachines[std::get<1>(test.param)].name;
                         });

}  // namespace
}  // namespace heddle::scoreboard_ports_test
