// Shared memory: latency of a dependent load, and cycles of an access with bank conflicts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::shared_memory {
namespace {

constexpr std::uint32_t kShort = 32, kLong = 64;
constexpr std::uint32_t kRounds = 3;

/// Issue to dependent issue without conflicts.
double expected_latency(const gpu::GpuConfig& config) { return config.core.shared_memory.latency_cycles; }

/// Cycles the banks are occupied when lane i reads word i * stride: the largest number of words in one bank.
std::uint32_t expected_passes(const gpu::GpuConfig& config, std::uint32_t stride) {
  std::map<std::uint32_t, std::set<std::uint32_t>> words_of_bank;
  for (std::uint32_t lane = 0; lane < base::kLanes; ++lane)
    words_of_bank[lane * stride % config.core.shared_memory.banks].insert(lane * stride);
  std::size_t most = 0;
  for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
  return static_cast<std::uint32_t>(most);
}

/// Every word of shared memory holds its own address plus `step`, modulo the size; the loads chase these.
std::uint32_t latency_cycles(Session& session, std::uint32_t length) {
  constexpr std::uint32_t kWords = 64;
  TimedKernel kernel("shared_latency");
  kernel.use_shared(kWords * 4);
  const std::string at = kernel.reg("b32"), next = kernel.reg("b32"), last = kernel.reg("b32");
  kernel.line("shl.b32 {}, {}, 2", at, kernel.lane());  // one word per lane, twice
  for (std::uint32_t half = 0; half < 2; ++half) {
    kernel.line("add.u32 {}, {}, {}", next, at, 4 * (1 + half * base::kLanes));
    kernel.line("and.b32 {0}, {0}, {1}", next, 4 * kWords - 1);
    kernel.line("st.shared.u32 [{}+{}], {}", at, 4 * half * base::kLanes, next);
  }
  kernel.line("bar.sync 0");
  kernel.line("mov.u32 {}, 0", at);  // all lanes follow the same words: a broadcast
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < length; ++i) kernel.line("ld.shared.u32 {0}, [{0}]", at);
  kernel.line("mov.b32 {}, {}", last, at);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes("b32", last);
  const TimedRun run = session.run(kernel, 1, base::kLanes);
  session.check_values("shared latency", run.lane_values, std::uint64_t{kRounds * length % kWords} * 4);
  return run.span();
}

void run_latency(Session& session) {
  const std::uint32_t shorter = latency_cycles(session, kShort), longer = latency_cycles(session, kLong);
  session.add({.what = "load",
               .measured = static_cast<double>(longer - shorter) / (kLong - kShort),
               .expected = exactly(expected_latency(session.config())),
               .unit = "core cycles",
               .keys = "core.shared_memory.latency_cycles"});
}

std::vector<std::vector<std::string>> latency_mutations(const gpu::GpuConfig& config) {
  return {
      {fmt::format("core.shared_memory.latency_cycles={}", config.core.shared_memory.latency_cycles + 9)}};
}

/// Chains of loads by one warp, lane i at word i * stride, whose value is the next address.
std::uint32_t strided_cycles(Session& session, std::uint32_t stride, std::uint32_t length) {
  TimedKernel kernel("bank_conflicts");
  // A lane's word holds its own address.
  kernel.use_shared(std::max(1u, base::kLanes * stride) * 4);
  const std::string at = kernel.reg("b32"), last = kernel.reg("b32");
  kernel.line("mul.lo.u32 {}, {}, {}", at, kernel.lane(), 4 * stride);
  kernel.line("st.shared.u32 [{0}], {0}", at);
  kernel.line("bar.sync 0");
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < length; ++i) kernel.line("ld.shared.u32 {0}, [{0}]", at);
  kernel.line("mov.b32 {}, {}", last, at);
  kernel.stop_clock();
  kernel.end_rounds(kRounds);
  kernel.keep_lanes("b32", last);
  const TimedRun run = session.run(kernel, 1, base::kLanes);
  for (std::uint32_t lane = 0; lane < base::kLanes; ++lane)
    session.check_values("bank conflicts", {run.lane_values[lane]}, std::uint64_t{4} * stride * lane);
  return run.span();
}

/// Each further pass of a load with conflicts delays its last word by one cycle.
void run_conflicts(Session& session) {
  for (const std::uint32_t stride : {0u, 1u, 2u, 3u, 4u, 8u, 16u, 32u}) {
    const std::uint32_t shorter = strided_cycles(session, stride, kShort);
    const std::uint32_t longer = strided_cycles(session, stride, kLong);
    const double latency = static_cast<double>(longer - shorter) / (kLong - kShort);
    session.add(
        {.what = stride == 0 ? "broadcast" : fmt::format("stride {}", stride),
         .measured = latency - expected_latency(session.config()) + 1,
         .expected = exactly(pass_cycles(session.config(), expected_passes(session.config(), stride))),
         .unit = "passes",
         .keys = "core.shared_memory.banks, .latency_cycles"});
  }
}

std::vector<std::vector<std::string>> conflict_mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("core.shared_memory.banks={}", config.core.shared_memory.banks / 2)}};
}

}  // namespace

Benchmark shared_latency() {
  return {.name = "shared-latency",
          .description = "dependent loads from shared memory, all lanes at one word",
          .run = run_latency,
          .mutations = latency_mutations};
}

Benchmark bank_conflicts() {
  return {.name = "bank-conflicts",
          .description = "shared memory with lane i at word i * stride",
          .run = run_conflicts,
          .mutations = conflict_mutations};
}

}  // namespace heddle::microbench::shared_memory
