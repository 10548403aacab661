// Register file: operands in one bank are read one after the other, and operand collectors let instructions
// issue before their pipe is free.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "microbench/alu_ops.h"
#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::register_file {
namespace {

constexpr std::uint32_t kShort = 32, kLong = 64, kRounds = 3;

// ---- banks ----

/// Number of a 32-bit register, which determines its bank.
std::uint32_t number_of(const isa::Kernel& kernel, const std::string& reg) {
  const auto found = std::find(kernel.register_names.begin(), kernel.register_names.end(), reg);
  return static_cast<std::uint32_t>(found - kernel.register_names.begin());
}

/// Issue to dependent issue for operands with these register numbers: operands in the same bank are read in
/// successive cycles.
double expected_latency(const gpu::GpuConfig& config, const std::set<std::uint32_t>& operands) {
  const core::RegisterFileConfig& file = config.core.register_file;
  std::map<std::uint32_t, std::uint32_t> of_bank;
  std::uint32_t most = 1;
  if (file.banks != 0)
    for (const std::uint32_t operand : operands) most = std::max(most, ++of_bank[operand % file.banks]);
  const std::uint32_t turns = (most + file.ports_per_bank - 1) / file.ports_per_bank;
  return alu_latency_cycles(config, isa::LatencyClass::kIntMad) + (turns - 1);
}

struct Chain {
  std::uint32_t cycles = 0;
  std::set<std::uint32_t> operands;  ///< their register numbers
};

/// x = x * y + z with y and z `y_distance` and `z_distance` registers after x.
Chain mad_chain(Session& session, std::uint32_t y_distance, std::uint32_t z_distance, std::uint32_t length) {
  TimedKernel kernel("register_banks");
  std::vector<std::string> regs;
  for (std::uint32_t i = 0; i <= std::max(y_distance, z_distance); ++i) {
    regs.push_back(kernel.reg("b32"));
    kernel.line("mov.u32 {}, {}", regs.back(), i + 1);  // assigns it the next number
  }
  const std::string& x = regs[0];
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < length; ++i)
    kernel.line("mad.lo.u32 {0}, {0}, {1}, {2}", x, regs[y_distance], regs[z_distance]);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes("b32", x);
  const LoadedKernel loaded = session.load(kernel);
  const TimedRun run = session.run(loaded, 1, base::kLanes);
  std::uint32_t value = 1;
  for (std::uint32_t i = 0; i < kRounds * length; ++i) value = value * (y_distance + 1) + (z_distance + 1);
  session.check_values("register banks", run.lane_values, value);
  Chain chain{run.span(), {}};
  for (const std::string& reg : {x, regs[y_distance], regs[z_distance]})
    chain.operands.insert(number_of(session.code(loaded), reg));
  return chain;
}

void run_banks(Session& session) {
  const std::uint32_t banks = std::max(1u, session.config().core.register_file.banks);
  const auto measure = [&](const char* what, std::uint32_t y_distance, std::uint32_t z_distance) {
    const Chain shorter = mad_chain(session, y_distance, z_distance, kShort);
    const Chain longer = mad_chain(session, y_distance, z_distance, kLong);
    session.add({.what = what,
                 .measured = static_cast<double>(longer.cycles - shorter.cycles) / (kLong - kShort),
                 .expected = exactly(expected_latency(session.config(), longer.operands)),
                 .unit = "core cycles",
                 .keys = "core.pipes.int_mad_latency_cycles, core.register_file.banks, .ports_per_bank"});
  };
  measure("operands in three banks", 1, 2);
  measure("two operands in one bank", banks, 2 * banks - 1);
  measure("three operands in one bank", banks, 2 * banks);
}

std::vector<std::vector<std::string>> bank_mutations(const gpu::GpuConfig& config) {
  const double interval = dependent_interval(config, alu_latency_cycles(config, isa::LatencyClass::kIntMad));
  return {{fmt::format("core.register_file.ports_per_bank={}",
                       config.core.register_file.ports_per_bank == 1 ? 2 : 1)},
          {"core.register_file.banks=0"},
          {"core.register_file.banks=1"},
          {fmt::format("core.pipes.int_mad_latency_cycles={}", interval + 6)}};
}

// ---- collectors ----

/// As many as the scoreboard allows to wait, with a clock read before and after.
std::uint32_t burst_length(const gpu::GpuConfig& config) {
  return std::clamp(config.core.scoreboard.entries_per_warp - 2, 2u, 8u);
}

/// Issue cycle of the instruction after a burst of independent special-function instructions of one warp,
/// relative to the instruction before the burst. Each needs a collector entry, which is free again from the
/// cycle after its instruction has entered the pipe.
double expected_burst(const gpu::GpuConfig& config) {
  const double initiation = alu_initiation_cycles(config, isa::LatencyClass::kSfu);
  const std::uint32_t places = config.core.register_file.collectors_sfu;
  std::vector<double> collectors(places, 0), units(config.core.pipes.sfu_units, 0);
  double issued = 0;  // the clock read before the burst
  const std::uint32_t burst = burst_length(config);
  for (std::uint32_t i = 1; i <= burst + 1; ++i) {
    issued += cycles_to_instruction(config, i);
    if (i > burst) break;
    auto unit = std::min_element(units.begin(), units.end());
    if (places == 0) {
      issued = std::max(issued, *unit);
      *unit = issued + initiation;
      continue;
    }
    auto place = std::min_element(collectors.begin(), collectors.end());
    issued = std::max(issued, *place);
    const double entered = std::max(issued, *unit);
    *unit = entered + initiation;
    *place = entered + 1;
  }
  return issued;
}

void run_collectors(Session& session) {
  const AluOp& op = alu_op(isa::LatencyClass::kSfu);
  const std::uint32_t burst = burst_length(session.config());
  TimedKernel kernel("collectors");
  const std::string start = kernel.parameter("f32");
  std::vector<std::string> x;
  for (std::uint32_t i = 0; i < burst; ++i) {
    x.push_back(kernel.reg("f32"));
    kernel.line("mov.f32 {}, {}", x.back(), start);
  }
  const std::string idle = kernel.reg("f32");
  kernel.begin_rounds();
  kernel.start_clock();
  for (const std::string& reg : x) kernel.line(fmt::runtime(op.format), reg, reg);
  kernel.stop_clock();
  for (const std::string& reg : x)
    kernel.line("mov.b32 {}, {}", idle, reg);  // so that the pipe is free in the next round
  kernel.end_rounds(kRounds);
  for (const std::string& reg : x) kernel.keep(reg);
  const TimedRun run = session.run(kernel, 1, base::kLanes, static_cast<std::uint32_t>(op.x));
  for (const std::uint32_t word : run.warps.front().words)
    session.check_values(op.name, {word}, op.after(kRounds));
  session.add({.what = fmt::format("{} special-function instructions", burst),
               .measured = static_cast<double>(run.span()),
               .expected = exactly(expected_burst(session.config())),
               .unit = "core cycles",
               .keys = "core.register_file.collectors_sfu, core.pipes.sfu_*, core.fetch.*"});
}

std::vector<std::vector<std::string>> collector_mutations(const gpu::GpuConfig& config) {
  const std::uint32_t fewer = std::min(config.core.register_file.collectors_sfu / 2, 2u);
  const double initiation = alu_initiation_cycles(config, isa::LatencyClass::kSfu);
  return {{fmt::format("core.register_file.collectors_sfu={}", fewer)},
          {"core.register_file.collectors_sfu=0"},
          {"core.register_file.collectors_sfu=3",
           fmt::format("core.pipes.sfu_initiation_cycles={}", initiation + 9)}};
}

}  // namespace

Benchmark register_banks() {
  return {.name = "register-banks",
          .description = "dependent instructions whose operands are in one, two or three banks",
          .run = run_banks,
          .mutations = bank_mutations};
}

Benchmark operand_collectors() {
  return {.name = "operand-collectors",
          .description = "a burst of instructions for a pipe that takes one every few cycles",
          .run = run_collectors,
          .mutations = collector_mutations};
}

}  // namespace heddle::microbench::register_file
