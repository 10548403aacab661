// Bandwidth of one core, from one warp to the maximum of a CTA, each with one line in flight: follows
// Little's law until the slowest stage is saturated (Volkov 2016, "Understanding latency hiding on GPUs").
#include <fmt/format.h>

#include <algorithm>

#include "microbench/bandwidth.h"
#include "microbench/line_chase.h"
#include "microbench/links.h"
#include "microbench/suite.h"

namespace heddle::microbench::bandwidth_by_warps {
namespace {

struct Swept {
  Source source;
  const char* name;
  const char* keys;
};
constexpr Swept kSwept[] = {
    {Source::kShared, "shared memory", "core.shared_memory.*, core.fetch.*, core.pipes.int_simple_*"},
    {Source::kL1, "L1", "core.l1d.*, core.fetch.*, core.pipes.int_simple_*"},
    {Source::kL2, "L2", "clocks.*, memory.crossbar.*, memory.l2.latency_cycles"},
    {Source::kDram, "DRAM", "as for L2, and memory.dram.*"},
};

/// Lines that remain in the source after they have been read.
std::uint64_t lines_kept(const gpu::GpuConfig& config, Source source) {
  const std::uint64_t line_bytes = chased_line_bytes(config, source);
  if (source == Source::kL1)
    return std::uint64_t{config.core.resolved_l1d().size_kib} * 1024 / line_bytes / 2;
  return std::uint64_t{config.memory.l2.size_kib} * 1024 / line_bytes / 2 * config.memory.partitions;
}

double bandwidth(Session& session, LineChase& chase, Source source, std::uint32_t warps, double about) {
  const gpu::GpuConfig& config = session.config();
  const Chasers chasers{.warps = warps};
  const double lines =
      source == Source::kDram
          ? chase.fresh_lines_per_cycle(
                chasers, about,
                [&](std::uint64_t each) { return spread_lines(session, warps, each, warps * each); })
          : chase.kept_lines_per_cycle(chasers, about,
                                       spread_lines(session, warps, 1, lines_kept(config, source)));
  return lines * chased_line_bytes(config, source);
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const std::uint32_t most_warps = std::min(config.core.occupancy.max_warps, Chasers::kMostWarps);
  for (const auto& [source, name, keys] : kSwept) {
    if (source == Source::kL1 && !config.core.l1d.enabled) continue;
    LineChase chase(session, source);
    for (std::uint32_t warps = 1;; warps = std::min(2 * warps, most_warps)) {
      const std::uint64_t lines = std::min<std::uint64_t>(warps, lines_kept(config, source));
      const Bounds expected = closed_loop_rate(LineChase::of_one_core(config, source, lines), warps);
      session.add({.what = fmt::format("{}, {} warp{}", name, warps, warps == 1 ? "" : "s"),
                   .measured = bandwidth(session, chase, source, warps, expected.most),
                   .expected = bandwidth_within(expected, chased_line_bytes(config, source)),
                   .unit = "bytes/core cycle",
                   .keys = keys,
                   .why = kWhyWithin});
      if (warps == most_warps) break;
    }
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {
      {fmt::format("core.shared_memory.latency_cycles={}", config.core.shared_memory.latency_cycles + 10)},
      {fmt::format("core.l1d.latency_cycles={}", config.core.l1d.latency_cycles + 10)},
      {fmt::format("memory.l2.latency_cycles={}", config.memory.l2.latency_cycles + 50)},
      {narrower_responses(config, 4)},
      {fmt::format("memory.dram.latency_cycles={}", config.memory.dram.latency_cycles + 100)}};
}

}  // namespace

Benchmark bandwidth_by_warps() {
  return {.name = "bandwidth-by-warps",
          .description = "one core, 1 to 32 warps with a line each under way: Little's law",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::bandwidth_by_warps
