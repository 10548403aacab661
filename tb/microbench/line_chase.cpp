#include "microbench/line_chase.h"

#include <algorithm>
#include <cmath>

#include "microbench/core_timing.h"
#include "microbench/memory_path.h"
#include "microbench/throughput.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kPointerBytes = 8;

TimedKernel chase_kernel(const gpu::GpuConfig& config, Source source) {
  const bool shared = source == Source::kShared;
  std::string at, reads;
  return repeating(
      "line_chase",
      [&](TimedKernel& k) {
        const std::string starts = k.parameter("u64");
        at = k.reg(shared ? "b32" : "b64"), reads = k.reg("pred");
        const std::uint32_t line_bytes = chased_line_bytes(config, source);
        k.line("setp.lt.u32 {}, {}, {}", reads, k.lane(), line_bytes / kPointerBytes);
        if (shared) {
          k.use_shared(line_bytes);
          k.line("shl.b32 {}, {}, 2", at, k.lane());
          k.line("st.shared.u32 [{0}], {0}", at);
          return;
        }
        k.line("mad.wide.u32 {}, {}, 8, {}", at, k.warp(), starts);
        k.line("ld.global.u64 {0}, [{0}]", at);
        k.line("mad.wide.u32 {0}, {1}, {2}, {0}", at, k.lane(), kPointerBytes);
      },
      [&](TimedKernel& k) {
        for (std::uint32_t i = 0; i < LineChase::kUnrolled; ++i)
          if (shared)
            k.line("ld.shared.u32 {0}, [{0}]", at);
          else
            k.line("@{0} ld.global.{1}.u64 {2}, [{2}]", reads, source == Source::kL1 ? "ca" : "cg", at);
      });
}

/// Passes of a load through the banks of shared memory, or lines of L1 that it takes.
double passes(const gpu::GpuConfig& config, Source source) {
  if (source == Source::kShared)
    return std::ceil(static_cast<double>(sim::kLanes) / config.core.shared_memory.banks);
  return std::ceil(static_cast<double>(chased_line_bytes(config, source)) / config.core.l1d.line_bytes);
}

/// Core cycles of each load that fetching and issuing the loop takes the core.
double front_end_interval(const gpu::GpuConfig& config, Source source) {
  const double instructions = LineChase::kUnrolled + kLoopArithmetic + kLoopBranches;
  const double replays =
      config.core.lsu.replay_issue ? LineChase::kUnrolled * (passes(config, source) - 1) : 0;
  return std::max(std::ceil(instructions / fetched_at_once(config)),
                  (instructions + replays) / config.core.scheduler.count) /
         LineChase::kUnrolled;
}

}  // namespace

std::uint32_t chased_line_bytes(const gpu::GpuConfig& config, Source source) {
  constexpr std::uint32_t kMost = sim::kLanes * kPointerBytes;
  return source == Source::kShared ? 4 * sim::kLanes : std::min(kMost, config.memory.l2.line_bytes);
}

WarpLines side_by_side(Session& session, std::uint32_t warps, std::uint64_t each) {
  const std::uint64_t line_bytes = chased_line_bytes(session.config(), Source::kL2);
  const std::uint64_t first = session.device().allocate(warps * each * line_bytes, "chased lines");
  WarpLines lines(warps);
  for (std::uint64_t i = 0; i < each; ++i)
    for (std::uint32_t warp = 0; warp < warps; ++warp)
      lines[warp].push_back(first + (i * warps + warp) * line_bytes);
  return lines;
}

Expectation bandwidth_within(const Bounds& lines_per_cycle, double unit) {
  constexpr double kSlack = 0.03;
  const double least = unit * lines_per_cycle.least, most = unit * lines_per_cycle.most;
  return within((most - least) / 2 + kSlack * most, (most + least) / 2);
}

LineChase::LineChase(Session& session, Source source)
    : session_(session), source_(source), kernel_(session.load(chase_kernel(session.config(), source))) {}

void LineChase::link(const WarpLines& lines) {
  std::vector<std::uint64_t> pointers(chased_line_bytes(session_.config(), Source::kL2) / kPointerBytes);
  for (const std::vector<std::uint64_t>& chain : lines)
    for (std::size_t i = 0; i < chain.size(); ++i) {
      for (std::size_t p = 0; p < pointers.size(); ++p)
        pointers[p] = chain[(i + 1) % chain.size()] + p * kPointerBytes;
      session_.device().write(chain[i], std::as_bytes(std::span<const std::uint64_t>(pointers)));
    }
}

TimedRun LineChase::run(const Chasers& chasers, const WarpLines& lines, std::uint32_t cycles) {
  std::vector<std::uint64_t> starts;
  for (const std::vector<std::uint64_t>& chain : lines) starts.push_back(chain.front());
  const std::uint64_t at = session_.device().upload(starts, "first lines");
  TimedRun run = session_.run(kernel_, chasers.cores, chasers.warps * sim::kLanes, cycles, at);
  session_.device().free(at);
  return run;
}

double LineChase::lines_per_cycle(const Chasers& chasers, std::uint64_t lines_each, double about,
                                  const std::function<WarpLines(std::uint64_t)>& lines) {
  const auto shorter = static_cast<std::uint32_t>(static_cast<double>(lines_each) * chasers.all() / about);
  const auto run_for = [&](std::uint32_t times) {
    const WarpLines chains =
        lines(2 * times * lines_each + 2 * kUnrolled);  // some warps are faster than others
    link(chains);
    return run(chasers, chains, times * shorter);
  };
  (void)run_for(0);  // brings the code into L2
  const TimedRun once = run_for(1), thrice = run_for(3);
  return rate_between(once, thrice) * kUnrolled;
}

Bounds LineChase::trip(const gpu::GpuConfig& config, Source source) {
  Bounds trip;
  switch (source) {
    case Source::kShared:
      trip.least = trip.most = config.core.shared_memory.latency_cycles + passes(config, source) - 1;
      break;
    case Source::kL1:
      trip.least = trip.most = config.core.l1d.latency_cycles + passes(config, source) - 1;
      break;
    case Source::kL2:
    case Source::kDram: {
      const MemoryPath path(config);
      const std::uint32_t bytes = chased_line_bytes(config, source);
      const MemoryPath::Trips trips = source == Source::kL2 ? path.l2_trips(bytes) : path.dram_trips(bytes);
      trip = {static_cast<double>(trips.least), static_cast<double>(trips.most)};
      if (source == Source::kDram) trip.most /= 1 - refreshing(config.memory.dram);
      break;
    }
  }
  // Behind the last load the clock is read, a difference taken and compared, and the loop left or not, and
  // only then comes the next load, even if the line has arrived before.
  const double loop =
      1 + 3 * alu_latency_cycles(config, isa::LatencyClass::kIntSimple) + cycles_after_branch(config);
  for (double* cycles : {&trip.least, &trip.most}) *cycles += std::max(0.0, loop - *cycles) / kUnrolled;
  return trip;
}

ClosedLoop LineChase::of_one_core(const gpu::GpuConfig& config, Source source) {
  const auto cycles_of_line = [&](double gb_per_s) {
    return chased_line_bytes(config, source) * config.clocks.core_mhz / 1e3 / gb_per_s;
  };
  const double front_end = front_end_interval(config, source);
  Bounds interval;
  if (source == Source::kShared || source == Source::kL1) {
    interval.least = interval.most = passes(config, source);
  } else {
    const double link = cycles_of_line(link_limit(config, {.cores = 1, .ports = 1}));
    interval.least = interval.most = link;
    if (source == Source::kDram) {
      interval.least = std::max(
          link, cycles_of_line(config.memory.partitions * channel_limit(config, RowChanges::kHidden)));
      interval.most =
          std::max(link, cycles_of_line(config.memory.partitions * channel_limit(config, RowChanges::kEach)));
    }
  }
  return {trip(config, source),
          {std::max(interval.least, front_end), std::max(interval.most, front_end)},
          source == Source::kL2};
}

}  // namespace heddle::microbench
