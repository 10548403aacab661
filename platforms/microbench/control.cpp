// Control flow and fetch: the cost of a branch, the cost of divergence, and the issue rate of one warp.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::control {
namespace {

constexpr std::uint32_t kRounds = 3;

/// The difference between two sizes of a kernel is the time of the additional code.
template <class Cycles>
double slope(Cycles cycles, std::uint32_t smaller, std::uint32_t larger) {
  return (static_cast<double>(cycles(larger)) - cycles(smaller)) / (larger - smaller);
}

// ---- branches ----

enum class BranchKind : std::uint8_t { kUnconditional, kTaken, kNotTaken };

std::uint32_t branch_cycles(Session& session, BranchKind kind, std::uint32_t count) {
  TimedKernel kernel("branches");
  const std::string always = kernel.reg("pred");
  kernel.line("setp.lt.u32 {}, {}, 32", always, kernel.lane());
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string next = kernel.label();
    switch (kind) {
      case BranchKind::kUnconditional:
        kernel.line("bra {}", next);
        break;
      case BranchKind::kTaken:
        kernel.line("@{} bra {}", always, next);
        break;
      case BranchKind::kNotTaken:
        kernel.line("@!{} bra {}", always, next);
        break;
    }
    kernel.place(next);
  }
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  return session.run(kernel, 1, base::kLanes).span();
}

constexpr std::uint32_t kFewBranches = 32, kManyBranches = 64;

/// Where I-buffers are refilled at once the average need not be whole.
double branch_slack(const gpu::GpuConfig& config) {
  return refills_at_once(config) ? 1.0 / (kManyBranches - kFewBranches) : 0;
}

void run_branches(Session& session) {
  const auto measure = [&](const char* what, BranchKind kind) {
    session.add(
        {.what = what,
         .measured = slope([&](std::uint32_t n) { return branch_cycles(session, kind, n); }, kFewBranches,
                           kManyBranches),
         .expected = within(branch_slack(session.config()), cycles_after_untaken_branch(session.config())),
         .unit = "core cycles",
         .keys = "1 + core.fetch.latency_cycles, or what the I-buffer has"});
  };
  measure("unconditional", BranchKind::kUnconditional);
  measure("taken", BranchKind::kTaken);
  measure("not taken", BranchKind::kNotTaken);
}

std::vector<std::vector<std::string>> fetch_mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.fetch.latency_cycles={}", config.core.fetch.latency_cycles + 2)}};
}

// ---- divergence ----

/// A binary tree of branches on the bits of `path`; every leaf adds to x `length` times. A leaf ends with a
/// branch that waits for x, so that its position in a fetch group does not matter.
void emit_tree(TimedKernel& kernel, const std::string& path, const std::string& x, unsigned depth,
               std::uint32_t length, const std::string& after) {
  if (depth == 0) {
    const std::string done = kernel.reg("pred");
    for (std::uint32_t i = 0; i < length; ++i) kernel.line("add.u32 {0}, {0}, 1", x);
    kernel.line("setp.ne.u32 {}, {}, 0", done, x);
    kernel.line("@{} bra {}", done, after);
    return;
  }
  const std::string bit = kernel.reg("b32"), other = kernel.reg("pred");
  const std::string right = kernel.label(), join = kernel.label();
  kernel.line("and.b32 {}, {}, {}", bit, path, 1u << (depth - 1));
  kernel.line("setp.ne.u32 {}, {}, 0", other, bit);
  kernel.line("@{} bra {}", other, right);
  emit_tree(kernel, path, x, depth - 1, length, join);
  kernel.line("bra {}", join);
  kernel.place(right);
  emit_tree(kernel, path, x, depth - 1, length, join);
  kernel.place(join);
}

constexpr unsigned kTreeDepth = 3;
constexpr std::uint32_t kFewSteps = 4, kMoreSteps = 16;

/// So long that no branch of the tree is a near one (core.fetch.near_lines) for being over a shorter leaf.
std::uint32_t few_steps(const gpu::GpuConfig& config) {
  return kFewSteps + config.core.fetch.near_lines * instructions_in_line(config);
}

std::uint32_t divergent_cycles(Session& session, std::uint32_t ways, std::uint32_t length) {
  TimedKernel kernel("divergence");
  const std::string x = kernel.reg("b32"), path = kernel.reg("b32");
  kernel.line("mov.u32 {}, 0", x);
  kernel.line("and.b32 {}, {}, {}", path, kernel.lane(), ways - 1);
  kernel.begin_rounds();
  kernel.start_clock();
  const std::string end = kernel.label();
  emit_tree(kernel, path, x, kTreeDepth, length, end);
  kernel.place(end);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes("b32", x);
  const TimedRun run = session.run(kernel, 1, base::kLanes);
  session.check_values("divergence", run.lane_values, std::uint64_t{kRounds} * length);
  return run.span();
}

/// Paths that lanes of a warp take are executed one after the other. (The two lengths differ by a multiple of
/// the instructions in a cache line, so that both are fetched alike.)
double expected_cycles_per_step(const gpu::GpuConfig& config, std::uint32_t ways) {
  return ways * dependent_interval(config, alu_latency_cycles(config, isa::LatencyClass::kIntSimple));
}

/// Where fetch is slower than results, a path whose code starts or ends within a fetch group may save or cost
/// a fetch.
double expected_slack(const gpu::GpuConfig& config, std::uint32_t ways, std::uint32_t steps) {
  const double latency = alu_latency_cycles(config, isa::LatencyClass::kIntSimple);
  return ways * std::max(0.0, single_warp_fetch_gap(config) - latency) / steps;
}

void run_divergence(Session& session) {
  const std::uint32_t few = few_steps(session.config());
  for (std::uint32_t ways = 1; ways <= 1u << kTreeDepth; ways *= 2)
    session.add({.what = fmt::format("{} way{}", ways, ways == 1 ? "" : "s"),
                 .measured = slope([&](std::uint32_t n) { return divergent_cycles(session, ways, n); }, few,
                                   few + kMoreSteps),
                 .expected = within(expected_slack(session.config(), ways, kMoreSteps),
                                    expected_cycles_per_step(session.config(), ways)),
                 .unit = "core cycles per step of every path",
                 .keys = "paths x core.pipes.int_simple_latency_cycles"});
}

std::vector<std::vector<std::string>> divergence_mutations(const gpu::GpuConfig& config) {
  const double latency = alu_latency_cycles(config, isa::LatencyClass::kIntSimple);
  return {{fmt::format("core.pipes.int_simple_latency_cycles={}", latency + 1)}};
}

// ---- fetch ----

std::uint32_t independent_cycles(Session& session, std::uint32_t length) {
  constexpr std::uint32_t kRegisters = 16;  // each is reused long after its value is available
  TimedKernel kernel("fetch");
  std::vector<std::string> x;
  for (std::uint32_t i = 0; i < kRegisters; ++i) {
    x.push_back(kernel.reg("b32"));
    kernel.line("mov.u32 {}, {}", x.back(), i);
  }
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < length; ++i) kernel.line("add.u32 {0}, {0}, 1", x[i % kRegisters]);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  for (const std::string& reg : x) kernel.keep(reg);
  const TimedRun run = session.run(kernel, 1, base::kLanes);
  for (std::uint32_t i = 0; i < kRegisters; ++i)
    session.check_values("fetch", {run.warps.front().words[i]},
                         i + std::uint64_t{kRounds} * length / kRegisters);
  return run.span();
}

void run_fetch(Session& session) {
  session.add({.what = "one warp",
               .measured = slope([&](std::uint32_t n) { return independent_cycles(session, n); }, 48, 96),
               .expected = exactly(
                   std::max(single_warp_issue_interval(session.config()),
                            single_warp_pipe_interval(session.config(), isa::LatencyClass::kIntSimple))),
               .unit = "core cycles per instruction",
               .keys = "core.fetch.*"});
}

std::vector<std::vector<std::string>> issue_mutations(const gpu::GpuConfig& config) {
  std::vector<std::vector<std::string>> changes = fetch_mutations(config);
  for (const std::uint32_t at_once : {1u, 2u, 4u})
    if (at_once != fetched_at_once(config))
      changes.push_back({fmt::format("core.fetch.width_instructions={}", at_once),
                         fmt::format("core.fetch.ibuffer_slots={}", at_once)});
  return changes;
}

/// Changes that make the pipes fast enough for fetch to be the bottleneck.
std::vector<std::string> fast_pipes(const gpu::GpuConfig&) {
  return {"core.pipes.int_simple_latency_cycles=4", "core.pipes.int_simple_initiation_cycles=1"};
}

}  // namespace

Benchmark branch_cost() {
  return {.name = "branch-cost",
          .description = "branches to the next instruction",
          .run = run_branches,
          .mutations = fetch_mutations};
}

Benchmark divergence() {
  return {.name = "divergence",
          .description = "a tree of branches whose leaves 1 to 8 groups of lanes reach",
          .run = run_divergence,
          .mutations = divergence_mutations};
}

Benchmark fetch_rate() {
  return {.name = "fetch-rate",
          .description = "independent instructions of a single warp",
          .run = run_fetch,
          .mutations = issue_mutations,
          .prepare = fast_pipes};
}

}  // namespace heddle::microbench::control
