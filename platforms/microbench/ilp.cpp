// Instruction-level parallelism of one warp: k independent chains, until the scoreboard, the pipe or fetch
// becomes the limit (Volkov 2010, "Better performance at lower occupancy").
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/alu_ops.h"
#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::ilp {
namespace {

constexpr std::uint32_t kRounds = 3;
constexpr std::uint32_t kShort = 48, kLong = 96;  // whole turns for every number of chains

/// Cycles per instruction with `chains` independent chains. At most as many results are pending as there are
/// chains or scoreboard entries, and the rate is limited by the pipes and by fetch.
double expected_interval(const gpu::GpuConfig& config, const AluOp& op, std::uint32_t chains) {
  const double pending = std::min(chains, config.core.scoreboard.entries_per_warp);
  if (chains == 1) return dependent_interval(config, alu_latency_cycles(config, op.latency_class));
  return std::max({alu_latency_cycles(config, op.latency_class) / pending,
                   single_warp_pipe_interval(config, op.latency_class), single_warp_issue_interval(config)});
}

std::uint32_t ladder_cycles(Session& session, const AluOp& op, std::uint32_t chains, std::uint32_t length) {
  TimedKernel kernel("ilp_" + op.name);
  const std::string start = kernel.parameter("u32");
  const std::string y = std::to_string(op.y);  // an immediate: no two register operands in one bank
  std::vector<std::string> x;
  for (std::uint32_t i = 0; i < chains; ++i) {
    x.push_back(kernel.reg("b32"));
    kernel.line("mov.b32 {}, {}", x.back(), start);
  }
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < length; ++i) kernel.line(fmt::runtime(op.format), x[i % chains], y);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  for (const std::string& reg : x) kernel.keep(reg);
  const TimedRun run = session.run(kernel, 1, base::kLanes, static_cast<std::uint32_t>(op.x));
  for (const std::uint32_t word : run.warps.front().words)
    session.check_values(op.name, {word}, op.after(std::uint64_t{kRounds} * length / chains));
  return run.span();
}

void run(Session& session) {
  for (const isa::LatencyClass latency_class : {isa::LatencyClass::kIntSimple, isa::LatencyClass::kIntDiv}) {
    const AluOp& op = alu_op(latency_class);
    for (const std::uint32_t chains : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u}) {
      const std::uint32_t shorter = ladder_cycles(session, op, chains, kShort);
      const std::uint32_t longer = ladder_cycles(session, op, chains, kLong);
      session.add(
          {.what = fmt::format("{} x {}", op.name, chains),
           .measured = (static_cast<double>(longer) - shorter) / (kLong - kShort),
           .expected = exactly(expected_interval(session.config(), op, chains)),
           .unit = "core cycles per instruction",
           .keys = fmt::format("core.pipes.{}_*, core.scoreboard.entries_per_warp, core.fetch.*", op.name)});
    }
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  const double latency = alu_latency_cycles(config, isa::LatencyClass::kIntDiv);
  return {{fmt::format("core.scoreboard.entries_per_warp={}",
                       std::min(config.core.scoreboard.entries_per_warp / 2, 6u))},
          {fmt::format("core.pipes.int_div_latency_cycles={}", latency + 24)},
          {fmt::format("core.pipes.int_div_initiation_cycles={}", std::ceil(latency / 4))}};
}

}  // namespace

Benchmark ilp_ladder() {
  return {.name = "ilp-ladder",
          .description = "1 to 16 independent chains of one warp",
          .run = run,
          .mutations = mutations};
}

}  // namespace heddle::microbench::ilp
