// Host time per transaction of the memory side alone: crossbar, L2 slices and DRAM channels of a GTX 480
// under fifteen cores that send line requests as fast as they are accepted.
//
//   memory_speed_bench [REPETITIONS [TRANSACTIONS [PATTERN]]]      PATTERN: part of a name below
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "blocks/isolated.h"
#include "memory/crossbar.h"
#include "memory/dram_channel.h"
#include "memory/partition.h"

namespace heddle::tb {
namespace {

struct Pattern {
  const char* name;
  sim::MemoryOp op;
  unsigned lines;  ///< number of lines that a core cycles through
};
constexpr Pattern kPatterns[] = {{"L2 hits, reads", sim::MemoryOp::kRead, 64},
                                 {"L2 hits, writes", sim::MemoryOp::kWrite, 64},
                                 {"L2 hits, atomics", sim::MemoryOp::kAtomic, 64},
                                 {"DRAM reads", sim::MemoryOp::kRead, 1u << 20},
                                 {"DRAM writes", sim::MemoryOp::kWrite, 1u << 20}};
constexpr unsigned kCores = 15;
constexpr unsigned kOutstanding = 32;

class StreamCore : public sc_core::sc_module, public sim::MemoryInitiatorOwner {
 public:
  sim::MemoryInitiatorSocket isock;

  StreamCore(const sc_core::sc_module_name& name, const Pattern& pattern, std::uint64_t base,
             std::uint64_t count, sim::ClockDomain& clock)
      : sc_module(name),
        isock("isock", this),
        pattern_(pattern),
        base_(base),
        left_(count),
        clock_(clock, sim::on_tick<&StreamCore::tick>(this)) {}
  void start_of_simulation() override { clock_.wake(); }
  [[nodiscard]] bool done() const { return left_ == 0 && outstanding_ == 0; }

  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time&) override {
    clock_.wake();
    if (phase == tlm::END_REQ) {
      waiting_ = false;
      return tlm::TLM_ACCEPTED;
    }
    --outstanding_;
    payload.release();
    return tlm::TLM_COMPLETED;
  }

 private:
  void tick() {
    if (left_ == 0 || waiting_ || outstanding_ == kOutstanding) {
      clock_.park();
      return;
    }
    --left_;
    ++outstanding_;
    sim::MemoryTransaction& t = pool_.allocate(pattern_.op, base_ + std::uint64_t{next_} * 128, 128);
    next_ = (next_ + 1) % pattern_.lines;
    if (pattern_.op == sim::MemoryOp::kWrite) t.enables.fill(0xff);
    if (pattern_.op == sim::MemoryOp::kAtomic) {
      t.extension.atomic_count = 8;
      for (unsigned i = 0; i < 8; ++i)
        t.extension.atomics[i] = {
            .lane = static_cast<std::uint8_t>(i), .offset = static_cast<std::uint8_t>(i * 4), .operand = 1};
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    waiting_ = isock->nb_transport_fw(t, phase, delay) == tlm::TLM_ACCEPTED;
    clock_.again();
  }

  Pattern pattern_;
  std::uint64_t base_;
  std::uint64_t left_;
  sim::ClockMember clock_;
  sim::MemoryPool pool_;
  unsigned next_ = 0;
  unsigned outstanding_ = 0;
  bool waiting_ = false;
};

/// Nanoseconds of CPU time per transaction.
nlohmann::ordered_json measure(const Pattern& pattern, std::uint64_t transactions) {
  const memory::MemoryConfig config;
  const memory::AddressMap map(config.partitions, config.partition_interleave_bytes);
  base::StatGroup stats("gpu");
  sim::ProgressMonitor progress;
  sim::ClockManager clocks("clocks");
  clocks.set_quantum(sc_core::sc_time(100, sc_core::SC_US));
  sim::ClockDomain core_clock(clocks, "core", 1400, sim::ClockRank::kCore);
  sim::ClockDomain crossbar_clock(clocks, "interconnect", 700, sim::ClockRank::kInterconnect);
  sim::ClockDomain l2_clock(clocks, "l2", 700, sim::ClockRank::kL2);
  sim::ClockDomain dram_clock(clocks, "dram", 924, sim::ClockRank::kDram);
  memory::Crossbar crossbar("crossbar", kCores, config.partitions, config.crossbar, map, crossbar_clock,
                            stats.child("crossbar"));
  std::vector<std::unique_ptr<memory::MemoryPartition>> partitions;
  std::vector<std::unique_ptr<memory::DramChannel>> drams;
  for (unsigned p = 0; p < config.partitions; ++p) {
    const std::string number = std::to_string(p);
    base::StatGroup& group = stats.child("partition" + number);
    partitions.push_back(std::make_unique<memory::MemoryPartition>(("partition" + number).c_str(), config.l2,
                                                                   map, l2_clock, progress, group));
    drams.push_back(std::make_unique<memory::DramChannel>(("dram" + number).c_str(), config.dram, dram_clock,
                                                          group.child("dram")));
    crossbar.partition_isock[p].bind(partitions[p]->crossbar_tsock);
    partitions[p]->dram_isock.bind(drams[p]->dram_tsock);
  }
  std::vector<std::unique_ptr<StreamCore>> cores;
  for (unsigned c = 0; c < kCores; ++c) {
    cores.push_back(std::make_unique<StreamCore>(("core" + std::to_string(c)).c_str(), pattern,
                                                 (std::uint64_t{c} << 28) + c * 1280ull,
                                                 transactions / kCores, core_clock));
    cores[c]->isock.bind(crossbar.core_tsock[c]);
  }
  const auto cpu = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const std::uint64_t made = transactions / kCores * kCores;
  const double before = cpu();
  const auto done = [&] {
    return std::all_of(cores.begin(), cores.end(), [](const auto& core) { return core->done(); });
  };
  while (!done()) sc_core::sc_start(100, sc_core::SC_US);
  return {{"ns", (cpu() - before) * 1e9 / static_cast<double>(made)}, {"cycles", core_clock.cycle()}};
}

}  // namespace
}  // namespace heddle::tb

int sc_main(int argc, char** argv) {
  using heddle::tb::isolated, heddle::tb::kPatterns, heddle::tb::measure, heddle::tb::Pattern;
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::uint64_t transactions = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 150'000;
  const std::string wanted = argc > 3 ? argv[3] : "";
  bool good = true;
  for (const Pattern& pattern : kPatterns) {
    if (std::string(pattern.name).find(wanted) == std::string::npos) continue;
    std::vector<double> ns;
    for (int i = 0; i < repetitions; ++i) {
      const auto result = isolated([&] { return measure(pattern, transactions); });
      good = good && !result.contains("errors");
      if (result.contains("errors")) std::printf("%s\n", result.dump().c_str());
      ns.push_back(result.value("ns", 0.0));
    }
    std::sort(ns.begin(), ns.end());
    std::printf("%-18s %6.0f ns per transaction (fastest of %d; median %.0f)\n", pattern.name, ns.front(),
                repetitions, ns[ns.size() / 2]);
  }
  return good ? 0 : 1;
}
