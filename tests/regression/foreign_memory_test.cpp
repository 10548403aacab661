// A whole GPU on somebody else's memory: what the standard lets that memory do, what it may ask for, and what
// is said when it stops answering.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "blocks/isolated.h"
#include "blocks/memory/strict_memory.h"
#include "blocks/protocol_checker.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::foreign_memory_test {
namespace {

using tb::StrictMemory;
using tb::StrictMemoryConfig;

/// One thread per word: y[i] = 3 * x[i] + y[i], and z[i] = y[i] for threads 8 to 31 of every 32: 96 bytes
/// from the second sector of a line on.
constexpr const char* kTripleKernel = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x_ptr, .param .u64 y_ptr, .param .u64 z_ptr)
{
  .local .align 8 .b32 own[4];
  .reg .b32 %r<20>;
  .reg .b64 %rd<12>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [x_ptr];
  ld.param.u64 %rd2, [y_ptr];
  ld.param.u64 %rd3, [z_ptr];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd4, %r4, 4;
  add.u64 %rd5, %rd1, %rd4;
  add.u64 %rd6, %rd2, %rd4;
  add.u64 %rd7, %rd3, %rd4;
  ld.global.u32 %r5, [%rd5];
  st.local.u32 [own+4], %r5;
  ld.global.u32 %r6, [%rd6];
  ld.local.u32 %r7, [own+4];
  mad.lo.u32 %r8, %r7, 3, %r6;
  st.global.u32 [%rd6], %r8;
  and.b32 %r9, %r1, 31;
  setp.lt.u32 %p1, %r9, 8;
  @%p1 bra DONE;
  ld.global.u32 %r10, [%rd7];
  add.u32 %r11, %r10, %r8;
  st.global.u32 [%rd7], %r11;
DONE:
  ret;
}
)";

struct StrictChannel : sc_core::sc_module {
  tb::ProtocolChecker<> checker{"checker"};
  StrictMemory memory;
  StrictChannel(const sc_core::sc_module_name& name, const StrictMemoryConfig& config)
      : sc_module(name), memory("memory", config) {
    checker.isock.bind(memory.tsock);
  }
};

gpu::GpuConfig on_strict_memory(const std::string& platform) {
  gpu::GpuConfig config =
      gpu::load_platform(platform, {"cores=2", "memory.partitions=2", "memory.dram.capacity_mib=1",
                                    "watchdog.check_cycles=64", "watchdog.memory_cycles=20000"});
  config.memory.l2.size_kib = 8;  // most lines are evicted and come back
  config.memory.l2.ways = 4;
  return config;
}

struct ForeignRun {
  gpu::GpuConfig config = on_strict_memory("gtx480");
  StrictMemoryConfig memory;
  std::uint32_t silent_channel = 0;  ///< the only one that `memory.answers` and `end_requests` are for
  std::uint32_t words = 16384;       ///< of each of the three arrays
  unsigned launches = 1;
  bool own_channels = false;  ///< Heddle's DRAM channels instead

  [[nodiscard]] nlohmann::ordered_json operator()() const {
    return tb::isolated([this]() -> nlohmann::ordered_json {
      std::vector<StrictChannel*> channels;
      gpu::RunOptions options;
      options.max_cycles = 3'000'000;
      if (!own_channels)
        options.dram = [&](const gpu::DramSite& site, tlm::tlm_initiator_socket<>& partition) {
          StrictMemoryConfig wanted = memory;
          if (site.partition != silent_channel)
            wanted.answers = wanted.end_requests = StrictMemoryConfig::kNever;
          auto channel =
              std::make_unique<StrictChannel>(("memory" + std::to_string(site.partition)).c_str(), wanted);
          partition.bind(channel->checker.tsock);
          channels.push_back(channel.get());
          return channel;
        };
      gpu::GpuDevice device(config, options);
      try {
        return run(device, channels);
      } catch (const base::Error& error) {
        return {{"errors", {error.what()}}, {"exit", static_cast<int>(error.code())}};
      }
    });
  }

 private:
  [[nodiscard]] nlohmann::ordered_json run(gpu::GpuDevice& device,
                                           const std::vector<StrictChannel*>& channels) const {
    const auto handle = device.load_ptx_text(kTripleKernel, "triple.ptx");
    std::vector<std::uint32_t> x(words), y(words), z(words);
    std::iota(x.begin(), x.end(), 1u);
    std::iota(y.begin(), y.end(), 500'000u);
    std::iota(z.begin(), z.end(), 900'000u);
    const std::uint64_t x_d = device.upload(x, "x"), y_d = device.upload(y, "y"), z_d = device.upload(z, "z");
    for (unsigned i = 0; i < launches; ++i)
      device.launch(handle, "k", {{words / 256, 1, 1}, {256, 1, 1}, 0},
                    host::Args{}.add(x_d).add(y_d).add(z_d));
    const auto y_is = device.download<std::uint32_t>(y_d, words),
               z_is = device.download<std::uint32_t>(z_d, words);
    nlohmann::ordered_json result{{"errors", nlohmann::ordered_json::array()}, {"sizes", nullptr}};
    unsigned wrong = 0;
    for (std::uint32_t i = 0; i < words; ++i) {
      for (unsigned k = 0; k < launches; ++k) {
        y[i] += 3 * x[i];
        if (i % 32 >= 8) z[i] += y[i];
      }
      wrong += y_is[i] != y[i] || z_is[i] != z[i];
    }
    if (wrong != 0) result["errors"].push_back(std::to_string(wrong) + " words are wrong");
    std::set<unsigned> sizes;
    std::uint64_t writes = 0, highest = 0;
    for (const StrictChannel* channel : channels) {
      for (const std::string& error : channel->checker.errors()) result["errors"].push_back(error);
      sizes.insert(channel->memory.sizes().begin(), channel->memory.sizes().end());
      writes += channel->memory.writes();
      highest = std::max(highest, channel->memory.highest());
    }
    result["sizes"] = sizes;
    result["writes"] = writes;
    result["highest"] = highest;
    result["cycles"] = device.last_launch().cycles;
    return result;
  }
};

const auto kNoErrors = nlohmann::ordered_json::array();

void expect_words(const nlohmann::ordered_json& result, const std::vector<std::string>& words) {
  const std::string text = result["errors"].dump();
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << " not in " << text;
}

TEST(ForeignMemory, MayStandBehindAnInterconnectThatMapsAddresses) {
  for (const std::uint64_t offset : {0x80ull, 0x1000ull, 0x8000'0000ull}) {
    ForeignRun run;
    run.launches = 2;
    run.memory.bus_offset = offset;
    const auto result = run();
    EXPECT_EQ(result["errors"], kNoErrors);
    EXPECT_GT(result["writes"], 500);  // dirty lines went out and came back
  }
}

TEST(ForeignMemory, IsAskedOnlyForAddressesBelowItsCapacity) {
  for (const char* platform : {"gtx480", "rtx2060"}) {
    ForeignRun run;
    run.config = on_strict_memory(platform);
    const auto result = run();
    EXPECT_EQ(result["errors"], kNoErrors) << platform;
    // Code is at the end, data at the beginning.
    EXPECT_EQ(result["highest"], 1 << 20) << platform;
  }
}

TEST(ForeignMemory, SparseAddressesAreRefusedByADenseMemory) {
  ForeignRun run;
  run.config.memory.dram.addresses = memory::ChannelAddresses::kSparse;
  const auto result = run();
  expect_words(result, {"transport_dbg of the DRAM moved 0 of"});
}

TEST(ForeignMemory, WhatDoesNotFitIsRefusedBeforeAnythingIsWritten) {
  ForeignRun run;
  run.words = 3 << 16;  // three arrays of 768 KiB
  const auto result = run();
  EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kBadInput));
  expect_words(result, {"allocation of 'z'", "2 memory channels of 1 MiB", "memory.dram.capacity_mib"});
}

TEST(ForeignMemory, CodeThatDoesNotFitBesideTheDataIsRefused) {
  ForeignRun run;
  run.words = 174'720;  // with the gaps between them the three arrays fill both channels to the last byte
  auto result = run();
  EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kBadInput));
  expect_words(result, {"code of kernel k", "2 memory channels of 1 MiB"});
}

TEST(ForeignMemory, OwnChannelsGiveTheSameResultsAtDenseAddresses) {
  ForeignRun sparse, dense;
  sparse.own_channels = dense.own_channels = true;
  dense.config.memory.dram.addresses = memory::ChannelAddresses::kDense;
  EXPECT_EQ(sparse()["errors"], kNoErrors);
  EXPECT_EQ(dense()["errors"], kNoErrors);
  // Without the key they have no capacity.
  sparse.words = 3 << 16;
  sparse.config.cores = 8;
  EXPECT_EQ(sparse()["errors"], kNoErrors);
}

TEST(ForeignMemory, GetsAlignedPowersOfTwoIfItAsksForThem) {
  ForeignRun run;
  run.config = on_strict_memory("rtx2060");
  run.memory.natural_alignment = true;
  expect_words(run(), {"TLM_BURST_ERROR_RESPONSE", "of 96 bytes", "memory.l2.dram_access_bytes"});
  for (const unsigned most : {32u, 64u, 128u}) {
    run.config.memory.l2.dram_access_bytes = most;
    const auto result = run();
    EXPECT_EQ(result["errors"], kNoErrors) << most;
    std::vector<unsigned> sizes;
    for (unsigned size = 32; size <= most; size *= 2) sizes.push_back(size);
    EXPECT_EQ(result["sizes"], sizes);
  }
}

TEST(ForeignMemory, ThatStopsAnsweringIsNamed) {
  ForeignRun run;
  run.silent_channel = 1;
  run.memory.answers = 40;  // fetches all, no write-back yet
  const auto result = run();
  EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kHang));
  expect_words(result, {"kernel k hangs: the memory of partition 1 does not answer", "40 answered so far",
                        "the oldest: read", " of 128 bytes at channel address 0x", "core cycles ago",
                        "waiting for it: core ", "watchdog.memory_cycles", "CTA ("});
}

TEST(ForeignMemory, ThatNeverEndsARequestIsNamed) {
  for (const unsigned requests : {0u, 300u}) {
    ForeignRun run;
    run.memory.end_requests = requests;
    const auto result = run();
    EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kHang));
    expect_words(result, {"the memory of partition 0 does not answer: 1 request outstanding",
                          requests == 0 ? "none ever answered" : "300 answered so far",
                          "has not got its END_REQ", "watchdog.memory_cycles"});
  }
}

TEST(ForeignMemory, ThatIsSlowIsWaitedFor) {
  ForeignRun run;
  run.words = 512;
  run.memory.latency_ns = 13'000;  // 18,200 cycles; the limit is 20,000
  EXPECT_EQ(run()["errors"], kNoErrors);
  run.memory.latency_ns = 16'000;  // 22,400
  EXPECT_EQ(run()["exit"], static_cast<int>(base::ExitCode::kHang));
  run.config.watchdog.memory_cycles = 0;
  EXPECT_EQ(run()["errors"], kNoErrors);
  run.config.watchdog.memory_cycles = 20'000;
  run.config.watchdog.enabled = false;
  EXPECT_EQ(run()["errors"], kNoErrors);
}

}  // namespace
}  // namespace heddle::foreign_memory_test
