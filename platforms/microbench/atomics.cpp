// Atomics: throughput of the L2's atomic units for different address patterns, and passes of atomics in
// shared memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "microbench/core_timing.h"
#include "microbench/links.h"
#include "microbench/suite.h"
#include "microbench/throughput.h"

namespace heddle::microbench::atomics {
namespace {

constexpr std::uint32_t kBody = 4;  ///< atomics in the loop
constexpr std::uint32_t kWarps = 8;
constexpr std::uint32_t kTurns = 24;

/// The addresses of the 32 lanes, the same for all warps.
struct Pattern {
  const char* what;
  std::uint32_t stride_words;  ///< between consecutive lanes
};

std::uint32_t lines_touched(const gpu::GpuConfig& config, const Pattern& pattern) {
  const std::uint32_t line = config.memory.l2.line_bytes / 4;
  return std::max(1u, std::min(base::kLanes, (base::kLanes * pattern.stride_words + line - 1) / line));
}

/// L2 cycles that a reduction of `lanes` lanes occupies the atomic unit or the bank of its line.
double transaction_cycles(const memory::L2Config& l2, std::uint32_t lanes, bool same_word) {
  const bool combined = l2.atomic_combine != memory::AtomicCombine::kNone;
  const double operations = same_word && combined ? 1 : lanes;
  const double of_one_word = same_word && !combined ? lanes : 1;
  return std::max(std::ceil(operations / l2.atomic_lanes_per_cycle),
                  of_one_word * l2.atomic_same_address_cycles);
}

/// Of the load/store unit, which a reduction's lanes on one word may take one after the other.
double unit_cycles(const gpu::GpuConfig& config, const Pattern& pattern, std::uint32_t lines) {
  const std::uint32_t lane = config.core.lsu.reduction_lane_cycles;
  return lane == 0 ? pass_cycles(config, lines)
                   : lines * lane * (pattern.stride_words == 0 ? base::kLanes : 1);
}

/// Core cycles between two warp atomics, set by the slowest stage: the load/store unit's line accesses, the
/// links of the cores and of the partition with most of the lines, that partition's atomic unit, or the
/// response links.
double expected_interval(const gpu::GpuConfig& config, const Pattern& pattern, std::uint32_t cores) {
  const memory::MemoryConfig& memory = config.memory;
  const std::uint32_t lines = lines_touched(config, pattern);
  const std::uint32_t lanes = base::kLanes / lines;  // of one transaction
  const std::uint32_t chunk_lines = memory.partition_interleave_bytes / memory.l2.line_bytes;
  const std::uint32_t chunks = (lines + chunk_lines - 1) / chunk_lines;
  const std::uint32_t of_one_partition =
      (chunks + memory.partitions - 1) / memory.partitions * std::min(chunk_lines, lines);

  const double request_bytes = memory.crossbar.header_bytes + 4.0 * lanes;
  const double ports = crossbar_ports(config, cores);
  const double from_core = lines * packet_flits(config, request_bytes, Way::kToPartition) / ports;
  const double to_partition = of_one_partition * packet_interval(config, request_bytes, Way::kToPartition);
  const double to_core = lines * packet_interval(config, memory.crossbar.header_bytes, Way::kToCore) / ports;
  const double unit = std::max<double>(  // all warps want the same lines
      of_one_partition * transaction_cycles(memory.l2, lanes, pattern.stride_words == 0),
      memory.l2.atomic_same_line_cycles);
  return std::max(
      {unit_cycles(config, pattern, lines) / cores,
       std::max({from_core, to_partition, to_core}) * core_cycles(config, config.clocks.interconnect_mhz),
       unit * core_cycles(config, config.clocks.l2_mhz)});
}

void measure(Session& session, const Pattern& pattern, std::uint32_t cores) {
  const gpu::GpuConfig& config = session.config();
  const std::uint32_t bytes = std::max(4u, base::kLanes * pattern.stride_words * 4);
  const std::uint64_t buffer = session.device().allocate(bytes, "atomics");
  std::string at;
  const TimedKernel kernel = repeating(
      "atomics",
      [&](TimedKernel& k) {
        const std::string base = k.parameter("u64");
        at = k.reg("b64");
        k.line("mad.wide.u32 {}, {}, {}, {}", at, k.lane(), 4 * pattern.stride_words, base);
      },
      [&](TimedKernel& k) {
        for (std::uint32_t i = 0; i < kBody; ++i) k.line("red.global.add.u32 [{}], 1", at);
      });
  const double interval = expected_interval(config, pattern, cores);
  const std::uint32_t threads = kWarps * base::kLanes;
  const auto cycles = static_cast<std::uint32_t>(interval * kBody * kWarps * cores * kTurns);
  const LoadedKernel loaded = session.load(kernel);
  const TimedRun once = session.run(loaded, cores, threads, 0u, buffer);  // brings the code into L2
  const TimedRun shorter = session.run(loaded, cores, threads, cycles, buffer);
  const TimedRun longer = session.run(loaded, cores, threads, 3 * cycles, buffer);
  const double rate = (bodies(longer) - bodies(shorter)) * kBody / (2.0 * cycles);

  std::uint64_t expected_sum = 0, sum = 0;
  for (const TimedRun* run : {&once, &shorter, &longer})
    for (const WarpRecord& warp : run->warps)
      expected_sum += std::uint64_t{warp.words.front()} * kBody * base::kLanes;
  for (const std::uint32_t word : session.device().download<std::uint32_t>(buffer, bytes / 4)) sum += word;
  session.check_values(pattern.what, {sum}, expected_sum);
  session.add({.what = fmt::format("{}, {} core{}", pattern.what, cores, cores == 1 ? "" : "s"),
               .measured = 1 / rate,
               .expected = within(0.05 * interval, interval),
               .unit = "core cycles per warp atomic",
               .keys = "memory.l2.atomic_*, memory.crossbar.*, clocks.*",
               .why = "within 5 % for the turns under way at the end"});
}

void run_global(Session& session) {
  const std::uint32_t line_words = session.config().memory.l2.line_bytes / 4;
  const std::uint32_t cores = session.config().cores;
  measure(session, {"same word", 0}, 1);
  measure(session, {"words of a line", 1}, 1);
  measure(session, {"lines", line_words}, 1);
  if (cores == 1) return;
  measure(session, {"same word", 0}, cores);
  measure(session, {"words of a line", 1}, cores);
}

std::vector<std::vector<std::string>> global_mutations(const gpu::GpuConfig& config) {
  const memory::L2Config& l2 = config.memory.l2;
  return {{fmt::format("memory.l2.atomic_lanes_per_cycle={}", l2.atomic_lanes_per_cycle / 4)},
          {fmt::format("memory.l2.atomic_same_address_cycles={}", l2.atomic_same_address_cycles + 1)},
          {"memory.l2.atomic_combine=all"},
          {fmt::format("memory.l2.atomic_same_line_cycles={}", 32 + l2.atomic_same_line_cycles)},
          {fmt::format("memory.crossbar.flit_bytes={}", config.memory.crossbar.flit_bytes / 8)}};
}

std::vector<std::string> smaller(const gpu::GpuConfig&) { return {"cores=2"}; }

// ---- shared memory ----

constexpr std::uint32_t kShort = 32, kLong = 64, kRounds = 3;

/// Word index of lane i in the CTA's shared memory, for an atomic at stride `stride`. Every bank and every
/// word performs one operation per pass.
std::uint32_t expected_passes(const gpu::GpuConfig& config, std::uint32_t stride) {
  std::array<std::uint32_t, base::kLanes> operations{};
  for (std::uint32_t lane = 0; lane < base::kLanes; ++lane)
    ++operations[lane * stride % config.core.shared_memory.banks];
  return *std::max_element(operations.begin(), operations.end());
}

std::uint32_t shared_cycles(Session& session, std::uint32_t stride, std::uint32_t length) {
  TimedKernel kernel("shared_atomics");
  kernel.use_shared(std::max(1u, base::kLanes * stride) * 4);
  const std::string at = kernel.reg("b32"), old = kernel.reg("b32"), after = kernel.reg("b32");
  kernel.line("mul.lo.u32 {}, {}, {}", at, kernel.lane(), 4 * stride);
  kernel.line("mov.u32 {}, 1", old);
  kernel.begin_rounds();
  kernel.start_clock();
  // The operand is the old value returned by the previous atomic, or one if that was zero.
  for (std::uint32_t i = 0; i < length; ++i) kernel.line("atom.shared.max.u32 {0}, [{1}], {0}", old, at);
  kernel.line("mov.b32 {}, {}", after, old);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.line("ld.shared.u32 {}, [{}]", after, at);
  kernel.keep_lanes("b32", after);
  const TimedRun run = session.run(kernel, 1, base::kLanes);
  session.check_values("shared atomics", run.lane_values, 1);
  return run.span();
}

void run_shared(Session& session) {
  const double latency = session.config().core.shared_memory.latency_cycles;
  for (const std::uint32_t stride : {1u, 2u, 8u, 0u}) {
    const std::uint32_t shorter = shared_cycles(session, stride, kShort);
    const std::uint32_t longer = shared_cycles(session, stride, kLong);
    session.add(
        {.what = stride == 0 ? "same word" : fmt::format("stride {}", stride),
         .measured = (static_cast<double>(longer) - shorter) / (kLong - kShort) - latency + 1,
         .expected = exactly(pass_cycles(session.config(), expected_passes(session.config(), stride))),
         .unit = "passes",
         .keys = "core.shared_memory.banks, .latency_cycles"});
  }
}

std::vector<std::vector<std::string>> shared_mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.shared_memory.banks={}", config.core.shared_memory.banks / 2)}};
}

}  // namespace

Benchmark atomics() {
  return {.name = "atomics",
          .description = "reductions to global memory: one word, one line, 32 lines; one core and all",
          .run = run_global,
          .mutations = global_mutations,
          .prepare = smaller};
}

Benchmark shared_atomics() {
  return {.name = "shared-atomics",
          .description = "atomics in shared memory with lane i at word i * stride",
          .run = run_shared,
          .mutations = shared_mutations};
}

}  // namespace heddle::microbench::atomics
