#include "cli/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output_dir.h"
#include "cli/profile_model.h"
#include "cli/profile_report.h"
#include "cli/progress_line.h"
#include "cli/rtl_twins.h"
#include "cli/run_outcome.h"
#include "cli/run_results.h"
#include "cli/tracked_device.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {
namespace {

base::KernelFault hazards_found(const core::HazardLog& hazards) {
  return {
      "core.scoreboard.check_hazards",
      fmt::format("the control codes let instructions issue before values are there:{}", hazards.text()),
      "Each has waited for its value. Either the code is wrong, or a latency of this platform is longer than "
      "the hardware's (core.pipes)."};
}

/// How the run ends, with what the GPU has done until then.
Outcome simulate(const Job& job, const RunSettings& settings, const gpu::GpuDevice& gpu,
                 TrackedDevice& device) {
  const auto so_far = [&gpu] {
    LaunchesSoFar launches{gpu.launch_count(), {}, true, {}, "--max-cycles"};
    if (launches.count == 0) return launches;
    const gpu::LaunchRecord& last = gpu.last_launch();
    launches.last_kernel = last.kernel;
    launches.last_complete = last.complete;
    launches.last_length = fmt::format("{} cycles", last.cycles);
    return launches;
  };
  Outcome outcome =
      run_program(job, settings.check_oracle, std::uint64_t{gpu.config().heap_kib} * 1024, device, so_far);
  if (gpu.hazards().empty()) return outcome;
  const base::KernelFault found = hazards_found(gpu.hazards());
  if (outcome.early)
    add_finding(outcome, found);
  else
    end_early(outcome, found);
  return outcome;
}

/// The files a run writes to --out.
std::vector<std::string> result_names(const RunSettings& settings) {
  std::vector<std::string> names = {"report.txt", "stats.json", "host.json", "config.yaml"};
  if (settings.profile) names.insert(names.end(), {"profile.txt", "profile.json"});
  return names;
}

/// `platform_files`: the result of load_platform(); `profile`: the file of likely-convergence points, if any.
void name_files(const Job& job, const RunSettings& settings, const std::vector<std::string>& platform_files,
                const std::string& profile, const std::optional<OutputDir>& out, OutputNames& names) {
  if (!out || !out->repeats(platform_files.front())) names.reads_platform(settings.platform, platform_files);
  for (const Job::File& file : job.reads) names.reads(file.path, file.place);
  if (!profile.empty()) names.reads(profile, "core.control_flow.likely_convergence_profile " + profile);
  const TraceSettings& trace = settings.trace;
  if (!trace.tables.empty()) names.writes(trace.tables, tables_option(trace));
  if (!trace.timeline.empty()) names.writes(trace.timeline, timeline_option(trace));
  if (!trace.control_flow.empty()) names.writes(trace.control_flow, control_flow_option(trace));
  for (const Job::File& file : job.writes) names.writes(file.path, file.place);
}

}  // namespace

base::ExitCode run_job(const Job& job, const RunSettings& settings) {
  std::vector<std::string> platform_files;
  const gpu::GpuConfig config = gpu::load_platform(settings.platform, settings.assignments, &platform_files);
  OutputNames names;
  std::optional<OutputDir> out;
  if (!settings.out.empty()) out.emplace(settings.out, result_names(settings), names);
  name_files(job, settings, platform_files, config.core.control_flow.likely_convergence_profile, out, names);

  ProgressLine progress;
  gpu::RunOptions options;
  options.max_cycles = settings.max_cycles;
  options.profile = settings.profile;
  options.per_launch = settings.per_launch;
  options.cold_caches = settings.cold_caches;
  options.replayed = settings.replayed;
  std::vector<LaunchSummary> first_launches;
  options.on_launch = [&](const gpu::LaunchRecord& launch) { note_launch(first_launches, launch); };
  options.on_progress = progress.callback();
  options.on_check = stop_if_interrupted;
  std::optional<TraceFiles> trace;
  if (settings.trace.any())
    options.trace = &trace.emplace(settings.trace, config.cores, config.core.occupancy.max_warps);
  sim::Twins twins;
  provide_rtl(twins);
  options.twins = &twins;
  gpu::GpuDevice gpu(config, options);
  TrackedDevice device(gpu);

  const Outcome outcome = simulate(job, settings, gpu, device);
  const RunHeader& header = outcome.header;
  progress.erase();

  // Save everything that can be saved, whatever fails.
  Problems problems;
  std::vector<std::string> traces;
  if (trace) traces = trace->commit(problems);
  if (job.traces) std::ranges::copy(job.traces(problems), std::back_inserter(traces));
  const RunResults results = results_of(gpu, std::move(first_launches));
  const std::string report = report_text(header, results.summary, config);
  const std::vector<KernelHeat> profiles = profiled_kernels(gpu.kernels());
  const std::string profile = profile_text(profiles, settings.profile_top);
  std::string saved;
  if (out) {
    const std::string diagnosis = header.diagnosis.empty() ? "" : "\n" + header.diagnosis + "\n";
    out->add("report.txt", report + diagnosis);
    out->add("stats.json", json_text(report_json(header, results.kernels, results.every_launch(), config,
                                                 gpu.stats().dictionary()),
                                     kStatsIndent) +
                               "\n");
    out->add("config.yaml", base::write_config(config));
    if (settings.profile) {
      out->add("profile.txt", report + "\n" + profile + profile_listing(profiles));
      out->add("profile.json", json_text(profile_json(header, config.name, profiles), kStatsIndent) + "\n");
    }
    nlohmann::ordered_json host = host_json(results.summary, results.every_launch());
    if (const auto rtl = rtl_json(twins); !rtl.empty()) host["rtl"] = rtl;
    add_end(host, header);
    host["files"] = out->sizes();
    out->add("host.json", json_text(host, kStatsIndent) + "\n");
    problems.attempt([&] {
      out->commit();
      saved = report_line("files", out->path());
    });
    for (const std::string& name : out->foreign())
      saved += report_line("not of this run", out->path() + "/" + name);
  }
  if (job.dump && !outcome.early) job.dump(device, problems);

  put(report + rtl_text(twins) + host_text(results.summary));
  if (settings.profile) put("\n" + profile + "\n");
  if (job.printed && !outcome.early) put(job.printed(device));
  put(saved);
  for (const std::string& path : traces) put(report_line("trace", path));
  return end_run(outcome, problems);
}

}  // namespace heddle::cli
