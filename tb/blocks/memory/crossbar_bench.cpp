// The crossbar between stand-ins for cores and partitions.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "blocks/isolated.h"
#include "blocks/memory/fake_partition.h"
#include "blocks/memory/traffic_core.h"
#include "blocks/protocol_checker.h"
#include "memory/crossbar.h"

namespace heddle::tb::crossbar_bench {
namespace {

using Checker = ProtocolChecker<sim::MemoryProtocol>;
using Json = nlohmann::ordered_json;

struct Scenario {
  unsigned cores = 5;
  unsigned partitions = 3;
  memory::CrossbarConfig crossbar;
  TrafficConfig traffic;
  unsigned partition_stall_percent = 30;
  unsigned max_latency = 40;
  double core_mhz = 1400;
  double crossbar_mhz = 700;
};

void append(Json& errors, const std::vector<std::string>& more) {
  for (const std::string& e : more) errors.push_back(e);
}

Json simulate(const Scenario& setup) {
  sim::ClockManager clocks("clocks");
  sim::ClockDomain core_clock(clocks, "core", setup.core_mhz, sim::ClockRank::kCore);
  sim::ClockDomain crossbar_clock(clocks, "interconnect", setup.crossbar_mhz, sim::ClockRank::kInterconnect);
  sim::ClockDomain l2_clock(clocks, "l2", setup.crossbar_mhz, sim::ClockRank::kL2);
  base::StatGroup stats("gpu");
  const memory::AddressMap map(setup.partitions, 256);
  memory::Crossbar crossbar("crossbar", setup.cores, setup.partitions, setup.crossbar, map, crossbar_clock,
                            stats.child("crossbar"));
  std::vector<std::unique_ptr<TrafficCore>> cores;
  std::vector<std::unique_ptr<FakePartition>> partitions;
  std::vector<std::unique_ptr<Checker>> checkers;
  for (unsigned c = 0; c < setup.cores; ++c) {
    TrafficConfig traffic = setup.traffic;
    traffic.seed = setup.traffic.seed * 100 + c;
    traffic.base = setup.traffic.base + std::uint64_t{128} * setup.traffic.lines * c;
    cores.push_back(std::make_unique<TrafficCore>(("core" + std::to_string(c)).c_str(), traffic, core_clock));
    checkers.push_back(std::make_unique<Checker>(("core_checker" + std::to_string(c)).c_str()));
    cores[c]->isock.bind(checkers.back()->tsock);
    checkers.back()->isock.bind(crossbar.core_tsock[c]);
  }
  for (unsigned p = 0; p < setup.partitions; ++p) {
    partitions.push_back(std::make_unique<FakePartition>(
        ("partition" + std::to_string(p)).c_str(), setup.traffic.seed * 100 + 50 + p,
        setup.partition_stall_percent, setup.max_latency, l2_clock));
    checkers.push_back(std::make_unique<Checker>(("partition_checker" + std::to_string(p)).c_str()));
    crossbar.partition_isock[p].bind(checkers.back()->tsock);
    checkers.back()->isock.bind(partitions[p]->tsock);
  }
  const auto all_done = [&] {
    for (const auto& core : cores)
      if (!core->done()) return false;
    for (const auto& partition : partitions)
      if (!partition->idle()) return false;
    return crossbar.idle();
  };
  Json errors = Json::array();
  for (int i = 0; i < 3000 && !all_done(); ++i) sc_core::sc_start(1, sc_core::SC_US);
  if (!all_done()) errors.push_back("not everything came back");

  std::uint64_t late_ends = 0, transactions = 0;
  for (const auto& checker : checkers) {
    append(errors, checker->errors());
    if (checker->outstanding() != 0) errors.push_back("transactions left in a checker");
    late_ends += checker->late_ends();
    transactions += checker->transactions();
  }
  base::Cycle finished = 0;
  for (const auto& core : cores) {
    append(errors, core->errors());
    if (core->pool().in_use() != 0) errors.push_back("transactions never released");
    finished = std::max(finished, core->finished_at());
  }
  // Per pair: requests arrive in the order of their tags, responses in the order the partition sent them.
  std::map<std::uint32_t, std::map<std::uint32_t, unsigned>> partition_of;  // core, tag
  for (unsigned p = 0; p < setup.partitions; ++p) {
    append(errors, partitions[p]->errors());
    std::map<std::uint32_t, std::uint32_t> last;
    for (const auto& [core, tag] : partitions[p]->requests()) {
      if (last.count(core) != 0 && last[core] >= tag) errors.push_back("requests of a pair out of order");
      last[core] = tag;
      partition_of[core][tag] = p;
    }
  }
  for (unsigned c = 0; c < setup.cores; ++c) {
    std::map<unsigned, std::vector<std::uint32_t>> sent, received;
    for (const std::uint32_t tag : cores[c]->response_order())
      received[partition_of[c].at(tag)].push_back(tag);
    for (unsigned p = 0; p < setup.partitions; ++p)
      for (const auto& [core, tag] : partitions[p]->responses())
        if (core == c) sent[p].push_back(tag);
    if (sent != received) errors.push_back("responses of a pair out of order");
  }
  // A parked network costs nothing: time passes without a single delta cycle.
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(1, sc_core::SC_MS);
  if (sc_core::sc_delta_count() > deltas + 1) errors.push_back("idle modules are being run");

  return {{"errors", errors},
          {"late_ends", late_ends},
          {"transactions", transactions},
          {"finished", finished},
          {"stats", stats.to_json()}};
}

TEST(Crossbar, RandomTrafficArrivesCompleteAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Scenario setup;
    setup.traffic.seed = seed;
    setup.cores = seed % 2 == 0 ? 5 : 9;
    setup.partitions = seed % 3 == 0 ? 4 : 3;
    setup.crossbar.input_queue_packets = 1 + seed % 4;
    setup.crossbar.output_queue_packets = 1 + seed % 3;
    setup.core_mhz = seed % 2 == 0 ? 1400 : 700;
    setup.crossbar.cluster_cores = 1 + seed % 3;
    const Json result = isolated([&] { return simulate(setup); });
    EXPECT_EQ(result["errors"], Json::array()) << "seed " << seed;
    if (result["errors"] != Json::array()) continue;
    EXPECT_EQ(result["transactions"], 2u * setup.cores * 1000);
    EXPECT_GT(result["late_ends"], 500u) << "the stalls did not happen";
    EXPECT_EQ(result["stats"]["crossbar"]["requests"]["packets"], setup.cores * 1000u);
    EXPECT_EQ(result["stats"]["crossbar"]["responses"]["packets"], setup.cores * 1000u);
  }
}

/// Full-line writes: a request of 136 bytes is 5 flits, an acknowledgement 1.
Json saturate(unsigned cores, unsigned partitions, std::uint32_t flit_bytes, unsigned cluster_cores = 1) {
  Scenario setup;
  setup.crossbar.cluster_cores = cluster_cores;
  setup.cores = cores;
  setup.partitions = partitions;
  setup.crossbar.flit_bytes = flit_bytes;
  setup.core_mhz = setup.crossbar_mhz;
  setup.partition_stall_percent = 0;
  setup.max_latency = 1;
  setup.traffic.issue_percent = 100;
  setup.traffic.stall_percent = 0;
  setup.traffic.writes_only = true;
  return isolated([&] { return simulate(setup); });
}

TEST(Crossbar, OneInputSendsAtTheConfiguredBandwidth) {
  for (const std::uint32_t flit : {16u, 32u, 64u, 136u}) {
    const Json result = saturate(1, 3, flit);
    ASSERT_EQ(result["errors"], Json::array());
    const std::uint32_t flits = (136 + flit - 1) / flit;
    const double elapsed = result["finished"].get<double>();
    EXPECT_GE(elapsed, 1000 * flits);
    EXPECT_LE(elapsed, 1000 * flits * 1.02 + 40) << flit << "-byte flits";
    EXPECT_EQ(result["stats"]["crossbar"]["requests"]["flits"], 1000 * flits);
  }
}

TEST(Crossbar, OneOutputReceivesAtTheConfiguredBandwidth) {
  const Json result = saturate(4, 1, 32);
  ASSERT_EQ(result["errors"], Json::array());
  EXPECT_GE(result["finished"], 4000 * 5);
  EXPECT_LE(result["finished"], 4000 * 5 * 1.02 + 40);
}

TEST(Crossbar, DisjointPairsDoNotShareBandwidth) {
  // Three inputs over three outputs: random destinations collide at times, but three links carry more than
  // two.
  const Json result = saturate(3, 3, 32);
  ASSERT_EQ(result["errors"], Json::array());
  EXPECT_LT(result["finished"], 3000 * 5 / 2.0);
}

TEST(Crossbar, TheCoresOfAClusterShareTheBandwidthOfOnePort) {
  const Json result = saturate(3, 3, 32, 3);
  ASSERT_EQ(result["errors"], Json::array());
  EXPECT_GE(result["finished"], 3000 * 5);
  EXPECT_LE(result["finished"], 3000 * 5 * 1.02 + 40);
}

}  // namespace
}  // namespace heddle::tb::crossbar_bench
