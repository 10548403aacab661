// Cost of a fence with nothing outstanding: what core.fence.* says, or what an instruction costs that fetch stops behind.
#include <fmt/format.h>

#include <algorithm>

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

std::uint32_t fence_cycles(Session& session, const char* fence, std::uint32_t count,
                           std::uint32_t warps = 1) {
  TimedKernel kernel("fence");
  kernel.begin_rounds();
  kernel.line("{}", fence);  // makes the first timed one start from the same state as the others
  kernel.start_clock();
  for (std::uint32_t i = 0; i < count; ++i) kernel.line("{}", fence);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  return session.run(kernel, 1, warps * base::kLanes).span();
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

/// More warps than may join a round: half of them are always in the other one.
void measure_rounds(Session& session, const core::FenceConfig& fence) {
  constexpr std::uint32_t kWarps = 32;
  const double alone = expected_cycles(session.config(), fence.gpu_cycles);
  const std::uint32_t shorter = fence_cycles(session, "membar.gl", kShort, kWarps);
  const std::uint32_t longer = fence_cycles(session, "membar.gl", kLong, kWarps);
  session.add({.what = fmt::format("membar.gl, {} warps", kWarps),
               .measured = (static_cast<double>(longer) - shorter) / (kLong - kShort),
               .expected = within(0.02 * alone, std::max(alone, 2.0 * fence.round_cycles)),
               .unit = "core cycles",
               .keys = "2 core.fence.round_cycles, or core.fence.gpu_cycles",
               .why = "within 2 % for the turns of warps"});
}

void run(Session& session) {
  const core::FenceConfig& fence = session.config().core.fence;
  measure(session, "membar.cta", fence.cta_cycles, "core.fence.cta_cycles");
  measure(session, "membar.gl", fence.gpu_cycles, "core.fence.gpu_cycles");
  if (fence.round_cycles != 0) measure_rounds(session, fence);
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  const core::FenceConfig& fence = config.core.fence;
  std::vector<std::vector<std::string>> keys{
      {fmt::format("core.fence.cta_cycles={}", fence.cta_cycles + 50)},
      {fmt::format("core.fence.gpu_cycles={}", fence.gpu_cycles + 50)}};
  if (fence.round_cycles != 0)
    keys.push_back({fmt::format("core.fence.round_cycles={}", fence.round_cycles + 50)});
  return keys;
}

}  // namespace

Benchmark fence_cost() {
  return {.name = "fence-cost",
          .description = "fences with nothing outstanding",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::fences
