// heddle microbench: measures a platform with its own clock and compares the results with its configuration.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output_names.h"
#include "cli/problems.h"
#include "cli/report_model.h"
#include "cli/rtl_twins.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "microbench/report.h"
#include "microbench/session.h"

namespace heddle::cli {
namespace {

struct MicrobenchRequest {
  std::string platform = gpu::kDefaultPlatform;
  std::vector<std::string> assignments;
  std::vector<std::string> names;
  std::string json;
  bool list = false;
};

void list() {
  for (const microbench::Benchmark& benchmark : microbench::all())
    fmt::print("{:<22} {}\n", benchmark.name, benchmark.description);
}

std::vector<const microbench::Benchmark*> chosen(const std::vector<std::string>& names) {
  std::vector<const microbench::Benchmark*> benchmarks;
  if (names.empty())
    for (const microbench::Benchmark& benchmark : microbench::all()) benchmarks.push_back(&benchmark);
  for (const std::string& name : names) {
    const microbench::Benchmark* const found = microbench::find(name);
    if (found == nullptr) {
      std::vector<std::string> known;
      for (const microbench::Benchmark& benchmark : microbench::all()) known.push_back(benchmark.name);
      throw unknown_name("heddle microbench", "benchmark", name, known);
    }
    benchmarks.push_back(found);
  }
  return benchmarks;
}

/// Host cost of the simulation over all launches; seconds differ from run to run.
nlohmann::ordered_json host_costs(const gpu::GpuDevice& device) {
  std::uint64_t cycles = 0, instructions = 0, busy = 0, resident = 0;
  double seconds = 0, simulation_seconds = 0;
  for (const gpu::KernelRecord& kernel : device.kernels()) {
    const nlohmann::ordered_json statistics = device.statistics(kernel.values);
    cycles += kernel.cycles;
    instructions += kernel.warp_instructions;
    busy += sum_at(statistics, "core*.issue.active_cycles");
    resident += sum_at(statistics, "core*.issue.resident_cycles");
    seconds += kernel.host_seconds;
    simulation_seconds += kernel.simulation_seconds;
  }
  return {{"launches", device.launch_count()},       {"cycles", cycles},
          {"warp_instructions", instructions},       {"busy_core_cycles", busy},
          {"resident_core_cycles", resident},        {"seconds", seconds},
          {"simulation_seconds", simulation_seconds}};
}

base::ExitCode measure(const MicrobenchRequest& request) {
  const std::vector<const microbench::Benchmark*> benchmarks = chosen(request.names);
  std::vector<std::string> platform_files;
  const gpu::GpuConfig config =
      microbench::as_written(gpu::load_platform(request.platform, request.assignments, &platform_files));
  OutputNames names;
  names.reads_platform(request.platform, platform_files);
  if (!request.json.empty()) names.writes(request.json, "--json " + request.json);
  sim::Twins twins;
  provide_rtl(twins);
  gpu::GpuDevice device(config, {.on_progress = {}, .on_check = stop_if_interrupted, .twins = &twins});
  microbench::Session session(device);
  std::vector<microbench::Result> results;
  std::optional<base::Error> interrupt;
  bool ok = true;
  for (const microbench::Benchmark* benchmark : benchmarks) {
    try {
      results.push_back(microbench::run(*benchmark, session));
    } catch (const base::Error& error) {
      if (!is_interrupt(error)) throw;
      interrupt.emplace(error.code(), fmt::format("benchmark {}", benchmark->name), error.message(),
                        "the benchmarks before it are complete");
      break;
    }
    ok = ok && results.back().ok();
  }
  const nlohmann::ordered_json host = host_costs(device);
  const std::string text = fmt::format(
      "{}\n{} on {}: {} launches, {} core cycles, {:.2f} s of host time\n", microbench::table(results),
      interrupt ? "INCOMPLETE"
      : ok      ? "As configured"
                : "NOT AS CONFIGURED",
      config.name, host["launches"].dump(), host["cycles"].dump(), host["seconds"].get<double>());
  Problems problems;
  if (!request.json.empty()) {
    nlohmann::ordered_json missing = nlohmann::ordered_json::object();
    for (const microbench::Result& result : results)
      if (!result.missing.empty()) missing[result.benchmark] = result.missing;
    nlohmann::ordered_json json = {{"platform", config.name},
                                   {"ok", ok && !interrupt},
                                   {"readings", microbench::to_json(results)},
                                   {"missing", missing},
                                   {"host", host}};
    if (interrupt) json.update({{"complete", false}, {"reason", interrupt->message()}});
    problems.attempt([&] { write_text(request.json, json_text(json, 1) + "\n", "--json " + request.json); });
  }
  std::fwrite(text.data(), 1, text.size(), stdout);  // after the file: writing to a full disk fails
  std::fflush(stdout);
  if (interrupt && problems.any()) fmt::print(stderr, "heddle: error: {}\n", problems.text());
  if (interrupt) throw *interrupt;
  problems.rethrow();
  return ok ? base::ExitCode::kOk : base::ExitCode::kMismatch;
}

}  // namespace

void add_microbench(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand(
      "microbench", "Measure latencies and throughputs with kernels, and compare with the configuration");
  command->footer("Exit codes: 0 as configured, 1 not as configured, otherwise as for heddle run");
  const auto request = std::make_shared<MicrobenchRequest>();
  command->add_option("NAME", request->names, "Benchmarks to run; all if none is named");
  command->add_flag("--list", request->list, "List the benchmarks");
  command->add_option("--platform", request->platform, "Platform name or .yaml file")->capture_default_str();
  command->add_option("--set", request->assignments, "KEY=VALUE: change a configuration key; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--json", request->json, "File for the readings and the host time as JSON");
  command->callback([request, &body] {
    body = [request] {
      if (!request->list) return measure(*request);
      list();
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
