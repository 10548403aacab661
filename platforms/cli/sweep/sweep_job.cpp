#include "cli/sweep/sweep_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/config.h"
#include "base/error.h"
#include "cli/commit.h"
#include "cli/cuda_run.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/machine_code.h"
#include "cli/run_ptx.h"
#include "cli/run_workload.h"
#include "cli/sweep/spec_values.h"
#include "gpu/platform_files.h"
#include "results/run_folder.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kCompilers = {"nvcc", "clang"}, kSizes = {"tiny", "small", "paper"};

void want_one_of(const Setting& setting, const std::vector<std::string>& choices) {
  for (const std::string& each : choices)
    if (each == setting.value) return;
  throw unknown_name(setting.place, setting.name, setting.value, choices);
}

/// What `check` finds is wrong at `place` in the spec.
void at_place(const std::string& place, const std::function<void()>& check) {
  try {
    check();
  } catch (const base::InputError& error) {
    const bool known = error.where().starts_with("--set ") || error.where() == place;
    const std::string where = known ? "" : error.where() + ": ";
    throw base::InputError(place, where + error.message(), error.remedy());
  }
}

/// The key exists, and has such a value: not whether it goes with others.
void check_key(const Setting& setting) {
  at_place(setting.place, [&] {
    base::ConfigSource source;
    source.add_assignment(setting.name + "=" + setting.value);
    gpu::GpuConfig config;
    base::detail::load(source, [&](base::ConfigVisitor& visitor) { config.visit(visitor); });
  });
}

void check_setting(const Setting& setting) {
  if (setting.name == "workload") {
    at_place(setting.place, [&] {
      (void)workload_job({.name = setting.value, .parameters = {}, .machine_code = {}}, "workload");
    });
  } else if (setting.name == "compiler") {
    want_one_of(setting, kCompilers);
  } else if (setting.name == "size") {
    want_one_of(setting, kSizes);
  } else if (setting.name == "seed") {
    (void)whole_number_in(setting.value, setting.name, setting.place);
  } else if (setting.name == "platform") {
    at_place(setting.place, [&] { (void)gpu::load_platform(setting.value, {}); });
  } else if (is_key(setting.name)) {
    check_key(setting);
  }
}

WorkloadRequest workload_of(const std::vector<Setting>& settings) {
  WorkloadRequest request;
  for (const Setting& each : settings) {
    if (each.name == "workload") request.name = each.value;
    if (each.name == "compiler") request.compiler = each.value;
    if (each.name == "size") request.size = each.value;
    if (each.name == "seed") request.seed = whole_number_in(each.value, each.name, each.place);
    if (each.name == "cubin") request.machine_code = each.value;
    if (each.name.starts_with("param.")) request.parameters.push_back(each.name.substr(6) + "=" + each.value);
  }
  return request;
}

/// Parameters and machine code of each workload, once for each combination of them.
void check_workloads(const SweepPlan& plan) {
  std::set<std::string> seen;
  bool any = false;
  for (const Axis& axis : plan.spec().axes)
    for (const Choice& choice : axis.choices)
      for (const Setting& each : choice) any = any || each.name.starts_with("param.") || each.name == "cubin";
  if (!any) return;
  for (std::size_t i = 0; i < plan.runs(); ++i) {
    std::string key, place;
    const std::vector<Setting> settings = plan.settings(i);
    for (const Setting& each : settings) {
      if (is_key(each.name) || each.name == "platform" || each.name == "seed") continue;
      key += each.name + "=" + each.value + "\n";
      if (each.name.starts_with("param.") || each.name == "cubin") place = each.place;
    }
    if (place.empty() || !seen.insert(key).second) continue;
    at_place(place, [&] { (void)workload_job(workload_of(settings), value_of(settings, "workload")); });
  }
}

/// Names of exclusions are those of settings.
void check_exclusions(const SweepSpec& spec) {
  std::set<std::string> names;
  for (const Axis& axis : spec.axes)
    for (const Choice& choice : axis.choices)
      for (const Setting& each : choice) names.insert(each.name);
  for (const Choice& excluded : spec.excluded)
    for (const Setting& each : excluded)
      if (!names.contains(each.name))
        throw unknown_name(each.place, "setting", each.name, {names.begin(), names.end()});
}

/// They are there, and no option is wanted that `heddle cuda` does not have.
void check_programs(const SweepSpec& spec) {
  for (const SweepProgram& program : spec.programs) {
    const std::string& file = program.command[0];
    if (::access(file.c_str(), X_OK) != 0 || std::filesystem::is_directory(file))
      throw base::InputError(program.place, fmt::format("'{}' is no program that can be run", file),
                             "a path with a '/', from the folder in which heddle runs");
    const SweepOptions& options = spec.options;
    for (const auto& [wanted, name] : {std::pair{options.sample != 0, "sample"},
                                       {options.cold_caches, "cold_caches"},
                                       {options.trace_control_flow, "trace_control_flow"},
                                       {options.trace_timeline, "trace_timeline"}})
      if (wanted)
        throw base::InputError(program.place, fmt::format("programs have no option '{}'", name),
                               "leave it out: heddle cuda --help has what there is");
  }
}

RunSettings settings_of(const SweepPlan& plan, const std::vector<Setting>& settings) {
  const SweepOptions& options = plan.spec().options;
  RunSettings run;
  run.max_cycles = options.max_cycles;
  run.profile = options.profile;
  run.per_launch = options.per_launch;
  run.cold_caches = options.cold_caches;
  run.check_oracle = options.check_oracle;
  run.host_seconds = options.max_seconds;
  run.sample.cycles = options.sample;
  for (const Setting& each : settings)
    if (each.name == "platform") run.platform = each.value;
  if (const std::string cubin = value_of(settings, "cubin"); !cubin.empty())
    run.assignments = machine_code_settings(cubin, run.platform);
  for (const Setting& each : settings)
    if (is_key(each.name)) run.assignments.push_back(each.name + "=" + each.value);
  return run;
}

Job job_of(const SweepPlan& plan, const std::vector<Setting>& settings, RunSettings& run) {
  Job job;
  if (const SweepKernel* kernel = plan.kernel(value_of(settings, "kernel"))) {
    if (kernel->request.machine_code) {
      const std::vector<std::string> needed = machine_code_settings(kernel->request.file, run.platform);
      run.assignments.insert(run.assignments.begin(), needed.begin(), needed.end());
    }
    job = ptx_job(kernel->request);
    job.dump = nullptr;
  } else {
    job = workload_job(workload_of(settings), "heddle sweep");
  }
  if (run.cold_caches) note_variant(job.header, "cold caches", "cold_caches");
  return job;
}

base::ExitCode run_of(const SweepPlan& plan, const std::vector<Setting>& settings, RunSettings& run) {
  const SweepProgram* const program = plan.program(value_of(settings, "program"));
  if (program == nullptr) return run_job(job_of(plan, settings, run), run);
  CudaSettings cuda;
  if (value_of(settings, "platform").empty()) run.platform = kDefaultProgramPlatform;
  cuda.run = run;
  cuda.run.check_oracle = false;
  cuda.run.max_seconds = run.host_seconds;
  cuda.command = program->command;
  cuda.check = run.check_oracle;
  cuda.quiet = true;
  return static_cast<base::ExitCode>(run_cuda_program(cuda));
}

/// stdout and stderr of this process go nowhere: the report is in the run's folder.
void be_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

Json json_of(const results::MeasuredRun& measured) {
  const results::Run& run = measured.run;
  Json json{{"exit_code", run.exit_code},         {"verdict", run.verdict}, {"diagnosis", run.diagnosis},
            {"configuration", run.configuration}, {"heddle", run.heddle},   {"folder", run.folder}};
  if (run.cycles) json["cycles"] = *run.cycles;
  json["values"] = measured.values;
  for (const results::Statistic& each : measured.statistics)
    json["statistics"].push_back({each.name, each.unit, each.description});
  return json;
}

}  // namespace

void check_plan(const SweepPlan& plan) {
  for (const Axis& axis : plan.spec().axes)
    for (const Choice& choice : axis.choices)
      for (const Setting& setting : choice) check_setting(setting);
  check_exclusions(plan.spec());
  if (plan.spec().kernels.empty() && plan.spec().programs.empty()) return check_workloads(plan);
  for (const Axis& axis : plan.spec().axes)
    for (const Setting& each : axis.choices.front())
      if (!is_key(each.name) && each.name != "kernel" && each.name != "program" && each.name != "platform" &&
          each.name != "variant")
        throw base::InputError(each.place,
                               fmt::format("'{}' is about workloads, and this sweep runs {} of its own",
                                           each.name, plan.spec().programs.empty() ? "kernels" : "programs"),
                               "leave it out");
  check_programs(plan.spec());
  for (const SweepKernel& kernel : plan.spec().kernels)
    at_place(kernel.place, [&] {
      (void)read_start(kernel.request.file, 1, kernel.request.machine_code ? "cubin" : "ptx");
      (void)ptx_job(kernel.request);
    });
}

std::string folder_of(std::size_t run) { return fmt::format("runs/{:06}", run); }

results::Run ended_with(const base::Error& error) {
  results::Run run;
  run.exit_code = static_cast<int>(error.code());
  run.status = results::status_of(error.code());
  run.diagnosis = error.what();
  run.verdict = run.diagnosis.substr(0, run.diagnosis.find('\n'));
  return run;
}

Json make_run(const SweepPlan& plan, std::size_t number, const std::string& out) {
  be_silent();
  const std::vector<Setting> settings = plan.settings(number);
  const std::string folder = (std::filesystem::path(out) / folder_of(number)).string();
  results::MeasuredRun measured;
  std::optional<base::Error> early;
  base::ExitCode code = base::ExitCode::kOk;
  try {
    RunSettings run = settings_of(plan, settings);
    run.out = folder;
    if (plan.spec().options.trace_control_flow) run.trace.control_flow = folder + "/control_flow.cft";
    if (plan.spec().options.trace_timeline) run.trace.timeline = folder + "/timeline.json";
    std::filesystem::remove_all(
        folder);  // of a process that was killed: of a refused run nothing is to be found there
    code = run_of(plan, settings, run);
  } catch (const base::Error& error) {
    early = error;
    code = error.code();
  }
  if (results::is_run_folder(folder))
    measured = results::read_run(folder);
  else if (early)
    measured.run = ended_with(*early);
  measured.run.exit_code = static_cast<int>(code);
  measured.run.heddle = version_and_commit();
  measured.run.folder = std::filesystem::exists(folder) ? folder_of(number) : "";
  if (early) measured.run.diagnosis = early->what();
  return json_of(measured);
}

results::MeasuredRun measured_of(const Json& json) {
  results::MeasuredRun measured;
  results::Run& run = measured.run;
  run.exit_code = json.at("exit_code").get<int>();
  run.status = results::status_of(static_cast<base::ExitCode>(run.exit_code));
  run.verdict = json.at("verdict").get<std::string>();
  run.diagnosis = json.at("diagnosis").get<std::string>();
  run.configuration = json.at("configuration").get<std::string>();
  run.heddle = json.at("heddle").get<std::string>();
  run.folder = json.at("folder").get<std::string>();
  if (json.contains("cycles")) run.cycles = json.at("cycles").get<std::uint64_t>();
  measured.values = json.at("values").get<std::vector<double>>();
  if (json.contains("statistics"))
    for (const Json& each : json.at("statistics"))
      measured.statistics.push_back(
          {each.at(0).get<std::string>(), each.at(1).get<std::string>(), each.at(2).get<std::string>()});
  return measured;
}

}  // namespace heddle::cli
