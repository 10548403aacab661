// Latencies and passes of a core's memory path, measured by kernels with the GPU's own clock: they must equal
// the configuration.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "blocks/isolated.h"
#include "gpu/gpu_device.h"

namespace heddle::memory_path_test {
namespace {

constexpr const char* kHead = R"(.version 7.0
.target sm_70
.address_size 64
.const .align 8 .b64 self[64];
.const .align 8 .b32 table[64];
.visible .entry k(.param .u64 in_ptr, .param .u64 out_ptr, .param .u32 first, .param .u32 second)
{
  .shared .align 8 .b64 tile[1024];
  .local .align 8 .b64 own[8];
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<8>;
  .reg .pred %p<4>;
  ld.param.u64 %rd1, [in_ptr];
  ld.param.u64 %rd2, [out_ptr];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
)";

/// Runs `body` with one CTA of 32 threads; in[] holds words 0, 1, 2 ... and from byte 2048 on 64-bit elements
/// with their own address, table[] 100, 101 ..., and every element of self[] its own address.
struct KernelRun {
  gpu::GpuConfig config;
  std::string body;

  [[nodiscard]] nlohmann::ordered_json operator()() const {
    return tb::isolated([this]() -> nlohmann::ordered_json {
      gpu::GpuDevice device(config, {});
      const auto handle = device.load_ptx_text(kHead + body + "  ret;\n}\n", "kernel.ptx");
      std::vector<std::uint64_t> self(64);
      for (std::size_t i = 0; i < self.size(); ++i) self[i] = device.symbol(handle, "self") + i * 8;
      device.write(self[0], std::as_bytes(std::span(self)));
      std::vector<std::uint32_t> words(1024);
      for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = i;
      const std::uint64_t in = device.upload(words, "in");
      std::vector<std::uint64_t> chain(64);
      for (std::size_t i = 0; i < chain.size(); ++i) chain[i] = in + 2048 + i * 8;
      device.write(chain[0], std::as_bytes(std::span(chain)));
      for (std::uint32_t i = 0; i < 64; ++i) words[i] = 100 + i;
      device.write(device.symbol(handle, "table"), std::as_bytes(std::span(words).first(64)));
      const std::uint64_t out = device.allocate(4096, "out");
      const auto args = host::Args{}.add(in).add(out).add(std::uint32_t{7}).add(std::uint32_t{0x80u});
      device.launch(handle, "k", {{1, 1, 1}, {32, 1, 1}, 0}, args);
      return {{"out", device.download<std::uint32_t>(out, 1024)}, {"stats", device.stats().to_json()}};
    });
  }
};

gpu::GpuConfig one_core() {
  gpu::GpuConfig config;
  config.cores = 1;
  config.core.l1i.enabled = false;  // a cold line in the middle of a measurement would distort it
  config.memory.partitions = 1;
  return config;
}

std::vector<std::uint32_t> out_of(const nlohmann::ordered_json& result) {
  EXPECT_FALSE(result.contains("errors")) << result.dump();
  if (result.contains("errors")) return std::vector<std::uint32_t>(1024);
  return result["out"].get<std::vector<std::uint32_t>>();
}

/// Additional cycles of `count` more copies of `step`, each depending on the previous one through %rd5.
std::uint32_t cost_of(const gpu::GpuConfig& config, const std::string& prepare, const std::string& step,
                      unsigned count) {
  const auto measure = [&](unsigned copies) {
    std::string body = prepare + step + step + "  and.b64 %rd6, %rd5, %rd5;\n  mov.u32 %r2, %clock;\n";
    for (unsigned i = 0; i < copies; ++i) body += step;
    body +=
        "  and.b64 %rd6, %rd5, %rd5;\n  mov.u32 %r3, %clock;\n  sub.u32 %r4, %r3, %r2;\n"
        "  st.global.u32 [%rd4], %r4;\n";
    return out_of(KernelRun{config, body}())[0];
  };
  return measure(4 + count) - measure(4);
}

TEST(ConstantPath, HitTakesExactlyTheConfiguredLatency) {
  for (const std::uint32_t latency : {4u, 6u, 27u}) {
    gpu::GpuConfig config = one_core();
    config.core.constant_cache.latency_cycles = latency;
    EXPECT_EQ(cost_of(config, "  mov.u64 %rd5, self;\n", "  ld.const.u64 %rd5, [%rd5];\n", 10), 10 * latency);
  }
}

TEST(ConstantPath, DistinctAddressesTakeAPassEach) {
  // Lane l reads self[l % ways], whose value is its own address.
  for (const unsigned ways : {1u, 2u, 8u, 32u}) {
    const gpu::GpuConfig config = one_core();
    const std::string prepare = "  and.b32 %r5, %r1, " + std::to_string(ways - 1) +
                                ";\n  mul.wide.u32 %rd7, %r5, 8;\n  mov.u64 %rd5, self;\n"
                                "  add.u64 %rd5, %rd5, %rd7;\n";
    EXPECT_EQ(cost_of(config, prepare, "  ld.const.u64 %rd5, [%rd5];\n", 10),
              10 * (config.core.constant_cache.latency_cycles + ways - 1))
        << ways;
  }
}

TEST(ConstantPath, ValuesOfEveryLaneAndType) {
  const auto out = out_of(KernelRun{one_core(), R"(
  mov.u64 %rd5, table;
  xor.b32 %r5, %r1, 5;
  mul.wide.u32 %rd6, %r5, 4;
  add.u64 %rd6, %rd5, %rd6;
  ld.const.u32 %r6, [%rd6];
  st.global.u32 [%rd4], %r6;
  ld.const.v2.u16 {%r7, %r8}, [table+4];
  st.global.u32 [%rd4+128], %r7;
  ld.param.s8 %r9, [second];
  st.global.u32 [%rd4+256], %r9;
  setp.lt.u32 %p1, %r1, 3;
  mov.u32 %r10, 1;
  @%p1 ld.param.u32 %r10, [first];
  st.global.u32 [%rd4+384], %r10;
  mul.wide.u32 %rd7, %r1, 1;
  add.u64 %rd7, %rd5, %rd7;
  ld.const.u8 %r11, [%rd7];
  st.global.u32 [%rd4+512], %r11;
)"}());
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], 100 + (lane ^ 5)) << lane;
    EXPECT_EQ(out[32 + lane], 101u) << lane;
    EXPECT_EQ(out[64 + lane], 0xffffff80u) << lane;
    EXPECT_EQ(out[96 + lane], lane < 3 ? 7u : 1u) << lane;
    EXPECT_EQ(out[128 + lane], lane % 4 == 0 ? 100 + lane / 4 : 0u) << lane;
  }
}

TEST(ConstantPath, BytesOfOneWordShareAPass) {
  const auto passes = [](const std::string& body) {
    return KernelRun{one_core(), body}()["stats"]["core0"]["lsu"]["constant_accesses"].get<std::uint64_t>();
  };
  const std::string address =
      "  mov.u64 %rd5, table;\n  mul.wide.u32 %rd7, %r1, 1;\n  add.u64 %rd5, %rd5, %rd7;\n";
  EXPECT_EQ(passes(address + "  ld.const.u8 %r5, [%rd5];\n") - passes(address), 8u);
}

TEST(ConstantPath, ParametersOfEachLaunchAreItsOwn) {
  const auto result = tb::isolated([]() -> nlohmann::ordered_json {
    gpu::GpuDevice device(one_core(), {});
    const auto handle = device.load_ptx_text(
        std::string(kHead) + "  ld.param.u32 %r5, [first];\n  st.global.u32 [%rd4], %r5;\n  ret;\n}\n",
        "k.ptx");
    const std::uint64_t out = device.allocate(4096, "out");
    std::vector<std::uint32_t> seen;
    for (const std::uint32_t value : {11u, 12u, 13u}) {
      device.launch(handle, "k", {{1, 1, 1}, {32, 1, 1}, 0},
                    host::Args{}.add(out).add(out).add(value).add(value));
      seen.push_back(device.download<std::uint32_t>(out, 1)[0]);
    }
    return {{"seen", seen}};
  });
  EXPECT_EQ(result["seen"], (std::vector<std::uint32_t>{11, 12, 13})) << result.dump();
}

TEST(ConstantPath, BadAccessesSayWhichParameterOrAddress) {
  const auto message = [](const std::string& body) -> std::string {
    const auto result = KernelRun{one_core(), body}();
    return result.contains("errors") ? result["errors"][0].get<std::string>() : "no error";
  };
  const std::string past = message("  mul.wide.u32 %rd7, %r1, 4;\n  ld.param.u32 %r5, [%rd7];\n");
  EXPECT_NE(past.find("parameter access at offset 24 of 24 bytes"), std::string::npos) << past;
  EXPECT_NE(past.find("thread (6,0,0) of CTA (0,0,0)"), std::string::npos) << past;
  EXPECT_NE(past.find("ld.param.u32 %r5"), std::string::npos) << past;
  const std::string uniform = message("  mov.u64 %rd7, 1000;\n  ld.param.u32 %r5, [%rd7];\n");
  EXPECT_NE(uniform.find("parameter access at offset 1000 of 24 bytes"), std::string::npos) << uniform;
  const std::string odd = message("  mov.u64 %rd7, 2;\n  ld.param.u32 %r5, [%rd7];\n");
  EXPECT_NE(odd.find("misaligned 4-byte load at param address 0x2"), std::string::npos) << odd;
  const std::string constant = message("  mov.u64 %rd7, table;\n  ld.const.u32 %r5, [%rd7+256];\n");
  EXPECT_NE(constant.find("out-of-bounds 4-byte load"), std::string::npos) << constant;
  EXPECT_NE(constant.find("of 'table'"), std::string::npos) << constant;
}

// ---- L1, shared and local memory

TEST(L1Path, HitTakesExactlyTheConfiguredLatency) {
  for (const std::uint32_t latency : {2u, 18u, 32u}) {
    gpu::GpuConfig config = one_core();
    config.core.l1d.latency_cycles = latency;
    const std::string prepare = "  add.u64 %rd5, %rd1, 2048;\n";
    EXPECT_EQ(cost_of(config, prepare, "  ld.global.u64 %rd5, [%rd5];\n", 10), 10 * latency) << latency;
  }
}

TEST(L1Path, EveryFurtherLineTakesACycle) {
  for (const unsigned lines : {1u, 4u}) {
    const gpu::GpuConfig config = one_core();
    // Lanes in groups of 32 / lines, each group in a separate line.
    const std::string prepare = "  add.u64 %rd5, %rd1, 2048;\n  and.b32 %r5, %r1, " +
                                std::to_string(lines - 1) +
                                ";\n  mul.wide.u32 %rd7, %r5, 128;\n  add.u64 %rd5, %rd5, %rd7;\n";
    EXPECT_EQ(cost_of(config, prepare, "  ld.global.u64 %rd5, [%rd5];\n", 10),
              10 * (config.core.l1d.latency_cycles + lines - 1));
  }
}

TEST(SharedPath, LatencyAndConflictsAreExact) {
  for (const auto& [shift, passes] : {std::pair{0u, 1u}, {3u, 2u}, {4u, 4u}, {5u, 8u}, {8u, 32u}}) {
    gpu::GpuConfig config = one_core();
    config.core.shared_memory.latency_cycles = 24;
    // Lane l reads its own 8 bytes, 2^shift bytes from its neighbour's; all the same ones for shift 0.
    const std::string prepare = "  mov.u64 %rd5, tile;\n  shl.b32 %r5, %r1, " + std::to_string(shift) +
                                ";\n  and.b32 %r5, %r5, 8184;\n  mul.wide.u32 %rd7, %r5, " +
                                (shift == 0 ? "0" : "1") +
                                ";\n  add.u64 %rd5, %rd5, %rd7;\n  st.shared.u64 [%rd5], %rd5;\n";
    EXPECT_EQ(cost_of(config, prepare, "  ld.shared.u64 %rd5, [%rd5];\n", 10), 10 * (24 + passes - 1))
        << shift;
  }
}

TEST(LocalPath, StoresStayInL1AndComeBackWithItsLatency) {
  const gpu::GpuConfig config = one_core();
  const std::string store = "  mov.u64 %rd5, own;\n  st.local.u64 [%rd5], %rd5;\n";
  EXPECT_EQ(cost_of(config, store, "  ld.local.u64 %rd5, [%rd5];\n", 10),
            10 * (config.core.l1d.latency_cycles + 1))
      << "two words, two lines";
  const auto requests = [&](const std::string& body) {
    return KernelRun{config, body}()["stats"]["core0"]["memory_port"]["requests"].get<unsigned>();
  };
  EXPECT_EQ(requests(store + "  ld.local.u64 %rd6, [%rd5];\n  add.u64 %rd6, %rd6, 1;\n"), requests(""));
}

TEST(LocalPath, ReplacedLinesComeBackWithTheirValues) {
  // 8 elements per lane are 16 lines, so a cache of 8 has to evict some; every policy gives the same values.
  for (const auto policy :
       {core::WritePolicy::kWriteBack, core::WritePolicy::kWriteThrough, core::WritePolicy::kWriteEvict}) {
    gpu::GpuConfig config = one_core();
    config.core.l1d.size_kib = 1;
    config.core.l1d.ways = 2;
    config.core.l1d.local_write = policy;
    std::string body = "  mov.u64 %rd5, own;\n  setp.lt.u32 %p1, %r1, 20;\n  cvt.u64.u32 %rd6, %r1;\n";
    for (unsigned i = 0; i < 8; ++i)
      body += "  add.u64 %rd6, %rd6, 100;\n  st.local.u64 [%rd5+" + std::to_string(i * 8) + "], %rd6;\n";
    body += "  @%p1 st.local.u16 [%rd5+26], %r1;\n  st.local.u32 [%rd5+40], %r1;\n";
    for (unsigned i = 0; i < 8; ++i)
      body += "  ld.local.u64 %rd6, [%rd5+" + std::to_string(i * 8) +
              "];\n  cvt.u32.u64 %r5, %rd6;\n  "
              "st.global.u32 [%rd4+" +
              std::to_string(i * 128) + "], %r5;\n";
    const auto result = KernelRun{config, body}();
    const auto out = out_of(result);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t i = 0; i < 8; ++i) {
        std::uint32_t expected = lane + 100 * (i + 1);
        if (i == 3 && lane < 20) expected |= lane << 16;
        if (i == 5) expected = lane;
        EXPECT_EQ(out[i * 32 + lane], expected) << "lane " << lane << " element " << i;
      }
    EXPECT_EQ(result["stats"]["core0"]["l1d"]["write_backs"] != 0, policy == core::WritePolicy::kWriteBack);
  }
}

TEST(L1Path, OptionsAndInstructionsSayWhatSkipsL1) {
  const auto look_ups = [](const std::string& op, const std::function<void(core::L1dConfig&)>& change) {
    gpu::GpuConfig config = one_core();
    change(config.core.l1d);
    const auto result = KernelRun{config, "  " + op + ".u32 %r5, [%rd1];\n  st.global.u32 [%rd4], %r5;\n"}();
    (void)out_of(result);
    return result["stats"]["core0"]["l1d"]["load_accesses"].get<unsigned>();
  };
  const auto plain = [](core::L1dConfig&) {};
  const auto cg = [](core::L1dConfig& l1d) { l1d.cache_global_loads = false; };
  const auto off = [](core::L1dConfig& l1d) { l1d.enabled = false; };
  for (const auto& [op, by_default, with_cg] : {std::tuple{"ld.global", 1u, 0u},
                                                {"ld.global.ca", 1u, 1u},
                                                {"ld.global.nc", 1u, 1u},
                                                {"ld.global.cg", 0u, 0u},
                                                {"ld.global.cv", 0u, 0u},
                                                {"ld.volatile.global", 0u, 0u}}) {
    EXPECT_EQ(look_ups(op, plain), by_default) << op;
    EXPECT_EQ(look_ups(op, cg), with_cg) << op;
    EXPECT_EQ(look_ups(op, off), 0u) << op;
  }
}

TEST(L1Path, SectorsBringOnlyWhatIsAskedFor) {
  gpu::GpuConfig config = one_core();
  config.core.l1d.sector_bytes = 32;
  // Every thread reads word 0, which is one sector, then all read the line they are in.
  const auto result = KernelRun{config,
                                "  ld.global.u32 %r5, [%rd1];\n  add.u64 %rd5, %rd1, %rd3;\n"
                                "  add.u32 %r5, %r5, %r5;\n  ld.global.u32 %r6, [%rd5];\n"
                                "  add.u32 %r6, %r6, %r5;\n  st.global.u32 [%rd4], %r6;\n"}();
  const auto out = out_of(result);
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], lane);
  EXPECT_EQ(result["stats"]["core0"]["l1d"]["fills"], 2) << "one sector, then the other three";
}

TEST(L1Split, WhatDoesNotFitIsRefused) {
  const auto message = [](const std::function<void(core::CoreConfig&)>& change) -> std::string {
    gpu::GpuConfig config = one_core();
    change(config.core);
    try {
      config.validate();
    } catch (const base::Error& error) {
      return error.what();
    }
    return "fits";
  };
  EXPECT_EQ(message([](core::CoreConfig&) {}), "fits") << "16 + 48 of 64";
  EXPECT_NE(message([](core::CoreConfig& c) { c.l1d.size_kib = 48; }).find("do not fit"), std::string::npos);
  EXPECT_EQ(message([](core::CoreConfig& c) {
              c.l1d.size_kib = 48;
              c.shared_memory.size_kib = 16;
            }),
            "fits");
  EXPECT_EQ(message([](core::CoreConfig& c) { c.l1d.size_kib = 48, c.l1d.unified_kib = 0; }), "fits");
  EXPECT_NE(message([](core::CoreConfig& c) { c.l1d.size_kib = 0, c.l1d.unified_kib = 0; }).find("is 0"),
            std::string::npos);
  EXPECT_NE(
      message([](core::CoreConfig& c) { c.l1d.size_kib = 0, c.l1d.unified_kib = 48; }).find("do not fit"),
      std::string::npos);
  EXPECT_NE(message([](core::CoreConfig& c) { c.l1d.sector_bytes = 48; }).find("sectors"), std::string::npos);
  core::CoreConfig config;
  config.l1d.size_kib = 0;
  config.shared_memory.size_kib = 16;
  EXPECT_EQ(config.resolved_l1d().size_kib, 48u);
}

}  // namespace
}  // namespace heddle::memory_path_test
