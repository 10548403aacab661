// Bandwidth of one core that reads more and more data over and over: from L1, from L2, from DRAM (Mei and Chu
// 2017, "Dissecting GPU memory hierarchy through microbenchmarking"; Jia et al. 2018).
#include <fmt/format.h>

#include <algorithm>

#include "microbench/bandwidth.h"
#include "microbench/core_timing.h"
#include "microbench/line_chase.h"
#include "microbench/suite.h"
#include "microbench/throughput.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kMostWarps = 32;

struct Capacity {
  std::uint64_t l1 = 0, l2 = 0;  ///< lines
};

Capacity capacity(const gpu::GpuConfig& config) {
  const core::L1dConfig l1d = config.core.resolved_l1d();
  const std::uint64_t line_bytes = chased_line_bytes(config, Source::kL2);
  return {l1d.size_kib * 1024 / line_bytes,
          std::uint64_t{config.memory.l2.size_kib} * 1024 / line_bytes * config.memory.partitions};
}

struct WorkingSet {
  std::uint64_t lines = 0;
  Source source = Source::kL1;
};

/// From a quarter of L1 to beyond twice the L2, each time twice as much, but nothing near the capacities: LRU
/// keeps all of what fits and nothing of what is read in order and does not, and warps are not that orderly.
std::vector<WorkingSet> working_sets(const Capacity& capacity) {
  std::vector<WorkingSet> sets = {{capacity.l1 / 4, Source::kL1}, {capacity.l1 / 2, Source::kL1}};
  std::uint64_t lines = 2 * capacity.l1;
  for (; lines < 2 * capacity.l2; lines *= 2)
    if (lines <= capacity.l2 / 2) sets.push_back({lines, Source::kL2});
  sets.push_back({lines, Source::kDram});
  return sets;
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const Capacity lines_of = capacity(config);
  const std::uint32_t warps = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({lines_of.l1 / 4, config.core.occupancy.max_warps, kMostWarps}));
  const Chasers chasers{1, warps};
  const std::uint32_t line_bytes = chased_line_bytes(config, Source::kL2);
  const auto expected_from = [&](Source source) {
    // What misses L1 takes one of its MSHRs.
    const std::uint32_t under_way =
        source == Source::kL1 ? warps : std::min(warps, config.core.l1d.mshr_entries);
    return throughput(LineChase::of_one_core(config, source), under_way);
  };
  const Bounds slowest = expected_from(Source::kDram);
  LineChase chase(session, Source::kL1);
  for (const auto& [lines, source] : working_sets(lines_of)) {
    const Bounds expected = expected_from(source);
    const WarpLines chains = side_by_side(session, warps, lines / warps);
    chase.link(chains);
    // Once through at least, but many turns of the kernel's loop.
    constexpr double kLeastEach = 20 * LineChase::kUnrolled;
    const double each = std::max(kLeastEach, static_cast<double>(lines) / warps);
    const auto cycles = static_cast<std::uint32_t>(each * warps / expected.most);
    (void)chase.run(chasers, chains,
                    static_cast<std::uint32_t>(each * warps / slowest.least));  // fills caches
    const TimedRun once = chase.run(chasers, chains, cycles), twice = chase.run(chasers, chains, 2 * cycles);
    session.add({.what = fmt::format("{} KiB", lines * line_bytes / 1024.0),
                 .measured = line_bytes * LineChase::kUnrolled * rate_between(once, twice),
                 .expected = bandwidth_within(expected, line_bytes),
                 .unit = "bytes/core cycle",
                 .keys = source == Source::kL1   ? "core.l1d.*"
                         : source == Source::kL2 ? "memory.l2.size_kib, .latency_cycles, memory.crossbar.*"
                                                 : "memory.dram.*",
                 .why = kWhyWithin});
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.l1d.size_kib={}", config.core.l1d.size_kib * 4), "core.l1d.unified_kib=0"},
          {fmt::format("memory.l2.size_kib={}", config.memory.l2.size_kib / 8)}};
}

}  // namespace

Benchmark bandwidth_by_working_set() {
  return {.name = "bandwidth-by-working-set",
          .description = "one core reads a quarter of L1 to beyond twice the L2, over and over",
          .run = run,
          .mutations = mutations,
          .missing = no_l1};
}

}  // namespace heddle::microbench
