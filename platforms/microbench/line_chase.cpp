#include "microbench/line_chase.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "microbench/core_timing.h"
#include "microbench/links.h"
#include "microbench/memory_path.h"
#include "microbench/throughput.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kPointerBytes = 8;
/// Instructions of the body that are not loads.
constexpr std::uint32_t kOthers = 1;

/// Words that the kernel keeps: completed bodies, the %clock time before the last one, and the lower half of
/// the address that lane 0 has reached.
enum Word : std::uint8_t { kCount, kBefore, kAt };

TimedKernel chase_kernel(const gpu::GpuConfig& config, Source source) {
  const bool shared = source == Source::kShared;
  const std::uint32_t line_bytes = chased_line_bytes(config, source);
  std::string at, reads, before;
  TimedKernel kernel = repeating(
      "line_chase",
      [&](TimedKernel& k) {
        const std::string starts = k.parameter("u64");
        at = k.reg(shared ? "b32" : "b64"), reads = k.reg("pred"), before = k.reg("b32");
        k.line("mov.u32 {}, 0", k.stop_register());
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
        k.line("mov.u32 {}, {}", before, k.stop_register());
        for (std::uint32_t i = 0; i < LineChase::kUnrolled; ++i)
          if (shared)
            k.line("ld.shared.u32 {0}, [{0}]", at);
          else
            k.line("@{0} ld.global.{1}.u64 {2}, [{2}]", reads, source == Source::kL1 ? "ca" : "cg", at);
      });
  kernel.keep(before);
  const std::string low = kernel.reg("b32");
  if (shared)
    kernel.line("mov.b32 {}, {}", low, at);
  else
    kernel.line("cvt.u32.u64 {}, {}", low, at);
  kernel.keep(low);
  return kernel;
}

/// Bodies completed by a warp in its first `cycles` cycles, including a fraction of the one in progress.
double bodies_within(const WarpRecord& warp, double cycles) {
  const std::uint32_t before = warp.words[kCount] == 1 ? 0 : warp.words[kBefore] - warp.start;
  return warp.words[kCount] - 1.0 + (cycles - before) / (warp.cycles() - before);
}

/// %clock has 32 bits. A longer time is clamped, which shortens the measurement.
std::uint32_t clock_cycles(double cycles) {
  return static_cast<std::uint32_t>(std::min(cycles, double{std::numeric_limits<std::int32_t>::max()}));
}

}  // namespace

std::uint32_t chased_line_bytes(const gpu::GpuConfig& config, Source source) {
  return source == Source::kShared ? 4 * base::kLanes : config.memory.l2.line_bytes;
}

ChasedLines spread_lines(Session& session, std::uint32_t warps, std::uint64_t each, std::uint64_t most) {
  const std::uint64_t line_bytes = chased_line_bytes(session.config(), Source::kL2);
  const std::uint32_t partitions = session.config().memory.partitions;
  const std::uint64_t own = std::clamp<std::uint64_t>(most / each, 1, warps);
  const std::uint64_t lines_of_partition = own * each / partitions + 1;
  ChasedLines lines{PartitionedBuffer(session, lines_of_partition * line_bytes, "chased lines"), {}};
  lines.of_warp.resize(warps);
  for (std::uint32_t warp = 0; warp < warps; ++warp)
    for (std::uint64_t i = 0; i < each; ++i) {
      const std::uint64_t number = i * own + warp % own;
      lines.of_warp[warp].push_back(lines.memory.address(static_cast<std::uint32_t>(number % partitions),
                                                         number / partitions * line_bytes));
    }
  return lines;
}

LineChase::LineChase(Session& session, Source source)
    : session_(session), source_(source), kernel_(session.load(chase_kernel(session.config(), source))) {}

void LineChase::link(const ChasedLines& lines) {
  std::vector<std::uint64_t> pointers(chased_line_bytes(session_.config(), Source::kL2) / kPointerBytes);
  for (const std::vector<std::uint64_t>& chain : lines.of_warp)
    for (std::size_t i = 0; i < chain.size(); ++i) {
      for (std::size_t p = 0; p < pointers.size(); ++p)
        pointers[p] = chain[(i + 1) % chain.size()] + p * kPointerBytes;
      session_.device().write(chain[i], std::as_bytes(std::span<const std::uint64_t>(pointers)));
    }
}

double LineChase::lines_within(const Chasers& chasers, const ChasedLines& lines, double cycles) {
  std::vector<std::uint64_t> starts;
  for (const std::vector<std::uint64_t>& chain : lines.of_warp) starts.push_back(chain.front());
  const std::uint64_t at = session_.device().upload(starts, "first lines");
  const std::uint32_t whole_cycles = clock_cycles(cycles);
  const TimedRun run = session_.run(kernel_, chasers.cores, chasers.warps * base::kLanes, whole_cycles, at);
  session_.device().free(at);
  double bodies = 0;
  for (std::size_t w = 0; w < run.warps.size(); ++w) {
    const WarpRecord& warp = run.warps[w];
    const std::vector<std::uint64_t>& chain = lines.of_warp[w];
    const std::uint64_t end = chain[std::uint64_t{warp.words[kCount]} * kUnrolled % chain.size()];
    session_.check_values("line chase", {warp.words[kAt]},
                          source_ == Source::kShared ? 0 : static_cast<std::uint32_t>(end));
    bodies += bodies_within(warp, whole_cycles);
  }
  return bodies * kUnrolled;
}

LineChase::Window LineChase::window(const Chasers& chasers, double about) const {
  constexpr double kLeastTurns = 6, kMostTurns = 40, kAllTurns = 2560;
  const double turns = std::clamp(kAllTurns / chasers.all(), kLeastTurns, kMostTurns);
  const double turn = kUnrolled * chasers.all() / about;
  const double from = 2 * trip(session_.config(), Source::kDram).most + 2 * turn;
  return {from, from + turns * turn};
}

double LineChase::kept_lines_per_cycle(const Chasers& chasers, double about, const ChasedLines& lines) {
  const Window time = window(chasers, about);
  link(lines);
  (void)lines_within(chasers, lines, time.from);  // brings code and lines into L2
  const double before = lines_within(chasers, lines, time.from);
  return time.rate(before, lines_within(chasers, lines, time.to));
}

double LineChase::fresh_lines_per_cycle(const Chasers& chasers, double about,
                                        const std::function<ChasedLines(std::uint64_t)>& lines) {
  const auto lines_until = [&](double cycles) {
    const double each = 2 * cycles * about / chasers.all();  // some warps are faster than others
    const ChasedLines chains = lines(static_cast<std::uint64_t>(each) + kUnrolled);
    link(chains);
    session_.clean_l2();  // lines that were there before
    return lines_within(chasers, chains, cycles);
  };
  const Window time = window(chasers, about);
  const double before = lines_until(time.from);
  return time.rate(before, lines_until(time.to));
}

Bounds LineChase::trip(const gpu::GpuConfig& config, Source source) {
  Bounds trip;
  switch (source) {
    case Source::kShared:
      trip.least = trip.most = config.core.shared_memory.latency_cycles + shared_memory_passes(config) - 1;
      break;
    case Source::kL1:
      trip.least = trip.most = config.core.l1d.latency_cycles;
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
  // After the last load the clock is read, a difference computed and compared, and the loop branch executed.
  // Only then can the next load issue, even if the line has arrived earlier.
  const double loop =
      1 + 3 * alu_latency_cycles(config, isa::LatencyClass::kIntSimple) + cycles_after_branch(config);
  const auto with_loop = [&](double cycles) {
    return dependent_interval(config, cycles) + std::max(0.0, loop - cycles) / kUnrolled;
  };
  return {with_loop(trip.least), with_loop(trip.most)};
}

ClosedLoop LineChase::of_one_core(const gpu::GpuConfig& config, Source source, std::uint64_t lines) {
  const auto cycles_of_line = [&](double gb_per_s) {
    return chased_line_bytes(config, source) * config.clocks.core_mhz / 1e3 / gb_per_s;
  };
  const double passes = source == Source::kShared ? shared_memory_passes(config) : 1;
  Bounds interval{passes, passes};
  if (source == Source::kL2 || source == Source::kDram) {
    const auto partitions = static_cast<double>(std::min<std::uint64_t>(lines, config.memory.partitions));
    const double link = std::min(port_limit(config, 1), partitions * slice_limit(config));
    interval.least = interval.most = cycles_of_line(link);
    if (source == Source::kDram) {
      const double most = partitions * channel_limit(config, RowChanges::kHidden);
      const double least = partitions * channel_limit(config, RowChanges::kEach);
      interval = {cycles_of_line(std::min(link, most)), cycles_of_line(std::min(link, least))};
    }
  }
  const double front_end = loop_interval(config, kUnrolled, passes, kOthers);
  return {.trip = trip(config, source),
          .interval = {std::max(interval.least, front_end), std::max(interval.most, front_end)},
          .orderly = source == Source::kL2};
}

Expectation bandwidth_within(const Bounds& lines_per_cycle, double unit) {
  constexpr double kSlack = 0.03;
  const double least = unit * lines_per_cycle.least, most = unit * lines_per_cycle.most;
  return within((most - least) / 2 + kSlack * most, (most + least) / 2);
}

}  // namespace heddle::microbench
