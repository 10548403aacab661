// Throughput of every arithmetic class: enough warps to fill a core, with enough independent instructions
// each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/alu_ops.h"
#include "microbench/core_timing.h"
#include "microbench/suite.h"
#include "microbench/throughput.h"

namespace heddle::microbench::alu_throughput {
namespace {

constexpr std::uint32_t kChains = 4;
constexpr std::uint32_t kWarpsPerScheduler = 8;  // times kChains: exceeds any latency
constexpr std::uint32_t kTurns = 25;             // per warp: the unknown fraction of a turn is below 2 %

/// Instructions in the loop: more for fast classes, so that the loop overhead is negligible.
std::uint32_t body_length(const gpu::GpuConfig& config, const AluOp& op) {
  return alu_initiation_cycles(config, op.latency_class) <= 4 ? 64 : 16;
}

std::uint32_t warps_of(const gpu::GpuConfig& config) {
  const core::CoreConfig& core = config.core;
  return std::min({core.occupancy.max_warps, 32u, kWarpsPerScheduler * core.scheduler.count});  // of one CTA
}

/// Core cycles per turn of a warp, set by the busiest of issue slots, fetch (one warp per cycle) and pipes.
double expected_turn(const gpu::GpuConfig& config, const AluOp& op) {
  const core::CoreConfig& core = config.core;
  const double length = body_length(config, op);
  const double instructions = length + kLoopArithmetic + kLoopBranches;
  const double loop = kLoopArithmetic * alu_initiation_cycles(config, isa::LatencyClass::kIntSimple);
  const PipeKind kind = pipe_kind(config, op.latency_class),
                 loop_kind = pipe_kind(config, isa::LatencyClass::kIntSimple);
  double pipe = length * alu_initiation_cycles(config, op.latency_class);
  if (kind.name == loop_kind.name) pipe += loop;
  const double latency = length / kChains * alu_latency_cycles(config, op.latency_class) / warps_of(config);
  const double results =
      core.register_file.writeback_ports == 0
          ? 0
          : (length + kLoopArithmetic) / (core.register_file.writeback_ports * core.scheduler.sub_cores);
  return std::max({instructions / core.scheduler.count, fetch_cycles(config, instructions), pipe / kind.units,
                   loop / loop_kind.units, results, latency});
}

double measured_rate(Session& session, const AluOp& op, std::uint32_t warps) {
  std::string y;
  std::vector<std::string> x;
  const std::uint32_t length = body_length(session.config(), op);
  const TimedKernel kernel = repeating(
      "alu_throughput_" + op.name,
      [&](TimedKernel& k) {
        const std::string start = k.parameter(op.type);
        y = k.parameter(op.type);
        for (std::uint32_t i = 0; i < kChains; ++i) {
          x.push_back(k.reg(op.register_type()));
          k.line("mov.{} {}, {}", op.type, x.back(), start);
        }
      },
      [&](TimedKernel& k) {
        for (std::uint32_t i = 0; i < length; ++i) k.line(fmt::runtime(op.format), x[i % kChains], y);
      });
  const auto cycles = static_cast<std::uint32_t>(kTurns * warps * expected_turn(session.config(), op));
  const std::uint32_t threads = warps * base::kLanes;
  const Rate rate = op.wide() ? sustained(session, kernel, 1, threads, cycles, op.x, op.y)
                              : sustained(session, kernel, 1, threads, cycles,
                                          static_cast<std::uint32_t>(op.x), static_cast<std::uint32_t>(op.y));
  return rate.per_cycle() * length;
}

void run(Session& session) {
  const std::uint32_t warps = warps_of(session.config());
  for (const AluOp& op : alu_ops()) {
    const double peak = body_length(session.config(), op) / expected_turn(session.config(), op);
    session.add(
        {.what = op.name,
         .measured = measured_rate(session, op, warps),
         .expected = within(0.04 * peak, peak),
         .unit = "warp instr./cycle",
         .keys = fmt::format("core.pipes.{}_initiation_cycles, .{}_units, core.scheduler.*, core.fetch.*",
                             op.name, pipe_kind(session.config(), op.latency_class).name),
         .why = "the loop around the instructions counts as well; within 4 % for the turns under way at the "
                "end and for "
                "pipes that become free in the same cycle"});
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  std::vector<std::string> slower;
  for (const AluOp& op : alu_ops()) {
    const double cycles = alu_initiation_cycles(config, op.latency_class);
    const double other = cycles < 400 ? 2 * cycles + 1 : cycles / 2;
    slower.push_back(fmt::format("core.pipes.{}_initiation_cycles={}", op.name, other));
  }
  std::vector<std::vector<std::string>> changes = {
      slower,
      {fmt::format("core.pipes.sp_units={}", config.core.pipes.sp_units * 2)},
      {fmt::format("core.pipes.sfu_units={}", config.core.pipes.sfu_units * 2)}};
  if (config.core.scheduler.count > 1)
    changes.push_back({"core.scheduler.count=1", "core.scheduler.sub_cores=1"});
  return changes;
}

}  // namespace

Benchmark alu_throughput() {
  return {.name = "alu-throughput",
          .description = "independent instructions of every arithmetic class, a core full of warps",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::alu_throughput
