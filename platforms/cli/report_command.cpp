// heddle report: many runs as one page that holds all it shows.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/config.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/new_file.h"
#include "cli/number_option.h"
#include "cli/output_names.h"
#include "cli/report.h"
#include "cli/run_outcome.h"
#include "gpu/gpu_config.h"
#include "report/page.h"
#include "results/results.h"

namespace heddle::cli {
namespace {

constexpr const char* kReportHelp =
    R"(RESULTS are folders of sweeps (heddle sweep --out) and of runs (heddle run --out). The page is one HTML file. It fetches nothing,
so that it can be mailed, kept, and printed: open it in any browser.

What it shows depends on what the runs have left: heddle run --profile (source lines by stall), --sample N (counters over time),
--trace-timeline DIR/timeline.json (warps).

The baseline is a run that others are compared with: its number from 0 in the order of the table, or KEY=VALUE,KEY=VALUE... of the
first run that has these parameters.

Examples:
  heddle report out/l1 -o l1.html
  heddle report out/a out/b -o ab.html --baseline 0
  heddle report out/schedulers -o schedulers.html --baseline core.scheduler.policy=gto
)";

struct ReportRequest {
  std::vector<std::string> results;
  std::string output;
  std::string title;
  std::string baseline;
  std::uint64_t details = report::DetailLimits{}.runs;
};

/// What the configuration keys mean, for the headings of columns.
report::DescribeKey key_meanings() {
  auto meanings = std::make_shared<std::map<std::string, report::KeyMeaning>>();
  for (const base::KeyDescription& key : base::describe_config<gpu::GpuConfig>())
    (*meanings)[key.path] = {key.info.unit, key.info.doc};
  return [meanings](const std::string& key) {
    const auto found = meanings->find(key);
    return found == meanings->end() ? report::KeyMeaning{} : found->second;
  };
}

std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string pair = text.substr(at, end - at);
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::InputError("--baseline " + text, "is neither a number nor KEY=VALUE,KEY=VALUE...");
    pairs.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    at = end + 1;
  }
  return pairs;
}

/// The run that --baseline names.
std::size_t baseline_of(const std::string& text, const results::Results& results) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (number < results.runs().size()) return number;
    throw base::InputError("--baseline " + text, fmt::format("there are {} runs, from 0 on", results.runs().size()));
  }
  const auto wanted = pairs_of(text);
  const std::vector<std::string> names = results.parameters();
  for (const auto& [key, value] : wanted)
    if (std::ranges::find(names, key) == names.end()) throw unknown_name("--baseline " + text, "parameter", key, names);
  const auto has_all = [&](const results::Run& run) {
    return std::ranges::all_of(wanted, [&](const auto& pair) {
      const std::string* value = run.parameter(pair.first);
      return value != nullptr && *value == pair.second;
    });
  };
  const auto found = std::ranges::find_if(results.runs(), has_all);
  if (found == results.runs().end())
    throw base::InputError("--baseline " + text, "no run has these parameters", "the page's table shows the parameters of all runs");
  return static_cast<std::size_t>(found - results.runs().begin());
}

std::string title_of(const ReportRequest& request) {
  if (!request.title.empty()) return request.title;
  std::vector<std::string> names;
  for (const std::string& path : request.results) {
    std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    names.push_back(folder.filename() == "results.sqlite" ? folder.parent_path().filename().string() : folder.filename().string());
  }
  constexpr std::size_t kMostNames = 3;
  if (names.size() > kMostNames) return fmt::format("{} and {} more", names[0], names.size() - 1);
  return fmt::format("{}", fmt::join(names, ", "));
}

base::ExitCode make_page(const ReportRequest& request) {
  const std::string place = "--output " + request.output;
  OutputNames names;
  for (const std::string& path : request.results)
    for (const char* file : {"", "results.sqlite", "stats.json", "config.yaml", "host.json", "profile.json", report::kTimelineFile})
      if (std::error_code ignored; std::filesystem::is_regular_file(std::filesystem::path(path) / file, ignored))
        names.reads((std::filesystem::path(path) / file).string(), path);
  names.writes(request.output, place);
  const std::string page_template = report::page_template();
  const results::Results results = results::Results::open(request.results);
  if (results.runs().empty()) throw base::InputError(request.results[0], "has no runs yet");
  report::PageOptions options;
  options.title = title_of(request);
  options.heddle = HEDDLE_VERSION;
  if (!request.baseline.empty()) options.baseline = baseline_of(request.baseline, results);
  options.limits.runs = request.details;
  options.describe = key_meanings();
  const nlohmann::ordered_json data = report::page_data(results, options);
  NewFile file(request.output, place);
  file.write(report::page_text(page_template, options.title, data));
  file.commit();
  const std::size_t failed = data.at("failures").size();
  put(fmt::format("{} {}{} -> {}\n", grouped(results.runs().size()), results.runs().size() == 1 ? "run" : "runs",
                  failed == 0 ? "" : fmt::format(", {} of them failed", grouped(failed)), request.output));
  return base::ExitCode::kOk;
}

}  // namespace

void add_report(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("report", "Make a page of many runs: one HTML file with tables and charts");
  command->footer(kReportHelp);
  const auto request = std::make_shared<ReportRequest>();
  command->add_option("RESULTS", request->results, "Folders of sweeps and runs")->required();
  command->add_option("-o,--output", request->output, "The page (.html)")
      ->required()
      ->check([](const std::string& text) { return std::string(text.empty() ? "no name given" : ""); });
  command->add_option("--title", request->title, "Its title; otherwise the folders' names");
  command->add_option("--baseline", request->baseline, "RUN or KEY=VALUE,...: the run that is pinned as the baseline when the page opens");
  command
      ->add_option("--details", request->details,
                   "Put profile, samples and timeline of so many runs into the page, the first that have them")
      ->transform(whole_number(0))
      ->capture_default_str();
  command->callback([request, &body] { body = [request] { return make_page(*request); }; });
}

}  // namespace heddle::cli
