// Bandwidth of shared memory and L1 of one core.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/core_timing.h"
#include "microbench/suite.h"
#include "microbench/throughput.h"

namespace heddle::microbench::core_bandwidth {
namespace {

constexpr std::uint32_t kCoreBody = 16;  ///< loads in the loop, each of 32 consecutive words per warp
constexpr std::uint32_t kTurns = 25;
constexpr std::uint32_t kLoadBytes = 4 * base::kLanes;

/// Core cycles that a warp load of consecutive words occupies shared memory's banks.
double expected_shared_cycles(const gpu::GpuConfig& config) {
  const double passes = pass_cycles(config, static_cast<std::uint32_t>(shared_memory_passes(config)));
  return std::max(passes, loop_interval(config, kCoreBody, passes, 0));
}

/// Core cycles that it occupies L1: one line per cycle.
double expected_l1_cycles(const gpu::GpuConfig& config) {
  const double lines = std::ceil(static_cast<double>(kLoadBytes) / config.core.l1d.line_bytes);
  return std::max(lines, loop_interval(config, kCoreBody, lines, 0));
}

double load_cycles(Session& session, bool shared, double expected) {
  constexpr std::uint32_t kWarps = 16, kWords = 8 * base::kLanes;
  const std::uint64_t buffer = session.device().allocate(std::uint64_t{kWords} * 4, "L1 bandwidth");
  std::string at;
  std::vector<std::string> values;
  const TimedKernel kernel = repeating(
      "load_bandwidth",
      [&](TimedKernel& k) {
        const std::string base = k.parameter("u64"), word = k.reg("b32");
        at = k.reg(shared ? "b32" : "b64");
        for (std::uint32_t i = 0; i < kCoreBody; ++i) values.push_back(k.reg("b32"));
        if (shared) {
          k.use_shared(kWords * 4);
          k.line("shl.b32 {}, {}, 2", at, k.lane());
        } else {
          k.line("and.b32 {}, {}, 7", word, k.warp());
          k.line("mad.lo.u32 {0}, {0}, {1}, {2}", word, base::kLanes, k.lane());
          k.line("mad.wide.u32 {}, {}, 4, {}", at, word, base);
        }
      },
      [&](TimedKernel& k) {
        for (const std::string& value : values)
          k.line("ld.{}.u32 {}, [{}]", shared ? "shared" : "global.ca", value, at);
      });
  const auto cycles = static_cast<std::uint32_t>(expected * kCoreBody * kWarps * kTurns);
  return 1 / (sustained(session, kernel, 1, kWarps * base::kLanes, cycles, buffer).per_cycle() * kCoreBody);
}

void run_core(Session& session) {
  const auto measure = [&](const char* what, bool shared, double expected, const char* keys) {
    session.add({.what = what,
                 .measured = kLoadBytes / load_cycles(session, shared, expected),
                 .expected = within(0.03 * kLoadBytes / expected, kLoadBytes / expected),
                 .unit = "bytes/core cycle",
                 .keys = keys,
                 .why = "within 3 % for the turns under way at the end"});
  };
  measure("shared memory", true, expected_shared_cycles(session.config()), "core.shared_memory.banks");
  if (session.config().core.l1d.enabled)
    measure("L1", false, expected_l1_cycles(session.config()), "core.l1d.line_bytes");
}

std::vector<std::vector<std::string>> core_mutations(const gpu::GpuConfig& config) {
  const std::uint32_t half = config.core.l1d.line_bytes / 2;
  return {{fmt::format("core.shared_memory.banks={}", config.core.shared_memory.banks / 2)},
          {fmt::format("core.l1d.line_bytes={}", half), fmt::format("memory.l2.line_bytes={}", half),
           fmt::format("core.l1i.line_bytes={}", half)}};
}

}  // namespace

Benchmark core_bandwidth() {
  return {.name = "core-bandwidth",
          .description = "consecutive words from shared memory and from L1, one core",
          .run = run_core,
          .mutations = core_mutations};
}

}  // namespace heddle::microbench::core_bandwidth
