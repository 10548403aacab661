// Random structured kernels on the GPU model: its memory must equal the oracle's, byte for byte.
//
// Each TEST is one shard of seeds in a separate process (SystemC elaborates once per process). For runs
// longer than the regression's, HEDDLE_TEST_DEPTH multiplies the number of kernels per shard, or HEDDLE_RANDOM_KERNELS
// sets it, HEDDLE_RANDOM_SEED the first seed, and HEDDLE_RANDOM_MOST the number of instructions their threads may
// execute. A kernel that fails is reduced and saved, and the message names the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "base/error.h"
#include "depth.h"
#include "generator/generated_kernel.h"
#include "generator/shrink.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "gpu/registries.h"
#include "mixed_warps.h"
#include "oracle/oracle.h"
#include "simt/reconvergence_table.h"

namespace heddle::generator::random_kernels {
namespace {

constexpr std::uint64_t kKernelsPerShard = 12;
// 120 for the stack, AWARE, Multi-Path and Hanoi, in quarters: processes that run side by side. Of their other sizes each has
// one of the quarters, whatever the depth.
constexpr std::uint64_t kQuarters = 4;
constexpr std::uint64_t kKernelsPerQuarter = 30;
constexpr std::uint64_t kKernelsOfOthers = 12;  ///< of all other variants: the first of a quarter
/// From the first of a shard to that of the next one, at least: those of a shard do not depend on the depth.
constexpr std::uint64_t kSeedsPerShard = 150;
/// One kernel in five is longer; together these execute more than half of all instructions. Only the shards
/// run them.
constexpr std::uint64_t kMostInstructions = 150'000;
constexpr std::uint64_t kSmallShards = 8;
constexpr std::array kPlatforms{"tiny", "gtx480", "rtx2060"};
constexpr unsigned kShrinkingAttempts = 300;

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

gpu::GpuConfig small_gpu(std::uint64_t shard) {
  gpu::GpuConfig config;
  config.name = "random-kernels";
  config.watchdog.check_cycles = 64;  // checks often: any alarm would be false
  config.cores = 1 + static_cast<std::uint32_t>(shard % 3);
  config.core.scheduler.policy = shard % 2 == 0 ? "gto" : "lrr";
  core::L1dConfig& l1d = config.core.l1d;
  l1d.cache_global_loads = shard % 4 != 3;
  // Every write policy, with and without sectors; caches so small that lines are evicted often.
  constexpr std::array kWrites{core::WritePolicy::kWriteBack, core::WritePolicy::kWriteThrough,
                               core::WritePolicy::kWriteEvict};
  l1d.local_write = kWrites[shard % kWrites.size()];
  l1d.global_write = shard % 2 == 0 ? core::WritePolicy::kWriteEvict : core::WritePolicy::kWriteThrough;
  l1d.sector_bytes = shard % 5 == 0 ? 32 : shard % 5 == 1 ? 64 : 0;
  l1d.enabled = shard != 7;
  if (shard % 3 == 0) {
    l1d.size_kib = 1;
    l1d.ways = 2;
    l1d.mshr_entries = 3;
    l1d.mshr_targets = 2;
  }
  return config;
}

std::string saved(const GeneratedKernel& kernel, const std::string& why) {
  std::string path = ::testing::TempDir() + "random-kernel-" + std::to_string(kernel.seed) + ".ptx";
  save(kernel, path, why);
  return path;
}

/// Shards of small GPUs with every cache policy, then one of each platform.
gpu::GpuConfig config_of(std::uint64_t shard) {
  if (shard < kSmallShards) return small_gpu(shard);
  return gpu::load_platform(kPlatforms[shard - kSmallShards], {});
}

std::string shard_name(const ::testing::TestParamInfo<std::uint64_t>& info) {
  if (info.param < kSmallShards) return "Small" + std::to_string(info.param);
  return kPlatforms[info.param - kSmallShards];
}

/// The kernel's error; empty if none. A hang or a fault throws: the GPU may be unusable afterwards.
std::string mismatch(gpu::GpuDevice& gpu, const GeneratedKernel& kernel) {
  oracle::OracleDevice oracle;
  const std::vector<std::byte> expected = run(oracle, kernel);
  return difference(kernel, expected, run(gpu, kernel));
}

/// The kernel has instructions whose result shows which lanes run together: activemask, and votes and
/// shuffles without .sync.
bool shows_convergence(const GeneratedKernel& kernel) {
  const std::string_view text = kernel.ptx;
  if (text.find("activemask.") != text.npos) return true;
  for (const std::string_view name : {"vote.", "shfl."})
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1))
      if (text.substr(at + name.size(), 5) != "sync.") return true;
  return false;
}

struct Selection {
  std::uint64_t count;                                  ///< kernels that run
  std::uint64_t most_instructions = ~std::uint64_t{0};  ///< of all threads; longer kernels are left out
  bool apart = false;                                   ///< lanes do not reconverge reliably
};

/// `shard`: selects the seeds.
void check_shard(const gpu::GpuConfig& config, std::uint64_t shard, const Selection& usual) {
  constexpr std::uint64_t kSeedsPerKernel = 3;  // allows for those that are left out
  gpu::GpuDevice gpu(config, {});
  bool simulates = true;
  gpu.simulate_only([&](const std::string&) { return simulates; });
  const std::uint64_t count = setting("HEDDLE_RANDOM_KERNELS", depth::times(usual.count));
  const std::uint64_t most = setting("HEDDLE_RANDOM_MOST", usual.most_instructions);
  const std::uint64_t first =
      setting("HEDDLE_RANDOM_SEED", 0) + shard * std::max(kSeedsPerShard, count * kSeedsPerKernel);
  std::uint64_t done = 0;
  for (std::uint64_t seed = first; done < count; ++seed) {
    ASSERT_LT(seed, first + count * kSeedsPerKernel)
        << "only " << done << " kernels of " << count << " are fit";
    const KernelTree tree = generate_tree(seed);
    const GeneratedKernel kernel = emit(tree);
    if (usual.apart && shows_convergence(kernel)) continue;
    oracle::OracleDevice oracle;
    const std::vector<std::byte> expected = run(oracle, kernel);
    if (oracle.thread_instructions() > most) continue;
    ++done;
    std::string problem;
    try {
      problem = difference(kernel, expected, run(gpu, kernel));
      simulates = !problem.empty() || shows_convergence(kernel);
      if (!simulates) problem = difference(kernel, expected, run(gpu, kernel));
    } catch (const base::Error& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\nkernel: " << saved(kernel, error.what());
    }
    if (problem.empty()) {
      simulates = true;
      continue;
    }
    const Fails fails = [&](const GeneratedKernel& candidate) { return !mismatch(gpu, candidate).empty(); };
    const GeneratedKernel small = emit(shrink(tree, fails, kShrinkingAttempts));
    const std::string small_problem = mismatch(gpu, small);
    FAIL() << "seed " << seed << ": " << problem << "\ncut down: " << small_problem
           << "\nkernel: " << saved(small, small_problem);
  }
}

class RandomKernels : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomKernels, LeaveTheMemoryTheOracleLeaves) {
  check_shard(config_of(GetParam()), GetParam(), {.count = kKernelsPerShard});
}

INSTANTIATE_TEST_SUITE_P(On, RandomKernels,
                         ::testing::Range(std::uint64_t{0}, kSmallShards + kPlatforms.size()), shard_name);

/// A way to run diverged warps.
struct Variant {
  std::string name;
  std::vector<std::string> assignments;
  std::uint64_t quarters = kQuarters;
  bool apart = false;                        ///< lanes of a warp do not run together
  std::uint64_t first = 0;                   ///< quarter
  std::uint64_t kernels = kKernelsOfOthers;  ///< a quarter
};

const std::string kAware = "core.control_flow.mechanism=aware";
const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kOneRead = "core.scoreboard.read_ports=1";
const std::string kOneWrite = "core.scoreboard.write_ports=1";
const std::string kTimeout = "core.control_flow.timeout.cycles=40";
const std::string kSplitsBackOff = "core.spin.bows.granularity=split";
const std::string kClockedSplits = "core.control_flow.split_unit.timing=contract";
const std::string kEarly = "core.control_flow.multi_path.opportunistic_reconvergence=true";

Variant thoroughly(Variant variant) {
  variant.kernels = kKernelsPerQuarter;
  return variant;
}

Variant aware(const char* name, unsigned splits, unsigned points) {
  return {name,
          {kAware, "core.control_flow.aware.st_entries=" + std::to_string(splits),
           "core.control_flow.aware.rt_entries=" + std::to_string(points)}};
}
Variant aware(const char* name, unsigned splits, unsigned points, const std::string& more) {
  Variant result = aware(name, splits, points);
  result.assignments.push_back(more);
  result.quarters = 1;
  return result;
}

Variant multi_path(const char* name, unsigned paths, bool early = false) {
  Variant result{name,
                 {kMultiPath, "core.scoreboard.kind=per_thread_mask",
                  "core.control_flow.multi_path.paths=" + std::to_string(paths)}};
  if (early) result.assignments.push_back(kEarly);
  return result;
}

/// One of the quarters of its mechanism's kernels.
Variant quarter(std::uint64_t number, Variant variant) {
  variant.first = number;
  variant.quarters = 1;
  return thoroughly(std::move(variant));
}

/// Heuristics select the PC: `more` in addition to the policy.
Variant resync(const char* name, const std::string& policy, std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {"core.control_flow.mechanism=resync", "core.control_flow.resync.policy=" + policy});
  return {name, std::move(more), 1, true};
}
const std::string kEachInstruction = "core.control_flow.resync.decisions=instruction";
const std::string kAging = "core.control_flow.resync.aging_selections=20";

/// With so many barrier registers; each number has kernels of its own, the same in both profiles.
Variant hanoi(char profile, unsigned registers, std::uint64_t quarter) {
  Variant result{
      "",
      {"core.control_flow.mechanism=hanoi", std::string("core.control_flow.hanoi.profile=") + profile,
       "core.control_flow.hanoi.private_registers=1", "core.control_flow.hanoi.barrier_registers=17",
       "core.convergence.barrier_registers=" + std::to_string(registers)},
      1,
      true,
      quarter};
  result.name = std::string("hanoi_") + (profile == 'P' ? "p_" : "x_") + std::to_string(registers);
  if (registers == 4) result.assignments.push_back("core.control_flow.hanoi.timing=contract");
  return thoroughly(std::move(result));
}

Variant spinning(const char* name, std::vector<std::string> assignments) {
  for (const char* const each :
       {"core.spin.source=ddos", "core.spin.ddos.hash=modulo", "core.spin.ddos.path_bits=1",
        "core.spin.ddos.value_bits=1", "core.spin.ddos.threshold=1", "core.spin.bows.window_cycles=100",
        "core.spin.bows.minimum_delay=10", "core.spin.bows.step_cycles=20",
        "core.spin.bows.maximum_delay=200"})
    assignments.emplace_back(each);
  return {name, std::move(assignments), 1};
}

/// Policies of the memory side.
std::vector<std::string> remembering(const std::string& replacement, const std::string& scheduler,
                                     const std::string& page, const std::string& map) {
  std::vector<std::string> all{"memory.dram.scheduler=" + scheduler, "memory.dram.page_policy=" + page,
                               "memory.address_map=" + map};
  for (const char* cache : {"core.l1d", "core.l1i", "core.constant_cache", "memory.l2"})
    all.push_back(std::string(cache) + ".replacement=" + replacement);
  return all;
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      thoroughly({"stack", {}}),
      {"stack_smaller_first", {"core.control_flow.first_side=smaller"}, 1},
      {"tree_plru_fcfs_closed_page", remembering("tree_plru", "fcfs", "closed", "xor"), 1},
      {"srrip_fr_fcfs_cap_ipoly", remembering("srrip", "fr_fcfs_cap", "open", "ipoly"), 1},
      thoroughly(aware("aware", 32, 32)),
      quarter(0, aware("aware_s1r1", 1, 1)),
      quarter(1, aware("aware_s4r2", 4, 2)),
      quarter(2, aware("aware_s6r4", 6, 4)),
      aware("aware_taken_first", 32, 32, "core.control_flow.first_side=taken"),
      aware("aware_s2r1_most_recent", 2, 1, "core.control_flow.aware.rt_victim=most_recent"),
      thoroughly(multi_path("mp32", 32)),
      quarter(0, multi_path("mp1", 1)),
      quarter(1, multi_path("mp2", 2)),
      quarter(2, multi_path("mp4", 4)),
      quarter(3, multi_path("mp6", 6)),
      quarter(0, multi_path("mp8", 8)),
      quarter(1, multi_path("mp1_early", 1, true)),
      quarter(2, multi_path("mp2_early", 2, true)),
      quarter(3, multi_path("mp4_early", 4, true)),
      quarter(0, multi_path("mp6_early", 6, true)),
      quarter(1, multi_path("mp8_early", 8, true)),
      quarter(2, multi_path("mp32_early", 32, true)),
      hanoi('P', 1, 0),
      hanoi('X', 1, 0),
      hanoi('P', 2, 1),
      hanoi('X', 2, 1),
      hanoi('P', 4, 2),
      hanoi('X', 4, 2),
      hanoi('P', 16, 3),
      hanoi('X', 16, 3),
      {"hanoi_barriers",
       {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=barriers",
        "core.convergence.delay=off", "core.convergence.yields=all", "core.convergence.loop_exits=true"},
       1,
       true},
      // Few regions at a time, also in recursions: an overflow would be an error.
      {"hanoi_p_rec_2",
       {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=P",
        "core.control_flow.hanoi.reconvergence_entries=2"},
       1,
       true},
      // No region is in the code: lanes that have parted meet at .sync instructions and barriers only.
      {"hanoi_without_regions",
       {"core.control_flow.mechanism=hanoi", "core.convergence.placement=off"},
       1,
       true},
      resync("min_pc", "MinPC"),
      resync("min_sp", "MinSP_MinPC"),
      resync("min_sp_selector", "MinSP_MinPC",
             {kEachInstruction, "core.control_flow.resync.selection_latency_cycles=2",
              "core.control_flow.resync.selection_interval_cycles=3"}),
      resync("max_fun_aging", "MaxFunMinPC2", {kAging, "core.control_flow.resync.block_starts=compiler"}),
      resync("max_fun_1", "MaxFunMinPC1"),
      resync("max_fun_3", "MaxFunMinPC3", {kEachInstruction}),
      resync("long_min_pc_4", "LongMinPC(4)"),
      resync("pdom_min_pc", "PDomMinPC"),
      resync("pdom_max_fun", "PDomMaxFun"),
      resync("pdom_min_fun", "PDomMinFun"),
      resync("frontiers", "LongestPath1", {"core.control_flow.resync.block_priority=topological"}),
      resync("long_8", "Long(8)"),
      resync("long_min_sp_4", "LongMinSP(4)", {"core.control_flow.resync.selection_latency_cycles=5"}),
      resync("long_irb_16", "LongIRB(16)", {kEachInstruction}),
      resync("lee", "Lee"),
      resync("lee_functions", "Lee+function_stack"),
      resync("pdom_min_sp", "PDomMinSP"),
      resync("pdom_min_pc_top", "PDomMinPC+top_only+push_always"),
      resync("pdom_max_sp_aging", "PDomMaxSP+no_match", {kAging}),
      resync("pdom_serial", "PDomSerial"),
      resync("pdom_turns", "PDomRB", {kEachInstruction}),
      resync("pdom_long_4", "PDomLong(4)"),
      resync("longest_path_1", "LongestPath1"),
      resync("longest_path_p", "LongestPathP+instructions", {kEachInstruction}),
      resync("turns", "RoundRobinEq"),
      resync("turns_alone", "RoundRobin", {kEachInstruction}),
      {"mp32_per_warp_scoreboard", {kMultiPath}, 1},
      {"mp2_yielding",
       {kMultiPath, "core.control_flow.multi_path.paths=2",
        "core.control_flow.multi_path.yield_on_taken_branch=true"},
       1},
      {"stack_one_scoreboard_port", {kOneRead, kOneWrite}, 1},
      aware("aware_s4r2_clocked", 4, 2, kClockedSplits),
      {"mp4_clocked",
       {kMultiPath, "core.control_flow.multi_path.paths=4", kClockedSplits, "core.scheduler.timing=contract",
        "core.scheduler.policy=lrr", "test.core.control_flow.split_unit.stall_seed=2"},
       1},
      // Lanes that time out reach .sync instructions without the others, and wait there.
      aware("aware_timeout", 32, 32, kTimeout),
      aware("aware_s4r2_timeout", 4, 2, kTimeout),
      {"mp32_timeout", {kMultiPath, "core.scoreboard.kind=per_thread_mask", kTimeout}, 1},
      {"mp32_per_warp_scoreboard_timeout", {kMultiPath, kTimeout}, 1},
      {"mp32_one_scoreboard_port",
       {kMultiPath, "core.scoreboard.kind=per_thread_mask", kOneRead, kOneWrite},
       1},
      // Spin-aware scheduling that takes most loops for busy-waiting: warps and splits back off all the time.
      spinning("bows", {}),
      spinning("bows_contract", {"core.spin.timing=contract", "core.scheduler.policy=lrr"}),
      spinning("bows_aware_warps", {kAware}),
      spinning("bows_aware_splits", {kAware, kSplitsBackOff}),
      spinning("bows_mp4_splits",
               {kMultiPath, "core.scoreboard.kind=per_thread_mask", "core.control_flow.multi_path.paths=4",
                kSplitsBackOff, "core.spin.timing=contract"}),
      spinning("bows_mp32_splits_one_port",
               {kMultiPath, "core.scoreboard.kind=per_thread_mask", kOneRead, kOneWrite, kSplitsBackOff}),
      // Threads change warps.
      {"tbc", {"core.control_flow.mechanism=tbc"}, 2, true},
      {"tbc_contract",
       {"core.control_flow.mechanism=tbc", "core.control_flow.tbc.timing=contract",
        "core.scheduler.policy=age", "core.register_file.formations=per_home_warp"},
       1,
       true},
      {"tbc_disabled",
       {"core.control_flow.mechanism=tbc", "core.control_flow.tbc.compacts=false",
        "core.scheduler.policy=srr"},
       1,
       true},
      {"tbc_likely",
       {"core.control_flow.mechanism=tbc", "core.control_flow.likely_convergence=loops",
        "core.control_flow.first_side=smaller", "core.scheduler.policy=rrb",
        "core.scoreboard.kind=per_thread_mask"},
       2,
       true},
      {"stack_likely", {"core.control_flow.likely_convergence=loops"}, 2},
      {"dwf", {"core.control_flow.mechanism=dwf", "core.scheduler.policy=majority"}, 1, true},
      {"dwf_masks",
       {"core.control_flow.mechanism=dwf", "core.scoreboard.kind=per_thread_mask",
        "core.scheduler.policy=lowest_pc", "core.control_flow.dwf.lut_entries=4",
        "core.control_flow.dwf.timing=contract"},
       1,
       true},
      {"dwf_minority", {"core.control_flow.mechanism=dwf", "core.scheduler.policy=minority"}, 1, true},
      {"dwf_warp_barriers",
       {"core.control_flow.mechanism=dwf", "core.control_flow.dwf.warp_barrier=true",
        "core.scheduler.policy=post_dominator"},
       2,
       true},
      {"dwf_warp_barriers_small_lut",
       {"core.control_flow.mechanism=dwf", "core.control_flow.dwf.warp_barrier=true",
        "core.control_flow.dwf.lut_entries=2", "core.control_flow.dwf.lut_ways=1",
        "core.control_flow.dwf.timing=contract", "core.scoreboard.kind=per_thread_mask",
        "core.scheduler.policy=majority"},
       1,
       true},
      {"tbc_other_side",
       {"core.control_flow.mechanism=tbc", "core.control_flow.tbc.timing=contract",
        "core.control_flow.first_side=not_taken", "core.control_flow.likely_convergence=loops",
        "core.scheduler.policy=srr"},
       1,
       true},
      // Groups with lanes of two warps: rows, scoreboards, memory, barriers and .sync instructions go by home warp.
      {"mixed_warps", {"core.control_flow.mechanism=mixed_warps"}, 2, true},
      {"mixed_warps_masks",
       {"core.control_flow.mechanism=mixed_warps", "core.scoreboard.kind=per_thread_mask", kOneRead,
        kOneWrite},
       1,
       true},
  };
  return all;
}

struct Portion {
  std::size_t variant;
  std::uint64_t quarter;
};
void PrintTo(const Portion& portion, std::ostream* out) { *out << variants()[portion.variant].name; }

std::vector<Portion> portions() {
  std::vector<Portion> all;
  for (std::size_t v = 0; v < variants().size(); ++v)
    for (std::uint64_t quarter = 0; quarter < variants()[v].quarters; ++quarter)
      all.push_back({v, variants()[v].first + quarter});
  return all;
}

class Mechanisms : public ::testing::TestWithParam<Portion> {};

// The same kernels in each quarter, whatever the mechanism.
TEST_P(Mechanisms, LeaveTheMemoryTheOracleLeaves) {
  const Variant& variant = variants()[GetParam().variant];
  gpu::control_flow_mechanisms().add(heddle::mixing::mixed_warps());
  const gpu::GpuConfig config = gpu::load_platform("tiny", variant.assignments);
  check_shard(config, GetParam().quarter,
              {.count = variant.kernels,
               .most_instructions = kMostInstructions,
               .apart = variant.apart || config.core.control_flow.get<simt::TimeoutConfig>().cycles != 0});
}

INSTANTIATE_TEST_SUITE_P(On, Mechanisms, ::testing::ValuesIn(portions()), [](const auto& test) {
  return variants()[test.param.variant].name + "_" + std::to_string(test.param.quarter);
});

/// Kernels that failed once, reduced: tests/data/random_kernels.
class SavedKernels : public ::testing::TestWithParam<const char*> {};

TEST_P(SavedKernels, LeaveTheMemoryTheOracleLeaves) {
  gpu::GpuDevice gpu(gpu::load_platform(GetParam(), {}), {});
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/data/random_kernels"))
    if (file.path().extension() == ".ptx") paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty());
  for (const auto& path : paths) EXPECT_EQ(mismatch(gpu, load(path)), "") << path;
}

std::string platform_name(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(On, SavedKernels, ::testing::ValuesIn(kPlatforms), platform_name);

}  // namespace
}  // namespace heddle::generator::random_kernels
