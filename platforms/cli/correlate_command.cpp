// heddle correlate: the model against what a card's profiler has counted, launch by launch.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include "cli/child_pool.h"
#include "cli/commands.h"
#include "cli/correlate_run.h"
#include "cli/correlation_report.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/machine_code.h"
#include "cli/number_option.h"
#include "cli/output_dir.h"
#include "cli/run_outcome.h"
#include "cli/run_workload.h"
#include "correlation/truth.h"
#include "gpu/platform_files.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

using correlation::CardRun;
using correlation::ModelRun;
using correlation::Truth;

constexpr const char* kCorrelateHelp =
    R"(TRUTH says what a profiler has counted of the launches of some workloads (platforms/correlation/README.md); of several files
the counters of a launch are put together. Each workload and size runs on the model in a process of its own, until its last
launch in the truth. Launches are matched by kernel name and number.

The card's cycles are those of gpc__cycles_elapsed.max, which contain what a launch costs; --add-cycles adds a constant to the
model's. Caches are cold at each launch if they were on the card.

If the truth has executions by instruction, and --cubin is given, those are compared as well.

Example: heddle correlate platforms/correlation/h100.json --cubin cubin --size small --out out/h100

)";

constexpr double kGraceSeconds = 15;  ///< after the limit, for a run to end itself

struct CorrelateRequest {
  std::vector<std::string> truths;
  std::string platform = "h100";
  std::string cubin;
  std::string compiler = "nvcc";
  std::string size = "all";
  std::vector<std::string> workloads;
  std::uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
  double seconds = 600;
  std::vector<std::string> assignments;
  std::string out;
  double add_cycles = 0;
  double large_cycles = 10'000;
  std::uint64_t top = 10;
  bool warm_caches = false;
  bool first_run = false;
  bool to_the_end = false;
};

Truth read_all(const CorrelateRequest& request) {
  Truth truth = correlation::read_truth(request.truths[0]);
  for (std::size_t i = 1; i < request.truths.size(); ++i)
    truth.add(correlation::read_truth(request.truths[i]), request.truths[i]);
  return truth;
}

/// Those that are asked for. Throws for a workload that the truth does not have, and for one that Heddle does not have.
std::vector<CardRun> chosen_runs(const CorrelateRequest& request, const Truth& truth) {
  std::vector<std::string> names;
  for (const CardRun& run : truth.runs)
    if (std::ranges::find(names, run.workload) == names.end()) names.push_back(run.workload);
  for (const std::string& name : request.workloads)
    if (std::ranges::find(names, name) == names.end())
      throw unknown_name("--workloads", "workload of " + request.truths[0], name, names);
  std::vector<CardRun> runs;
  for (const CardRun& run : truth.runs) {
    const bool wanted = request.workloads.empty() ||
                        std::ranges::find(request.workloads, run.workload) != request.workloads.end();
    if (!wanted || (request.size != "all" && request.size != run.size)) continue;
    if (run.size != "tiny" && run.size != "small" && run.size != "paper")
      throw base::InputError(fmt::format("{}: {}", request.truths[0], run.workload),
                             fmt::format("'{}' is no size of a workload", run.size),
                             "sizes are tiny, small, paper");
    runs.push_back(run);
  }
  if (runs.empty())
    throw base::InputError("heddle correlate",
                           fmt::format("the truth has nothing of size {} of these workloads", request.size),
                           "choose another --size or other --workloads");
  return runs;
}

/// On a terminal: how many runs have ended.
class RunsLine {
 public:
  explicit RunsLine(std::size_t all) : all_(all), terminal_(::isatty(STDERR_FILENO) == 1) { show(); }
  ~RunsLine() { erase(); }
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;
  void ended() {
    ++ended_;
    show();
  }

 private:
  void show() const {
    if (!terminal_) return;
    fmt::print(stderr, "\r{} of {} runs\x1b[K", ended_, all_);
    std::fflush(stderr);
  }
  void erase() const {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
  }
  std::size_t all_, ended_ = 0;
  bool terminal_;
};

/// The runs of the model, in the order of `runs`.
std::vector<ModelRun> run_all(const CorrelateRequest& request, const RunSettings& settings,
                              const std::vector<CardRun>& runs) {
  std::vector<std::function<nlohmann::ordered_json()>> bodies;
  for (const CardRun& card : runs) {
    WorkloadRequest workload;
    workload.name = card.workload;
    workload.compiler = request.compiler;
    workload.size = card.size;
    workload.machine_code = request.cubin;
    RunSettings own = settings;
    own.profile = !request.cubin.empty() && std::ranges::any_of(card.launches, [](const auto& launch) {
      return !launch.instructions.empty();
    });
    bodies.emplace_back([&card, workload, own, &request] {
      return run_for_correlation(
          {workload_job(workload, "heddle correlate"), own, !request.to_the_end, request.seconds}, card);
    });
  }
  // Those that take longest first, so that none of them is alone at the end.
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::size_t i) {
    double cycles = 0;
    for (const correlation::CardLaunch& launch : runs[i].launches)
      for (const char* name : {"gpc__cycles_elapsed.max", "smsp__inst_executed.sum"})
        if (const auto it = launch.counters.find(name); it != launch.counters.end()) cycles += it->second;
    return cycles;
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
  std::vector<std::function<nlohmann::ordered_json()>> sorted;
  for (const std::size_t i : order) sorted.push_back(bodies[i]);

  std::vector<ModelRun> results(runs.size());
  RunsLine line(runs.size());
  run_children(sorted, request.jobs, request.seconds + kGraceSeconds,
               [&](std::size_t i, ChildOutcome outcome) {
                 ModelRun& result = results[order[i]];
                 if (outcome.error) {
                   const std::string what = outcome.error->what();
                   result.problem = what.substr(0, what.find('\n'));
                   result.seconds = outcome.seconds;
                 } else {
                   result = model_run_of(outcome.result);
                 }
                 line.ended();
               });
  return results;
}

void add_notes(CorrelationResult& result, const CardRun& card, const ModelRun& model) {
  const std::string name = fmt::format("{}, size {}", card.workload, card.size);
  if (!model.problem.empty()) result.notes.push_back(fmt::format("{}: {}", name, model.problem));
  for (const std::string& kernel : correlation::unknown_kernels(card, model))
    result.notes.push_back(fmt::format("{}: the truth has nothing of kernel {}", name, kernel));
}

/// Of a run that ended in a worker's time: slow ones, and the sum.
std::string host_times(const std::vector<CardRun>& runs, const std::vector<ModelRun>& models) {
  constexpr double kSlowSeconds = 60;
  double sum = 0;
  std::string slow;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    sum += models[i].seconds;
    if (models[i].seconds > kSlowSeconds)
      slow += fmt::format("; {} {} {:.0f} s", runs[i].workload, runs[i].size, models[i].seconds);
  }
  return fmt::format("host: {} runs of {:.0f} s in all{}\n", runs.size(), sum, slow);
}

nlohmann::ordered_json host_times_json(const std::vector<CardRun>& runs,
                                       const std::vector<ModelRun>& models) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < runs.size(); ++i)
    json["runs"].push_back(
        {{"workload", runs[i].workload}, {"size", runs[i].size}, {"seconds", models[i].seconds}});
  return json;
}

base::ExitCode correlate(const CorrelateRequest& request) {
  const Truth truth = read_all(request);
  const std::vector<CardRun> runs = chosen_runs(request, truth);
  for (const CardRun& run : runs)
    (void)workload_job({.name = run.workload, .parameters = {}, .machine_code = {}}, "heddle correlate");
  RunSettings settings;
  settings.platform = request.platform;
  settings.cold_caches = truth.cold_caches && !request.warm_caches;
  settings.replayed = truth.replayed && !request.first_run;
  if (!request.cubin.empty()) settings.assignments = machine_code_settings(request.cubin, settings.platform);
  settings.assignments.insert(settings.assignments.end(), request.assignments.begin(),
                              request.assignments.end());
  std::vector<std::string> platform_files;
  const gpu::GpuConfig config = gpu::load_platform(settings.platform, settings.assignments, &platform_files);
  OutputNames names;
  std::optional<OutputDir> out;
  if (!request.out.empty())
    out.emplace(request.out,
                std::vector<std::string>{"report.txt", "correlation.json", "correlation.csv", "config.yaml",
                                         "host.json"},
                names);
  if (!out || !out->repeats(platform_files.front())) names.reads_platform(settings.platform, platform_files);
  for (const std::string& file : request.truths) names.reads(file, "the truth " + file);

  const std::vector<ModelRun> models = run_all(request, settings, runs);
  CorrelationResult result;
  result.device = truth.device;
  result.platform = config.name;
  result.code = request.cubin.empty() ? request.compiler + " PTX" : "machine code";
  result.settings = request.assignments;
  result.cold_caches = settings.cold_caches;
  result.replayed = settings.replayed;
  result.add_cycles = request.add_cycles;
  result.large_cycles = request.large_cycles;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (correlation::LaunchComparison& launch :
         correlation::compare(runs[i], models[i], {.add_cycles = request.add_cycles}))
      result.launches.push_back(std::move(launch));
    add_notes(result, runs[i], models[i]);
  }
  const std::string report = correlation_text(result, request.top);
  std::string saved;
  if (out) {
    out->add("report.txt", report);
    out->add("correlation.json", json_text(correlation_json(result), 1) + "\n");
    out->add("correlation.csv", correlation_csv(result));
    out->add("config.yaml", base::write_config(config));
    nlohmann::ordered_json host = host_times_json(runs, models);
    host["files"] = out->sizes();
    out->add("host.json", json_text(host, 1) + "\n");
    out->commit();
    saved = report_line("files", out->path());
  }
  put(report + "\n" + host_times(runs, models) + saved);
  std::fflush(stdout);
  const bool any =
      std::ranges::any_of(result.launches, [](const auto& launch) { return launch.problem.empty(); });
  if (!any) throw base::InputError("heddle correlate", "no launch could be compared", "The table says why.");
  return base::ExitCode::kOk;
}

}  // namespace

void add_correlate(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("correlate", "Compare the model with what a real GPU has counted");
  command->footer(kCorrelateHelp);
  const auto request = std::make_shared<CorrelateRequest>();
  command->add_option("TRUTH", request->truths, "JSON files with the card's counts")->required();
  command->add_option("--platform", request->platform, "Platform name or .yaml file of the model")
      ->capture_default_str();
  command->add_option("--cubin", request->cubin,
                      "Folder with the workloads' machine code (MODULE.cubin); otherwise their PTX runs");
  command->add_option("--compiler", request->compiler, "Whose PTX of the workloads to run")
      ->check(CLI::IsMember({"nvcc", "clang"}))
      ->capture_default_str();
  command->add_option("--size", request->size, "Which sizes of the truth")
      ->check(CLI::IsMember({"tiny", "small", "paper", "all"}))
      ->capture_default_str();
  command->add_option("--workloads", request->workloads, "NAME,NAME...: only these")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--jobs", request->jobs,
                   "Runs at a time; otherwise one for each processor of this machine")
      ->transform(whole_number(1, 1024));
  command->add_option("--max-seconds", request->seconds, "Give up a run that takes longer; its row says so")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--set", request->assignments,
                   "KEY=VALUE: change a configuration key (heddle describe); may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--out", request->out,
                   "Folder for report.txt, correlation.json, correlation.csv, config.yaml and host.json")
      ->check([](const std::string& text) { return std::string(text.empty() ? "no name given" : ""); });
  command
      ->add_option("--add-cycles", request->add_cycles, "Add this to the cycles of each launch of the model")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--large-cycles", request->large_cycles,
                   "Launches of at least as many cycles of the card are counted apart")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--top", request->top, "Worst launches, and instructions of each launch, that are listed")
      ->transform(whole_number(1))
      ->capture_default_str();
  command->add_flag("--warm-caches", request->warm_caches,
                    "Keep L2 from launch to launch, also where the card's caches were emptied");
  command->add_flag(
      "--first-run", request->first_run,
      "Each launch is the first of its kind, also where the profiler ran the card's several times");
  command->add_flag(
      "--to-the-end", request->to_the_end,
      "Run workloads to their end and check their results, not only to the last recorded launch");
  command->callback([request, command, &body] {
    body = [request, command] {
      if (!request->cubin.empty() && command->get_option("--compiler")->count() > 0)
        throw base::InputError("heddle correlate", "--compiler is about PTX and does not go with --cubin",
                               "leave out one of them");
      return correlate(*request);
    };
  });
}

}  // namespace heddle::cli
