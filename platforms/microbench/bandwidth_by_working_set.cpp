// Bandwidth of one core that repeatedly reads an increasing amount of data: from L1, from L2, from DRAM (Mei
// and Chu 2017, "Dissecting GPU memory hierarchy through microbenchmarking"; Jia et al. 2018).
#include <fmt/format.h>

#include <algorithm>

#include "microbench/bandwidth.h"
#include "microbench/core_timing.h"
#include "microbench/line_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench::bandwidth_by_working_set {
namespace {

struct Capacity {
  std::uint64_t l1 = 0, l2 = 0;  ///< lines
};

Capacity capacity(const gpu::GpuConfig& config) {
  const core::L1dConfig l1d = config.core.resolved_l1d();
  const std::uint64_t line_bytes = chased_line_bytes(config, Source::kL2);
  return {std::uint64_t{l1d.size_kib} * 1024 / line_bytes,
          std::uint64_t{config.memory.l2.size_kib} * 1024 / line_bytes * config.memory.partitions};
}

struct WorkingSet {
  std::uint64_t lines = 0;
  Source source = Source::kL1;
};

/// From a quarter of L1 to more than twice the L2, doubling each time, but not close to a capacity. Under
/// LRU, data that fits always hits, and larger data read in order always misses; warps are not that orderly.
std::vector<WorkingSet> working_sets(const Capacity& capacity) {
  std::vector<WorkingSet> sets = {{capacity.l1 / 4, Source::kL1}, {capacity.l1 / 2, Source::kL1}};
  std::uint64_t lines = 2 * capacity.l1;
  for (; lines < 2 * capacity.l2; lines *= 2)
    if (lines <= capacity.l2 / 2) sets.push_back({lines, Source::kL2});
  sets.push_back({lines, Source::kDram});
  return sets;
}

/// With at most as many warps as L1 has MSHRs: further ones would wait most of the time, and the effective
/// working set would be smaller.
class WorkingSetSweep {
 public:
  explicit WorkingSetSweep(Session& session)
      : session_(session),
        config_(session.config()),
        chase_(session, Source::kL1),
        chasers_{.warps = static_cast<std::uint32_t>(
                     std::min<std::uint64_t>({capacity(config_).l1 / 4, config_.core.l1d.mshr_entries,
                                              config_.core.occupancy.max_warps, Chasers::kMostWarps}))} {}

  void read(const WorkingSet& set) {
    const std::uint64_t each = set.lines / chasers_.warps, lines = each * chasers_.warps;
    const Bounds expected = rate_from(set.source);
    const double line_bytes = chased_line_bytes(config_, Source::kL2);
    session_.add({.what = fmt::format("{} KiB", static_cast<double>(lines) * line_bytes / 1024),
                  .measured = line_bytes * measure(set.source, each, expected.most),
                  .expected = bandwidth_within(expected, line_bytes),
                  .unit = "bytes/core cycle",
                  .keys = set.source == Source::kL1   ? "core.l1d.*"
                          : set.source == Source::kL2 ? "clocks.*, core.l1d.mshr_entries, memory.crossbar.*, "
                                                        "memory.l2.size_kib, .latency_cycles"
                                                      : "as for L2, and memory.dram.*",
                  .why = kWhyWithin});
  }

 private:
  /// Lines per core cycle.
  [[nodiscard]] Bounds rate_from(Source source) const {
    return closed_loop_rate(LineChase::of_one_core(config_, source, chasers_.warps), chasers_.warps);
  }

  double measure(Source source, std::uint64_t each, double about) {
    const double lines = static_cast<double>(each) * chasers_.warps;
    const ChasedLines chains = spread_lines(session_, chasers_.warps, each, each * chasers_.warps);
    chase_.link(chains);
    // What L2 can hold has been read completely before; of larger sets it holds nothing useful.
    const auto prepare = [&] {
      const double fill = lines / rate_from(Source::kDram).least;
      if (source == Source::kDram)
        session_.clean_l2();
      else
        (void)chase_.lines_within(chasers_, chains, fill);
    };
    // L1 is empty when a kernel starts.
    const double first = 2 * LineChase::trip(config_, Source::kDram).most;
    const double from = first + (source == Source::kL1 ? 2 * lines / rate_from(Source::kL2).least : 0);
    constexpr double kLeastLines = 4096, kPasses = 1.5;
    const double time = std::max(kPasses * lines, kLeastLines) / about;
    prepare();
    const double before = chase_.lines_within(chasers_, chains, from);
    prepare();
    return (chase_.lines_within(chasers_, chains, from + time) - before) / time;
  }

  Session& session_;
  const gpu::GpuConfig& config_;
  LineChase chase_;
  Chasers chasers_;
};

void run(Session& session) {
  WorkingSetSweep sweep(session);
  for (const WorkingSet& set : working_sets(capacity(session.config()))) sweep.read(set);
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  if (config.core.l1d.carve_out == core::CarveOut::kByKernel)
    return {{"core.l1d.carve_out=fixed", "core.l1d.unified_kib=0", "core.l1d.size_kib=512"}};
  return {{fmt::format("core.l1d.size_kib={}", config.core.l1d.size_kib * 4), "core.l1d.unified_kib=0"},
          {fmt::format("memory.l2.size_kib={}", config.memory.l2.size_kib / 8)},
          {fmt::format("core.l1d.mshr_entries={}",
                       std::max(1u, std::min(config.core.l1d.mshr_entries, 32u) / 4))}};
}

}  // namespace

Benchmark bandwidth_by_working_set() {
  return {.name = "bandwidth-by-working-set",
          .description = "one core reads a quarter of L1 to beyond twice the L2, over and over",
          .run = run,
          .mutations = mutations,
          .missing = no_l1};
}

}  // namespace heddle::microbench::bandwidth_by_working_set
