// heddle microbench: measures a platform with its own clock and compares the results with its configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/measured_device.h"
#include "cli/output_names.h"
#include "cli/problems.h"
#include "cli/report_model.h"
#include "cli/rtl_twins.h"
#include "cli/run.h"
#include "cuda/cuda_device.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "microbench/report.h"
#include "microbench/session.h"
#include "oracle/oracle.h"

namespace heddle::cli {
namespace {

struct MicrobenchRequest {
  std::string platform = gpu::kDefaultPlatform;
  std::vector<std::string> assignments;
  std::vector<std::string> names;
  std::string json;
  std::string device = kRunDevices[0];
  bool has_platform = false;  ///< --platform is given
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

/// What is measured.
struct Bench {
  std::unique_ptr<host::Device> device;
  gpu::GpuDevice* model = nullptr;           ///< the same, if it is the model
  std::unique_ptr<MeasuredDevice> measured;  ///< what records the launches of others
  std::unique_ptr<microbench::Session> session;
  std::string name;

  [[nodiscard]] nlohmann::ordered_json host_costs() const {
    if (model != nullptr) return cli::host_costs(*model);
    double seconds = 0;
    for (const DeviceLaunch& launch : measured->launches()) seconds += launch.host_seconds;
    return {{"launches", measured->launches().size()}, {"seconds", seconds}};
  }
};

Bench bench_of(const MicrobenchRequest& request, const gpu::GpuConfig& config, sim::Twins& twins) {
  Bench bench;
  const auto behind = [&]<class Device>(std::unique_ptr<Device> device, std::string name) {
    bench.name = std::move(name);
    bench.measured = std::make_unique<MeasuredDevice>(*device, [](DeviceLaunch&) {});
    bench.session = std::make_unique<microbench::Session>(*bench.measured, config);
    bench.device = std::move(device);
  };
  if (request.device == kRunDevices[static_cast<std::size_t>(RunDevice::kModel)]) {
    auto model = std::make_unique<gpu::GpuDevice>(
        config, gpu::RunOptions{.on_progress = {}, .on_check = stop_if_interrupted, .twins = &twins});
    bench.name = config.name;
    bench.model = model.get();
    bench.session = std::make_unique<microbench::Session>(*model);
    bench.device = std::move(model);
  } else if (request.device == kRunDevices[static_cast<std::size_t>(RunDevice::kGpu)]) {
    if (!request.has_platform)
      throw base::InputError("heddle microbench", "--device gpu, and no platform to compare the card with",
                             "add --platform, for example --platform h100");
    cuda::Options options;
    options.on_wait = stop_if_interrupted;
    auto card = std::make_unique<cuda::CudaDevice>(std::move(options));
    std::string name = card->properties().name;
    behind(std::move(card), std::move(name));
  } else {
    oracle::Options options;
    options.on_turn = stop_if_interrupted;
    behind(std::make_unique<oracle::OracleDevice>(options), "the oracle");
  }
  return bench;
}

/// The oracle has no time: of its readings only those of values are left.
void keep_values(microbench::Result& result) {
  std::erase_if(result.readings, [](const microbench::Reading& reading) { return !reading.of_values; });
  if (result.missing.empty()) result.missing = "the oracle has no time; values are checked";
}

/// The last line of the report.
std::string verdict_text(const Bench& bench, const gpu::GpuConfig& config, const nlohmann::ordered_json& host,
                         bool ok, bool interrupted) {
  const std::string cycles =
      host.contains("cycles") ? fmt::format("{} core cycles, ", host["cycles"].dump()) : "";
  return fmt::format("{}{} on {}: {} launches, {}{:.2f} s of host time\n",
                     interrupted ? "INCOMPLETE"
                     : ok        ? "As configured"
                                 : "NOT AS CONFIGURED",
                     bench.model == nullptr ? " in " + config.name : "", bench.name, host["launches"].dump(),
                     cycles, host["seconds"].get<double>());
}

base::ExitCode measure(const MicrobenchRequest& request) {
  const std::vector<const microbench::Benchmark*> benchmarks = chosen(request.names);
  std::vector<std::string> platform_files;
  const gpu::GpuConfig platform = gpu::load_platform(request.platform, request.assignments, &platform_files);
  const gpu::GpuConfig config = microbench::as_written(platform);
  OutputNames names;
  names.reads_platform(request.platform, platform_files);
  if (!request.json.empty()) names.writes(request.json, "--json " + request.json);
  sim::Twins twins;
  provide_rtl(twins);
  const Bench bench = bench_of(request, config, twins);
  const bool has_time = request.device != kRunDevices[static_cast<std::size_t>(RunDevice::kOracle)];
  std::vector<microbench::Result> results;
  std::optional<base::Error> interrupt;
  bool ok = true;
  for (const microbench::Benchmark* benchmark : benchmarks) {
    try {
      results.push_back(microbench::run(*benchmark, *bench.session));
      if (!has_time) keep_values(results.back());
    } catch (const base::Error& error) {
      if (!is_interrupt(error)) throw;
      interrupt.emplace(error.code(), fmt::format("benchmark {}", benchmark->name), error.message(),
                        "the benchmarks before it are complete");
      break;
    }
    ok = ok && results.back().ok();
  }
  const nlohmann::ordered_json host = bench.host_costs();
  std::string text = microbench::table(results) + "\n";
  if (const std::string& map = platform.memory.address_map.name(); map != config.memory.address_map.name())
    text += fmt::format(
        "Partitions in turn (memory.address_map={}) instead of {}: benchmarks aim at them by address.\n",
        config.memory.address_map.name(), map);
  text += verdict_text(bench, config, host, ok, interrupt.has_value());
  Problems problems;
  if (!request.json.empty()) {
    nlohmann::ordered_json missing = nlohmann::ordered_json::object();
    for (const microbench::Result& result : results)
      if (!result.missing.empty()) missing[result.benchmark] = result.missing;
    nlohmann::ordered_json json = {{"device", request.device},
                                   {"measured_on", bench.name},
                                   {"platform", config.name},
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
  const CLI::Option* const platform =
      command->add_option("--platform", request->platform, "Platform name or .yaml file")
          ->capture_default_str();
  command
      ->add_option("--device", request->device,
                   "What is measured. gpu: a real one, as if it were the platform. oracle: it has no time; "
                   "what kernels compute is checked")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kRunDevices), std::end(kRunDevices))))
      ->capture_default_str();
  command->add_option("--set", request->assignments, "KEY=VALUE: change a configuration key; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--json", request->json, "File for the readings and the host time as JSON");
  command->callback([request, platform, &body] {
    request->has_platform = platform->count() > 0;
    body = [request] {
      if (!request->list) return measure(*request);
      list();
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
