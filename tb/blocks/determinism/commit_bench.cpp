// Deterministic commits: cores, crossbar, Z-buffer units between protocol checkers, partitions and DRAM, with random
// stalls everywhere; both commit engines.
#include <gtest/gtest.h>

#include <functional>

#include "blocks/determinism/commit_core.h"
#include "blocks/isolated.h"
#include "blocks/protocol_checker.h"
#include "determinism/z_buffer_unit.h"
#include "memory/crossbar.h"
#include "memory/dram_channel.h"
#include "memory/partition.h"

namespace heddle::tb::commit_bench {
namespace {

using Json = nlohmann::ordered_json;
using Checker = ProtocolChecker<sim::MemoryProtocol>;
using determinism::CommitEngineKind;
using determinism::ZBufferConfig;
using determinism::ZBufferUnit;

struct Scenario {
  std::uint64_t seed = 1;     ///< of logs
  std::uint64_t delays = 1;   ///< of stalls
  std::uint64_t shuffle = 0;  ///< seed of the order of construction; 0: natural
  bool keep_awake = false;
  CommitEngineKind engine = CommitEngineKind::kZBuffer;
  unsigned cores = 3;
  unsigned partitions = 2;
  bool full_depth_packet = false;
  std::uint32_t l2_queue = 2;
  std::uint32_t latency_cycles = 1;
  std::uint32_t retry_cycles = 3;
  double core_mhz = 1400, crossbar_mhz = 700, unit_mhz = 650, l2_mhz = 700;
};

/// The sequencer's side of a unit.
class Control : public sc_core::sc_module {
 public:
  explicit Control(const sc_core::sc_module_name& name) : sc_module(name) {}
  sim::BlockInitiator<determinism::ZControlProtocol> control_isock{"control_isock"};
  bool call(determinism::ZControlRequest::Op op) {
    determinism::ZControlRequest request{.op = op};
    control_isock.call(request);
    return request.idle;
  }
};

constexpr std::uint64_t kHot = 0x1000'0000;
constexpr std::uint64_t kOwn = 0x2000'0000;
constexpr std::uint32_t kWaves = 4;
constexpr unsigned kCommits = 20;

class System {
 public:
  explicit System(const Scenario& scenario)
      : what_(scenario),
        random_(scenario.seed),
        map_(scenario.partitions, 256),
        core_clock_(clocks_, "core_clk", scenario.core_mhz, sim::ClockRank::kCore),
        crossbar_clock_(clocks_, "icnt_clk", scenario.crossbar_mhz, sim::ClockRank::kInterconnect),
        unit_clock_(std::make_shared<sim::ClockDomain>(clocks_, "unit_clk", scenario.unit_mhz,
                                                       sim::ClockRank::kPartitionUnit)),
        l2_clock_(clocks_, "l2_clk", scenario.l2_mhz, sim::ClockRank::kL2),
        dram_clock_(clocks_, "dram_clk", 924, sim::ClockRank::kDram),
        system_clock_(clocks_, "system_clk", scenario.core_mhz, sim::ClockRank::kSystem),
        sequencer_(system_clock_, sim::on_tick<&System::sequence>(this)) {
    z_buffer_.request_entries = 4;
    z_buffer_.comparator_entries = 2;
    z_buffer_.cache_kib = 1;
    z_buffer_.cache_ways = 2;
    z_buffer_.l2_queue = scenario.l2_queue;
    z_buffer_.latency_cycles = scenario.latency_cycles;
    z_buffer_.full_depth_packet = scenario.full_depth_packet;
    l2_.size_kib = 4;
    l2_.latency_cycles = 20;
    l2_.request_queue = 1 + scenario.delays % 3;
    l2_.response_queue = 2;
    network_.input_queue_packets = 3;
    network_.output_queue_packets = 4;
    for (unsigned i = 0; i < 12; ++i) chunks_.push_back(kHot + std::uint64_t{128} * (i < 8 ? 8 * i : i));
    make_commits();
    build();
    if (scenario.engine == CommitEngineKind::kZBuffer) crossbar_->declare_messages();
  }

  Json run() {
    sequencer_.wake();
    if (what_.keep_awake) clocks_.keep_awake();
    for (int i = 0; i < 4000 && !commits_.done(); ++i) {
      sc_core::sc_start(100, sc_core::SC_NS);
      if (commits_.halted && !commits_.done()) reset();
    }
    if (!commits_.done()) errors_.push_back("stuck in commit " + std::to_string(commits_.current));
    sc_core::sc_start(100, sc_core::SC_US);
    Json fingerprints = Json::array(), cores = Json::array();
    for (const auto& core : cores_) {
      for (const std::string& e : core->errors()) errors_.push_back(e);
      if (!core->idle()) errors_.push_back("transactions never released");
      fingerprints.push_back(core->fingerprint());
      cores.push_back(core->stats().to_json());
    }
    std::uint64_t late_ends = 0;
    for (const auto& checker : checkers_) {
      late_ends += checker->late_ends();
      for (const std::string& e : checker->errors()) errors_.push_back(e);
      if (checker->outstanding() != 0) errors_.push_back("transactions left in a checker");
    }
    for (const auto& unit : units_)
      if (unit != nullptr && !unit->idle()) errors_.push_back("a unit does not come to rest");
    Json memory = Json::array();
    for (const std::uint64_t chunk : chunks_) {
      ChunkData data{};
      crossbar_->debug_read(chunk, reinterpret_cast<unsigned char*>(data.data()), data.size());
      if (data != commits_.all.back().expected.colors[chunk]) errors_.push_back("wrong final memory");
      for (const std::byte b : data) memory.push_back(std::to_integer<unsigned>(b));
    }
    const auto deltas = sc_core::sc_delta_count();
    sc_core::sc_start(10, sc_core::SC_US);
    if (sc_core::sc_delta_count() > deltas + 1 && !what_.keep_awake)
      errors_.push_back("idle modules are being run");
    return {{"errors", errors_},      {"memory", memory}, {"fingerprints", fingerprints},
            {"late_ends", late_ends}, {"cores", cores},   {"stats", stats_.to_json()}};
  }

 private:
  unsigned upto(unsigned most) { return static_cast<unsigned>(random_() % (most + 1)); }

  /// Quanta count to a number at which they overflow twice.
  void make_commits() {
    const determinism::DepthFormat format(determinism::wavefront_bits(what_.cores * kWaves),
                                          determinism::wavefront_bits(what_.cores * kWaves) + 4);
    Memory memory;
    std::uint32_t quantum = 0;
    for (unsigned n = 0; n < kCommits; ++n) {
      Commit commit;
      commit.logs.resize(std::size_t{what_.cores} * kWaves);
      for (std::uint32_t wave = 0; wave < commit.logs.size(); ++wave)
        for (unsigned left = upto(6); left != 0; --left) {
          LogEntry entry{
              wave, color_update(chunks_[upto(2) == 0 ? upto(11) : upto(2)], format.depth(wave, quantum))};
          for (unsigned k = 0; k <= upto(2); ++k)
            set_word(entry.update, upto(3) * (upto(1) == 0 ? 1 : 9), static_cast<std::uint32_t>(random_()));
          commit.logs[wave].push_back(entry);
        }
      fold(memory, commit.logs);
      commit.expected = memory;
      commits_.all.push_back(std::move(commit));
      if (quantum++ != format.last_quantum()) continue;
      quantum = 0;
      memory.depths.clear();
      commits_.resets.push_back(n);
    }
  }

  void build() {
    cores_.resize(what_.cores);
    partitions_.resize(what_.partitions);
    drams_.resize(what_.partitions);
    units_.resize(what_.partitions);
    checkers_.resize(2 * std::size_t{what_.partitions});
    const bool with_units = what_.engine == CommitEngineKind::kZBuffer;
    stats_.child("crossbar");
    std::vector<std::function<void()>> modules;
    for (unsigned p = 0; p < what_.partitions; ++p) {
      const std::string number = std::to_string(p);
      base::StatGroup& group = stats_.child("partition" + number);
      group.child("l2");
      group.child("dram");
      if (with_units) group.child("unit");
      modules.emplace_back([this, p, number, &group] {
        partitions_[p] = std::make_unique<memory::MemoryPartition>(("partition" + number).c_str(), l2_, map_,
                                                                   l2_clock_, progress_, group);
      });
      modules.emplace_back([this, p, number, &group] {
        drams_[p] = std::make_unique<memory::DramChannel>(("dram" + number).c_str(), memory::DramConfig{},
                                                          dram_clock_, group.child("dram"));
      });
      if (with_units)
        modules.emplace_back([this, p, number, &group] {
          units_[p] = std::make_unique<ZBufferUnit>(
              ("unit" + number).c_str(), z_buffer_,
              memory::PartitionUnitSite{base::PartitionId{p}, map_, *unit_clock_, group.child("unit")},
              unit_clock_);
        });
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
        CommitCoreConfig config;
        config.seed = what_.delays * 1000 + c;
        config.core = c;
        config.waves = kWaves;
        config.chunks = chunks_;
        config.own = kOwn + std::uint64_t{4096} * c;
        config.stall_percent = static_cast<unsigned>(what_.delays * 17 % 60);
        cores_[c] = std::make_unique<CommitCore>(
            ("core" + std::to_string(c)).c_str(), config, commits_, what_.engine, z_buffer_,
            determinism::LockCommitConfig{what_.retry_cycles}, map_, core_clock_);
      });
    if (what_.shuffle != 0) {
      std::mt19937_64 order(what_.shuffle);
      std::shuffle(modules.begin(), modules.end(), order);
    }
    for (const auto& make : modules) make();
    for (unsigned c = 0; c < what_.cores; ++c) cores_[c]->memory_isock().bind(crossbar_->core_tsock[c]);
    for (unsigned p = 0; p < what_.partitions; ++p) wire(p);
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
      controls_.push_back(std::make_unique<Control>(("control" + std::to_string(p)).c_str()));
      controls_.back()->control_isock.bind(units_[p]->control_tsock);
    }
    behind.isock.bind(partitions_[p]->crossbar_tsock);
    partitions_[p]->dram_isock.bind(drams_[p]->dram_tsock);
  }

  void sequence() {
    if (!commits_.halted &&
        std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->waits(); }))
      commits_.next();
    commits_.done() ? sequencer_.park() : sequencer_.again();
  }

  /// Quantum number overflow: depths are reset when everything is at rest, and the cores wait.
  void reset() {
    using Op = determinism::ZControlRequest::Op;
    const auto all_idle = [this] {
      return std::all_of(controls_.begin(), controls_.end(),
                         [](const auto& control) { return control->call(Op::kIdle); });
    };
    const auto wait_for = [this](const std::function<bool()>& condition) {
      for (int i = 0; i < 1000 && !condition(); ++i) sc_core::sc_start(100, sc_core::SC_NS);
      if (!condition()) errors_.push_back("the reset of depths does not end");
    };
    for (const auto& control : controls_) control->call(Op::kResetDepths);
    wait_for(all_idle);
    for (const auto& core : cores_) core->reset_depths();
    wait_for([this] {
      return std::all_of(cores_.begin(), cores_.end(), [](const auto& c) { return c->reset_done(); });
    });
    commits_.halted = false;
  }

  Scenario what_;
  std::mt19937_64 random_;
  memory::AddressMap map_;
  ZBufferConfig z_buffer_;
  memory::L2Config l2_;
  memory::CrossbarConfig network_;
  base::StatGroup stats_{"gpu"};
  sim::ProgressMonitor progress_;
  sim::ClockManager clocks_{"clocks"};
  sim::ClockDomain core_clock_, crossbar_clock_;
  determinism::ZBufferClock unit_clock_;
  sim::ClockDomain l2_clock_, dram_clock_, system_clock_;
  sim::ClockMember sequencer_;
  std::vector<std::uint64_t> chunks_;
  Commits commits_;
  std::unique_ptr<memory::Crossbar> crossbar_;
  std::vector<std::unique_ptr<CommitCore>> cores_;
  std::vector<std::unique_ptr<memory::MemoryPartition>> partitions_;
  std::vector<std::unique_ptr<memory::DramChannel>> drams_;
  std::vector<std::unique_ptr<ZBufferUnit>> units_;
  std::vector<std::unique_ptr<Control>> controls_;
  std::vector<std::unique_ptr<Checker>> checkers_;  ///< before and after each unit
  Json errors_ = Json::array();
};

Json simulate(const Scenario& scenario) {
  return isolated([&] { return System(scenario).run(); });
}

/// Of all counters of that name.
std::uint64_t sum(const Json& group, const std::string& name) {
  std::uint64_t total = 0;
  for (const auto& [key, value] : group.items()) {
    if (value.is_object()) total += sum(value, name);
    if (key == name && value.is_number()) total += value.get<std::uint64_t>();
  }
  return total;
}
/// The statistics of the units.
Json units(const Json& result) {
  Json groups;
  for (const auto& [name, group] : result["stats"].items())
    if (group.contains("unit")) groups[name] = group["unit"];
  return groups;
}

TEST(Commits, MemoryIsTheFoldOfTheLogsWhateverTheStalls) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Json result = simulate({.seed = seed, .delays = seed, .unit_mhz = seed % 2 == 0 ? 700. : 650.});
    ASSERT_EQ(result["errors"], Json::array()) << "seed " << seed;
    EXPECT_GT(result["late_ends"], 100u) << "no back-pressure";
    const Json unit = units(result);
    const std::uint64_t updates = sum(unit, "color_updates");
    EXPECT_GT(updates, 300u);
    EXPECT_EQ(sum(result["cores"], "entries"), updates);
    EXPECT_EQ(sum(result["cores"], "acks"), updates);
    EXPECT_EQ(sum(unit, "acks"), updates);
    EXPECT_EQ(sum(unit, "hits") + sum(unit, "misses"), updates);
    EXPECT_EQ(sum(unit, "color_writes") + sum(unit, "losers"), updates);
    for (const char* name : {"blocked", "write_backs", "losers", "full_cycles", "set_full", "depth_resets"})
      EXPECT_GT(sum(unit, name), 0u) << name;
  }
}

TEST(Commits, G17LocksLeaveTheSameMemory) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Json z_buffer = simulate({.seed = seed, .delays = seed});
    ASSERT_EQ(z_buffer["errors"], Json::array()) << "seed " << seed;
    for (std::uint64_t delays = 1; delays <= 2; ++delays) {
      const Json lock =
          simulate({.seed = seed, .delays = 10 * seed + delays, .engine = CommitEngineKind::kLock});
      ASSERT_EQ(lock["errors"], Json::array()) << "seed " << seed;
      EXPECT_EQ(lock["memory"], z_buffer["memory"]);
      EXPECT_EQ(sum(lock["cores"], "acks"), sum(z_buffer["cores"], "acks"));
      EXPECT_GT(sum(lock["cores"], "lock_failures"), 50u) << "nobody met at a lock";
      EXPECT_GT(sum(lock["cores"], "losers"), 0u);
    }
  }
}

TEST(Commits, LocksAreTriedAgainAfterAWhile) {
  const auto failures = [](std::uint32_t retry_cycles) {
    const Json result = simulate({.engine = CommitEngineKind::kLock, .retry_cycles = retry_cycles});
    EXPECT_EQ(result["errors"], Json::array());
    return sum(result["cores"], "lock_failures");
  };
  EXPECT_GT(failures(0), 2 * failures(1000));
}

TEST(Commits, OrderOfConstructionDoesNotMatter) {
  for (const CommitEngineKind engine : {CommitEngineKind::kZBuffer, CommitEngineKind::kLock}) {
    Scenario scenario{.seed = 3, .delays = 5, .engine = engine};
    if (engine == CommitEngineKind::kZBuffer)
      scenario.core_mhz = scenario.unit_mhz = 700;  // coinciding edges
    const Json natural = simulate(scenario);
    ASSERT_EQ(natural["errors"], Json::array());
    for (scenario.shuffle = 1; scenario.shuffle <= 3; ++scenario.shuffle)
      EXPECT_EQ(Json::diff(simulate(scenario), natural), Json::array()) << "shuffle " << scenario.shuffle;
  }
}

TEST(Commits, SleepChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Scenario scenario{.seed = seed, .delays = seed, .latency_cycles = 7};
    const Json asleep = simulate(scenario);
    scenario.keep_awake = true;
    ASSERT_EQ(asleep["errors"], Json::array());
    EXPECT_EQ(Json::diff(simulate(scenario), asleep), Json::array());
  }
}

TEST(Commits, PacketsWithADepthPerWordAreLonger) {
  const Json single = simulate({.seed = 2, .delays = 2});
  const Json full = simulate({.seed = 2, .delays = 2, .full_depth_packet = true});
  ASSERT_EQ(full["errors"], Json::array());
  EXPECT_EQ(full["memory"], single["memory"]);
  const std::uint64_t updates = sum(full["stats"], "color_updates");
  EXPECT_EQ(sum(single["stats"], "color_updates"), updates);
  // Flits of 64 bytes: 3 for 160 bytes, 5 for 284; the answers are one each.
  EXPECT_EQ(sum(single["stats"]["crossbar"], "message_flits"), (3 + 1) * updates);
  EXPECT_EQ(sum(full["stats"]["crossbar"], "message_flits"), (5 + 1) * updates);
}

// A slow L2 behind a long queue: what would be acknowledged too early is long on its way.
TEST(Commits, ASlowL2HoldsAcknowledgementsUp) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    EXPECT_EQ(simulate({.seed = seed, .delays = seed, .l2_queue = 8, .l2_mhz = 100})["errors"], Json::array())
        << "seed " << seed;
}

}  // namespace
}  // namespace heddle::tb::commit_bench
