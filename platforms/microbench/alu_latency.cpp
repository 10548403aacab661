// Latency of every arithmetic class: a chain of dependent instructions of one warp (Wong et al. 2010; Volkov
// 2010). The difference between two chain lengths cancels everything but the chain.
#include <algorithm>
#include <cmath>

#include "microbench/alu_ops.h"
#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::alu_latency {
namespace {

constexpr std::uint32_t kShort = 32, kLong = 64;
constexpr std::uint32_t kRounds = 3;

std::uint32_t chain_cycles(Session& session, const AluOp& op, std::uint32_t length) {
  TimedKernel kernel("alu_latency_" + op.name);
  const std::string x = kernel.parameter(op.type), y = kernel.parameter(op.type);
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < length; ++i) kernel.line(fmt::runtime(op.format), x, y);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes(op.wide() ? "b64" : "b32", x);
  const TimedRun run = op.wide() ? session.run(kernel, 1, base::kLanes, op.x, op.y)
                                 : session.run(kernel, 1, base::kLanes, static_cast<std::uint32_t>(op.x),
                                               static_cast<std::uint32_t>(op.y));
  session.check_values(op.name, run.lane_values, op.after(std::uint64_t{kRounds} * length));
  return run.span();
}

/// If the initiation interval of a pipe exceeds its latency, or fetch is slower, that delays the next
/// instruction of the chain.
double expected_interval(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  return dependent_interval(config, std::max(alu_latency_cycles(config, latency_class),
                                             single_warp_pipe_interval(config, latency_class)));
}

void run(Session& session) {
  for (const AluOp& op : alu_ops()) {
    const std::uint32_t shorter = chain_cycles(session, op, kShort),
                        longer = chain_cycles(session, op, kLong);
    session.add({.what = op.name,
                 .measured = static_cast<double>(longer - shorter) / (kLong - kShort),
                 .expected = exactly(expected_interval(session.config(), op.latency_class)),
                 .unit = "core cycles",
                 .keys = "core.pipes." + op.name + "_latency_cycles"});
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  std::vector<std::vector<std::string>> changes;
  for (const AluOp& op : alu_ops()) {
    const double latency = std::ceil(expected_interval(config, op.latency_class));
    changes.push_back({fmt::format("core.pipes.{}_latency_cycles={}", op.name, latency + 3)});
  }
  return changes;
}

}  // namespace

Benchmark alu_latency() {
  return {.name = "alu-latency",
          .description = "dependent chains of every arithmetic class, one warp",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::alu_latency
