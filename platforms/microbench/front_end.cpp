// Front end of a sub-core: what a branch costs, a line that is not in L0, and straight code that the stream buffer brings.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "microbench/core_timing.h"
#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::front_end {
namespace {

std::uint32_t l0_lines(const gpu::GpuConfig& config) {
  return config.core.l0i.size_kib * 1024 / config.core.l1i.line_bytes;
}

/// Fills the rest of a line of which `written` instructions have been written.
void fill_line(TimedKernel& kernel, const gpu::GpuConfig& config, const std::string& filler,
               std::uint32_t written) {
  for (; written < instructions_in_line(config); ++written) kernel.line("mov.u32 {}, 0", filler);
}

/// Cycles of a round of `hops` branches, each so many lines back: the stream buffer never has that line.
std::uint32_t hop_cycles(Session& session, std::uint32_t hops, std::uint32_t lines_back) {
  TimedKernel kernel("hops_back");
  const std::string filler = kernel.reg("b32");
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i <= hops; ++i) lines.push_back(kernel.label());
  const std::string end = kernel.label();
  kernel.begin_rounds();
  kernel.start_clock();
  kernel.line("bra {}", lines[hops]);
  fill_line(kernel, session.config(), filler, 2);
  for (std::uint32_t i = 0; i <= hops; ++i) {
    kernel.place(lines[i]);
    kernel.line("bra {}", i == 0 ? end : lines[i - 1]);
    fill_line(kernel, session.config(), filler, 1);
    for (std::uint32_t more = 1; more < lines_back; ++more) fill_line(kernel, session.config(), filler, 0);
  }
  kernel.place(end);
  kernel.stop_clock();
  kernel.end_rounds(3);
  return session.run(kernel, 1, 1).span();
}

/// Cycles of a round of so many lines of straight code.
std::uint32_t straight_cycles(Session& session, std::uint32_t lines) {
  constexpr std::uint32_t kRegisters = 16;  // each is used again long after its value is there
  TimedKernel kernel("straight");
  std::vector<std::string> x;
  for (std::uint32_t i = 0; i < kRegisters; ++i) {
    x.push_back(kernel.reg("b32"));
    kernel.line("mov.u32 {}, {}", x.back(), i);
  }
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < lines * instructions_in_line(session.config()); ++i)
    kernel.line("add.u32 {0}, {0}, 1", x[i % kRegisters]);
  kernel.stop_clock();
  kernel.end_rounds(3);
  for (const std::string& reg : x) kernel.keep(reg);
  return session.run(kernel, 1, base::kLanes).span();
}

double per_line(std::uint32_t more, std::uint32_t fewer, std::uint32_t lines) {
  return (static_cast<double>(more) - fewer) / lines;
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const std::uint32_t few = std::min(l0_lines(config) / 8, 16u);
  const std::uint32_t near_lines = config.core.fetch.near_lines;
  const std::uint32_t far = std::max(near_lines, 1u);
  session.add({.what = "taken branch",
               .measured = per_line(hop_cycles(session, 2 * few, far), hop_cycles(session, few, far), few),
               .expected = exactly(cycles_after_branch(config)),
               .unit = "core cycles",
               .keys = "1 + core.fetch.latency_cycles + .redirect_cycles"});
  if (near_lines > 1)
    session.add({.what = "taken branch to the line before",
                 .measured = per_line(hop_cycles(session, 2 * few, 1), hop_cycles(session, few, 1), few),
                 .expected = exactly(config.core.fetch.latency_cycles + 1.0 +
                                     config.core.fetch.near_back_redirect_cycles),
                 .unit = "core cycles",
                 .keys = "1 + core.fetch.latency_cycles + .near_back_redirect_cycles"});
  // Enough lines for every set of L0: none is there when it is needed again.
  const std::uint32_t many = l0_lines(config) + l0_lines(config) / config.core.l0i.ways;
  session.add(
      {.what = "line from L1I",
       .measured = per_line(hop_cycles(session, many + few, far), hop_cycles(session, many, far), few),
       .expected = exactly(cycles_after_branch(config) + config.core.l0i.fill_latency_cycles),
       .unit = "core cycles",
       .keys = "the same + core.l0i.fill_latency_cycles"});
  const double issue = std::max(single_warp_issue_interval(config),
                                single_warp_pipe_interval(config, isa::LatencyClass::kIntSimple));
  // A line is asked for when another one leaves the stream buffer, which holds `stream` of them.
  const double interval =
      std::max(issue * instructions_in_line(config), (config.core.l0i.fill_latency_cycles + 1.0) /
                                                         std::max(config.core.l0i.stream_buffer_lines, 1u));
  if (config.core.l0i.stream_buffer_lines != 0)
    session.add(
        {.what = "line of straight code",
         .measured = per_line(straight_cycles(session, many + few), straight_cycles(session, many), few),
         .expected = exactly(interval),
         .unit = "core cycles",
         .keys = "instructions in a line, core.l0i.stream_buffer_lines"});
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  std::vector<std::vector<std::string>> all{
      {fmt::format("core.fetch.redirect_cycles={}", config.core.fetch.redirect_cycles + 3)},
      {fmt::format("core.l0i.fill_latency_cycles={}", config.core.l0i.fill_latency_cycles + 3)}};
  if (config.core.fetch.near_lines > 1)
    all.push_back({fmt::format("core.fetch.near_back_redirect_cycles={}",
                               config.core.fetch.near_back_redirect_cycles + 3)});
  return all;
}

std::string missing(const gpu::GpuConfig& config) {
  return config.core.fetch.per_sub_core() && config.core.l1i.enabled
             ? ""
             : "sub-cores have no front ends (core.fetch.unit)";
}

}  // namespace

Benchmark front_end() {
  return {.name = "front-end",
          .description = "branches in L0 and from line to line past it, straight code past L0",
          .run = run,
          .mutations = mutations,
          .missing = missing};
}

}  // namespace heddle::microbench::front_end
