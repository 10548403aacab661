// What arrives at a CTA barrier (core.barrier.counts): on hardware up to sm_6x the whole warp, on later one
// each thread. On the SIMT stack barriers in diverged code finish with the first; with the second they hang, unless all
// others have returned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::barrier_counts_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint32_t kWords = 256;

/// `k(out)`: %r1 is %tid.x, %r2 the lane, %rd1 out, and %rd2 the thread's word in it.
std::string module(const std::string& body) {
  return R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  .reg .pred %p<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
)" + body +
         "}\n";
}

struct Outcome {
  std::string error;  ///< empty: the kernel has finished
  std::vector<std::uint32_t> out;
};

Outcome run(host::Device& device, const std::string& body, std::uint32_t threads) {
  const auto handle = device.load_ptx_text(module(body), "kernel.ptx");
  const std::uint64_t out = device.allocate(kWords * 4, "out");
  try {
    device.launch(handle, "k", {{1, 1, 1}, {threads, 1, 1}, 0}, host::Args{}.add(out));
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kHang) << error.what();
    return {error.what(), {}};
  }
  return {"", device.download<std::uint32_t>(out, kWords)};
}

Outcome run_on_gpu(const std::string& platform, const std::string& body, std::uint32_t threads,
                   std::vector<std::string> keys = {}) {
  keys.insert(keys.end(), {"cores=1", "watchdog.check_cycles=64"});
  gpu::GpuDevice device(gpu::load_platform(platform, keys), {});
  return run(device, body, threads);
}

Outcome run_on_oracle(const std::string& body, std::uint32_t threads) {
  oracle::OracleDevice device;
  return run(device, body, threads);
}

// A binary search tree of the keys 37 i + 11 mod 64, one per thread, under the root that is thread 0's. Each
// thread goes down until it finds an empty place. The barrier in the loop throttles those that go deep
// (Burtscher and Pingali's Barnes-Hut has it for that), and the lanes of a warp leave the loop one by one.
// Child s of node n is word 2 n + s of out, the depth of a thread's node word 128 + n.
constexpr std::uint32_t kNodes = 64;
constexpr const char* kTree = R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra END;
  mad.lo.u32 %r3, %r1, 37, 11;
  and.b32 %r3, %r3, 63;
  mov.u32 %r4, 0;
  mov.u32 %r8, 0;
DOWN:
  add.u32 %r8, %r8, 1;
  mad.lo.u32 %r5, %r4, 37, 11;
  and.b32 %r5, %r5, 63;
  setp.gt.u32 %p2, %r3, %r5;
  selp.u32 %r6, 1, 0, %p2;
  mad.lo.u32 %r6, %r4, 2, %r6;
  mul.wide.u32 %rd3, %r6, 4;
  add.u64 %rd3, %rd1, %rd3;
  atom.global.cas.b32 %r4, [%rd3], 0, %r1;
  bar.sync 0;
  setp.ne.u32 %p3, %r4, 0;
  @%p3 bra DOWN;
  st.global.u32 [%rd2+512], %r8;
END:
  ret;
)";

std::vector<std::uint32_t> keys_in_order(const std::vector<std::uint32_t>& children, std::uint32_t node) {
  std::vector<std::uint32_t> keys;
  const auto add = [&](std::uint32_t child) {
    if (child == 0 || child >= kNodes) return;
    const auto below = keys_in_order(children, child);
    keys.insert(keys.end(), below.begin(), below.end());
  };
  add(children[2 * node]);
  keys.push_back((37 * node + 11) % 64);
  add(children[2 * node + 1]);
  return keys;
}

std::vector<std::uint32_t> all_keys() {
  std::vector<std::uint32_t> keys(kNodes);
  for (std::uint32_t i = 0; i < kNodes; ++i) keys[i] = i;
  return keys;
}

class TreeBuilding : public ::testing::TestWithParam<const char*> {};

TEST_P(TreeBuilding, finishes_up_to_sm_6x) {
  const Outcome outcome = run_on_gpu(GetParam(), kTree, kNodes);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(keys_in_order(outcome.out, 0), all_keys());
}

INSTANTIATE_TEST_SUITE_P(Platforms, TreeBuilding, ::testing::Values("gtx480", "tesla_c2050", "quadro_fx5800"),
                         [](const auto& platform) { return std::string(platform.param); });

/// A stack whose barriers count threads.
Outcome run_on_newer_stack(const std::string& platform, const std::string& body, std::uint32_t threads) {
  return run_on_gpu(platform, body, threads,
                    {"core.control_flow.mechanism=simt_stack", "core.barrier.counts=threads"});
}

class TreeBuildingWhereThreadsCount : public ::testing::TestWithParam<const char*> {};

// Lanes that leave the loop run to their end, and then nobody waits for them.
TEST_P(TreeBuildingWhereThreadsCount, finishes_on_a_stack) {
  const Outcome outcome = run_on_newer_stack(GetParam(), kTree, kNodes);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(keys_in_order(outcome.out, 0), all_keys());
}

// Behind the loop they wait for each other.
TEST_P(TreeBuildingWhereThreadsCount, hangs_on_a_stack_with_a_barrier_behind_it_and_is_diagnosed) {
  std::string body = kTree;
  body.replace(body.find("END:"), 4, "  bar.sync 0;\nEND:");
  const Outcome outcome = run_on_newer_stack(GetParam(), body, kNodes);
  EXPECT_THAT(outcome.error, AllOf(HasSubstr("SIMT-induced deadlock at a barrier"),
                                   HasSubstr("threads have arrived)"), HasSubstr("kernel.ptx:31")));
}

TEST(TreeBuilding, finishes_as_it_is_on_a_platform_of_sm_70_and_later) {
  const Outcome outcome = run_on_gpu("rtx2060", kTree, kNodes);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(keys_in_order(outcome.out, 0), all_keys());
}

INSTANTIATE_TEST_SUITE_P(Platforms, TreeBuildingWhereThreadsCount, ::testing::Values("gtx480", "rtx2060"),
                         [](const auto& platform) { return std::string(platform.param); });

TEST(TreeBuilding, finishes_on_the_oracle) {
  // Whichever threads the oracle counts, those that have left the kernel are not waited for.
  const Outcome outcome = run_on_oracle(kTree, kNodes);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(keys_in_order(outcome.out, 0), all_keys());
}

// The lower half of a warp executes a barrier more.
constexpr const char* kOneSide = R"(
  setp.lt.u32 %p1, %r2, 16;
  @!%p1 bra JOIN;
  bar.sync 0;
JOIN:
  bar.sync 0;
  st.global.u32 [%rd2], 6;
  ret;
)";

TEST(OneSide, arrives_for_the_whole_warp) {
  const Outcome outcome = run_on_gpu("gtx480", kOneSide, 40);
  ASSERT_EQ(outcome.error, "");
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(outcome.out[i], 6u) << i;
}

class Splits : public ::testing::TestWithParam<const char*> {};

// Where lanes go on without each other threads count, whatever the platform's own hardware does.
TEST_P(Splits, count_threads_in_any_case) {
  const Outcome outcome =
      run_on_gpu("gtx480", kOneSide, 32,
                 {std::string("core.control_flow.mechanism=") + GetParam(), "core.barrier.counts=warps"});
  EXPECT_THAT(outcome.error, HasSubstr("wait at barrier 0 (16 of 32 threads have arrived)"));
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Splits, ::testing::Values("aware", "multi_path"),
                         [](const auto& mechanism) { return std::string(mechanism.param); });

// The first warp takes both sides of a branch, one after the other, and each has two barriers: four arrivals.
// The second warp comes to the same barrier four times. Behind the first and the third it sees what the sides
// have stored so far.
constexpr const char* kArms = R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra OBSERVER;
  setp.lt.u32 %p2, %r2, 16;
  @%p2 bra LOW;
  st.volatile.global.u32 [%rd1+4], 2;
  bar.sync 0;
  bar.sync 0;
  bra.uni END;
LOW:
  st.volatile.global.u32 [%rd1], 1;
  bar.sync 0;
  bar.sync 0;
  bra.uni END;
OBSERVER:
  bar.sync 0;
  ld.volatile.global.v2.u32 {%r3, %r4}, [%rd1];
  st.global.u32 [%rd1+64], %r3;
  bar.sync 0;
  bar.sync 0;
  ld.volatile.global.v2.u32 {%r5, %r6}, [%rd1];
  bar.sync 0;
  st.global.u32 [%rd1+68], %r4;
  st.global.u32 [%rd1+72], %r5;
  st.global.u32 [%rd1+76], %r6;
END:
  ret;
)";

TEST(BothArms, arrive_one_after_the_other) {
  const Outcome outcome = run_on_gpu("gtx480", kArms, 64, {"core.control_flow.first_side=taken"});
  ASSERT_EQ(outcome.error, "");
  const std::vector<std::uint32_t> seen(outcome.out.begin() + 16, outcome.out.begin() + 20);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 0, 1, 2}));
}

TEST(BothArms, in_the_other_order) {
  const Outcome outcome = run_on_gpu("gtx480", kArms, 64, {"core.control_flow.first_side=not_taken"});
  ASSERT_EQ(outcome.error, "");
  const std::vector<std::uint32_t> seen(outcome.out.begin() + 16, outcome.out.begin() + 20);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 2, 1, 2}));
}

// Half of each warp arrives at a barrier for 64 threads, the warps of 32 and of 8 threads alike.
constexpr const char* kCount = R"(
  setp.lt.u32 %p1, %r2, 4;
  @!%p1 bra END;
  bar.sync 5, 64;
  st.global.u32 [%rd2], 9;
END:
  st.global.u32 [%rd2+512], 1;
  ret;
)";

TEST(Counts, are_of_whole_warps) {
  const Outcome outcome = run_on_gpu("gtx480", kCount, 40);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out[3], 9u);
  EXPECT_EQ(outcome.out[35], 9u);
  EXPECT_EQ(outcome.out[4], 0u);
}

// Where threads count, those that have exited count with the last of their warp.
TEST(Counts, of_threads_are_reached_by_part_of_each_warp_when_the_others_have_exited) {
  const Outcome outcome = run_on_newer_stack("gtx480", kCount, 40);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out, run_on_oracle(kCount, 40).out);
}

TEST(Counts, of_threads_are_not_reached_by_part_of_each_warp) {
  std::string body = kCount;
  body.replace(body.find("END:"), 4, "END: bar.sync 0;");
  const Outcome outcome = run_on_newer_stack("gtx480", body, 40);
  EXPECT_THAT(outcome.error, HasSubstr("wait at barrier 5 (8 of 64 threads have arrived)"));
}

// One warp arrives without waiting, with some of its lanes; the other waits.
constexpr const char* kArrive = R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra CONSUMER;
  setp.ne.u32 %p2, %r2, 7;
  @%p2 bra END;
  bar.arrive 2, 64;
  bra.uni END;
CONSUMER:
  bar.sync 2, 64;
  st.global.u32 [%rd2], 5;
END:
  st.global.u32 [%rd2+512], 1;
  ret;
)";

TEST(Counts, bar_arrive_is_of_the_whole_warp) {
  const Outcome outcome = run_on_gpu("gtx480", kArrive, 64);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out[32], 5u);
}

TEST(Counts, too_few_warps_are_named_as_warps) {
  const Outcome outcome = run_on_gpu("gtx480", "  bar.sync 1, 96;\n  ret;\n", 64);
  EXPECT_THAT(outcome.error, AllOf(HasSubstr("barrier mismatch"),
                                   HasSubstr("wait at barrier 1 (2 of 3 warps have arrived)")));
}

// Only the lanes that execute a reduction have a predicate in it, and take its result.
constexpr const char* kReduce = R"(
  mov.u32 %r7, 100;
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 1;
  @!%p1 bra JOIN;
  setp.lt.u32 %p2, %r1, 20;
  bar.red.popc.u32 %r7, 0, %p2;
JOIN:
  st.global.u32 [%rd2], %r7;
  ret;
)";

TEST(Reductions, are_over_the_lanes_that_arrive) {
  const Outcome outcome = run_on_gpu("gtx480", kReduce, 48);
  ASSERT_EQ(outcome.error, "");
  for (std::uint32_t i = 0; i < 48; ++i) EXPECT_EQ(outcome.out[i], i % 2 == 1 ? 10u : 100u) << i;
}

// Lanes that leave before a barrier, whole warps among them, with a last warp of 8 threads.
constexpr const char* kEarlyExit = R"(
  setp.eq.u32 %p1, %r2, 3;
  @%p1 exit;
  setp.ge.u32 %p2, %r1, 32;
  setp.lt.and.u32 %p2, %r1, 64, %p2;
  @%p2 exit;
  st.global.u32 [%rd2], %r1;
  bar.sync 0;
  ld.global.cv.u32 %r3, [%rd1+260];
  bar.sync 0;
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%rd2], %r3;
  ret;
)";

TEST(EarlyExits, count_with_their_warps_as_in_the_oracle) {
  const Outcome expected = run_on_oracle(kEarlyExit, 72);
  const Outcome outcome = run_on_gpu("gtx480", kEarlyExit, 72);
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out[71], 65u + 71u);
  EXPECT_EQ(outcome.out[40], 0u);
  EXPECT_EQ(outcome.out, expected.out);
}

}  // namespace
}  // namespace heddle::barrier_counts_test
