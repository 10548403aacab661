// Partition units between crossbar and partitions: messages and ordinary traffic with random stalls on both sides.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "blocks/isolated.h"
#include "blocks/memory/random_unit.h"
#include "blocks/memory/traffic_core.h"
#include "blocks/protocol_checker.h"
#include "memory/crossbar.h"
#include "memory/dram_channel.h"
#include "memory/partition.h"

namespace heddle::tb::partition_unit_bench {
namespace {

using Json = nlohmann::ordered_json;
using Checker = ProtocolChecker<sim::MemoryProtocol>;

enum class Units { kNone, kPlain, kRandom };

struct Scenario {
  std::uint64_t seed = 1;
  std::uint64_t shuffle = 0;  ///< seed of the order of construction; 0: natural
  unsigned cores = 4;
  unsigned partitions = 3;
  Units units = Units::kRandom;
  unsigned message_percent = 25;
  double core_mhz = 1400, crossbar_mhz = 700, unit_mhz = 650, l2_mhz = 700;
};

constexpr std::uint64_t kPrivate = 0x1000'0000;
constexpr std::uint64_t kShared = 0x2000'0000;
constexpr unsigned kLines = 48;

/// Crossbar, a unit between two checkers, partition, DRAM.
class System {
 public:
  explicit System(const Scenario& scenario)
      : what_(scenario),
        map_(scenario.partitions, 256),
        core_clock_(clocks_, "core_clk", scenario.core_mhz, sim::ClockRank::kCore),
        crossbar_clock_(clocks_, "icnt_clk", scenario.crossbar_mhz, sim::ClockRank::kInterconnect),
        unit_clock_(clocks_, "unit_clk", scenario.unit_mhz, sim::ClockRank::kPartitionUnit),
        l2_clock_(clocks_, "l2_clk", scenario.l2_mhz, sim::ClockRank::kL2),
        dram_clock_(clocks_, "dram_clk", 924, sim::ClockRank::kDram) {
    l2_.size_kib = 4;
    l2_.latency_cycles = 20;
    l2_.request_queue = 1 + scenario.seed % 3;
    l2_.response_queue = 2;
    network_.input_queue_packets = 3;
    network_.output_queue_packets = 4;
    network_.cluster_cores = 1 + scenario.seed % 2;
    cores_.resize(scenario.cores);
    partitions_.resize(scenario.partitions);
    drams_.resize(scenario.partitions);
    units_.resize(scenario.partitions);
    checkers_.resize(2 * std::size_t{scenario.partitions});
    stats_.child("crossbar");
    build();
    for (unsigned c = 0; c < scenario.cores; ++c) cores_[c]->isock.bind(crossbar_->core_tsock[c]);
    for (unsigned p = 0; p < scenario.partitions; ++p) wire(p);
    if (scenario.units == Units::kRandom) crossbar_->declare_messages();
  }

  Json run() {
    const auto done = [this] {
      return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->done(); });
    };
    for (int i = 0; i < 6000 && !done(); ++i) sc_core::sc_start(1, sc_core::SC_US);
    if (!done()) errors_.push_back("not everything came back");
    for (int i = 0; i < 200; ++i) sc_core::sc_start(1, sc_core::SC_US);
    Json fingerprints = Json::array();
    std::uint64_t messages = 0, answers = 0, posted = 0;
    for (unsigned c = 0; c < what_.cores; ++c) {
      for (const std::string& e : cores_[c]->errors()) errors_.push_back(e);
      fingerprints.push_back(cores_[c]->fingerprint());
      messages += cores_[c]->messages();
      answers += cores_[c]->answers();
      posted += cores_[c]->posted_total();
      if (cores_[c]->pool().in_use() != 0) errors_.push_back("transactions never released");
      compare_memory(c);
    }
    std::uint64_t late_before = 0, late_behind = 0, total = 0;
    for (unsigned p = 0; p < what_.partitions; ++p) {
      late_before += checkers_[2 * p]->late_ends();
      late_behind += checkers_[2 * p + 1]->late_ends();
      if (units_[p] != nullptr && !units_[p]->idle()) errors_.push_back("a unit does not come to rest");
      if (auto* unit = dynamic_cast<RandomUnit*>(units_[p].get())) {
        total += unit->total();
        for (const std::string& e : unit->errors()) errors_.push_back(e);
      }
    }
    for (const auto& checker : checkers_) {
      for (const std::string& e : checker->errors()) errors_.push_back(e);
      if (checker->outstanding() != 0) errors_.push_back("transactions left in a checker");
    }
    if (total != posted) errors_.push_back("posted messages were lost");
    const auto deltas = sc_core::sc_delta_count();
    sc_core::sc_start(10, sc_core::SC_US);
    if (sc_core::sc_delta_count() > deltas + 1) errors_.push_back("idle modules are being run");
    return {{"errors", errors_},        {"fingerprints", fingerprints}, {"messages", messages},
            {"answers", answers},       {"late_before", late_before},   {"late_behind", late_behind},
            {"stats", stats_.to_json()}};
  }

 private:
  void build() {
    std::vector<std::function<void()>> modules;
    for (unsigned p = 0; p < what_.partitions; ++p) {
      const std::string number = std::to_string(p);
      base::StatGroup& group = stats_.child("partition" + number);
      group.child("l2");
      group.child("dram");
      base::StatGroup& unit_group = what_.units == Units::kNone ? spare_ : group.child("unit");
      modules.emplace_back([this, p, number, &group] {
        partitions_[p] = std::make_unique<memory::MemoryPartition>(("partition" + number).c_str(), l2_, map_,
                                                                   l2_clock_, progress_, group);
      });
      modules.emplace_back([this, p, number, &group] {
        drams_[p] = std::make_unique<memory::DramChannel>(("dram" + number).c_str(), memory::DramConfig{},
                                                          dram_clock_, group.child("dram"));
      });
      modules.emplace_back([this, p, number, &unit_group] { make_unit(p, "unit" + number, unit_group); });
      for (unsigned side = 0; side < 2; ++side)
        modules.emplace_back([this, p, side, number] {
          checkers_[2 * p + side] =
              std::make_unique<Checker>(("checker" + number + "_" + std::to_string(side)).c_str());
        });
    }
    modules.emplace_back([this] {
      crossbar_ = std::make_unique<memory::Crossbar>("crossbar", what_.cores, what_.partitions, network_,
                                                     map_, crossbar_clock_, stats_.child("crossbar"));
    });
    for (unsigned c = 0; c < what_.cores; ++c)
      modules.emplace_back([this, c] {
        TrafficConfig traffic;
        traffic.seed = what_.seed * 1000 + c;
        traffic.requests = 1500;
        traffic.base = kPrivate + std::uint64_t{128} * kLines * c;
        traffic.lines = kLines;
        traffic.shared = kShared;
        traffic.use_shared = true;
        traffic.partial_reads = true;
        traffic.idle_every = 700;
        traffic.message_percent = what_.units == Units::kRandom ? what_.message_percent : 0;
        traffic.partitions = what_.partitions;
        traffic.map = &map_;
        cores_[c] = std::make_unique<TrafficCore>(("core" + std::to_string(c)).c_str(), traffic, core_clock_);
      });
    if (what_.shuffle != 0) {
      std::mt19937_64 random(what_.shuffle);
      std::shuffle(modules.begin(), modules.end(), random);
    }
    for (const auto& make : modules) make();
  }

  void make_unit(unsigned p, const std::string& name, base::StatGroup& group) {
    const memory::PartitionUnitSite site{base::PartitionId{p}, map_, unit_clock_, group};
    if (what_.units == Units::kPlain) units_[p] = std::make_unique<PlainUnit>(name.c_str(), site);
    RandomUnitConfig config{.seed = what_.seed, .check_tags = true};
    config.queues = {.requests = 1 + static_cast<std::uint32_t>(what_.seed) % 3,
                     .l2 = 1 + static_cast<std::uint32_t>(what_.seed) % 2,
                     .responses = 1,
                     .answers = 1};
    if (what_.units == Units::kRandom) units_[p] = std::make_unique<RandomUnit>(name.c_str(), config, site);
  }

  void wire(unsigned p) {
    Checker& before = *checkers_[2 * p];
    Checker& behind = *checkers_[2 * p + 1];
    crossbar_->partition_isock[p].bind(before.tsock);
    if (units_[p] == nullptr) {
      before.isock.bind(behind.tsock);
    } else {
      before.isock.bind(units_[p]->crossbar_tsock);
      units_[p]->l2_isock.bind(behind.tsock);
    }
    behind.isock.bind(partitions_[p]->crossbar_tsock);
    partitions_[p]->dram_isock.bind(drams_[p]->dram_tsock);
  }

  void compare_memory(unsigned c) {
    std::vector<unsigned char> got(kLines * 128ull), want(kLines * 128ull);
    const std::uint64_t base = kPrivate + c * got.size();
    if (crossbar_->debug_read(base, got.data(), got.size()) != got.size())
      errors_.push_back("debug read refused");
    cores_[c]->reference().read(base, want.data(), want.size());
    if (got != want) errors_.push_back("wrong final memory of core " + std::to_string(c));
  }

  Scenario what_;
  memory::AddressMap map_;
  memory::L2Config l2_;
  memory::CrossbarConfig network_;
  base::StatGroup stats_{"gpu"};
  base::StatGroup spare_{"spare"};
  sim::ProgressMonitor progress_;
  sim::ClockManager clocks_{"clocks"};
  sim::ClockDomain core_clock_, crossbar_clock_, unit_clock_, l2_clock_, dram_clock_;
  std::unique_ptr<memory::Crossbar> crossbar_;
  std::vector<std::unique_ptr<TrafficCore>> cores_;
  std::vector<std::unique_ptr<memory::MemoryPartition>> partitions_;
  std::vector<std::unique_ptr<memory::DramChannel>> drams_;
  std::vector<std::unique_ptr<memory::PartitionUnit>> units_;
  std::vector<std::unique_ptr<Checker>> checkers_;  ///< before and after each unit
  Json errors_ = Json::array();
};

Json simulate(const Scenario& scenario) {
  return isolated([&] { return System(scenario).run(); });
}

/// The result without statistics that only a system with units has.
Json without_units(Json result) {
  for (auto& [name, group] : result["stats"].items()) group.erase("unit");
  return {{"fingerprints", result["fingerprints"]}, {"stats", result["stats"]}};
}

TEST(PartitionUnits, MessagesAndRequestsFindTheMemoryThatTheirCoreHasSentBefore) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Json result = simulate(
        {.seed = seed, .cores = 3 + static_cast<unsigned>(seed), .unit_mhz = seed % 2 == 0 ? 700. : 650.});
    ASSERT_EQ(result["errors"], Json::array()) << "seed " << seed;
    EXPECT_GT(result["late_before"], 500u) << "no back-pressure towards the crossbar";
    EXPECT_GT(result["late_behind"], 50u) << "no back-pressure towards the L2";
    const Json& crossbar = result["stats"]["crossbar"];
    EXPECT_EQ(crossbar["requests"]["messages"], result["messages"]);
    EXPECT_EQ(crossbar["responses"]["messages"], result["answers"]);
    // Echoes and counts of up to 72 words are up to 10 flits of 64 bytes.
    EXPECT_GT(crossbar["requests"]["message_flits"], 2 * result["messages"].get<std::uint64_t>());
    EXPECT_LT(crossbar["requests"]["message_flits"], crossbar["requests"]["flits"]);
    std::uint64_t taken = 0, passed = 0, own = 0, messages = 0;
    for (unsigned p = 0; p < 3; ++p) {
      const Json& unit = result["stats"]["partition" + std::to_string(p)]["unit"];
      taken += unit["requests"]["taken"].get<std::uint64_t>();
      passed += unit["requests"]["passed"].get<std::uint64_t>();
      messages += unit["messages"].get<std::uint64_t>();
      for (const auto& [op, count] : unit["l2_requests"].items()) {
        EXPECT_GT(count, 20u) << op;
        own += count.get<std::uint64_t>();
      }
    }
    EXPECT_GT(taken, 500u);
    EXPECT_GT(passed, 250u);
    EXPECT_EQ(messages, result["messages"]);
    EXPECT_EQ(taken + passed + messages, crossbar["requests"]["packets"]);
  }
}

TEST(PartitionUnits, OrderOfConstructionDoesNotMatter) {
  const double clocks[][4] = {{700, 700, 700, 700}, {1401, 650, 700, 800}};
  for (const auto& mhz : clocks) {
    Scenario scenario{
        .seed = 12, .core_mhz = mhz[0], .crossbar_mhz = mhz[1], .unit_mhz = mhz[2], .l2_mhz = mhz[3]};
    const Json natural = simulate(scenario);
    ASSERT_EQ(natural["errors"], Json::array());
    for (scenario.shuffle = 1; scenario.shuffle <= 4; ++scenario.shuffle)
      EXPECT_EQ(simulate(scenario), natural) << "shuffle " << scenario.shuffle;
  }
}

TEST(PartitionUnits, AUnitThatWantsNothingChangesNoCycle) {
  const double clocks[][4] = {{700, 700, 700, 700}, {1400, 700, 650, 700}, {1401, 650, 333, 800}};
  for (const auto& mhz : clocks) {
    Scenario scenario{.seed = 5,
                      .units = Units::kNone,
                      .core_mhz = mhz[0],
                      .crossbar_mhz = mhz[1],
                      .unit_mhz = mhz[2],
                      .l2_mhz = mhz[3]};
    const Json absent = simulate(scenario);
    ASSERT_EQ(absent["errors"], Json::array());
    EXPECT_GT(absent["late_before"], 200u) << "nothing was held up";
    scenario.units = Units::kPlain;
    const Json plain = simulate(scenario);
    ASSERT_EQ(plain["errors"], Json::array());
    EXPECT_EQ(without_units(plain), without_units(absent));
  }
}

}  // namespace
}  // namespace heddle::tb::partition_unit_bench
