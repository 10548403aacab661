// Cost of a CTA barrier by the number of warps that synchronise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::barrier {
namespace {

constexpr std::uint32_t kShort = 16, kLong = 32;
constexpr std::uint32_t kRounds = 3;

/// Barrier to barrier: from the last arrival to the release; then the released warps are fetched one after
/// the other, and the last of them issues again. A unit that releases one after the other is slower than that.
double expected_cycles(const gpu::GpuConfig& config, std::uint32_t warps) {
  const double units = refills_at_once(config) ? config.core.scheduler.sub_cores : 1;
  const double turns =
      std::max(std::ceil(warps / units) - 1, config.core.barrier.release_cycles * (warps - 1.0));
  return config.core.barrier.latency_cycles + turns + config.core.fetch.latency_cycles + 1;
}

/// A unit that goes on behind barriers has fetched some of what follows; it may be a little late with many warps.
Expectation expectation(const gpu::GpuConfig& config, std::uint32_t warps) {
  const double cycles = expected_cycles(config, warps);
  return config.core.fetch.behind_control == core::FetchBehindControl::kWaits ? exactly(cycles)
                                                                              : at_most(1.05 * cycles);
}

std::uint32_t barrier_cycles(Session& session, std::uint32_t warps, std::uint32_t barriers) {
  TimedKernel kernel("barrier");
  kernel.begin_rounds();
  kernel.line("bar.sync 0");  // makes the first timed barrier start from the same state as the others
  kernel.start_clock();
  for (std::uint32_t i = 0; i < barriers; ++i) kernel.line("bar.sync 0");
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  return session.run(kernel, 1, warps * base::kLanes).span();
}

void run(Session& session) {
  const std::uint32_t most = std::min(session.config().core.occupancy.max_warps, 32u);
  for (std::uint32_t warps = 1; warps <= most; warps *= 2) {
    const std::uint32_t shorter = barrier_cycles(session, warps, kShort);
    const std::uint32_t longer = barrier_cycles(session, warps, kLong);
    const bool waits = session.config().core.fetch.behind_control == core::FetchBehindControl::kWaits;
    session.add(
        {.what = fmt::format("{} warp{}", warps, warps == 1 ? "" : "s"),
         .measured = (static_cast<double>(longer) - shorter) / (kLong - kShort),
         .expected = expectation(session.config(), warps),
         .unit = "core cycles",
         .keys = "core.barrier.latency_cycles + warps (* .release_cycles) + core.fetch.latency_cycles",
         .why = waits ? "" : "what follows a barrier may be in the I-buffer"});
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.barrier.latency_cycles={}", config.core.barrier.latency_cycles + 5)},
          {fmt::format("core.fetch.latency_cycles={}", config.core.fetch.latency_cycles + 2)}};
}

}  // namespace

Benchmark barrier_cost() {
  return {.name = "barrier-cost",
          .description = "barriers in a row, 1 to 32 warps",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::barrier
