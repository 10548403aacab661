// heddle sweep: many runs, their results in one database.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "cli/child_pool.h"
#include "cli/commands.h"
#include "cli/commit.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/number_option.h"
#include "cli/progress_mode.h"
#include "cli/report.h"
#include "cli/report_page.h"
#include "cli/run_outcome.h"
#include "cli/sweep/spec_values.h"
#include "cli/sweep/sweep_folder.h"
#include "cli/sweep/sweep_job.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_progress.h"
#include "cli/sweep/sweep_table.h"
#include "cli/text_table.h"
#include "results/results.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

constexpr const char* kSweepHelp =
    R"(SPEC is a file, or names of workloads. A file says what the runs have; lists are multiplied:

  workload: [bfs, sgemm]            # or kernels: or programs: of your own, below
  size: tiny                        # tiny, small, paper
  seed: 1..3                        # a range, or a list
  platform: [gtx480, rtx2060]       # names, or .yaml files
  param: {nodes: 3000}              # numbers of the workload's input (heddle list)
  set:                              # configuration keys (heddle describe)
    core.l1d.size_kib: [16, 32]
  zip:                              # paired lists: the first values together, then the second ones
    - {core.scheduler.policy: [lrr, gto], core.l1d.ways: [4, 8]}
  variants:                         # named groups of settings
    - {name: stack}
    - {name: aware, core.control_flow.mechanism: aware}
  exclude:                          # combinations that are not wanted
    - {workload: bfs, variant: aware}
  options: {profile: true, max_cycles: 10000000, max_seconds: 600, sample: 1000, per_launch: true, cold_caches: true, check: oracle,
            trace_control_flow: true, trace_timeline: true}
  kernels:
    - {name: saxpy, ptx: saxpy.ptx, entry: saxpy, grid: 8, block: 128, arg: [u32=1024, "buf=x:4096", ...], compare: [...]}
  programs:                         # CUDA programs, as heddle cuda runs them
    - {name: saxpy, program: ./saxpy, args: [1024]}

Each run is a process of its own. What ends a run early is a result with its diagnosis, not the end of the sweep. Results go to
DIR/results.sqlite, the files of each run to DIR/runs/NUMBER, the table to DIR/table.csv (platforms/results/README.md). A sweep that was
interrupted goes on with --resume.

Examples:
  heddle sweep bfs --vary core.l1d.size_kib=16,32,48 --out out/l1
  heddle sweep sweep.yaml --jobs 8 --progress --out out/sweep
  heddle compare out/l1 --by core.l1d.size_kib

Exit code 0: all runs were made, whatever their outcome. 2: the spec is wrong, or no run of it could be simulated.
)";

constexpr std::size_t kTableRows = 60;  ///< of what is printed; table.csv has all
constexpr double kGraceSeconds = 15;    ///< after max_seconds, for a run to end itself
constexpr double kNoLimit = 1e9;        ///< seconds

struct SweepRequest {
  std::vector<std::string> what;
  std::vector<std::string> vary;
  std::vector<std::string> assignments;
  std::string platform, size, out, part, report;
  std::uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
  bool resume = false;
  bool dry_run = false;
  ProgressMode progress = ProgressMode::kTerminal;
};

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(name, ignored) || name.ends_with(".yaml") || name.ends_with(".yml");
}

SweepSpec spec_of(const SweepRequest& request) {
  SweepSpec spec;
  if (request.what.size() == 1 && is_file(request.what[0])) {
    spec = read_spec(request.what[0]);
  } else {
    Axis axis;
    for (const std::string& name : request.what) {
      if (is_file(name))
        throw base::InputError("heddle sweep", fmt::format("'{}' is a file beside other names", name),
                               "give one spec, or names of workloads");
      axis.choices.push_back({{"workload", name, "heddle sweep"}});
      spec.name += (spec.name.empty() ? "" : ", ") + name;
    }
    spec.axes.push_back(std::move(axis));
  }
  const auto add = [&](const std::string& name, const std::string& value, const std::string& place) {
    spec.axes.push_back({{{{name, value, place}}}});
    spec.text += fmt::format("# {}\n", place);
  };
  if (!request.size.empty()) add("size", request.size, "--size " + request.size);
  if (!request.platform.empty()) add("platform", request.platform, "--platform " + request.platform);
  for (const std::string& each : request.assignments) {
    const auto equals = each.find('=');
    if (equals == std::string::npos)
      throw base::InputError("--set " + each, "is not KEY=VALUE",
                             "for example --set core.scheduler.policy=lrr");
    add(each.substr(0, equals), each.substr(equals + 1), "--set " + each);
  }
  for (const std::string& each : request.vary) {
    spec.axes.push_back(axis_of(each, "--vary"));
    spec.text += fmt::format("# --vary {}\n", each);
  }
  return spec;
}

std::string dry_run_text(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.runs(); ++i)
    for (const results::Parameter& each : plan.parameters(i))
      if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
  TextTable table(2, {{0}});
  std::vector<std::string> head = {"run"};
  head.insert(head.end(), names.begin(), names.end());
  table.row(head);
  for (std::size_t i = 0; i < plan.runs(); ++i) {
    results::Run run;
    run.parameters = plan.parameters(i);
    std::vector<std::string> row = {fmt::format("{}", i)};
    for (const std::string& name : names) {
      const std::string* const value = run.parameter(name);
      row.push_back(value == nullptr ? "-" : *value);
    }
    table.row(std::move(row));
  }
  return fmt::format("{}: {} runs\n{}", plan.spec().name, plan.runs(), table.text());
}

/// The runs of --part K/N: every N-th, from the K-th on.
struct Part {
  std::size_t number = 0, of = 1;
  [[nodiscard]] bool has(std::size_t run) const { return run % of == number; }
};

Part part_of(const std::string& text) {
  if (text.empty()) return {};
  const std::string place = "--part " + text;
  const auto slash = text.find('/');
  if (slash == std::string::npos)
    throw base::InputError(place, "is not K/N", "for example --part 1/8 to --part 8/8");
  const std::uint64_t number = whole_number_in(text.substr(0, slash), "K", place);
  const std::uint64_t of = whole_number_in(text.substr(slash + 1), "N", place);
  if (number == 0 || number > of)
    throw base::InputError(place, "K is from 1 to N", "for example --part 1/8 to --part 8/8");
  return {number - 1, of};
}

/// Of a process that could not say how it ended.
results::MeasuredRun of_ended_process(const base::Error& error) {
  results::MeasuredRun measured;
  measured.run = ended_with(error);
  measured.run.heddle = version_and_commit();
  // The process, not its run, ran out of memory.
  if (measured.run.status == results::RunStatus::kRefused) measured.run.status = results::RunStatus::kFailed;
  return measured;
}

void run_all(const SweepPlan& plan, const std::vector<std::size_t>& missing, const SweepRequest& request,
             SweepFolder& folder, SweepProgress& progress) {
  std::vector<std::function<nlohmann::ordered_json()>> bodies;
  bodies.reserve(missing.size());
  const std::string out = folder.path();
  for (const std::size_t run : missing)
    bodies.emplace_back([&plan, run, &out] { return make_run(plan, run, out); });
  const double limit = plan.spec().options.max_seconds;
  run_children(bodies, request.jobs, limit == 0 ? kNoLimit : limit + kGraceSeconds,
               [&](std::size_t i, ChildOutcome outcome) {
                 results::MeasuredRun measured =
                     outcome.error ? of_ended_process(*outcome.error) : measured_of(outcome.result);
                 measured.run.parameters = plan.parameters(missing[i]);
                 measured.run.seconds = outcome.seconds;
                 folder.add(missing[i], measured);
                 progress.ended(measured.run.status);
               });
}

/// The error of a sweep of which nothing was simulated.
void refuse_if_nothing_ran(const results::Results& results) {
  const std::vector<results::Run>& runs = results.runs();
  if (runs.empty() || !std::ranges::all_of(runs, [](const results::Run& run) { return !run.cycles; })) return;
  const std::string& diagnosis = runs.front().diagnosis;
  throw base::InputError("heddle sweep",
                         fmt::format("no run could be simulated; the first one says: {}", diagnosis),
                         "change the spec, and begin again in another folder");
}

PageRequest page_of(const SweepRequest& request, const std::string& folder) {
  return {.results = {folder}, .output = request.report, .place = "--report " + request.report};
}

base::ExitCode sweep(const SweepRequest& request) {
  const SweepPlan plan(spec_of(request));
  check_plan(plan);
  const Part part = part_of(request.part);
  if (request.dry_run) {
    put(dry_run_text(plan));
    return base::ExitCode::kOk;
  }
  if (request.out.empty())
    throw base::InputError("heddle sweep", "no folder for the results",
                           "add --out DIR; --dry-run lists the runs only");
  stop_if_interrupted();  // from here on a signal ends the sweep in order
  if (!request.report.empty() && !request.part.empty())
    throw base::InputError("--report " + request.report,
                           "does not go with --part: the other parts are missing",
                           "heddle report makes the page when all parts are put together");
  SweepFolder folder(request.out, plan, request.resume, request.part);
  if (!request.report.empty()) check_page(page_of(request, folder.path()));
  std::vector<std::size_t> missing;
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < plan.runs(); ++i) {
    if (!part.has(i)) continue;
    ++wanted;
    if (!folder.has(i)) missing.push_back(i);
  }
  SweepProgress progress(request.progress, wanted, wanted - missing.size());
  try {
    run_all(plan, missing, request, folder, progress);
  } catch (const base::Error& error) {
    progress.erase();
    if (!is_interrupt(error)) throw;
    throw base::Error(error.code(), error.where(),
                      fmt::format("{}; {} of {} runs have been made", error.message(),
                                  wanted - missing.size() + progress.ended(), wanted),
                      fmt::format("heddle sweep ... --out {} --resume goes on", request.out));
  }
  progress.erase();
  const std::string file = folder.close();
  const results::Results results = results::Results::open({file});
  if (request.part.empty())
    write_text(folder.path() + "/table.csv", sweep_csv(results), "--out " + request.out);
  put(fmt::format("{}: {} runs, {} made now in {}, {} at a time\n", plan.spec().name, wanted, missing.size(),
                  duration_text(progress.seconds()), request.jobs) +
      sweep_text(results, kTableRows, folder.path()) + report_line("files", folder.path()));
  if (request.part.empty()) refuse_if_nothing_ran(results);
  if (!request.report.empty()) put(report_line("report", write_page(page_of(request, folder.path()))));
  return base::ExitCode::kOk;
}

}  // namespace

void add_sweep(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("sweep", "Make many runs: workloads x platforms x keys x seeds");
  command->footer(kSweepHelp);
  const auto request = std::make_shared<SweepRequest>();
  const auto not_empty = [](const std::string& text) {
    return std::string(text.empty() ? "no name given" : "");
  };
  command->add_option("SPEC", request->what, "A file that says what to run, or names of workloads")
      ->required();
  command
      ->add_option("--vary", request->vary,
                   "NAME=VALUE,VALUE,...: a list of the spec: a configuration key, or workload, seed, "
                   "platform ...; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--set", request->assignments,
                   "KEY=VALUE: a configuration key of all runs (heddle describe); may be repeated")
      ->allow_extra_args(false);
  command->add_option("--platform", request->platform, "Platform name or .yaml file of all runs");
  command->add_option("--size", request->size, "Input size of all workloads")
      ->check(CLI::IsMember({"tiny", "small", "paper"}));
  command->add_option("--out", request->out, "Folder for results.sqlite, table.csv and the files of each run")
      ->check(not_empty);
  command
      ->add_option("--jobs", request->jobs,
                   "Runs at a time; otherwise one for each processor of this machine")
      ->transform(whole_number(1, 1024));
  command->add_flag("--resume", request->resume,
                    "Go on with the sweep in the folder: make the runs that it does not have");
  command->add_option(
      "--part", request->part,
      "K/N: make only every N-th run, from the K-th on, for several machines with one folder; "
      "--resume without --part then puts the parts together");
  command->add_option("--report", request->report, "Make a page of the sweep as well: heddle report")
      ->check(not_empty);
  command->add_flag("--dry-run", request->dry_run, "Check the spec and list the runs; make none");
  add_progress_option(*command, request->progress);
  command->callback([request, &body] { body = [request] { return sweep(*request); }; });
}

}  // namespace heddle::cli
