// What must not depend on timing ([GPUDet:G17], [GPUDet:G18]): signatures of racey, memory by either commit engine, what
// kernels print; and what is the same in every run: statistics. What quanta consist of: observables_test.cpp.
#include <gtest/gtest.h>

#include <set>

#include "regression/determinism/rig.h"
#include "regression/racy/racy_kernel.h"
#include "workloads/workload.h"

namespace heddle::testing::timing_test {
namespace {

// ---- G18

/// The words and signatures that racey leaves, as a text; or why there are none.
std::string racey(const Settings& settings, std::map<std::string, std::uint32_t> parameters = {}) {
  const Json result = run(settings, [&](gpu::GpuDevice& device, Json& out) {
    const workloads::Verdict verdict = workloads::find("racey")->run(
        device, {.size = workloads::Size::kTiny, .parameters = std::move(parameters)});
    out["verdict"] = verdict.summary;
    out["passed"] = verdict.passed;
  });
  EXPECT_FALSE(result.contains("errors")) << result["errors"].dump();
  EXPECT_TRUE(result.value("passed", false)) << result.dump();
  return result.value("verdict", "");
}

TEST(TimingGoldens, G18_SignaturesVaryWithoutDeterminism) {
  std::set<std::string> signatures;
  for (unsigned seed = 1; seed <= 6; ++seed)
    signatures.insert(racey(perturbed(seed, {"determinism.enabled=false"})));
  EXPECT_GT(signatures.size(), 3u);
}

TEST(TimingGoldens, G18_OneWavefrontAloneIsDeterministicWithoutIt) {
  std::set<std::string> signatures;
  for (unsigned seed = 1; seed <= 6; ++seed)
    signatures.insert(racey(perturbed(seed, {"determinism.enabled=false"}), {{"ctas", 1}, {"threads", 32}}));
  EXPECT_EQ(signatures.size(), 1u);
}

TEST(TimingGoldens, G18_OneSignatureWithDeterminism) {
  const std::string expected = racey({});
  for (unsigned seed = 1; seed <= 6; ++seed) EXPECT_EQ(racey(perturbed(seed)), expected) << seed;
  // What only changes timing, or keeps the order.
  unsigned seed = 10;
  for (const char* setting : {"zbuffer.cache_kib=1",
                              "zbuffer.cache_kib=128",
                              "zbuffer.cache_ways=1",
                              "zbuffer.request_entries=1",
                              "zbuffer.comparator_entries=1",
                              "zbuffer.l2_queue=1",
                              "zbuffer.set_full=skip",
                              "zbuffer.clock_mhz=100",
                              "zbuffer.latency_cycles=9",
                              "zbuffer.full_depth_packet=true",
                              "zbuffer.depth_bits=9",
                              "log.bloom_bits=128",
                              "log.bloom_bits=ideal",
                              "log.search_cost=per_entry",
                              "barrier_cycles=1000",
                              "l1_flush_cycles=30",
                              "work_dist_cycles=30",
                              "wavefront_bits=12",
                              "commit_engine=lock",
                              "serial_mode=wavefront",
                              "log.cost=none"})
    EXPECT_EQ(racey(perturbed(++seed, {std::string("determinism.") + setting})), expected) << setting;
  EXPECT_EQ(racey(perturbed(++seed, {"memory.l2.write_miss=byte_mask", "memory.l2.size_kib=4"})), expected);
}

TEST(TimingGoldens, G18_TheOrderMayDependOnQuanta) {
  // The check above can fail: these change what is written when.
  std::set<std::string> signatures{racey({})};
  for (const char* setting : {"determinism.quantum_size=50", "determinism.quantum_size=90"})
    signatures.insert(racey({setting}));
  EXPECT_EQ(signatures.size(), 3u);
}

// ---- G17

/// Memory and quanta of a kernel: equal contents after each commit, since what wavefronts load in a quantum decides what
/// they store and execute in it.
Json outcome(unsigned seed, const char* engine, const Program& program) {
  Json result = run(
      perturbed(seed, {std::string("determinism.commit_engine=") + engine, "determinism.quantum_size=20"}),
      program);
  EXPECT_FALSE(result.contains("errors")) << result["errors"].dump();
  for (Json& quantum : result["quanta"]) {
    quantum.erase("started");
    if (quantum["waves"].dump().find("fence") != std::string::npos) quantum.erase("digest");
  }
  return {result["a"], result["memory"], result["quanta"]};
}

TEST(TimingGoldens, G17_LocksLeaveWhatZBufferUnitsLeave) {
  // G9: wavefronts 0, 1 and 2 store to words 0, 1; 1, 2; 0, 2, 3.  G10: the last stores twice to word 8, a later one once.
  const std::string body = R"(
  mul.lo.u32 %r0, %w, 256;
  add.u32 %r0, %r0, %t;
  add.u32 %r0, %r0, 4096;
  and.b32 %r1, %t, 31;
  shl.b32 %r2, %r1, 2;
  cvt.u64.u32 %d0, %r2;
  add.u64 %d1, %a, %d0;
  mov.u32 %r3, 3;
  setp.eq.u32 %p0, %w, 1;
  @%p0 mov.u32 %r3, 6;
  setp.eq.u32 %p0, %w, 2;
  @%p0 mov.u32 %r3, 13;
  shr.b32 %r3, %r3, %r1;
  and.b32 %r3, %r3, 1;
  setp.eq.u32 %p1, %r3, 1;
  @%p1 st.global.u32 [%d1], %r0;
  setp.eq.u32 %p2, %r1, 0;
  setp.eq.and.u32 %p3, %w, 1, %p2;
  @%p3 st.global.u32 [%a+32], 17;
  @%p3 st.global.u32 [%a+32], 34;
  setp.eq.and.u32 %p3, %w, 2, %p2;
  @%p3 st.global.u32 [%a+32], 51;
  ret;)";
  const std::string ptx = kernel_text(body);
  const auto launched = [&](gpu::GpuDevice& device, Json& out) { launch(device, out, ptx, 1, 96); };
  for (const char* engine : {"zbuffer", "lock"})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Json words = outcome(seed, engine, launched)[0];
      // Thread t of wavefront w stores 4096 + 256 w + t; the smallest number wins.
      EXPECT_EQ((Json{words[0], words[1], words[2], words[3]}),
                (Json{4096, 4097, 4096 + 256 + 34, 4096 + 512 + 67}))
          << engine;
      EXPECT_EQ(words[8], 34) << engine;
    }
  for (std::uint64_t kernel = 1; kernel <= 5; ++kernel) {
    const auto racy = [&](gpu::GpuDevice& device, Json& out) {
      out["memory"] = digest_after(device, racy_kernel(kernel));
    };
    EXPECT_EQ(outcome(1, "lock", racy), outcome(2, "zbuffer", racy)) << kernel;
  }
}

// ---- What else

TEST(Timing, ChangesStatisticsAndTheOrderOfCreationDoesNot) {
  const auto statistics = [](unsigned seed, std::uint64_t shuffle) {
    return run(perturbed(seed),
               [](gpu::GpuDevice& device, Json& out) {
                 out["memory"] = digest_after(device, racy_kernel(3));
               },
               {.shuffle = shuffle})
        .dump();
  };
  const std::string once = statistics(7, 0);
  ASSERT_EQ(once.find("\"errors\""), std::string::npos) << once;
  EXPECT_EQ(statistics(7, 0), once);
  for (std::uint64_t shuffle : {1u, 2u, 3u}) EXPECT_EQ(statistics(7, shuffle), once);
  EXPECT_NE(statistics(8, 0), once);
}

TEST(Timing, SlotsOfTheFirstLaunchSumToItsCycles) {
  // CTAs start, and gates close, in cycle 0.
  const Json result = run_body({}, "  ret;", 4, 64);
  ASSERT_FALSE(result.contains("errors")) << result["errors"].dump();
  for (const char* core : {"core0", "core1"}) {
    const Json& issue = result["statistics"][core]["issue"];
    std::uint64_t slots = 0;
    for (const auto& [use, count] : issue["slots"].items()) {
      EXPECT_LT(count.get<std::uint64_t>(), 1'000'000u) << use;
      slots += count.get<std::uint64_t>();
    }
    EXPECT_EQ(slots % issue["cycles"].get<std::uint64_t>(), 0u);
    EXPECT_EQ(issue["cycles"], result["cycles"]);
  }
}

TEST(Timing, DoesNotChangeTheOrderOfWhatKernelsPrint) {
  const std::string ptx =
      kernel_text(R"(  .local .align 8 .b8 values[8];
  .reg .b64 %v, %f;
  .reg .b32 %n;
  and.b32 %r0, %t, 7;
  setp.ne.u32 %p0, %r0, 3;
  @%p0 bra END;
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r1, %r1, 1000, %t;
  st.local.u32 [values], %r1;
  mov.u64 %v, values;
  cvta.local.u64 %v, %v;
  mov.u64 %f, format;
  cvta.global.u64 %f, %f;
  {
  .param .b64 p0;
  .param .b64 p1;
  .param .b32 r;
  st.param.b64 [p0], %f;
  st.param.b64 [p1], %v;
  call.uni (r), vprintf, (p0, p1);
  ld.param.b32 %n, [r];
  }
END:
  ret;)",
                  ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                  ".global .align 1 .b8 format[4] = {37, 117, 10, 0};\n");
  const auto printed = [&](const Settings& settings) {
    const Json result =
        run(settings, [&](gpu::GpuDevice& device, Json& out) { launch(device, out, ptx, 6, 96); });
    EXPECT_FALSE(result.contains("errors")) << result["errors"].dump();
    std::string text;
    for (const Json& each : result.value("printed", Json::array())) text += each.get<std::string>();
    return text;
  };
  const std::string expected = printed({});
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 6 * 3 * 4);
  std::set<std::string> without;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(printed(perturbed(seed)), expected) << seed;
    without.insert(printed(perturbed(seed, {"determinism.enabled=false"})));
  }
  EXPECT_GT(without.size(), 1u) << "the check can fail";
}

}  // namespace
}  // namespace heddle::testing::timing_test
