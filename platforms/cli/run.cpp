#include "cli/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "cli/commit.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output_dir.h"
#include "cli/profile_model.h"
#include "cli/profile_report.h"
#include "cli/progress_line.h"
#include "cli/rtl_twins.h"
#include "cli/run_outcome.h"
#include "cli/run_results.h"
#include "cli/sampled_run.h"
#include "cli/tracked_device.h"
#include "cli/wave_files.h"
#include "gpu/gpu_device.h"
#include "results/series.h"

namespace heddle::cli {
namespace {

base::KernelFault hazards_found(const core::HazardLog& hazards) {
  return {
      "core.scoreboard.check_hazards",
      fmt::format("the control codes let instructions issue before values are there:{}", hazards.text()),
      "Each has waited for its value. The code is wrong, or its hardware is faster than that of the code of "
      "ptxas from which the cycles are known (models/frontend/sass/README.md)."};
}

/// Ends a run that takes too long on the host.
class HostLimit {
 public:
  explicit HostLimit(double seconds) : seconds_(seconds) {}
  [[nodiscard]] bool reached() const { return reached_; }
  /// For gpu::RunOptions::on_check.
  void check() {
    stop_if_interrupted();
    if (seconds_ == 0 || std::chrono::duration<double>(Clock::now() - start_).count() < seconds_) return;
    reached_ = true;
    throw base::Error(base::ExitCode::kCycleLimit, "", fmt::format("not finished after {} s", seconds_),
                      "raise max_seconds if the run is merely long");
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  Clock::time_point start_ = Clock::now();
  bool reached_ = false;
};

/// How the run ends, with what the GPU has done until then.
Outcome simulate(const Job& job, const RunSettings& settings, const gpu::GpuDevice& gpu,
                 TrackedDevice& device, const HostLimit& limit) {
  const auto so_far = [&] {
    LaunchesSoFar launches{
        gpu.launch_count(),      {}, true, {}, limit.reached() ? "max_seconds" : "--max-cycles",
        !settings.detail.empty()};
    if (launches.count == 0) return launches;
    const gpu::LaunchRecord& last = gpu.last_launch();
    launches.last_kernel = last.kernel;
    launches.last_complete = last.complete;
    launches.last_length = fmt::format("{} cycles", last.cycles);
    return launches;
  };
  Outcome outcome =
      run_program(job, settings.check_oracle,
                  {std::uint64_t{gpu.config().heap_kib} * 1024, gpu.config().tensor()}, device, so_far);
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
  if (settings.sample.cycles != 0) names.emplace_back(results::kSeriesFile);
  for (std::string& name : wave_files(settings.waves)) names.push_back(std::move(name));
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

  ProgressLine progress(settings.progress);
  HostLimit limit(settings.host_seconds);
  gpu::RunOptions options;
  options.max_cycles = settings.max_cycles;
  options.profile = settings.profile;
  options.per_launch = settings.per_launch;
  options.cold_caches = settings.cold_caches;
  options.replayed = settings.replayed;
  std::optional<Sampler> sampler;
  if (settings.sample.cycles != 0) {
    if (!config.watchdog.enabled)
      throw base::InputError("--sample", "without the watchdog a launch that hangs would be sampled for ever",
                             "leave watchdog.enabled=true");
    sampler.emplace(settings.sample, out->path());
    options.sample_cycles = settings.sample.cycles;
    options.on_sample = [&] { sampler->sample(); };
  }
  std::vector<LaunchSummary> first_launches;
  std::optional<SampledRun> sampled;
  options.on_launch = [&](const gpu::LaunchRecord& launch) {
    note_launch(first_launches, launch);
    progress.launch_ended();
    if (sampler) sampler->launch_ended(launch);
    const double ns = launch.whole.cycles * 1e3 / config.clocks.core_mhz;
    if (sampled) sampled->launched(ns);
    if (job.listener.launched) job.listener.launched(ns);
  };
  options.on_print = job.listener.print;
  options.on_progress = progress.callback();
  options.on_check = [&] { limit.check(); };
  std::optional<TraceFiles> trace;
  if (settings.trace.any())
    options.trace = &trace.emplace(settings.trace, config.cores, config.core.occupancy.max_warps);
  sim::Twins twins;
  provide_rtl(twins);
  options.twins = &twins;
  std::optional<WaveFiles> waves;
  if (!settings.waves.empty()) waves.emplace(settings.waves, out->path()).listen_to(twins);
  gpu::GpuDevice gpu(config, options);
  if (waves) waves->begin(twins);
  if (job.listener.opened) job.listener.opened(gpu);
  TrackedDevice device(gpu);
  sampled.emplace(job, settings, gpu);
  if (sampler) sampler->attach(gpu.stats());

  const Outcome outcome = simulate(sampled->job(), settings, gpu, device, limit);
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
    if (sampler) out->add(results::kSeriesFile, sampler->take());
    if (waves) problems.attempt([&] { waves->take(twins, *out); });
    nlohmann::ordered_json host = host_json(results.summary, results.every_launch());
    if (const auto rtl = rtl_json(twins); !rtl.empty()) host["rtl"] = rtl;
    host["threads"] = threads_json(gpu.host_use());
    host["commit"] = commit();
    host["exit_code"] = static_cast<int>(exit_code_of(outcome));
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
  if (sampled->job().dump && !outcome.early) sampled->job().dump(device, problems);

  put(report + rtl_text(twins) + host_text(results.summary));
  if (settings.profile) put("\n" + profile + "\n");
  if (sampled->job().printed && !outcome.early) put(sampled->job().printed(device));
  put(saved);
  for (const std::string& path : traces) put(report_line("trace", path));
  return end_run(outcome, problems);
}

}  // namespace heddle::cli
