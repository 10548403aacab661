// One memory partition: random traffic compared with a flat memory, with Heddle's DRAM channel and with a
// foreign one.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "blocks/isolated.h"
#include "blocks/memory/foreign_dram.h"
#include "blocks/memory/traffic_core.h"
#include "blocks/protocol_checker.h"
#include "memory/dram_channel.h"
#include "memory/partition.h"

namespace heddle::tb::partition_bench {
namespace {

using Json = nlohmann::ordered_json;

struct Scenario {
  TrafficConfig traffic;
  memory::L2Config l2;
  memory::DramConfig dram;
  bool foreign = false;
  unsigned foreign_completes_after_ns = 0;
  bool debug_writes = false;  ///< overwrite every other line through transport_dbg at the end
  double core_mhz = 700;
};

/// Reads `lines` lines through transport_dbg and compares them with the core's reference.
void compare(TrafficCore& core, sim::MemoryTargetOwner& memory, std::uint64_t base, unsigned lines,
             Json& errors) {
  for (std::uint64_t address = base; address < base + lines * std::uint64_t{128}; address += 256) {
    std::array<unsigned char, 256> got{}, want{};
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(address);
    payload.set_data_ptr(got.data());
    payload.set_data_length(256);
    if (memory.memory_transport_dbg(0, payload) != 256) errors.push_back("debug read refused");
    core.reference().read(address, want.data(), 256);
    if (got != want) errors.push_back("wrong final value near " + std::to_string(address));
  }
}

void overwrite(TrafficCore& core, sim::MemoryTargetOwner& memory, std::uint64_t base, unsigned lines) {
  for (std::uint64_t address = base + 100; address < base + lines * std::uint64_t{128}; address += 256) {
    std::array<unsigned char, 60> data{};  // over the border between two lines
    data.fill(static_cast<unsigned char>(address / 256));
    core.reference().write(address, data.data(), data.size());
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    memory.memory_transport_dbg(0, payload);
  }
}

Json simulate(const Scenario& scenario) {
  sim::ClockManager clocks("clocks");
  sim::ClockDomain core_clock(clocks, "core", scenario.core_mhz, sim::ClockRank::kCore);
  sim::ClockDomain l2_clock(clocks, "l2", 700, sim::ClockRank::kL2);
  sim::ClockDomain dram_clock(clocks, "dram", 924, sim::ClockRank::kDram);
  base::StatGroup stats("gpu");
  sim::ProgressMonitor progress;
  const memory::AddressMap map(1, 256);
  memory::MemoryPartition partition("partition", scenario.l2, map, l2_clock, progress,
                                    stats.child("partition"));
  TrafficCore core("core", scenario.traffic, core_clock);
  ProtocolChecker<sim::MemoryProtocol> core_checker("core_checker");
  ProtocolChecker<> dram_checker("dram_checker");
  std::unique_ptr<memory::DramChannel> dram;
  std::unique_ptr<ForeignDram> foreign;
  core.isock.bind(core_checker.tsock);
  core_checker.isock.bind(partition.crossbar_tsock);
  partition.dram_isock.bind(dram_checker.tsock);
  if (scenario.foreign) {
    foreign =
        std::make_unique<ForeignDram>("foreign", scenario.traffic.seed, scenario.foreign_completes_after_ns);
    dram_checker.isock.bind(foreign->tsock);
  } else {
    dram = std::make_unique<memory::DramChannel>("dram", scenario.dram, dram_clock, stats.child("dram"));
    dram_checker.isock.bind(dram->dram_tsock);
  }

  Json errors = Json::array();
  for (int i = 0; i < 200'000 && !core.done(); ++i) sc_core::sc_start(20, sc_core::SC_NS);
  if (!core.done()) errors.push_back("not everything came back");
  // Write-backs may still be in flight: debug accesses must see their values all the same.
  const bool writing = !partition.idle();
  compare(core, partition, scenario.traffic.base, scenario.traffic.lines, errors);
  if (scenario.debug_writes) {
    overwrite(core, partition, scenario.traffic.base, scenario.traffic.lines);
    compare(core, partition, scenario.traffic.base, scenario.traffic.lines, errors);
  }
  for (int i = 0; i < 100 && !partition.idle(); ++i) sc_core::sc_start(1, sc_core::SC_US);
  if (!partition.idle()) errors.push_back("the partition does not come to rest");
  compare(core, partition, scenario.traffic.base, scenario.traffic.lines, errors);

  for (const std::string& e : core.errors()) errors.push_back(e);
  for (const std::string& e : core_checker.errors()) errors.push_back(e);
  for (const std::string& e : dram_checker.errors()) errors.push_back(e);
  if (core.pool().in_use() != 0) errors.push_back("transactions never released");
  if (core_checker.outstanding() + dram_checker.outstanding() != 0)
    errors.push_back("transactions left in a checker");
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(1, sc_core::SC_MS);
  if (!scenario.foreign && sc_core::sc_delta_count() > deltas + 1)
    errors.push_back("idle modules are being run");
  return {{"errors", errors},
          {"late_ends", core_checker.late_ends()},
          {"dram_transactions", dram_checker.transactions()},
          {"finished", core.finished_at()},
          {"overtaken", foreign ? foreign->overtaken() : 0},
          {"writing_at_end", writing},
          {"stats", stats.to_json()}};
}

Scenario random_scenario(std::uint64_t seed, bool foreign) {
  Scenario s;
  s.foreign = foreign;
  s.traffic.seed = seed;
  s.traffic.requests = 4000;
  s.traffic.lines = 200;
  s.l2.size_kib = 4;  // 32 lines: most requests miss
  s.l2.ways = seed % 2 == 0 ? 2 : 8;
  s.l2.banks = 1 + seed % 2;
  s.l2.sector_bytes = seed % 4 < 2 ? 32 : 0;
  if (s.l2.sector_bytes != 0 && seed > 4) s.l2.dram_access_bytes = seed % 2 == 0 ? 32 : 64;
  s.traffic.partial_reads = true;
  if (!foreign && seed % 3 != 0) s.l2.write_miss = memory::WriteMiss::kByteMask;
  s.l2.latency_cycles = seed % 3 == 0 ? 0 : 30;
  s.l2.mshr_entries = 1 + seed % 5 * 4;
  s.l2.mshr_targets = 1 + seed % 4;
  s.l2.request_queue = 1 + seed % 6;
  s.l2.response_queue = 1 + seed % 3;
  s.l2.dram_queue = 2 + seed % 4;
  s.dram.queue_depth = seed % 2 == 0 ? 2 : 32;
  s.dram.latency_cycles = seed % 2 == 0 ? 132 : 0;
  s.core_mhz = seed % 2 == 0 ? 700 : 1400;
  return s;
}

TEST(MemoryPartition, AgreesWithAFlatMemory) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Json result = isolated([&] { return simulate(random_scenario(seed, false)); });
    ASSERT_EQ(result["errors"], Json::array()) << "seed " << seed;
    EXPECT_GT(result["late_ends"], 200u);
    const Json& l2 = result["stats"]["partition"]["l2"];
    EXPECT_EQ(l2["responses"], 4000);
    const int lines = l2["fetches"].get<int>() + l2["write_backs"].get<int>();
    if (seed % 4 < 2)
      EXPECT_GT(result["dram_transactions"], lines) << "no line was moved in pieces";
    else
      EXPECT_EQ(result["dram_transactions"], lines);
    EXPECT_GT(l2["write_backs"], 500);
    EXPECT_EQ(l2.contains("masked_write_backs"), seed % 3 != 0);
    if (seed % 3 != 0) {
      EXPECT_GT(l2["masked_write_backs"], 100);
    }
  }
}

TEST(MemoryPartition, WorksWithAForeignDramThatUsesEveryFreedomOfTheStandard) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Json result = isolated([&] { return simulate(random_scenario(seed, true)); });
    ASSERT_EQ(result["errors"], Json::array()) << "seed " << seed;
    EXPECT_GT(result["overtaken"], 100u) << "nothing was reordered";
  }
}

TEST(MemoryPartition, AMemoryThatRefusesByteEnablesIsNamed) {
  Scenario s = random_scenario(1, true);
  s.l2.write_miss = memory::WriteMiss::kByteMask;
  const std::string errors = isolated([&] { return simulate(s); })["errors"].dump();
  EXPECT_NE(errors.find("memory.l2.write_miss=fetch"), std::string::npos) << errors;
}

TEST(MemoryPartition, DebugAccessIsCoherentWhileWriteBacksAreOnTheirWay) {
  int still_writing = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Scenario s = random_scenario(seed, seed % 2 == 0);
    s.traffic.writes_only = true;  // acknowledged long before the evicted lines reach the DRAM
    s.debug_writes = true;
    s.l2.latency_cycles = 0;
    const Json result = isolated([&] { return simulate(s); });
    ASSERT_EQ(result["errors"], Json::array()) << "seed " << seed;
    still_writing += result["writing_at_end"].get<bool>() ? 1 : 0;
  }
  EXPECT_GE(still_writing, 4) << "there was nothing to be coherent with";
}

TEST(MemoryPartition, AnAnnotatedDelayOfTheDramIsWaitedFor) {
  Scenario s = random_scenario(1, true);
  s.traffic.requests = 1;
  s.l2.sector_bytes = 0;  // one transfer
  s.traffic.issue_percent = 100;
  s.foreign_completes_after_ns = 1000;  // 700 cycles of core and L2
  s.core_mhz = 700;
  s.l2.latency_cycles = 10;
  const Json result = isolated([&] { return simulate(s); });
  ASSERT_EQ(result["errors"], Json::array());
  EXPECT_GE(result["finished"], 710u);
  EXPECT_LE(result["finished"], 713u);
}

TEST(MemoryPartition, WithoutStallsALineHitStreamRunsAtOnePerCycle) {
  Scenario s;
  s.traffic.requests = 2000;
  s.traffic.lines = 32;
  s.traffic.writes_only = true;
  s.traffic.issue_percent = 100;
  s.traffic.stall_percent = 0;
  const Json result = isolated([&] { return simulate(s); });
  ASSERT_EQ(result["errors"], Json::array());
  EXPECT_EQ(result["dram_transactions"], 0u);
  // One accepted per cycle and served in the same cycle: the latency and nothing else.
  EXPECT_EQ(result["stats"]["partition"]["l2"]["service_cycles"], 2000 * 120);
}

}  // namespace
}  // namespace heddle::tb::partition_bench
