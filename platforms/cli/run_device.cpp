#include "cli/run_device.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/device_report.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/measured_device.h"
#include "cli/output_dir.h"
#include "cli/run_outcome.h"
#include "cuda/cuda_device.h"
#include "oracle/oracle.h"

namespace heddle::cli {
namespace {

/// The device of a run, and what tells about it.
struct Equipment {
  std::unique_ptr<host::Device> device;
  std::unique_ptr<MeasuredDevice> measured;
  DeviceIdentity identity;
};

Equipment card(const Job& job, const RunSettings& settings) {
  cuda::Options options;
  options.max_seconds = settings.max_seconds;
  options.on_wait = stop_if_interrupted;
  auto device = std::make_unique<cuda::CudaDevice>(std::move(options));
  Equipment equipment;
  equipment.measured = std::make_unique<MeasuredDevice>(
      *device, [card = device.get(), launched = job.listener.launched](DeviceLaunch& launch) {
        launch.microseconds = card->microseconds();
        if (launched) launched(launch.microseconds * 1e3);
      });
  const host::DeviceProperties properties = device->properties();
  const std::string capability = device->compute_capability(), driver = device->driver_version();
  equipment.identity = {
      "gpu",
      properties.name,
      true,
      fmt::format("compute capability {}, {} multiprocessors, {} MHz at most; driver's CUDA {}", capability,
                  properties.multiprocessors, properties.clock_mhz, driver),
      {{"card",
        {{"compute_capability", capability},
         {"multiprocessors", properties.multiprocessors},
         {"most_mhz", properties.clock_mhz},
         {"l2_bytes", properties.l2_bytes},
         {"driver_cuda", driver}}}}};
  equipment.device = std::move(device);
  return equipment;
}

Equipment scalar_oracle(const Job& job, const RunSettings& settings) {
  oracle::Options options;
  const isa::TensorNumerics tensor = gpu::load_platform(settings.platform, settings.assignments).tensor();
  options.tensor_block_bits = tensor.block_bits;
  options.tensor_extra_bits = tensor.extra_bits;
  options.on_turn = stop_if_interrupted;
  options.on_print = job.listener.print ? job.listener.print : put;
  auto device = std::make_unique<oracle::OracleDevice>(options);
  Equipment equipment;
  equipment.measured = std::make_unique<MeasuredDevice>(
      *device, [oracle = device.get(), launched = job.listener.launched](DeviceLaunch& launch) {
        launch.thread_instructions = oracle->thread_instructions();
        if (launched) launched(static_cast<double>(launch.thread_instructions));
      });
  equipment.identity.kind = "oracle";
  equipment.identity.name = "oracle";
  equipment.device = std::move(device);
  return equipment;
}

LaunchesSoFar launches_so_far(const MeasuredDevice& device) {
  LaunchesSoFar launches{device.launches().size(), {}, true, {}, "--max-seconds"};
  if (launches.count == 0) return launches;
  const DeviceLaunch& last = device.launches().back();
  launches.last_kernel = last.kernel;
  launches.last_complete = last.complete;
  launches.last_length = fmt::format("{:.1f} s", last.host_seconds);
  return launches;
}

}  // namespace

base::ExitCode run_on_device(const Job& job, const RunSettings& settings) {
  OutputNames names;
  std::optional<OutputDir> out;
  if (!settings.out.empty())
    out.emplace(settings.out, std::vector<std::string>{"report.txt", "stats.json", "host.json"}, names);
  for (const Job::File& file : job.reads) names.reads(file.path, file.place);
  for (const Job::File& file : job.writes) names.writes(file.path, file.place);

  const Equipment equipment =
      settings.device == RunDevice::kGpu ? card(job, settings) : scalar_oracle(job, settings);
  MeasuredDevice& device = *equipment.measured;
  OracleSettings oracle;
  if (settings.check_oracle)
    oracle.tensor = gpu::load_platform(settings.platform, settings.assignments).tensor();
  const Outcome outcome =
      run_program(job, settings.check_oracle, oracle, device, [&device] { return launches_so_far(device); });

  Problems problems;
  const std::string report = device_report_text(outcome.header, equipment.identity, device);
  std::string saved;
  if (out) {
    const std::string& diagnosis = outcome.header.diagnosis;
    out->add("report.txt", report + (diagnosis.empty() ? "" : "\n" + diagnosis + "\n"));
    out->add("stats.json",
             json_text(device_report_json(outcome.header, equipment.identity, device, settings.per_launch),
                       kStatsIndent) +
                 "\n");
    nlohmann::ordered_json host = device_host_json(device);
    add_end(host, outcome.header);
    host["files"] = out->sizes();
    out->add("host.json", json_text(host, kStatsIndent) + "\n");
    problems.attempt([&] {
      out->commit();
      saved = report_line("files", out->path());
    });
    for (const std::string& name : out->foreign())
      saved += report_line("not of this run", out->path() + "/" + name);
  }
  if (job.traces)
    for (const std::string& path : job.traces(problems)) saved += report_line("trace", path);
  if (job.dump && !outcome.early) job.dump(device, problems);
  put(report + device_host_text(device));
  if (job.printed && !outcome.early) put(job.printed(device));
  put(saved);
  return end_run(outcome, problems);
}

}  // namespace heddle::cli
