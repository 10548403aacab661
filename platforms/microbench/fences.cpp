// Cost of a fence with nothing outstanding: what core.fence.* says, or what an instruction costs that fetch stops behind.
#include <fmt/format.h>

#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::fences {
namespace {

constexpr std::uint32_t kShort = 16, kLong = 32;
constexpr std::uint32_t kRounds = 3;

bool fetch_goes_on(const gpu::GpuConfig& config) {
  return config.core.fetch.behind_control == core::FetchBehindControl::kGoesOn;
}

/// From issue to passing; then the next instruction issues, which is fetched only then if fetch waits behind fences.
double expected_cycles(const gpu::GpuConfig& config, std::uint32_t cycles) {
  return cycles + (fetch_goes_on(config) ? 0 : config.core.fetch.latency_cycles) + 1;
}

std::uint32_t fence_cycles(Session& session, const char* fence, std::uint32_t count) {
  TimedKernel kernel("fence");
  kernel.begin_rounds();
  kernel.line("{}", fence);  // makes the first timed one start from the same state as the others
  kernel.start_clock();
  for (std::uint32_t i = 0; i < count; ++i) kernel.line("{}", fence);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  return session.run(kernel, 1, base::kLanes).span();
}

void measure(Session& session, const char* fence, std::uint32_t cycles, const char* key) {
  const std::uint32_t shorter = fence_cycles(session, fence, kShort);
  const std::uint32_t longer = fence_cycles(session, fence, kLong);
  session.add({.what = fence,
               .measured = (static_cast<double>(longer) - shorter) / (kLong - kShort),
               .expected = exactly(expected_cycles(session.config(), cycles)),
               .unit = "core cycles",
               .keys = std::string(key) +
                       (fetch_goes_on(session.config()) ? " + 1" : " + core.fetch.latency_cycles")});
}

void run(Session& session) {
  const core::FenceConfig& fence = session.config().core.fence;
  measure(session, "membar.cta", fence.cta_cycles, "core.fence.cta_cycles");
  measure(session, "membar.gl", fence.gpu_cycles, "core.fence.gpu_cycles");
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.fence.cta_cycles={}", config.core.fence.cta_cycles + 50)},
          {fmt::format("core.fence.gpu_cycles={}", config.core.fence.gpu_cycles + 50)}};
}

}  // namespace

Benchmark fence_cost() {
  return {.name = "fence-cost",
          .description = "fences with nothing outstanding",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::fences
