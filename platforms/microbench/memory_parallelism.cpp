// Memory-level parallelism: how many lines a core fetches at once before L1 runs out of MSHRs, and how many
// accesses can wait for one line before its MSHR is full.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "microbench/core_timing.h"
#include "microbench/links.h"
#include "microbench/memory_path.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::memory_parallelism {
namespace {

constexpr const char* kStalls = "core*.lsu.mshr_stall_cycles";

/// Largest count in 1 .. most that satisfies `fits`. Assumes that fits(1) holds and that `fits` is monotonic.
std::uint32_t largest(std::uint32_t most, const std::function<bool(std::uint32_t)>& fits) {
  std::uint32_t good = 1, bad = 2;
  while (bad <= most && fits(bad)) good = bad, bad *= 2;
  bad = std::min(bad, most + 1);
  while (bad - good > 1) {
    const std::uint32_t middle = (good + bad) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

/// One warp loads one word of each of `lines` lines and waits. The lines are used by no other warp, and are
/// in L2 after the first launch.
struct Burst {
  std::uint32_t cycles = 0;
  std::uint64_t stalls = 0;
};
Burst burst(Session& session, std::uint64_t buffer, std::uint32_t lines) {
  constexpr std::uint32_t kRounds = 2;  // over different lines
  const std::uint32_t line_bytes = session.config().core.l1d.line_bytes;
  TimedKernel kernel("burst");
  const std::string base = kernel.parameter("u64"), at = kernel.reg("b64"), sum = kernel.reg("b32");
  const std::string ready = kernel.reg("b32");
  kernel.line("mad.wide.u32 {}, {}, {}, {}", at, kernel.lane(), line_bytes, base);
  kernel.begin_rounds();
  kernel.line("bar.sync 0");
  kernel.start_clock();
  std::vector<std::string> values;
  for (std::uint32_t first = 0; first < lines; first += base::kLanes) {
    const std::string active = kernel.reg("pred");
    values.push_back(kernel.reg("b32"));
    kernel.line("setp.lt.u32 {}, {}, {}", active, kernel.lane(), lines - first);
    kernel.line("@{} ld.global.ca.u32 {}, [{}+{}]", active, values.back(), at,
                std::uint64_t{first} * line_bytes);
  }
  for (const std::string& value : values) kernel.line("mov.b32 {}, {}", ready, value);
  kernel.stop_clock();
  kernel.line("add.u64 {0}, {0}, {1}", at, std::uint64_t{lines} * line_bytes);
  kernel.end_rounds(kRounds);
  kernel.line("mov.b32 {}, {}", sum, ready);
  const TimedRun run = session.run(kernel, 1, base::kLanes, buffer);
  return {run.span(), session.count(kStalls)};
}

/// Lines that can be requested before the first one returns: more MSHRs than that cannot be observed.
std::uint32_t lines_in_sight(const gpu::GpuConfig& config) {
  const MemoryPath path(config);
  const double latency = static_cast<double>(path.l2_hit(0));
  const double request = packet_flits(config, config.memory.crossbar.header_bytes, Way::kToPartition) *
                         core_cycles(config, config.clocks.interconnect_mhz);
  return static_cast<std::uint32_t>(latency /
                                    std::max(static_cast<double>(config.core.lsu.pass_cycles), request));
}

/// Loads that the scoreboard allows per warp, 32 lines each.
std::uint32_t lines_of_a_warp(const gpu::GpuConfig& config) {
  return (config.core.scoreboard.entries_per_warp - 2) * base::kLanes;
}

void run_lines(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const std::uint32_t mshrs = config.core.l1d.mshr_entries;
  const std::uint32_t most = std::min(2 * mshrs, lines_of_a_warp(config));
  const std::uint64_t bytes = std::uint64_t{2} * most * config.core.l1d.line_bytes;
  const std::uint64_t buffer = session.device().allocate(bytes, "memory parallelism");
  (void)burst(session, buffer, most);  // brings the lines into L2
  const std::uint32_t found =
      largest(most, [&](std::uint32_t lines) { return burst(session, buffer, lines).stalls == 0; });
  const bool in_sight = mshrs < std::min(lines_in_sight(config), most);
  session.add(
      {.what = "lines without a stall",
       .measured = static_cast<double>(found),
       .expected = in_sight ? exactly(mshrs) : at_least(std::min({mshrs, most, lines_in_sight(config)})),
       .unit = "lines",
       .keys = "core.l1d.mshr_entries",
       .why = in_sight ? "" : "a line comes back before all MSHRs are in use"});
  if (!in_sight) return;

  const MemoryPath path(config);
  const auto trip = static_cast<double>(path.l2_hit(0));
  session.add(
      {.what = "one line more: cycles",
       .measured = static_cast<double>(burst(session, buffer, mshrs + 1).cycles),
       .expected = at_least(2 * trip - 2 * core_cycles(config, config.clocks.l2_mhz)),
       .unit = "core cycles",
       .keys = "two L2 hits",
       .why = "the last line is asked for when the first has come: two trips, each known to a cycle of the "
              "slower clocks"});
}

/// `accesses` simultaneous warp loads of one line; in the second round of another line, with the code already
/// cached.
std::uint64_t merged_stalls(Session& session, std::uint64_t buffer, std::uint32_t accesses) {
  constexpr std::uint32_t kWarps = 8;
  TimedKernel kernel("merging");
  const std::string at = kernel.parameter("u64"), number = kernel.reg("b32"), waits = kernel.reg("b32");
  kernel.begin_rounds();
  kernel.line("bar.sync 0");
  kernel.start_clock();
  std::vector<std::string> values;
  for (std::uint32_t first = 0; first < accesses; first += kWarps) {
    const std::string active = kernel.reg("pred");
    values.push_back(kernel.reg("b32"));
    kernel.line("add.u32 {}, {}, {}", number, kernel.warp(), first);
    kernel.line("setp.lt.u32 {}, {}, {}", active, number, accesses);
    kernel.line("@{} ld.global.ca.u32 {}, [{}]", active, values.back(), at);
  }
  for (const std::string& value : values) kernel.line("mov.b32 {}, {}", waits, value);
  kernel.stop_clock();
  kernel.line("add.u64 {0}, {0}, {1}", at, session.config().core.l1d.line_bytes);
  kernel.end_rounds(2);
  (void)session.run(kernel, 1, kWarps * base::kLanes, buffer);
  return session.count(kStalls);
}

void run_targets(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const std::uint64_t buffer = session.device().allocate(2 * config.core.l1d.line_bytes, "merging");
  (void)merged_stalls(session, buffer, 1);
  const std::uint32_t most = 8 * (config.core.scoreboard.entries_per_warp - 2);
  const std::uint32_t targets = config.core.l1d.mshr_targets;
  session.add({.what = "accesses of a line without a stall",
               .measured = static_cast<double>(
                   largest(most, [&](std::uint32_t n) { return merged_stalls(session, buffer, n) == 0; })),
               .expected = targets <= most ? exactly(targets) : at_least(most),
               .unit = "accesses",
               .keys = "core.l1d.mshr_targets"});
}

void run(Session& session) {
  run_lines(session);
  run_targets(session);
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.l1d.mshr_entries={}", std::min(config.core.l1d.mshr_entries * 3 / 4, 12u))},
          {fmt::format("core.l1d.mshr_targets={}", config.core.l1d.mshr_targets + 3)}};
}

}  // namespace

Benchmark memory_parallelism() {
  return {.name = "memory-parallelism",
          .description = "lines on their way at once, and accesses that wait for one",
          .run = run,
          .mutations = mutations,
          .missing = no_l1};
}

}  // namespace heddle::microbench::memory_parallelism
