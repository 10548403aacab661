// Sweeps: the working set shows the capacity of L1 and L2, the stride shows the length of their lines
// (Saavedra 1992; Wong et al. 2010).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "microbench/core_timing.h"
#include "microbench/pointer_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench::sweeps {
namespace {

/// Hit rate when `lines` consecutive lines are read repeatedly. LRU keeps all lines of a set, or none if
/// there are more lines than ways, because the next line needed is always the one just evicted.
double expected_hits(std::uint64_t lines, std::uint64_t sets, std::uint64_t ways) {
  std::uint64_t hits = 0;
  for (std::uint64_t set = 0; set < sets; ++set) {
    const std::uint64_t in_set = lines / sets + (set < lines % sets ? 1 : 0);
    if (in_set <= ways) hits += in_set;
  }
  return static_cast<double>(hits) / static_cast<double>(lines);
}

// ---- L1 working set ----

/// One warp of `lanes` lanes reads `lines` consecutive lines `passes` times, one line per lane and load, in
/// order.
void read_lines(Session& session, const char* load, std::uint64_t buffer, std::uint32_t lines,
                std::uint32_t line_bytes, std::uint32_t passes, std::uint32_t lanes) {
  TimedKernel kernel("sweep");
  const std::string base = kernel.parameter("u64"), bytes = kernel.parameter("u32");
  const std::string offset = kernel.reg("b32"), at = kernel.reg("b64"), value = kernel.reg("b32");
  const std::string more = kernel.reg("pred"), loop = kernel.label(), active = kernel.reg("pred");
  const std::string first = kernel.reg("b32");
  kernel.start_clock();
  kernel.begin_rounds();
  kernel.line("mul.lo.u32 {}, {}, {}", offset, kernel.lane(), line_bytes);
  kernel.line("mov.u32 {}, 0", first);
  kernel.place(loop);
  kernel.line("setp.lt.u32 {}, {}, {}", active, offset, bytes);
  kernel.line("mad.wide.u32 {}, {}, 1, {}", at, offset, base);
  kernel.line("@{} {} {}, [{}]", active, load, value, at);
  kernel.line("@{0} add.u32 {1}, {1}, 0", active, value);  // waits
  kernel.line("add.u32 {0}, {0}, {1}", offset, line_bytes * lanes);
  kernel.line("add.u32 {0}, {0}, {1}", first, line_bytes * lanes);
  kernel.line("setp.lt.u32 {}, {}, {}", more, first, bytes);
  kernel.line("@{} bra {}", more, loop);
  kernel.end_rounds(passes);
  kernel.stop_clock();
  (void)session.run(kernel, 1, lanes, buffer, lines * line_bytes);
}

/// Lines of code, parameters and results of the kernel, which pass through the L2 as well.
constexpr double kOtherLines = 4;

/// L1 while a kernel runs whose CTAs have one warp and no shared memory of their own: as many as there may be fit on a core.
core::L1dConfig l1_of_one_warp(const gpu::GpuConfig& config) {
  core::L1dConfig l1d = config.core.resolved_l1d();
  l1d.size_kib = config.core.l1d_kib_beside(config.core.occupancy.max_ctas *
                                            config.core.shared_memory.reserved_bytes_per_cta);
  return l1d;
}

void run_l1(Session& session) {
  const core::L1dConfig l1d = l1_of_one_warp(session.config());
  const std::uint32_t capacity = l1d.size_kib * 1024 / l1d.line_bytes, sets = capacity / l1d.ways;
  const std::uint64_t buffer = session.device().allocate(std::uint64_t{2} * l1d.size_kib * 1024, "L1 sweep");
  for (const std::uint32_t lines : {capacity / 4, capacity / 2, capacity, capacity + sets / 4,
                                    capacity + sets / 2, capacity + sets, 2 * capacity}) {
    const auto hits_of = [&](std::uint32_t passes) {
      (void)read_lines(session, "ld.global.ca.u32", buffer, lines, l1d.line_bytes, passes, 1);
      return static_cast<double>(session.count("core*.l1d.load_hits"));
    };
    const double first = hits_of(1);  // L1 is empty when a kernel starts
    session.add({.what = fmt::format("{} lines", lines),
                 .measured = (hits_of(2) - first) / lines,
                 .expected = exactly(expected_hits(lines, sets, l1d.ways)),
                 .unit = "hits per line",
                 .keys = "core.l1d.size_kib, .ways, .line_bytes"});
  }
}

std::vector<std::vector<std::string>> l1_mutations(const gpu::GpuConfig& config) {
  // The sizes swept follow the capacity, so a mutation changes which set overflows first.
  const core::L1dConfig l1d = l1_of_one_warp(config);
  if (config.core.l1d.carve_out == core::CarveOut::kByKernel)
    return {{"core.l1d.carve_out=fixed", "core.l1d.unified_kib=0",
             fmt::format("core.l1d.size_kib={}", l1d.size_kib / 2)}};
  return {{fmt::format("core.l1d.size_kib={}", l1d.size_kib * 2), "core.l1d.unified_kib=0"},
          {fmt::format("core.l1d.size_kib={}", l1d.size_kib / 2)}};
}

// ---- L2 working set ----

/// Hit rate of one core's reads. Half of the lines are in the other half of the chip, if there is one: each of them may take a way
/// for its copy as well.
double expected_l2_hits(const memory::MemoryConfig& memory, std::uint32_t lines) {
  const std::uint32_t sets = memory.l2.sets() * memory.partitions;
  const double near = expected_hits(lines, sets, memory.l2.ways);
  return memory.l2.copies_take_ways ? (near + expected_hits(lines, sets, memory.l2.ways / 2)) / 2 : near;
}

void run_l2(Session& session) {
  const memory::MemoryConfig& memory = session.config().memory;
  const std::uint32_t capacity = memory.l2.size_kib * 1024 / memory.l2.line_bytes * memory.partitions;
  const std::uint64_t buffer =
      session.device().allocate(std::uint64_t{2} * capacity * memory.l2.line_bytes, "L2 sweep");
  for (const std::uint32_t lines :
       {capacity / 4, capacity / 2, capacity / 4 * 3, capacity / 4 * 5, capacity / 2 * 3, capacity * 2}) {
    const auto hits = [&] {
      (void)read_lines(session, "ld.global.cg.u32", buffer, lines, memory.l2.line_bytes, 1, base::kLanes);
      return static_cast<double>(session.count("partition*.l2.hits.read"));
    };
    (void)hits();  // fills L2, which keeps its contents at the end of a kernel
    session.add(
        {.what = fmt::format("{} lines", lines),
         .measured = hits() / lines,
         .expected = within(kOtherLines * memory.l2.ways / lines, expected_l2_hits(memory, lines)),
         .unit = "hits per line",
         .keys = "memory.partitions, memory.l2.size_kib, .ways, .line_bytes, .copies_take_ways",
         .why =
             "code, parameters and results of the kernel pass the L2 as well; each such line costs its set"});
  }
}

std::vector<std::vector<std::string>> l2_mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("memory.l2.size_kib={}", config.memory.l2.size_kib * 2)},
          {fmt::format("memory.partitions={}", config.memory.partitions * 2)}};
}

// ---- stride ----

void run_stride(Session& session) {
  const core::L1dConfig l1d = session.config().core.resolved_l1d();
  constexpr std::uint32_t kLoads = 64;
  for (std::uint32_t stride = 8; stride <= 2 * l1d.line_bytes; stride *= 2) {
    // Every pointer is read once, so that a line misses on its first access only.
    const std::uint64_t count = std::uint64_t{kChaseRounds} * kLoads + 1;
    const std::uint64_t buffer = session.device().allocate(count * stride, "stride sweep");
    const Chain chain = make_chain(session, strided(buffer, count, stride));
    session.add(
        {.what = fmt::format("stride {}", stride),
         .measured =
             chase_count_per_load(session, chain, "ld.global.ca.u64", kLoads, "core*.l1d.load_misses"),
         .expected = exactly(std::min(1.0, static_cast<double>(stride) / fetched_bytes(session.config()))),
         .unit = "misses per load",
         .keys = "stride / core.l1d.line_bytes or .sector_bytes"});
  }
}

std::vector<std::vector<std::string>> stride_mutations(const gpu::GpuConfig& config) {
  const std::uint32_t half = config.core.l1d.line_bytes / 2;
  if (config.core.l1d.sector_bytes != 0)
    return {{fmt::format("core.l1d.sector_bytes={}", config.core.l1d.sector_bytes * 2)}};
  return {{fmt::format("core.l1d.line_bytes={}", half), fmt::format("memory.l2.line_bytes={}", half),
           fmt::format("core.l1i.line_bytes={}", half)}};
}

}  // namespace

Benchmark l1_working_set() {
  return {.name = "l1-working-set",
          .description = "reads of a quarter to twice the capacity of L1, over and over",
          .run = run_l1,
          .mutations = l1_mutations,
          .missing = no_l1};
}

Benchmark l2_working_set() {
  return {.name = "l2-working-set",
          .description = "reads of a quarter to twice the capacity of L2, over and over",
          .run = run_l2,
          .mutations = l2_mutations};
}

Benchmark stride_sweep() {
  return {.name = "stride-sweep",
          .description = "loads 8 bytes to two lines apart",
          .run = run_stride,
          .mutations = stride_mutations,
          .missing = no_l1};
}

}  // namespace heddle::microbench::sweeps
