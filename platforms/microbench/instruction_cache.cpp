// Instruction cache: the cost of a miss, and the capacity.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/core_timing.h"
#include "microbench/memory_path.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::instruction_cache {
namespace {

/// Emits `hops` branches from line to line of the code. The first is the instruction after the clock read.
void emit_hops(TimedKernel& kernel, const gpu::GpuConfig& config, std::uint32_t hops) {
  const std::uint32_t in_line = instructions_in_line(config);
  const std::string filler = kernel.reg("b32");
  kernel.start_clock();
  std::uint32_t written = 1;  // in this line
  for (std::uint32_t i = 0; i < hops; ++i) {
    const std::string next = kernel.label();
    kernel.line("bra {}", next);
    for (++written; written < in_line; ++written) kernel.line("mov.u32 {}, 0", filler);
    kernel.place(next);
    written = 0;
  }
  kernel.stop_clock();
}

// ---- a miss ----

struct Hops {
  std::uint64_t start = 0;  ///< core cycle of the first branch
  std::uint32_t cycles = 0;
};

/// Each line is new to the core and present in L2. (A kernel starts with an empty instruction cache; the
/// first of two launches brings the code into L2.)
Hops cold_hops(Session& session, std::uint32_t hops) {
  TimedKernel kernel("instruction_misses");
  kernel.begin_rounds();
  emit_hops(kernel, session.config(), hops);
  kernel.end_rounds(1);
  const LoadedKernel loaded = session.load(kernel);
  (void)session.run(loaded, 1, 1);
  const WarpRecord record = session.run(loaded, 1, 1).warps.front();
  return {std::uint64_t{record.start} + cycles_to_instruction(session.config(), 1), record.cycles()};
}

/// Core cycle in which the instruction after the last of `hops` branches issues.
std::uint64_t expected_end(const gpu::GpuConfig& config, std::uint64_t start, std::uint32_t hops) {
  if (!config.core.l1i.enabled) return start + std::uint64_t{hops} * cycles_after_branch(config);
  const MemoryPath path(config);
  std::uint64_t issued = start;
  // Fetch misses in the cycle of the branch, and the request leaves in the next cycle. The line is filled and
  // fetched in the cycle in which the response is delivered.
  for (std::uint32_t i = 0; i < hops; ++i)
    issued = path.delivered(issued + 1, config.core.l1i.line_bytes) + cycles_after_branch(config);
  return issued;
}

void run_misses(Session& session) {
  constexpr std::uint32_t kFew = 8, kMany = 24;
  const gpu::GpuConfig& config = session.config();
  const Hops few = cold_hops(session, kFew), many = cold_hops(session, kMany);
  const auto expected = [&](const Hops& hops, std::uint32_t count) {
    return static_cast<double>(expected_end(config, hops.start, count) - hops.start);
  };
  session.add({.what = "miss",
               .measured = (static_cast<double>(many.cycles) - few.cycles) / (kMany - kFew),
               .expected = exactly((expected(many, kMany) - expected(few, kFew)) / (kMany - kFew)),
               .unit = "core cycles",
               .keys = "L2 hit of core.l1i.line_bytes, core.fetch.latency_cycles"});
}

std::vector<std::vector<std::string>> miss_mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("memory.l2.latency_cycles={}", config.memory.l2.latency_cycles + 7)},
          {fmt::format("core.fetch.latency_cycles={}", config.core.fetch.latency_cycles + 3)},
          {fmt::format("core.l1i.line_bytes={}", config.core.l1i.line_bytes / 4)},
          {"core.l1i.enabled=false"}};
}

// ---- how much stays ----

/// Misses per pass over `lines` consecutive lines of code, repeated; LRU as in expected_hits() of sweeps.cpp.
double expected_misses(const gpu::GpuConfig& config, std::uint32_t lines) {
  const core::InstructionCacheConfig& l1i = config.core.l1i;
  if (!l1i.enabled) return 0;
  const std::uint32_t sets = l1i.size_kib * 1024 / l1i.line_bytes / l1i.ways;
  std::uint32_t misses = 0;
  for (std::uint32_t set = 0; set < sets; ++set) {
    const std::uint32_t in_set = lines / sets + (set < lines % sets ? 1 : 0);
    if (in_set > l1i.ways) misses += in_set;
  }
  return misses;
}

double misses_of_pass(Session& session, std::uint32_t lines) {
  const auto misses = [&](std::uint32_t rounds) {
    TimedKernel kernel("instruction_sweep");
    kernel.begin_rounds();
    emit_hops(kernel, session.config(), lines - 1);  // the last line ends the round
    kernel.end_rounds(rounds);
    (void)session.run(kernel, 1, 1);
    return static_cast<double>(session.count("core*.l1i.misses"));
  };
  return misses(3) - misses(2);
}

void run_sweep(Session& session) {
  const core::InstructionCacheConfig& l1i = session.config().core.l1i;
  const std::uint32_t capacity = l1i.size_kib * 1024 / l1i.line_bytes, sets = capacity / l1i.ways;
  for (const std::uint32_t lines :
       {capacity / 2, capacity, capacity + 1, capacity + sets / 2, capacity + sets}) {
    if (lines < 2) continue;
    session.add({.what = fmt::format("{} lines", lines),
                 .measured = misses_of_pass(session, lines),
                 .expected = exactly(expected_misses(session.config(), lines)),
                 .unit = "misses per pass",
                 .keys = "core.l1i.size_kib, .line_bytes, .ways"});
  }
}

std::vector<std::vector<std::string>> sweep_mutations(const gpu::GpuConfig& config) {
  const core::InstructionCacheConfig& l1i = config.core.l1i;
  return {{"core.l1i.enabled=false"}, {fmt::format("core.l1i.ways={}", l1i.ways / 2)}};
}

std::string no_bare_l1i(const gpu::GpuConfig& config) {
  if (config.core.fetch.per_sub_core())
    return "L0 caches and stream buffers stand before L1I (core.fetch.unit)";
  if (config.core.l1i.kept_between_launches || config.core.l1i.launch_prefetch_kib != 0)
    return "L1I is not empty when a kernel starts (core.l1i.kept_between_launches, .launch_prefetch_kib)";
  return "";
}

}  // namespace

Benchmark instruction_miss() {
  return {.name = "instruction-miss",
          .description = "branches to a new line of code each",
          .run = run_misses,
          .mutations = miss_mutations,
          .missing = no_bare_l1i};
}

Benchmark instruction_working_set() {
  return {.name = "instruction-working-set",
          .description = "loops around and above the capacity of the instruction cache",
          .run = run_sweep,
          .mutations = sweep_mutations,
          .missing = no_bare_l1i};
}

}  // namespace heddle::microbench::instruction_cache
