// Latency of L2 hits and of DRAM accesses with and without a row change: pointer chases that bypass L1,
// compared load by load with the path through the clock domains (memory_path.h).
#include <fmt/format.h>

#include <map>

#include "microbench/links.h"
#include "microbench/memory_path.h"
#include "microbench/pointer_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench::l2_chase {
namespace {

constexpr const char* kLoad = "ld.global.cg.u64";
constexpr std::uint32_t kLoads = 32;

/// Mean latency of a kind of load, measured and expected. A difference in any single load is a failure even
/// if the means agree.
class Mean {
 public:
  void add(const TimedLoad& load, std::uint64_t expected_done) {
    const std::uint64_t expected = expected_done - load.issued;
    ++count_;
    measured_ += load.cycles;
    expected_ += static_cast<double>(expected);
    differing_ += load.cycles != expected;
  }
  void report(Session& session, const std::string& what, const std::string& keys) const {
    session.add({.what = what,
                 .measured = measured_ / count_,
                 .expected = exactly(expected_ / count_),
                 .unit = "core cycles",
                 .keys = keys});
    if (differing_ != 0)
      session.add({.what = what + ": loads that differ",
                   .measured = differing_,
                   .expected = exactly(0),
                   .unit = "loads",
                   .keys = keys});
  }

 private:
  double count_ = 0, measured_ = 0, expected_ = 0, differing_ = 0;
};

constexpr const char* kPathKeys = "clocks.*, memory.crossbar.*, memory.l2.latency_cycles";

void run_l2(Session& session) {
  constexpr std::uint32_t kLines = 16;  // fit into any L2
  const std::uint32_t line = session.config().memory.l2.line_bytes;
  const std::uint64_t buffer = session.device().allocate(std::uint64_t{kLines} * line, "L2 chase");
  const Chain chain = make_chain(session, strided(buffer, kLines, line));
  const MemoryPath path(session.config());
  Mean hits;
  for (const TimedLoad& load : chase_each_load(session, chain, kLoad, kLoads))
    hits.add(load, path.l2_hit(load.issued));
  hits.report(session, "hit", kPathKeys);
}

std::vector<std::vector<std::string>> l2_mutations(const gpu::GpuConfig& config) {
  const memory::MemoryConfig& memory = config.memory;
  return {{fmt::format("memory.l2.latency_cycles={}", memory.l2.latency_cycles + 7)},
          {fmt::format("memory.crossbar.latency_cycles={}", memory.crossbar.latency_cycles + 3)},
          {narrower_responses(config, 4)},
          {fmt::format("clocks.core_mhz={}", config.clocks.core_mhz * 1.5)},
          {fmt::format("clocks.interconnect_mhz={}", config.clocks.interconnect_mhz * 0.7)},
          {fmt::format("clocks.l2_mhz={}", config.clocks.l2_mhz * 0.6)}};
}

/// Addresses in partition 0 whose channel-local address is a multiple of `stride`, relative to a row's start.
std::vector<std::uint64_t> in_one_partition(Session& session, std::uint64_t count, std::uint64_t stride) {
  const memory::MemoryConfig& memory = session.config().memory;
  const memory::AddressMap map = memory.map();
  const std::uint64_t all_banks =
      std::uint64_t{memory.dram.banks} * std::max(memory.dram.row_bytes, memory.dram.bank_interleave_bytes);
  const std::uint64_t bytes = (count * stride + 2 * all_banks) * memory.partitions;
  const std::uint64_t buffer = session.device().allocate(bytes, "DRAM chase");
  const std::uint64_t first = (map.local(buffer) / all_banks + 1) * all_banks;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < count; ++i)
    addresses.push_back(map.global(base::PartitionId{0}, first + i * stride));
  return addresses;
}

/// Chases cold lines and classifies the loads by the state of their bank.
void chase_rows(Session& session, std::uint64_t stride, std::map<RowOutcome, Mean>& means) {
  const std::uint64_t count = std::uint64_t{kChaseRounds} * kLoads + 1;  // each line once
  const Chain chain = make_chain(session, in_one_partition(session, count, stride));
  session.clean_l2();
  MemoryPath path(session.config());
  // The state of a bank before the first load from it is unknown, and so is whether a refresh came before or
  // after that load. The next load synchronises the reference model with it.
  bool in_step = false;
  for (const TimedLoad& load : chase_each_load(session, chain, kLoad, kLoads)) {
    const MemoryPath::Fetched fetched = path.l2_miss(load.issued, load.address);
    if (in_step && fetched.outcome != RowOutcome::kUnknown) means[fetched.outcome].add(load, fetched.done);
    in_step = fetched.outcome != RowOutcome::kUnknown;
  }
}

void run_dram(Session& session) {
  const memory::MemoryConfig& memory = session.config().memory;
  const std::uint64_t row_of_all_banks =
      std::uint64_t{memory.dram.banks} * std::max(memory.dram.row_bytes, memory.dram.bank_interleave_bytes);
  std::map<RowOutcome, Mean> means;
  chase_rows(session, memory.l2.line_bytes, means);
  chase_rows(session, row_of_all_banks, means);
  const std::string keys = std::string(kPathKeys) + ", memory.dram.*";
  means.erase(RowOutcome::kUnknown);
  means[RowOutcome::kHit].report(session, "row hit", keys);
  means[RowOutcome::kConflict].report(session, "row conflict", keys);
  if (means.contains(RowOutcome::kClosed))
    means[RowOutcome::kClosed].report(session, "after a refresh", keys);
}

std::vector<std::vector<std::string>> dram_mutations(const gpu::GpuConfig& config) {
  const memory::DramConfig& dram = config.memory.dram;
  return {{fmt::format("memory.dram.tCL={}", dram.t_cl + 8)},
          {fmt::format("memory.dram.tRCD={}", dram.t_rcd + 9)},
          {fmt::format("memory.dram.tRP={}", dram.t_rp + 10)},
          {fmt::format("memory.dram.latency_cycles={}", dram.latency_cycles + 11)},
          {fmt::format("memory.dram.tCCD={}", dram.t_ccd + 13)},
          {fmt::format("memory.dram.tREFI={}", dram.t_refi / 4)},
          {"memory.dram.tREFI=0"},
          {fmt::format("clocks.dram_mhz={}", config.clocks.dram_mhz / 2)}};
}

}  // namespace

Benchmark l2_chase() {
  return {.name = "l2-chase",
          .description = "pointer chase past L1 over lines that stay in L2",
          .run = run_l2,
          .mutations = l2_mutations};
}

Benchmark dram_chase() {
  return {.name = "dram-chase",
          .description = "pointer chases over lines nobody has: within rows, and from row to row of one bank",
          .run = run_dram,
          .mutations = dram_mutations};
}

}  // namespace heddle::microbench::l2_chase
