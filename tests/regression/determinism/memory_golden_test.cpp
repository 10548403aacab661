// Golden examples of gpudet that are about stores and loads: G13, G14, G16, G20, G22.
#include <gtest/gtest.h>

#include "regression/determinism/rig.h"

namespace heddle::testing::memory_golden_test {
namespace {

std::uint64_t sum(const Json& result, const std::string& name) {
  std::uint64_t total = 0;
  for (const auto& [key, group] : result["statistics"].items())
    if (key.starts_with("core") && group.contains("determinism"))
      total += group["determinism"]["store_buffer"][name].get<std::uint64_t>();
  return total;
}

TEST(MemoryGoldens, G13_StoreBufferForwarding) {
  // At the addresses of the example, so that the Bloom filter answers as there. S1: lanes 0-31; S2: lanes 0-3 at the same
  // place; S3: lanes 0-3, a chunk apart. Then the four loads: all forwarded, partly, excluded, false positive.
  constexpr std::uint64_t kChunks = 0x2000'0000, kFalse = 0x1c3a'd000;
  const std::string ptx = kernel_text(R"(  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %a, %d0;
  add.u32 %r0, %t, 0x100;
  add.u32 %r1, %t, 0x200;
  add.u32 %r2, %t, 0x300;
  setp.lt.u32 %p0, %t, 4;
  mul.wide.u32 %d2, %t, 128;
  add.u64 %d2, %d2, %a;
  st.global.u32 [%d1], %r0;
  @%p0 st.global.u32 [%d1], %r1;
  @%p0 st.global.u32 [%d2+128], %r2;
  ld.global.u32 %r3, [%d1];
  ld.global.u32 %r4, [%d1+128];
  ld.global.u32 %r5, [%d1+1024];
  add.u64 %d4, %d0, 0x1c3ad000;
  ld.global.u32 %r6, [%d4];
  add.u64 %d3, %b, %d0;
  st.global.u32 [%d3], %r3;
  st.global.u32 [%d3+128], %r4;
  st.global.u32 [%d3+256], %r5;
  st.global.u32 [%d3+384], %r6;
  ret;)");
  std::vector<std::uint32_t> initial(512), chunk(32);
  for (std::uint32_t i = 0; i < initial.size(); ++i) initial[i] = 0x1000 + i;
  for (std::uint32_t i = 0; i < chunk.size(); ++i) chunk[i] = 0x2000 + i;
  const Json result = run({}, [&](gpu::GpuDevice& device, Json& out) {
    // Allocations follow each other at some distance.
    const std::uint64_t first = device.allocate(256, "first"), second = device.allocate(256, "second");
    const std::uint64_t step = second - first;
    static_cast<void>(device.allocate(kChunks - second - 2 * step + 256, "up to the example's chunks"));
    device.write(kFalse, std::as_bytes(std::span(chunk)));
    launch(device, out, ptx, 1, 32, initial);
    out["a at the address"] = device.download<std::uint32_t>(kChunks, 32);
  });
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result["b"][lane], (lane < 4 ? 0x200 : 0x100) + lane);
    EXPECT_EQ(result["b"][32 + lane], lane == 0 ? 0x300 : 0x1000 + 32 + lane);
    EXPECT_EQ(result["b"][64 + lane], 0x1000 + 256 + lane);
    EXPECT_EQ(result["b"][96 + lane], 0x2000 + lane);
    EXPECT_EQ(result["a"][lane], (lane < 4 ? 0x200 : 0x100) + lane);
    EXPECT_EQ(result["a at the address"][lane], result["a"][lane]);
  }
  for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(result["a"][32 + lane * 32], 0x300 + lane);
  EXPECT_EQ(sum(result, "appends"), 6u + 4u) << "six of the example and the four of its results";
  EXPECT_EQ(sum(result, "updates"), 6u + 4u);
  EXPECT_EQ(sum(result, "bloom_look_ups"), 4u);
  EXPECT_EQ(sum(result, "searches"), 3u) << "0x20000400 is excluded";
  EXPECT_EQ(sum(result, "forwards"), 1u) << "no access to memory but for the log";
  EXPECT_EQ(sum(result, "partial_forwards"), 1u);
  EXPECT_EQ(sum(result, "false_positives"), 1u) << "0x1c3ad000";
}

TEST(MemoryGoldens, G14_TheHighestLaneWins) {
  const std::string body = R"(  setp.eq.u32 %p0, %t, 5;
  setp.eq.u32 %p1, %t, 9;
  or.pred %p2, %p0, %p1;
  selp.u32 %r0, 55, 99, %p0;
  @%p2 st.global.u32 [%a], %r0;
  ret;)";
  const Json result = run_body({}, body, 1, 32);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["a"][0], 99);
  EXPECT_EQ(sum(result, "appends"), 1u);
}

TEST(MemoryGoldens, G16_BreadthFirstSearchWithItsRace) {
  // a: active[64], visited[64] behind it, cost[64], over. Node 0 has an edge to node 32.
  const std::string body = R"(  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %a, %d0;
  ld.global.u32 %r0, [%d1];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra END;
  st.global.u32 [%d1], 0;
  st.global.u32 [%d1+256], 1;
  setp.ne.u32 %p1, %t, 0;
  @%p1 bra END;
  ld.global.u32 %r1, [%a+384];
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra END;
  ld.global.u32 %r2, [%d1+512];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%a+640], %r2;
  st.global.u32 [%a+128], 1;
  st.global.u32 [%a+768], 1;
END:
  ret;)";
  std::vector<std::uint32_t> initial(33);
  initial[0] = initial[32] = 1;
  for (const char* seed : {"0", "1", "2", "3", "4"})
    for (const char* engine : {"zbuffer", "lock"}) {
      const Json result = run_body(
          {std::string("test.memory.crossbar.perturb_seed=") + seed, "test.memory.crossbar.perturb_cycles=40",
           std::string("determinism.commit_engine=") + engine},
          body, 1, 64, initial);
      ASSERT_FALSE(result.contains("errors")) << result.dump();
      EXPECT_EQ(result["a"][0], 0);
      EXPECT_EQ(result["a"][32], 1) << "wavefront 0 wins";
      EXPECT_EQ(result["a"][64], 1);
      EXPECT_EQ(result["a"][96], 1);
      EXPECT_EQ(result["a"][160], 1);
      EXPECT_EQ(result["a"][192], 1);
    }
}

TEST(MemoryGoldens, G20_BytesThenTheWord) {
  // Warp 0: a byte, then the whole word. Warps 1 and 2: different bytes of one word.
  const std::string body = R"(  and.b32 %r0, %t, 31;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra END;
  setp.eq.u32 %p1, %w, 1;
  @%p1 bra W1;
  setp.eq.u32 %p2, %w, 2;
  @%p2 bra W2;
  st.global.u8 [%a], 0xee;
  st.global.u32 [%a], 0x12345678;
  bra END;
W1:
  st.global.u8 [%a+65], 0xaa;
  bra END;
W2:
  st.global.u8 [%a+67], 0xbb;
END:
  ret;)";
  const Json result = run_body({"determinism.byte_writes=serial_log"}, body, 1, 96);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["a"][0], 0x12345678);
  EXPECT_EQ(result["a"][16], 0xbb00aa00u);
  const Json trapped = run_body({}, body, 1, 96);
  ASSERT_TRUE(trapped.contains("errors"));
  EXPECT_NE(trapped["errors"].dump().find("part of a 32-bit word"), std::string::npos) << trapped.dump();
  EXPECT_NE(trapped["errors"].dump().find("test.ptx:"), std::string::npos) << trapped.dump();
}

// W0 stores 100 to X, barrier, W1 loads X and then stores 200 to it.
const char* const kHandOver = R"(  setp.ne.u32 %p0, %w, 0;
  @%p0 bra MEET;
  st.global.u32 [%a], 100;
MEET:
  bar.sync 0;
  setp.ne.u32 %p1, %w, 1;
  @%p1 bra END;
  ld.global.u32 %r0, [%a];
  st.global.u32 [%b], %r0;
  st.global.u32 [%a], 200;
END:
  ret;)";

TEST(MemoryGoldens, G22_ABarrierOrdersStoresToGlobalMemory) {
  for (const char* setting :
       {"determinism.bta=false", "determinism.bta_rule=empty_logs", "determinism.bta_rule=flag"}) {
    const Json result = run_body({setting}, kHandOver, 1, 64);
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    EXPECT_EQ(result["b"][0], 100) << setting;
    EXPECT_EQ(result["a"][0], 200) << setting;
    EXPECT_EQ(quanta_of(result), 2u) << setting;
  }
}

TEST(MemoryGoldens, G22_TheThesisRuleBreaksIt) {
  const Json result = run_body({"determinism.bta_rule=thesis"}, kHandOver, 1, 64);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["b"][0], 0) << "stale";
  EXPECT_EQ(result["a"][0], 100) << "the smaller number wins";
  EXPECT_EQ(quanta_of(result), 1u);
}

TEST(StoreBuffer, AFullLogEndsTheQuantumAndLosesNothing) {
  // 64 stores of a warp, each to 32 chunks of its own.
  std::string body = "  mul.wide.u32 %d0, %t, 4;\n  add.u64 %d1, %a, %d0;\n";
  for (unsigned i = 0; i < 12; ++i) body += "  st.global.u32 [%d1+" + std::to_string(128 * i) + "], %t;\n";
  body += "  ret;";
  const Json result = run_body({"determinism.log.capacity=36"}, body, 1, 32);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(waves_of(result, 0), "12 log_full") << "7 and 5 stores: the sixth might need 32 entries";
  for (unsigned i = 0; i < 12 * 32; ++i) EXPECT_EQ(result["a"][i], i % 32);
}

}  // namespace
}  // namespace heddle::testing::memory_golden_test
