#include "cli/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <optional>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/oracle_check.h"
#include "cli/output_dir.h"
#include "cli/profile_model.h"
#include "cli/profile_report.h"
#include "cli/progress_line.h"
#include "cli/rtl_twins.h"
#include "cli/run_results.h"
#include "cli/tracked_device.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {
namespace {

constexpr int kIndent = 1;  ///< of stats.json: readable, without doubling its size

/// Errors after which something has been simulated. The statistics up to that point help to find the cause.
bool leaves_statistics(const base::Error& error) {
  switch (error.code()) {
    case base::ExitCode::kHang:
    case base::ExitCode::kCycleLimit:
    case base::ExitCode::kKernelFault:
    case base::ExitCode::kAssertion:
    case base::ExitCode::kTwinMismatch:
    case base::ExitCode::kDeviceFailed:
      return true;
    default:
      return is_interrupt(error);
  }
}

/// The reason why the run ended early, in one line.
std::string reason(const base::Error& error, const gpu::LaunchRecord& last, std::uint64_t launches) {
  const std::string text = error.what();
  std::string what = text.substr(0, text.find('\n'));
  if (error.code() == base::ExitCode::kCycleLimit) what = "--max-cycles reached";
  if (error.code() != base::ExitCode::kCycleLimit && !is_interrupt(error)) return what;
  if (last.complete) return fmt::format("{} after launch {}", what, launches);
  return fmt::format("{} in launch {} ({}) after {} cycles", what, launches, last.kernel, last.cycles);
}

/// The results of a run that has ended.
struct Outcome {
  RunHeader header;
  std::optional<base::Error> early;  ///< the error that ended it early, if any
};

void check_against_oracle(const Job& job, const gpu::GpuConfig& config, TrackedDevice& device,
                          Outcome& outcome) {
  RunHeader& header = outcome.header;
  if (!job.not_comparable.empty()) {
    header.verdict += "; not compared with the oracle: " + job.not_comparable;
    return;
  }
  try {
      const MemoryVerdict oracle =
          compare_with_oracle(device, job.program, std::uint64_t{config.heap_kib} * 1024);
    header.passed = header.passed && oracle.passed;
    header.verdict += "; oracle: " + oracle.summary;
  } catch (const base::Error& error) {
    outcome.early = error;
  } catch (const std::bad_alloc&) {
    outcome.early.emplace(base::ExitCode::kBadInput, "--check oracle", "out of memory",
                          "use a smaller input");
  }
  if (outcome.early) header.ended_early = fmt::format("--check oracle: {}", outcome.early->what());
}

Outcome simulate(const Job& job, const RunSettings& settings, const gpu::GpuDevice& gpu,
                 TrackedDevice& device) {
  Outcome outcome{job.header, {}};
  RunHeader& header = outcome.header;
  try {
    const workloads::Verdict verdict = job.program(device);
    header.passed = verdict.passed;
    header.verdict = verdict.summary;
    if (settings.check_oracle) check_against_oracle(job, gpu.config(), device, outcome);
  } catch (const base::Error& error) {
    if (!leaves_statistics(error) || gpu.launch_count() == 0) throw;
    outcome.early = error;
    header.ended_early = reason(error, gpu.last_launch(), gpu.launch_count());
  }
  if (!outcome.early) return outcome;
  const std::string& line = *header.ended_early;
  header.ended_early = line.substr(0, line.find('\n'));
  header.verdict =
      *header.ended_early + (header.verdict.empty() ? "" : "; the GPU's result: " + header.verdict);
  header.passed = false;
  if (!is_interrupt(*outcome.early)) header.diagnosis = outcome.early->what();
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

/// Unlike fmt::print, this leaves a failure in the stream's state, for the end of the command to report.
void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string row(const char* name, const std::string& text) { return fmt::format("  {:<16}{}\n", name, text); }

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
                                     kIndent) +
                               "\n");
    out->add("config.yaml", base::write_config(config));
    if (settings.profile) {
      out->add("profile.txt", report + "\n" + profile + profile_listing(profiles));
      out->add("profile.json", json_text(profile_json(header, config.name, profiles), kIndent) + "\n");
    }
    nlohmann::ordered_json host = host_json(results.summary, results.every_launch());
    if (const auto rtl = rtl_json(twins); !rtl.empty()) host["rtl"] = rtl;
    add_end(host, header);
    host["files"] = out->sizes();
    out->add("host.json", json_text(host, kIndent) + "\n");
    problems.attempt([&] {
      out->commit();
      saved = row("files", out->path());
    });
    for (const std::string& name : out->foreign()) saved += row("not of this run", out->path() + "/" + name);
  }
  if (job.dump && !outcome.early) job.dump(device, problems);

  put(report + rtl_text(twins) + host_text(results.summary));
  if (settings.profile) put("\n" + profile + "\n");
  if (job.printed && !outcome.early) put(job.printed(device));
  put(saved);
  for (const std::string& path : traces) put(row("trace", path));
  std::fflush(stdout);
  if (outcome.early && problems.any()) fmt::print(stderr, "heddle: error: {}\n", problems.text());
  if (outcome.early) throw *outcome.early;
  problems.rethrow();
  return header.passed ? base::ExitCode::kOk : base::ExitCode::kMismatch;
}

}  // namespace heddle::cli
