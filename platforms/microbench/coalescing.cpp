// Coalescing: a warp access that touches k lines takes k L1 accesses, one per cycle, or k transactions if it
// bypasses L1.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::coalescing {
namespace {

constexpr std::uint32_t kShort = 32, kLong = 64;
constexpr std::uint32_t kRounds = 3;

struct Measured {
  double cycles = 0;        ///< per load
  double transactions = 0;  ///< per load
};

/// Dependent loads of a warp with lane l in line l mod `lines`. The loaded value is the address of the next
/// load: its own.
Measured chain(Session& session, const char* load, std::uint32_t lines) {
  const std::uint32_t line_bytes = session.config().core.l1d.line_bytes;
  const std::uint64_t buffer = session.device().allocate(std::uint64_t{lines} * line_bytes, "coalescing");
  for (std::uint32_t i = 0; i < lines; ++i) {
    const std::uint64_t self = buffer + std::uint64_t{i} * line_bytes;
    session.device().write(self, std::as_bytes(std::span(&self, 1)));
  }
  const auto cycles = [&](std::uint32_t loads) {
    TimedKernel kernel("coalescing");
    const std::string base = kernel.parameter("u64"), at = kernel.reg("b64"), last = kernel.reg("b64");
    const std::string line = kernel.reg("b32");
    kernel.line("rem.u32 {}, {}, {}", line, kernel.lane(), lines);
    kernel.line("mad.wide.u32 {}, {}, {}, {}", at, line, line_bytes, base);
    kernel.begin_rounds();
    kernel.start_clock();
    for (std::uint32_t i = 0; i < loads; ++i) kernel.line("{0} {1}, [{1}]", load, at);
    kernel.line("mov.b64 {}, {}", last, at);
    kernel.stop_clock();
    kernel.end_rounds(kRounds);
    kernel.keep_lanes("b64", last);
    const TimedRun run = session.run(kernel, 1, base::kLanes, buffer);
    for (std::uint32_t lane = 0; lane < base::kLanes; ++lane)
      session.check_values(load, {run.lane_values[lane]}, buffer + std::uint64_t{lane % lines} * line_bytes);
    return run.span();
  };
  const double shorter = cycles(kShort),
               accesses = static_cast<double>(session.count("core*.lsu.line_accesses"));
  const double longer = cycles(kLong),
               more_accesses = static_cast<double>(session.count("core*.lsu.line_accesses"));
  return {(longer - shorter) / (kLong - kShort), (more_accesses - accesses) / (kRounds * (kLong - kShort))};
}

/// Issue to dependent issue of a hit in k lines: the last line is looked up k - 1 passes after the first.
double expected_cycles(const gpu::GpuConfig& config, std::uint32_t lines) {
  return config.core.l1d.latency_cycles + (pass_cycles(config, lines, sizeof(std::uint64_t)) - 1.0);
}

void run(Session& session) {
  const core::L1dConfig l1d = session.config().core.resolved_l1d();
  for (std::uint32_t lines = 1; lines <= base::kLanes; lines *= 2) {
    const std::string what = fmt::format("{} line{}", lines, lines == 1 ? "" : "s");
    if (l1d.enabled && lines * l1d.line_bytes <= l1d.size_kib * 1024)
      session.add({.what = what + ", hit",
                   .measured = chain(session, "ld.global.ca.u64", lines).cycles,
                   .expected = exactly(expected_cycles(session.config(), lines)),
                   .unit = "core cycles",
                   .keys = "core.l1d.latency_cycles + lines - 1"});
    session.add({.what = what + ", past L1",
                 .measured = chain(session, "ld.global.cg.u64", lines).transactions,
                 .expected = exactly(lines),
                 .unit = "transactions",
                 .keys = "core.l1d.line_bytes"});
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  if (!config.core.l1d.enabled)
    return {{"core.l1d.line_bytes=32", "memory.l2.line_bytes=32", "core.l1i.line_bytes=32"}};
  return {{fmt::format("core.l1d.latency_cycles={}", config.core.l1d.latency_cycles + 15)}};
}

}  // namespace

Benchmark coalescing() {
  return {.name = "coalescing",
          .description = "loads whose lanes touch 1 to 32 lines",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::coalescing
