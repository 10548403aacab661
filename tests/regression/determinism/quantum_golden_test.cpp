// Golden examples of gpudet that are about quanta, distribution and serial mode: G1, G3 to G6, G15, G21.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "regression/determinism/rig.h"

namespace heddle::testing::quantum_golden_test {
namespace {

Settings with(Settings settings, std::initializer_list<const char*> more) {
  for (const char* each : more) settings.emplace_back(each);
  return settings;
}

const Settings kBase{"determinism.bta=false", "determinism.dwp=false"};
const Settings kWorkgroupAware{"determinism.dwp=false"};

void expect_quanta(const Json& result, const std::vector<std::string>& expected) {
  ASSERT_FALSE(result.contains("errors")) << result["errors"].dump();
  std::vector<std::string> got;
  for (std::size_t q = 0; q < quanta_of(result); ++q) got.push_back(waves_of(result, q));
  EXPECT_EQ(got, expected);
}

/// Three warps that execute `counts` instructions (the prologue included) and go on together at L.
std::string three_paths(const std::array<std::uint32_t, 3>& counts) {
  return "  setp.eq.u32 %p0, %w, 1;\n  @%p0 bra W1;\n  setp.eq.u32 %p1, %w, 2;\n  @%p1 bra W2;\n" +
         filler(counts[0] - kPrologue - 5) + "  bra L;\nW1:\n" + filler(counts[1] - kPrologue - 3) +
         "  bra L;\nW2:\n" + filler(counts[2] - kPrologue - 4) + "L:\n";
}

TEST(QuantumGoldens, G1_AQuotaOfWavefrontsDoesNotDeadlock) {
  // A: v = 1; B: if (tid < 2); C: v = input[tid]; E: output[tid] += v. Lanes that skip C wait for the others, not for the
  // quantum. Nine instructions come before A, so that A, B and C are a quantum of three; E is one of three.
  const std::string body = R"(  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %a, %d0;
  add.u64 %d2, %b, %d0;
  setp.lt.u32 %p0, %t, 2;
  mov.u32 %r0, 1;
  @!%p0 bra E;
  ld.global.u32 %r0, [%d1];
E:
  ld.global.u32 %r1, [%d2];
  add.u32 %r1, %r1, %r0;
  st.global.u32 [%d2], %r1;
  ret;)";
  const Json result = run_body(with(kBase, {"determinism.quantum_size=3"}), body, 1, 4, {7, 8, 9, 10});
  const std::string before = "3 count", abc = "3 count", e = "3 count";
  expect_quanta(result, {before, before, before, abc, e, "1 exit"});
  EXPECT_EQ((Json{result["b"][0], result["b"][1], result["b"][2], result["b"][3]}), (Json{7, 8, 1, 1}));
}

/// Two cores with three warps each; all but warp 1 of core 1 add to a[0] and put their number into a[1].
std::string atomics(bool one_lane) {
  return fmt::format(R"(  mov.u32 %r0, %ctaid.x;
  mad.lo.u32 %r1, %r0, 3, %w;
  setp.eq.u32 %p0, %r1, 4;
  @%p0 bra END;
  and.b32 %r2, %t, 31;
  setp.ne.u32 %p1, %r2, 0;
  {}
  atom.global.add.u32 %r3, [%a], 1;
  atom.global.exch.b32 %r4, [%a+4], %r1;
  mad.lo.u32 %r5, %r1, 32, %r2;
  mul.wide.u32 %d0, %r5, 4;
  add.u64 %d0, %d0, %b;
  st.global.u32 [%d0], %r3;
END:
  ret;)",
                     one_lane ? "@%p1 bra END;" : "");
}

TEST(QuantumGoldens, G3_SerialModeIsInOrderOfCoresAndWavefronts) {
  for (const char* mode : {"core", "wavefront"})
    for (const char* seed : {"0", "1", "2", "3"}) {
      const Settings settings = with(kBase, {"test.memory.crossbar.perturb_cycles=30"});
      Settings all = settings;
      all.push_back(std::string("determinism.serial_mode=") + mode);
      all.push_back(std::string("test.memory.crossbar.perturb_seed=") + seed);
      const Json one = run_body(all, atomics(true), 2, 96);
      ASSERT_FALSE(one.contains("errors")) << one.dump();
      EXPECT_EQ(one["a"][0], 5);
      EXPECT_EQ(one["a"][1], 5) << "the last to exchange: core 1, wavefront 2";
      std::vector<std::uint32_t> old;
      for (const unsigned wave : {0u, 1u, 2u, 3u, 5u})
        old.push_back(one["b"][wave * 32].get<std::uint32_t>());
      EXPECT_EQ(old, (std::vector<std::uint32_t>{0, 1, 2, 3, 4})) << mode << " " << seed;
      std::vector<std::string> ends;
      for (const Json& wave : one["quanta"][0]["waves"]) ends.push_back(wave[1]);
      EXPECT_EQ(ends, (std::vector<std::string>{"atomic", "atomic", "atomic", "atomic", "exit", "atomic"}))
          << "wavefront 1 of core 1 has no turn in serial mode";
      const Json all_lanes = run_body(all, atomics(false), 2, 96);
      ASSERT_FALSE(all_lanes.contains("errors")) << all_lanes.dump();
      EXPECT_EQ(all_lanes["a"][0], 160);
      std::uint32_t before = 0;
      for (const unsigned wave : {0u, 1u, 2u, 3u, 5u})
        for (unsigned lane = 0; lane < 32; ++lane, ++before)
          EXPECT_EQ(all_lanes["b"][wave * 32 + lane], before) << "lanes ascending";
    }
}

TEST(QuantumGoldens, G4_BarrierTerminationAvoidance) {
  const std::string body = three_paths({50, 80, 120}) + "  bar.sync 0;\n" + filler(300) + "  ret;";
  expect_quanta(run_body(kBase, body, 1, 96),
                {"51 barrier, 81 barrier, 121 barrier", "200 count, 200 count, 200 count",
                 "101 exit, 101 exit, 101 exit"});
  expect_quanta(
      run_body(kWorkgroupAware, body, 1, 96),
      {"200 count, 200 count, 200 count", "152 exit, 182 exit, 200 count", "0 exit, 0 exit, 22 exit"});
}

TEST(QuantumGoldens, G4b_ManyBarriers) {
  std::string body = filler(34 - kPrologue) + "  bar.sync 0;\n";
  for (int i = 0; i < 4; ++i) body += filler(34) + "  bar.sync 0;\n";
  body += "  ret;";
  const std::string each = "35 barrier, 35 barrier";
  expect_quanta(run_body(with(kBase, {"determinism.quantum_size=1000"}), body, 1, 64),
                {each, each, each, each, each, "1 exit, 1 exit"});
  expect_quanta(run_body(with(kWorkgroupAware, {"determinism.quantum_size=1000"}), body, 1, 64),
                {"176 exit, 176 exit"});
}

TEST(QuantumGoldens, G5_MixedReasons) {
  const std::string body = three_paths({50, 250, 120}) + "  bar.sync 0;\n" + filler(10) + "  ret;";
  expect_quanta(run_body(kBase, body, 1, 96),
                {"51 barrier, 200 count, 121 barrier", "0 barrier, 51 barrier, 0 barrier",
                 "11 exit, 11 exit, 11 exit"});
  expect_quanta(run_body(kWorkgroupAware, body, 1, 96),
                {"51 barrier, 200 count, 121 barrier", "11 exit, 62 exit, 11 exit"});
}

TEST(QuantumGoldens, G5b_AnAtomicInTheMix) {
  // The paths execute 30, 10 + bar, 40 + bar; those of warps 1 and 2 meet behind the barrier.
  const std::string body =
      "  setp.eq.u32 %p0, %w, 1;\n  @%p0 bra W1;\n  setp.eq.u32 %p1, %w, 2;\n  @%p1 bra W2;\n" +
      filler(30 - kPrologue - 4) + "  red.global.add.u32 [%a], 1;\n" + filler(20) + "  ret;\nW1:\n" +
      filler(10 - kPrologue - 3) + "  bra B;\nW2:\n" + filler(40 - kPrologue - 4) + "B:\n  bar.sync 0;\n" +
      filler(5) + "  ret;";
  const Json result = run_body(kWorkgroupAware, body, 1, 96);
  expect_quanta(result, {"30 atomic, 11 barrier, 41 barrier", "21 exit, 6 exit, 6 exit"});
  EXPECT_EQ(result["a"][0], 32);
  expect_quanta(
      run_body(with(kWorkgroupAware, {"determinism.bta_strict=true"}), body, 1, 96),
      {"30 atomic, 11 barrier, 41 barrier", "21 exit, 0 barrier, 0 barrier", "0 exit, 6 exit, 6 exit"});
}

/// CTAs of 100 (even) and 60 (odd) instructions.
std::string two_lengths() {
  return "  mov.u32 %r0, %ctaid.x;\n  and.b32 %r0, %r0, 1;\n  setp.eq.u32 %p0, %r0, 1;\n  @%p0 bra ODD;\n" +
         filler(100 - kPrologue - 5) + "  ret;\nODD:\n" + filler(60 - kPrologue - 5) + "  ret;";
}

std::vector<std::vector<int>> started(const Json& result, std::size_t quantum, int slot) {
  std::vector<std::vector<int>> ctas(1);
  for (const Json& each : result["quanta"][quantum]["started"])
    if (each[1] == slot) ctas[0].push_back(each[2].get<int>());
  return ctas;
}

TEST(QuantumGoldens, G6_WithoutDeterminismTheFirstFreeSlot) {
  // (a): each CTA writes where it is. CTA 1 ends first, so that CTA 2 follows it and CTA 3 comes behind CTA 0.
  std::string body = two_lengths();
  body.insert(0,
              "  mov.u32 %r1, %ctaid.x;\n  mul.wide.u32 %d0, %r1, 4;\n  add.u64 %d0, %d0, %b;\n"
              "  mov.u32 %r2, %warpid;\n  st.global.u32 [%d0], %r2;\n");
  const Json result =
      run_body({"determinism.enabled=false", "cores=1", "core.occupancy.max_ctas=2"}, body, 10, 32);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ((Json{result["b"][0], result["b"][1], result["b"][2], result["b"][3]}), (Json{0, 1, 1, 0}));
}

TEST(QuantumGoldens, G6_DistributionAtQuantumBoundaries) {
  const Json result = run_body(with(kBase, {"cores=1", "core.occupancy.max_ctas=2"}), two_lengths(), 10, 32);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  ASSERT_EQ(quanta_of(result), 5u);
  for (int q = 0; q < 5; ++q) {
    EXPECT_EQ(waves_of(result, static_cast<std::size_t>(q)), "100 exit, 60 exit");
    EXPECT_EQ(result["quanta"][static_cast<std::size_t>(q)]["started"],
              Json({{0, 0, 2 * q}, {0, 1, 2 * q + 1}}));
  }
}

TEST(QuantumGoldens, G6_DistributionFromShares) {
  const Json result = run_body({"cores=1", "core.occupancy.max_ctas=2"}, two_lengths(), 10, 32);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  expect_quanta(result, {"200 exit, 200 count", "200 exit, 140 exit", "60 exit"});
  EXPECT_EQ(started(result, 0, 0)[0], (std::vector<int>{0, 2}));
  EXPECT_EQ(started(result, 0, 1)[0], (std::vector<int>{1, 3, 5, 7}));
  EXPECT_EQ(started(result, 1, 0)[0], (std::vector<int>{4, 6}));
  EXPECT_EQ(started(result, 1, 1)[0], (std::vector<int>{8}));
  EXPECT_EQ(started(result, 2, 0)[0], (std::vector<int>{9}));
}

std::uint64_t serial_cycles(const char* mode) {
  const Json result = run_body(with(kBase, {mode}), atomics(true), 2, 96);
  EXPECT_FALSE(result.contains("errors")) << result.dump();
  return result["statistics"]["determinism"]["cycles"]["serial"].get<std::uint64_t>();
}

TEST(QuantumGoldens, G15_AtomicsOfACoreOverlap) {
  // Five atomics twice. W-Ser: ten round trips. CU-Ser: four, of which each hides those of the core's other wavefronts but
  // for what the atomic unit takes for the same word.
  const std::uint64_t wave = serial_cycles("determinism.serial_mode=wavefront");
  const std::uint64_t core = serial_cycles("determinism.serial_mode=core");
  EXPECT_GT(wave, 500u) << "an atomic takes at least 50 cycles";
  EXPECT_GE(core * 10, wave * 4);
  EXPECT_LT(core * 10, wave * 6);
}

/// Two warps; lane 0 of each takes both locks, the second in front of it if `ordered`.
std::string two_locks(bool ordered) {
  return std::string(R"(  and.b32 %r0, %t, 31;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra END;
  mul.wide.u32 %d0, %w, 4;
)") + (ordered ? "  mov.u64 %d0, 0;\n" : "  add.u64 %d0, %d0, 0;\n") +
         R"(  add.u64 %d1, %a, %d0;
  sub.u64 %d2, 4, %d0;
  add.u64 %d2, %d2, %a;
RETRY:
  atom.global.cas.b32 %r1, [%d1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra RETRY;
  atom.global.cas.b32 %r2, [%d2], 0, 1;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra OWNED;
  atom.global.exch.b32 %r3, [%d1], 0;
  bra RETRY;
OWNED:
  ld.volatile.global.u32 %r4, [%b];
  mad.lo.u32 %r4, %r4, 10, %w;
  add.u32 %r4, %r4, 1;
  st.volatile.global.u32 [%b], %r4;
  membar.gl;
  atom.global.exch.b32 %r3, [%d2], 0;
  atom.global.exch.b32 %r3, [%d1], 0;
END:
  ret;)";
}

TEST(QuantumGoldens, G21_SymmetricRetriesAreReportedAsALivelock) {
  const Json result = run_body({}, two_locks(false), 1, 64);
  ASSERT_TRUE(result.contains("errors"));
  const std::string text = result["errors"].dump();
  EXPECT_NE(text.find("livelock"), std::string::npos) << text;
  EXPECT_NE(text.find("warp 1"), std::string::npos) << text;
}

TEST(QuantumGoldens, G21_OrderedLocksFinishTheLowerNumberFirst) {
  const Json result = run_body({}, two_locks(true), 1, 64);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["b"][0], 12) << "warp 0 wrote 1, warp 1 behind it 2";
}

TEST(Quanta, ABarrierThatNobodyCompletesIsReported) {
  const std::string body =
      "  setp.eq.u32 %p0, %w, 1;\n  @%p0 bra W1;\n  bar.sync 1, 64;\n  ret;\nW1:\n  bar.sync 2, 64;\n  ret;";
  const Json result = run_body({}, body, 1, 64);
  ASSERT_TRUE(result.contains("errors"));
  EXPECT_NE(result["errors"].dump().find("hang"), std::string::npos) << result["errors"].dump();
}

}  // namespace
}  // namespace heddle::testing::quantum_golden_test
