// Properties of the load/store unit beyond latency: issue slots taken by further passes of an instruction,
// and whether stores stay in L1 or go to L2.
#include <fmt/format.h>

#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::lsu_policies {
namespace {

// ---- replays ----

constexpr std::uint32_t kShort = 16, kLong = 32;

/// Additional issue slots that an instruction of `passes` passes takes.
double expected_replays(const gpu::GpuConfig& config, std::uint32_t passes) {
  return config.core.lsu.replay_issue ? passes - 1.0 : 0;
}

/// For loads in which lane l reads `lanes_apart` bytes after lane l - 1.
double replay_slots(Session& session, const char* load, std::uint32_t lanes_apart) {
  const bool constant = std::string_view(load).starts_with("ld.const");
  const std::uint32_t bytes = base::kLanes * lanes_apart;
  const std::uint64_t buffer = session.device().allocate(bytes, "replays");
  const auto slots = [&](std::uint32_t loads) {
    TimedKernel kernel("replays");
    if (constant) kernel.module_line(fmt::format(".const .align 128 .b8 zeros[{}];", bytes));
    kernel.use_shared(bytes);
    const bool wide = std::string_view(load) != "ld.shared.u32";
    const std::string base = kernel.parameter("u64"), value = kernel.reg("b32");
    const std::string at = kernel.reg(wide ? "b64" : "b32");
    if (constant) kernel.line("mov.u64 {}, zeros", base);
    if (wide)
      kernel.line("mad.wide.u32 {}, {}, {}, {}", at, kernel.lane(), lanes_apart, base);
    else
      kernel.line("mul.lo.u32 {}, {}, {}", at, kernel.lane(), lanes_apart);
    kernel.start_clock();
    for (std::uint32_t i = 0; i < loads; ++i) kernel.line("{} {}, [{}]", load, value, at);
    kernel.stop_clock();
    (void)session.run(kernel, 1, base::kLanes, buffer);
    return static_cast<double>(session.count("core*.issue.slots.replay"));
  };
  return (slots(kLong) - slots(kShort)) / (kLong - kShort);
}

void run_replays(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const auto measure = [&](const char* what, const char* load, std::uint32_t lanes_apart,
                           std::uint32_t passes) {
    session.add({.what = what,
                 .measured = replay_slots(session, load, lanes_apart),
                 .expected = exactly(expected_replays(config, passes)),
                 .unit = "issue slots",
                 .keys = "core.lsu.replay_issue x (passes - 1)"});
  };
  const std::uint32_t banks = config.core.shared_memory.banks;
  measure("shared memory without conflict", "ld.shared.u32", 4, (base::kLanes + banks - 1) / banks);
  measure("32 words of one bank", "ld.shared.u32", 4 * banks, base::kLanes);
  measure("32 words of one line", "ld.global.cg.u32", 4,
          (4 * base::kLanes + config.core.l1d.line_bytes - 1) / config.core.l1d.line_bytes);
  measure("32 lines", "ld.global.cg.u32", config.core.l1d.line_bytes, base::kLanes);
  measure("32 constants", "ld.const.u32", 4, base::kLanes);
}

std::vector<std::vector<std::string>> replay_mutations(const gpu::GpuConfig& config) {
  std::vector<std::string> other{fmt::format("core.lsu.replay_issue={}", !config.core.lsu.replay_issue)};
  if (config.core.lsu.pass_cycles != 1) other.push_back("core.lsu.pass_cycles=1");  // as replays need it
  return {std::move(other)};
}

// ---- stores ----

/// Requests to L2 of a load, a store and a load of one word of global memory.
double expected_global(const gpu::GpuConfig& config) {
  const core::L1dConfig& l1d = config.core.l1d;
  if (!l1d.enabled) return 3;
  return l1d.global_write == core::WritePolicy::kWriteEvict ? 2 : 1;  // the store, and the line fetched again
}

/// Requests to L2 of a store and a load of one word of local memory.
double expected_local(const gpu::GpuConfig& config) {
  const core::L1dConfig& l1d = config.core.l1d;
  if (!l1d.enabled || l1d.local_write == core::WritePolicy::kWriteEvict) return 2;
  return l1d.local_write == core::WritePolicy::kWriteBack ? 0 : 1;
}

double requests_per_round(Session& session, bool local) {
  const std::uint64_t buffer = session.device().allocate(4, "stores");
  const auto requests = [&](std::uint32_t rounds) {
    TimedKernel kernel("stores");
    const std::string base = kernel.parameter("u64"), value = kernel.reg("b32");
    if (local) {
      kernel.line(".local .align 4 .b8 word[4]");
      kernel.line("mov.u64 {}, word", base);
      kernel.line("mov.u32 {}, 7", value);
    }
    kernel.begin_rounds();
    kernel.start_clock();
    const char* const space = local ? "local" : "global";
    if (!local) kernel.line("ld.global.ca.u32 {}, [{}]", value, base);
    kernel.line("add.u32 {0}, {0}, 1", value);
    kernel.line("st.{}.u32 [{}], {}", space, base, value);
    kernel.line("ld.{}.ca.u32 {}, [{}]", space, value, base);
    kernel.line("add.u32 {0}, {0}, 0", value);
    kernel.stop_clock();
    kernel.end_rounds(rounds);
    kernel.keep(value);
    const TimedRun run = session.run(kernel, 1, 1, buffer);
    if (local) session.check_values("local stores", {run.warps.front().words.front()}, 7 + rounds);
    return static_cast<double>(session.count("core*.memory_port.requests"));
  };
  constexpr std::uint32_t kFew = 4, kMany = 12;
  return (requests(kMany) - requests(kFew)) / (kMany - kFew);
}

void run_stores(Session& session) {
  const auto measure = [&](const char* what, bool local, double expected, const char* keys) {
    session.add({.what = what,
                 .measured = requests_per_round(session, local),
                 .expected = exactly(expected),
                 .unit = "requests to L2",
                 .keys = keys});
  };
  measure("global: load, store, load", false, expected_global(session.config()),
          "core.l1d.global_write, .enabled");
  measure("local: store, load", true, expected_local(session.config()), "core.l1d.local_write, .enabled");
}

std::vector<std::vector<std::string>> store_mutations(const gpu::GpuConfig& config) {
  if (!config.core.l1d.enabled)
    return {{"core.l1d.enabled=true", "core.l1d.size_kib=16", "core.l1d.unified_kib=0"}};
  return {
      {"core.l1d.enabled=false", "core.l1d.carve_out=fixed"},
      {config.core.l1d.global_write == core::WritePolicy::kWriteEvict ? "core.l1d.global_write=write_through"
                                                                      : "core.l1d.global_write=write_evict"},
      {config.core.l1d.local_write == core::WritePolicy::kWriteEvict ? "core.l1d.local_write=write_back"
                                                                     : "core.l1d.local_write=write_evict"}};
}

}  // namespace

Benchmark replays() {
  return {.name = "replays",
          .description = "issue slots of loads whose lanes do not go together",
          .run = run_replays,
          .mutations = replay_mutations};
}

Benchmark stores() {
  return {.name = "stores",
          .description = "a word stored and loaded again: what L1 keeps",
          .run = run_stores,
          .mutations = store_mutations};
}

}  // namespace heddle::microbench::lsu_policies
