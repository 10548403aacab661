// Latency of kernel parameters and of constant memory: dependent loads of a zero that is added to the
// address.
#include <fmt/format.h>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kShort = 32, kLong = 64;
constexpr std::uint32_t kRounds = 3;

double expected_param(const gpu::GpuConfig& config) {
  return alu_latency_cycles(config, isa::LatencyClass::kParam);
}

/// Constant memory is read through L1.
double expected_constant(const gpu::GpuConfig& config) { return 1.0 + config.core.l1d.latency_cycles; }

std::uint32_t chain_cycles(Session& session, const char* space, std::uint32_t loads) {
  TimedKernel kernel("constants");
  kernel.module_line(".const .align 8 .u64 zero = 0;");
  (void)kernel.parameter("u64");
  const std::string at = kernel.reg("b64"), zero = kernel.reg("b64");
  kernel.line("mov.u64 {}, {}", at, std::string_view(space) == "param" ? "p0" : "zero");
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < loads; ++i) {
    kernel.line("ld.{}.u64 {}, [{}]", space, zero, at);
    kernel.line("add.u64 {0}, {0}, {1}", at, zero);
  }
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes("b64", zero);
  const TimedRun run = session.run(kernel, 1, sim::kLanes, std::uint64_t{0});
  session.check_values(space, run.lane_values, 0);
  return run.span();
}

void measure(Session& session, const char* space, double expected, const char* keys) {
  const std::uint32_t shorter = chain_cycles(session, space, kShort),
                      longer = chain_cycles(session, space, kLong);
  const double add = alu_latency_cycles(session.config(), isa::LatencyClass::kIntSimple);
  session.add({.what = fmt::format("ld.{}", space),
               .measured = static_cast<double>(longer - shorter) / (kLong - kShort) - add,
               .expected = exactly(expected),
               .unit = "core cycles",
               .keys = keys});
}

void run(Session& session) {
  measure(session, "param", expected_param(session.config()), "core.pipes.param_latency_cycles");
  measure(session, "const", expected_constant(session.config()), "1 + core.l1d.latency_cycles");
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.pipes.param_latency_cycles={}", expected_param(config) + 5)},
          {fmt::format("core.l1d.latency_cycles={}", config.core.l1d.latency_cycles + 15)}};
}

}  // namespace

Benchmark constant_latency() {
  return {.name = "constant-latency",
          .description = "dependent loads of a parameter and of a constant",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench
