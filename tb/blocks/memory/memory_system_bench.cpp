// Cores, crossbar, partitions and DRAM together; the order in which the modules are created must not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "blocks/isolated.h"
#include "blocks/memory/traffic_core.h"
#include "blocks/protocol_checker.h"
#include "memory/crossbar.h"
#include "memory/dram_channel.h"
#include "memory/partition.h"

namespace heddle::tb::memory_system_bench {
namespace {

using Json = nlohmann::ordered_json;

struct Scenario {
  std::uint64_t seed = 1;
  std::uint64_t shuffle = 0;  ///< seed of the order of construction; 0: natural
  unsigned cores = 4;
  unsigned partitions = 3;
  unsigned cluster_cores = 1;
  double core_mhz = 1400, crossbar_mhz = 700, l2_mhz = 700, dram_mhz = 924;
};

constexpr std::uint64_t kPrivate = 0x1000'0000;
constexpr std::uint64_t kShared = 0x2000'0000;
constexpr unsigned kLines = 96;

Json simulate(const Scenario& scenario) {
  memory::MemoryConfig config;
  config.partitions = scenario.partitions;
  config.l2.size_kib = 8;
  config.l2.latency_cycles = 20;
  config.crossbar.input_queue_packets = 3;
  config.crossbar.output_queue_packets = 4;
  config.crossbar.cluster_cores = scenario.cluster_cores;
  const memory::AddressMap map(config.partitions, config.partition_interleave_bytes);
  base::StatGroup stats("gpu");
  stats.child("crossbar");
  sim::ProgressMonitor progress;

  sim::ClockManager clocks("clocks");
  std::unique_ptr<sim::ClockDomain> core_clock, crossbar_clock, l2_clock, dram_clock;
  std::vector<std::function<void()>> domains{
      [&] {
        core_clock =
            std::make_unique<sim::ClockDomain>(clocks, "core_clk", scenario.core_mhz, sim::ClockRank::kCore);
      },
      [&] {
        crossbar_clock = std::make_unique<sim::ClockDomain>(clocks, "icnt_clk", scenario.crossbar_mhz,
                                                            sim::ClockRank::kInterconnect);
      },
      [&] {
        l2_clock = std::make_unique<sim::ClockDomain>(clocks, "l2_clk", scenario.l2_mhz, sim::ClockRank::kL2);
      },
      [&] {
        dram_clock =
            std::make_unique<sim::ClockDomain>(clocks, "dram_clk", scenario.dram_mhz, sim::ClockRank::kDram);
      }};

  std::unique_ptr<memory::Crossbar> crossbar;
  std::vector<std::unique_ptr<TrafficCore>> cores(scenario.cores);
  std::vector<std::unique_ptr<memory::MemoryPartition>> partitions(scenario.partitions);
  std::vector<std::unique_ptr<memory::DramChannel>> drams(scenario.partitions);
  std::vector<std::unique_ptr<ProtocolChecker<>>> checkers(scenario.partitions);
  std::vector<std::function<void()>> modules;
  // The statistics tree keeps the order of declaration; the groups exist beforehand so that only values can
  // differ.
  for (unsigned p = 0; p < scenario.partitions; ++p) {
    base::StatGroup& group = stats.child("partition" + std::to_string(p));
    group.child("l2");
    group.child("dram");
    modules.emplace_back([&, p] {
      partitions[p] = std::make_unique<memory::MemoryPartition>(("partition" + std::to_string(p)).c_str(),
                                                                config.l2, map, *l2_clock, progress, group);
    });
    modules.emplace_back([&, p] {
      drams[p] = std::make_unique<memory::DramChannel>(("dram" + std::to_string(p)).c_str(), config.dram,
                                                       *dram_clock, group.child("dram"));
    });
    modules.emplace_back([&, p] {
      checkers[p] = std::make_unique<ProtocolChecker<>>(("checker" + std::to_string(p)).c_str());
    });
  }
  modules.emplace_back([&] {
    crossbar =
        std::make_unique<memory::Crossbar>("crossbar", scenario.cores, scenario.partitions, config.crossbar,
                                           map, *crossbar_clock, stats.child("crossbar"));
  });
  for (unsigned c = 0; c < scenario.cores; ++c)
    modules.emplace_back([&, c] {
      TrafficConfig traffic;
      traffic.seed = scenario.seed * 1000 + c;
      traffic.requests = 2500;
      traffic.base = kPrivate + std::uint64_t{128} * kLines * c;
      traffic.lines = kLines;
      traffic.shared = kShared;
      traffic.use_shared = true;
      traffic.idle_every = 700;
      cores[c] = std::make_unique<TrafficCore>(("core" + std::to_string(c)).c_str(), traffic, *core_clock);
    });

  if (scenario.shuffle != 0) {
    std::mt19937_64 random(scenario.shuffle);
    std::shuffle(domains.begin(), domains.end(), random);
    std::shuffle(modules.begin(), modules.end(), random);
  }
  for (const auto& make : domains) make();
  for (const auto& make : modules) make();
  for (unsigned c = 0; c < scenario.cores; ++c) cores[c]->isock.bind(crossbar->core_tsock[c]);
  for (unsigned p = 0; p < scenario.partitions; ++p) {
    crossbar->partition_isock[p].bind(partitions[p]->crossbar_tsock);
    partitions[p]->dram_isock.bind(checkers[p]->tsock);
    checkers[p]->isock.bind(drams[p]->dram_tsock);
  }

  Json errors = Json::array();
  // Images are loaded before time starts.
  const std::vector<unsigned char> image(1000, 0x5a);
  if (crossbar->debug_write(kShared + 0x1000 - 500, image.data(), image.size()) != image.size())
    errors.push_back("debug write refused");

  const auto done = [&] {
    return std::all_of(cores.begin(), cores.end(), [](const auto& core) { return core->done(); });
  };
  for (int i = 0; i < 4000 && !done(); ++i) sc_core::sc_start(1, sc_core::SC_US);
  if (!done()) errors.push_back("not everything came back");

  std::array<std::uint32_t, 32> counters{};
  std::array<std::uint64_t, 32> sums{};
  crossbar->debug_read(kShared, reinterpret_cast<unsigned char*>(counters.data()), sizeof counters);
  Json fingerprints = Json::array();
  for (unsigned c = 0; c < scenario.cores; ++c) {
    for (const std::string& e : cores[c]->errors()) errors.push_back(e);
    for (unsigned i = 0; i < 32; ++i) sums[i] += cores[c]->shared_adds(i);
    fingerprints.push_back(cores[c]->fingerprint());
    std::vector<unsigned char> got(kLines * 128ull), want(kLines * 128ull);
    const std::uint64_t base = kPrivate + c * got.size();
    if (crossbar->debug_read(base, got.data(), got.size()) != got.size())
      errors.push_back("debug read refused");
    cores[c]->reference().read(base, want.data(), want.size());
    if (got != want) errors.push_back("wrong final memory of core " + std::to_string(c));
  }
  for (unsigned i = 0; i < 32; ++i)
    if (counters[i] != static_cast<std::uint32_t>(sums[i])) errors.push_back("lost an atomic addition");
  std::vector<unsigned char> back(image.size());
  crossbar->debug_read(kShared + 0x1000 - 500, back.data(), back.size());
  if (back != image) errors.push_back("the image did not stay");

  // A large copy goes past the partitions where L2 has no line; small ones ask L2 for each.
  std::vector<unsigned char> large(64 * 1024 + 3), read(large.size());
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<unsigned char>(i * 7 + i / 256);
  for (const std::uint64_t at : {kPrivate + 12, kShared + 0x10'0005, kPrivate + 12}) {
    crossbar->debug_write(at, large.data(), large.size());
    for (std::size_t i = 0; i < read.size(); ++i) crossbar->debug_read(at + i, &read[i], 1);
    if (read != large) errors.push_back("a large write is not what small reads see");
    for (std::size_t i = 0; i < large.size(); i += 100) {
      large[i] ^= 0x55;
      crossbar->debug_write(at + i, &large[i], 1);
    }
    crossbar->debug_read(at, read.data(), read.size());
    if (read != large) errors.push_back("a large read does not see small writes");
  }

  for (int i = 0; i < 100; ++i) sc_core::sc_start(1, sc_core::SC_US);
  bool idle = crossbar->idle();
  for (unsigned p = 0; p < scenario.partitions; ++p) {
    idle = idle && partitions[p]->idle() && drams[p]->idle();
    for (const std::string& e : checkers[p]->errors()) errors.push_back(e);
  }
  if (!idle) errors.push_back("not idle at the end");
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(1, sc_core::SC_MS);
  if (sc_core::sc_delta_count() > deltas + 1) errors.push_back("idle modules are being run");
  return {{"errors", errors},
          {"fingerprints", fingerprints},
          {"changes", progress.changes()},
          {"stats", stats.to_json()}};
}

TEST(MemorySystem, CarriesRandomTrafficOfSeveralCoresToTheRightValues) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Json result =
        isolated([&] { return simulate({.seed = seed, .cores = 3 + static_cast<unsigned>(seed)}); });
    EXPECT_EQ(result["errors"], Json::array()) << "seed " << seed;
  }
}

TEST(MemorySystem, OrderOfConstructionDoesNotMatter) {
  // All edges coincide, cores at twice the rate, and clocks without a common period.
  const double clocks[][4] = {{700, 700, 700, 700}, {1400, 700, 700, 924}, {1401, 650, 700, 800}};
  for (const auto& mhz : clocks) {
    Scenario scenario{.seed = 11,
                      .cluster_cores = mhz[0] == 700 ? 3u : 1u,
                      .core_mhz = mhz[0],
                      .crossbar_mhz = mhz[1],
                      .l2_mhz = mhz[2],
                      .dram_mhz = mhz[3]};
    const Json natural = isolated([&] { return simulate(scenario); });
    ASSERT_EQ(natural["errors"], Json::array());
    EXPECT_GT(natural["changes"], 1000u);
    for (scenario.shuffle = 1; scenario.shuffle <= 6; ++scenario.shuffle)
      EXPECT_EQ(isolated([&] { return simulate(scenario); }), natural) << "shuffle " << scenario.shuffle;
  }
}

TEST(MemorySystem, DifferentTrafficGivesDifferentFingerprints) {
  const Json a = isolated([] { return simulate({.seed = 1}); });
  const Json b = isolated([] { return simulate({.seed = 2}); });
  EXPECT_NE(a["fingerprints"], b["fingerprints"]);
}

}  // namespace
}  // namespace heddle::tb::memory_system_bench
