// Bandwidth of one core with one warp to as many as a CTA has, each with one line under way: Little's law up
// to where the slowest stage is busy all the time (Volkov 2016, "Understanding latency hiding on GPUs").
#include <fmt/format.h>

#include <algorithm>

#include "microbench/bandwidth.h"
#include "microbench/line_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench {
namespace {

constexpr std::uint64_t kLinesEach = 320;
constexpr std::uint32_t kMostWarps = 32;

struct Swept {
  Source source;
  const char* name;
  const char* keys;
};
constexpr Swept kSwept[] = {
    {Source::kShared, "shared memory", "core.shared_memory.*"},
    {Source::kL1, "L1", "core.l1d.*"},
    {Source::kL2, "L2", "clocks.*, memory.crossbar.*, memory.l2.latency_cycles"},
    {Source::kDram, "DRAM", "as for L2, and memory.dram.*"},
};

/// From DRAM every line once; elsewhere a line of its own for each warp, as far as L1 holds them.
WarpLines lines_for(Session& session, Source source, std::uint32_t warps, std::uint64_t most) {
  if (source == Source::kDram) return side_by_side(session, warps, most);
  if (source != Source::kL1) return side_by_side(session, warps, 1);
  const core::L1dConfig l1d = session.config().core.resolved_l1d();
  const std::uint32_t own =
      std::min(warps, l1d.size_kib * 1024 / chased_line_bytes(session.config(), source) / 2);
  WarpLines lines = side_by_side(session, own, 1);
  for (std::uint32_t warp = own; warp < warps; ++warp) lines.push_back(lines[warp % own]);
  return lines;
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  for (const auto& [source, name, keys] : kSwept) {
    if (source == Source::kL1 && !config.core.l1d.enabled) continue;
    LineChase chase(session, source);
    const std::uint32_t line_bytes = chased_line_bytes(config, source);
    const ClosedLoop loop = LineChase::of_one_core(config, source);
    for (std::uint32_t warps = 1; warps <= std::min(config.core.occupancy.max_warps, kMostWarps);
         warps *= 2) {
      const Bounds expected = throughput(loop, warps);
      const double rate =
          chase.lines_per_cycle({1, warps}, kLinesEach, expected.most,
                                [&](std::uint64_t most) { return lines_for(session, source, warps, most); });
      session.add({.what = fmt::format("{}, {} warp{}", name, warps, warps == 1 ? "" : "s"),
                   .measured = line_bytes * rate,
                   .expected = bandwidth_within(expected, line_bytes),
                   .unit = "bytes/core cycle",
                   .keys = keys,
                   .why = kWhyWithin});
    }
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {
      {fmt::format("core.shared_memory.latency_cycles={}", config.core.shared_memory.latency_cycles + 10)},
      {fmt::format("memory.l2.latency_cycles={}", config.memory.l2.latency_cycles + 50)},
      {fmt::format("memory.crossbar.flit_bytes={}", config.memory.crossbar.flit_bytes / 4)},
      {fmt::format("memory.dram.latency_cycles={}", config.memory.dram.latency_cycles + 100)}};
}

}  // namespace

Benchmark bandwidth_by_warps() {
  return {.name = "bandwidth-by-warps",
          .description = "one core, 1 to 32 warps with a line each under way: Little's law",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench
