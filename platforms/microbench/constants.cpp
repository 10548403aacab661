// Constant cache: latency of kernel parameters and of constant memory, and serialisation of different
// addresses. Dependent loads of a zero that is added to the address.
#include <fmt/format.h>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::constants {
namespace {

constexpr std::uint32_t kShort = 24, kLong = 48;
constexpr std::uint32_t kRounds = 3;

/// Issue to dependent issue of a hit: distinct addresses are served one per cycle.
double expected_cycles(const gpu::GpuConfig& config, std::uint32_t addresses) {
  return config.core.constant_cache.latency_cycles + (addresses - 1.0);
}

/// Lane l reads word l mod `addresses`.
std::uint32_t chain_cycles(Session& session, const char* space, std::uint32_t addresses,
                           std::uint32_t loads) {
  TimedKernel kernel("constants");
  const bool param = std::string_view(space) == "param";
  if (!param) kernel.module_line(fmt::format(".const .align 8 .b32 zeros[{}];", addresses));
  (void)kernel.parameter("u32");
  const std::string at = kernel.reg("b64"), zero = kernel.reg("b64"), word = kernel.reg("b32");
  kernel.line("mov.u64 {}, {}", at, param ? "p0" : "zeros");
  kernel.line("rem.u32 {}, {}, {}", word, kernel.lane(), addresses);
  kernel.line("mad.wide.u32 {0}, {1}, 4, {0}", at, word);
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < loads; ++i) {
    kernel.line("ld.{}.u32 {}, [{}]", space, zero, at);
    kernel.line("add.u64 {0}, {0}, {1}", at, zero);
  }
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes("b64", zero);
  const TimedRun run = session.run(kernel, 1, base::kLanes, 0u);
  session.check_values(space, run.lane_values, 0);
  return run.span();
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const auto measure = [&](const std::string& what, const char* space, std::uint32_t addresses) {
    const std::uint32_t shorter = chain_cycles(session, space, addresses, kShort);
    const std::uint32_t longer = chain_cycles(session, space, addresses, kLong);
    const double add = alu_latency_cycles(config, isa::LatencyClass::kIntSimple);
    session.add({.what = what,
                 .measured = static_cast<double>(longer - shorter) / (kLong - kShort) - add,
                 .expected = exactly(expected_cycles(config, addresses)),
                 .unit = "core cycles",
                 .keys = "core.constant_cache.latency_cycles + addresses - 1"});
  };
  measure("ld.param", "param", 1);
  for (const std::uint32_t addresses : {1u, 2u, 4u, 8u, 16u, 32u})
    measure(fmt::format("ld.const, {} address{}", addresses, addresses == 1 ? "" : "es"), "const", addresses);
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {
      {fmt::format("core.constant_cache.latency_cycles={}", config.core.constant_cache.latency_cycles + 5)}};
}

}  // namespace

Benchmark constant_latency() {
  return {.name = "constant-latency",
          .description = "dependent loads of a parameter and of constants, 1 to 32 addresses in a warp",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::constants
