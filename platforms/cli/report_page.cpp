#include "cli/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/config.h"
#include "base/error.h"
#include "cli/commit.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/output_names.h"
#include "cli/report.h"
#include "gpu/gpu_config.h"
#include "report/page.h"
#include "results/results.h"

namespace heddle::cli {
namespace {

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
    throw base::InputError("--baseline " + text,
                           fmt::format("there are {} runs, from 0 on", results.runs().size()));
  }
  const auto wanted = pairs_of(text);
  const std::vector<std::string> names = results.parameters();
  for (const auto& [key, value] : wanted)
    if (std::ranges::find(names, key) == names.end())
      throw unknown_name("--baseline " + text, "parameter", key, names);
  const auto has_all = [&](const results::Run& run) {
    return std::ranges::all_of(wanted, [&](const auto& pair) {
      const std::string* value = run.parameter(pair.first);
      return value != nullptr && *value == pair.second;
    });
  };
  const auto found = std::ranges::find_if(results.runs(), has_all);
  if (found == results.runs().end())
    throw base::InputError("--baseline " + text, "no run has these parameters",
                           "the page's table shows the parameters of all runs");
  return static_cast<std::size_t>(found - results.runs().begin());
}

std::string title_of(const PageRequest& request) {
  if (!request.title.empty()) return request.title;
  std::vector<std::string> names;
  for (const std::string& path : request.results) {
    std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    names.push_back(folder.filename() == "results.sqlite" ? folder.parent_path().filename().string()
                                                          : folder.filename().string());
  }
  constexpr std::size_t kMostNames = 3;
  if (names.size() > kMostNames) return fmt::format("{} and {} more", names[0], names.size() - 1);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Files of a run or a sweep, which the page must not replace.
void read_all_of(const PageRequest& request, OutputNames& names) {
  namespace fs = std::filesystem;
  for (const std::string& path : request.results)
    for (const char* file :
         {"", "results.sqlite", "table.csv", "stats.json", "config.yaml", "host.json", "report.txt",
          "profile.json", "profile.txt", results::kSeriesFile, report::kTimelineFile}) {
      const fs::path full = *file == '\0' ? fs::path(path) : fs::path(path) / file;
      if (std::error_code ignored; fs::is_regular_file(full, ignored)) names.reads(full.string(), path);
    }
}

}  // namespace

void check_page(const PageRequest& request) {
  OutputNames names;
  read_all_of(request, names);
  names.writes(request.output, request.place);
  (void)report::page_template();
}

std::string write_page(const PageRequest& request) {
  check_page(request);
  const results::Results results = results::Results::open(request.results);
  if (results.runs().empty()) throw base::InputError(request.results[0], "has no runs yet");
  report::PageOptions options;
  options.title = title_of(request);
  options.heddle = version_and_commit();
  options.folder = std::filesystem::absolute(request.output).parent_path().string();
  if (!request.baseline.empty()) options.baseline = baseline_of(request.baseline, results);
  options.limits.runs = request.details;
  options.describe = key_meanings();
  const nlohmann::ordered_json data = report::page_data(results, options);
  write_text(request.output, report::page_text(report::page_template(), options.title, data), request.place);
  const std::size_t failed = data.at("failures").size();
  return fmt::format("{} {}{} -> {}", grouped(results.runs().size()),
                     results.runs().size() == 1 ? "run" : "runs",
                     failed == 0 ? "" : fmt::format(", {} of them failed", grouped(failed)), request.output);
}

}  // namespace heddle::cli
