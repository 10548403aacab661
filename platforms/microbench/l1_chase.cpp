// Latency of an L1 hit: a pointer chase over lines that stay in L1.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/core_timing.h"
#include "microbench/pointer_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench::l1_chase {
namespace {

constexpr std::uint32_t kMostLines = 32;  // all accessed before the timed round

/// Issue to dependent issue.
double expected_hit(const gpu::GpuConfig& config) { return config.core.l1d.latency_cycles; }

void run(Session& session) {
  const core::L1dConfig l1d = session.config().core.resolved_l1d();
  const std::uint32_t lines = std::min(l1d.size_kib * 1024 / l1d.line_bytes, kMostLines);
  const std::uint64_t buffer = session.device().allocate(std::uint64_t{lines} * l1d.line_bytes, "L1 chase");
  const Chain chain = make_chain(session, strided(buffer, lines, l1d.line_bytes));
  session.add({.what = "hit",
               .measured = chase_cycles_per_load(session, chain, "ld.global.ca.u64"),
               .expected = exactly(expected_hit(session.config())),
               .unit = "core cycles",
               .keys = "core.l1d.latency_cycles"});
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.l1d.latency_cycles={}", config.core.l1d.latency_cycles + 15)}};
}

}  // namespace

Benchmark l1_chase() {
  return {.name = "l1-chase",
          .description = "pointer chase over lines that stay in L1",
          .run = run,
          .mutations = mutations,
          .missing = no_l1};
}

}  // namespace heddle::microbench::l1_chase
