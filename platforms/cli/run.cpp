#include "cli/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "cli/oracle_check.h"
#include "cli/output_dir.h"
#include "cli/profile_model.h"
#include "cli/profile_report.h"
#include "cli/progress_line.h"
#include "cli/report_model.h"
#include "cli/rtl_twins.h"
#include "cli/tracked_device.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {
namespace {

constexpr int kIndent = 1;  ///< of stats.json: readable, and not twice as large

/// The traces of a kernel that hangs or does something illegal are what one wants to see.
workloads::Verdict run_traced(const Job& job, host::Device& device, std::optional<TraceFiles>& trace) {
  try {
    workloads::Verdict verdict = job.program(device);
    if (trace) trace->commit();
    return verdict;
  } catch (const sim::Error& error) {
    const bool ran = error.code() == sim::ExitCode::kHang || error.code() == sim::ExitCode::kCycleLimit ||
                     error.code() == sim::ExitCode::kKernelFault;
    if (trace && ran) trace->commit();
    throw;
  }
}

std::string dump(const nlohmann::ordered_json& json) { return json.dump(kIndent) + "\n"; }

}  // namespace

sim::ExitCode run_job(const Job& job, const RunSettings& settings) {
  const gpu::GpuConfig config = gpu::load_platform(settings.platform, settings.assignments);
  std::optional<OutputDir> out;
  if (!settings.out.empty()) out.emplace(settings.out);

  ProgressLine progress;
  gpu::RunOptions options;
  options.max_cycles = settings.max_cycles;
  options.profile = settings.profile;
  options.on_progress = progress.callback();
  std::optional<TraceFiles> trace;
  if (settings.trace.any()) options.trace = &trace.emplace(settings.trace);
  sim::Twins twins;
  provide_rtl(twins);
  options.twins = &twins;
  gpu::GpuDevice gpu(config, options);
  TrackedDevice device(gpu);

  RunHeader header = job.header;
  const workloads::Verdict verdict = run_traced(job, device, trace);
  header.passed = verdict.passed;
  header.verdict = verdict.summary;
  if (settings.check_oracle) {
    if (!job.not_comparable.empty()) {
      header.verdict += "; not compared with the oracle: " + job.not_comparable;
    } else {
      const OracleVerdict oracle = compare_with_oracle(device, job.program);
      header.passed = header.passed && oracle.passed;
      header.verdict += "; oracle: " + oracle.summary;
    }
  }
  progress.erase();

  std::vector<LaunchSummary> launches;
  for (const gpu::LaunchRecord& record : gpu.launches()) launches.push_back(summarize(record));
  const std::string report = report_text(header, launches, config);
  fmt::print("{}{}{}", report, rtl_text(twins, config), host_text(launches));
  const std::vector<KernelHeat> profiles = profiled_kernels(gpu.launches());
  const std::string profile = profile_text(profiles, settings.profile_top);
  if (settings.profile) fmt::print("\n{}\n", profile);
  if (job.afterwards) job.afterwards(device);
  if (out) {
    out->add("report.txt", report);
    out->add("stats.json",
             dump(report_json(header, launches, gpu.launches(), config, gpu.stats().dictionary())));
    nlohmann::ordered_json host = host_json(launches);
    if (const auto rtl = rtl_json(twins); !rtl.empty()) host["rtl"] = rtl;
    out->add("host.json", dump(host));
    out->add("config.yaml", sim::write_config(config));
    if (settings.profile) {
      out->add("profile.txt", report + "\n" + profile + profile_listing(profiles));
      out->add("profile.json", dump(profile_json(header, config.name, profiles)));
    }
    out->commit();
    fmt::print("  {:<16}{}\n", "files", out->path());
  }
  if (trace)
    for (const std::string& path : trace->paths()) fmt::print("  {:<16}{}\n", "trace", path);
  std::fflush(stdout);
  return header.passed ? sim::ExitCode::kOk : sim::ExitCode::kMismatch;
}

}  // namespace heddle::cli
