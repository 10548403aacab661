// Latency of an L1 hit: a pointer chase over lines that stay in L1.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/pointer_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kMostLines = 32;  // all touched before the timed round

/// Issue to dependent issue: one cycle into the load/store unit, then the configured latency from the access
/// on.
double expected_hit(const gpu::GpuConfig& config) { return 1.0 + config.core.l1d.latency_cycles; }

void run(Session& session) {
  const core::L1dConfig& l1d = session.config().core.l1d;
  const std::uint32_t lines = std::min(l1d.size_kib * 1024 / l1d.line_bytes, kMostLines);
  const std::uint64_t buffer = session.device().allocate(std::uint64_t{lines} * l1d.line_bytes, "L1 chase");
  const Chain chain = make_chain(session, strided(buffer, lines, l1d.line_bytes));
  session.add({.what = "hit",
               .measured = chase_cycles_per_load(session, chain, "ld.global.u64"),
               .expected = exactly(expected_hit(session.config())),
               .unit = "core cycles",
               .keys = "1 + core.l1d.latency_cycles"});
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.l1d.latency_cycles={}", config.core.l1d.latency_cycles + 15)}};
}

}  // namespace

Benchmark l1_chase() {
  return {.name = "l1-chase",
          .description = "pointer chase over lines that stay in L1",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench
