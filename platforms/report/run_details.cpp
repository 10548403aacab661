#include "report/run_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPcs = 4'000;  // of a kernel

/// Calls make(run) for all runs and keeps the first `most` that are not null.
std::pair<Json, std::size_t> first_of(const results::Results& results, std::size_t most, const char* file,
                                      const std::function<Json(std::size_t)>& make) {
  Json made = Json::array();
  std::size_t left_out = 0;
  for (std::size_t run = 0; run < results.runs().size(); ++run) {
    if (results.runs()[run].folder.empty()) continue;
    if (made.size() == most) {
      // Reading the others would take time in proportion to the runs of a sweep: that they are there is enough.
      std::error_code ignored;
      left_out +=
          std::filesystem::exists(std::filesystem::path(results.runs()[run].folder) / file, ignored) ? 1 : 0;
      continue;
    }
    try {
      Json each = make(run);
      if (each.is_null()) continue;
      Json entry = {{"run", run}};
      entry.update(each);
      made.push_back(std::move(entry));
    } catch (const nlohmann::json::exception& error) {
      throw base::InputError(results.runs()[run].folder + "/" + file,
                             fmt::format("is not as heddle run writes it ({})", error.what()),
                             "Repeat the run, or remove the file.");
    }
  }
  return {std::move(made), left_out};
}

Json kernel_columns(const Json& kernel) {
  const Json& pcs = kernel.at("pcs");
  Json columns = {{"kernel", kernel.at("kernel")},
                  {"source", kernel.at("source")},
                  {"launches", kernel.at("launches")},
                  {"cycles", kernel.at("cycles")}};
  std::vector<std::string> causes;
  for (const auto& [cause, total] : kernel.at("total").at("waiting").items())
    if (total.get<std::uint64_t>() > 0) causes.push_back(cause);
  Json pc = Json::array(), line = Json::array(), text = Json::array(), program = Json::array(),
       issues = Json::array(), lanes = Json::array(), divergences = Json::array(),
       transactions = Json::array();
  std::vector<Json> waiting(causes.size(), Json::array());
  for (std::size_t i = 0; i < std::min(pcs.size(), kMostPcs); ++i) {
    const Json& at = pcs[i];
    pc.push_back(at.at("pc"));
    line.push_back(at.at("line"));
    text.push_back(at.contains("sass") ? at.at("sass") : at.at("ptx"));
    program.push_back(at.value("program_line", ""));
    issues.push_back(at.at("issues"));
    lanes.push_back(at.at("lanes"));
    divergences.push_back(at.at("divergences"));
    transactions.push_back(at.at("transactions"));
    for (std::size_t c = 0; c < causes.size(); ++c) waiting[c].push_back(at.at("waiting").at(causes[c]));
  }
  columns.update({{"causes", causes},
                  {"pc", pc},
                  {"line", line},
                  {"text", text},
                  {"program", program},
                  {"issues", issues},
                  {"lanes", lanes},
                  {"divergences", divergences},
                  {"transactions", transactions},
                  {"waiting", waiting},
                  {"pcs_left_out", pcs.size() - std::min(pcs.size(), kMostPcs)}});
  return columns;
}

/// The series of a run, read when first asked for.
class RunSeries {
 public:
  RunSeries(const results::Results& results, std::size_t run)
      : results_(results), run_(run), names_(results.series_names(run)) {}
  [[nodiscard]] const std::vector<results::Statistic>& names() const { return names_; }
  [[nodiscard]] const results::Series* get(const std::string& name) {
    if (std::ranges::none_of(names_, [&](const results::Statistic& each) { return each.name == name; }))
      return nullptr;
    const auto [at, is_new] = read_.try_emplace(name);
    if (is_new) at->second = results_.series(run_, name);
    return &at->second;
  }

 private:
  const results::Results& results_;
  std::size_t run_;
  std::vector<results::Statistic> names_;
  std::map<std::string, results::Series> read_;
};

/// Sums of `together` samples at a time, which never reach over the end of a launch.
std::vector<double> together(const results::Series& series, const std::vector<std::size_t>& ends) {
  std::vector<double> sums;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    double sum = 0;
    for (; at < end; ++at) sum += series.values[at];
    sums.push_back(sum);
  }
  return sums;
}

struct Line {
  const char* key;
  const char* label;
  const char* unit;
  const char* part;   ///< series
  const char* whole;  ///< series; "cycles": the cycles of the sample
  double scale;       ///< of the quotient
};
constexpr Line kLines[] = {
    {"ipc", "IPC", "warp instructions per cycle", "core.issue.warp_instructions", "cycles", 1},
    {"simd_efficiency", "SIMD efficiency", "share", "core.issue.thread_instructions",
     "core.issue.warp_instructions", 1.0 / 32},
    {"resident_warps", "Resident warps", "of all cores", "core.occupancy.warp_cycles", "cycles", 1},
    {"resident_ctas", "Resident CTAs", "of all cores", "core.occupancy.cta_cycles", "cycles", 1},
    {"l1d_hits", "L1D hits", "share", "core.l1d.load_hits", "core.l1d.load_accesses", 1},
    {"dram_bytes", "DRAM traffic", "bytes per core cycle", "partition.dram.read_bytes", "cycles", 1},
};

}  // namespace

Json profile_columns(const Json& profile) {
  Json kernels = Json::array();
  for (const Json& kernel : profile.at("kernels")) kernels.push_back(kernel_columns(kernel));
  return kernels;
}

Json timeline_columns(const Json& timeline, std::size_t most_events) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;  // of rows, by core and split
  std::map<std::int64_t, std::string> cores;
  Json row = Json::array(), from = Json::array(), length = Json::array(), name = Json::array(),
       lanes = Json::array(), code = Json::array(), issue_row = Json::array(), issue_at = Json::array();
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> rows;
  std::size_t left_out = 0;
  for (const Json& event : timeline.at("traceEvents")) {
    const std::string kind = event.at("ph");
    const std::int64_t core = event.value("pid", std::int64_t{0}),
                       split = event.value("tid", std::int64_t{0});
    if (kind == "M" && event.at("name") == "thread_name") names[{core, split}] = event.at("args").at("name");
    if (kind == "M" && event.at("name") == "process_name") cores[core] = event.at("args").at("name");
    if (kind != "X" || !event.at("args").contains("lanes")) continue;
    if (row.size() + issue_row.size() >= most_events) {
      ++left_out;
      continue;
    }
    const std::size_t number = rows.emplace(std::pair{core, split}, rows.size()).first->second;
    if (event.at("args").contains("from")) {
      row.push_back(number);
      from.push_back(event.at("ts"));
      length.push_back(event.at("dur"));
      name.push_back(event.at("name"));
      lanes.push_back(event.at("args").at("lanes"));
      code.push_back(event.at("args").at("from"));
    } else {
      issue_row.push_back(number);
      issue_at.push_back(event.at("ts"));
    }
  }
  if (rows.empty()) return nullptr;
  std::vector<std::string> labels(rows.size());
  for (const auto& [place, number] : rows) {
    const auto core = cores.find(place.first);
    const auto split = names.find(place);
    labels[number] =
        fmt::format("{}, {}", core == cores.end() ? fmt::format("core {}", place.first) : core->second,
                    split == names.end() ? fmt::format("split {}", place.second) : split->second);
  }
  Json order = Json::array();  // by core and split
  for (const auto& [place, number] : rows) order.push_back(number);
  return {{"rows", labels},         {"order", order},       {"row", row},          {"from", from},
          {"length", length},       {"name", name},         {"lanes", lanes},      {"code", code},
          {"issue_row", issue_row}, {"issue_at", issue_at}, {"left_out", left_out}};
}

Json series_columns(const results::Results& results, std::size_t run, std::size_t most_samples) {
  RunSeries series(results, run);
  if (series.names().empty()) return nullptr;
  const results::Series* any = series.get(series.names()[0].name);
  const std::size_t merged = std::max<std::size_t>(1, (any->end.size() + most_samples - 1) / most_samples);
  std::vector<std::size_t> ends;
  std::vector<double> cycles;
  Json end = Json::array(), launches = Json::array();
  for (const results::SampledLaunch& launch : any->launches) {
    launches.push_back({{"kernel", launch.kernel}, {"begin", launch.begin}, {"cycles", launch.cycles}});
    std::uint64_t begin = launch.begin;
    for (std::size_t at = launch.first; at < launch.first + launch.samples;) {
      at = std::min(at + merged, launch.first + launch.samples);
      ends.push_back(at);
      const std::uint64_t now = any->end[at - 1];
      cycles.push_back(static_cast<double>(now - begin));
      end.push_back(now);
      begin = now;
    }
  }
  Json lines = Json::array();
  for (const Line& line : kLines) {
    const results::Series* part = series.get(line.part);
    const bool by_time = std::string_view(line.whole) == "cycles";
    const results::Series* whole = by_time ? nullptr : series.get(line.whole);
    if (part == nullptr || (!by_time && whole == nullptr)) continue;
    const std::vector<double> parts = together(*part, ends),
                              wholes = by_time ? cycles : together(*whole, ends);
    Json values = Json::array();
    for (std::size_t i = 0; i < parts.size(); ++i)
      values.push_back(wholes[i] > 0 ? Json(std::round(parts[i] / wholes[i] * line.scale * 1e5) / 1e5)
                                     : Json(nullptr));
    lines.push_back({{"key", line.key}, {"label", line.label}, {"unit", line.unit}, {"values", values}});
  }
  return {{"interval", any->interval},
          {"merged", merged},
          {"end", end},
          {"launches", launches},
          {"lines", lines}};
}

Json details_json(const results::Results& results, const DetailLimits& limits) {
  auto [profiles, no_profiles] = first_of(results, limits.runs, "profile.json", [&](std::size_t run) {
    const Json profile = results.document(run, "profile.json");
    return profile.is_null() ? Json(nullptr) : Json({{"kernels", profile_columns(profile)}});
  });
  auto [series, no_series] = first_of(results, limits.runs, results::kSeriesFile, [&](std::size_t run) {
    return series_columns(results, run, limits.samples);
  });
  auto [timelines, no_timelines] = first_of(results, limits.runs, kTimelineFile, [&](std::size_t run) {
    const Json timeline = results.document(run, kTimelineFile);
    return timeline.is_null() ? Json(nullptr) : timeline_columns(timeline, limits.timeline_events);
  });
  return {{"profiles", profiles},   {"profiles_left_out", no_profiles},
          {"series", series},       {"series_left_out", no_series},
          {"timelines", timelines}, {"timelines_left_out", no_timelines}};
}

Json trace_files_json(const results::Results& results, const std::string& page_folder) {
  namespace fs = std::filesystem;
  Json all = Json::array();
  for (std::size_t run = 0; run < results.runs().size(); ++run) {
    const fs::path folder = results.runs()[run].folder;
    std::vector<std::string> names;
    std::error_code error;
    if (folder.empty()) continue;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string(), end = entry.path().extension().string();
      if (name == kTimelineFile || end == ".fst" || end == ".cft") names.push_back(name);
    }
    if (names.empty()) continue;
    std::ranges::sort(names);
    const fs::path from = fs::relative(folder, page_folder, error);
    Json files = Json::array();
    for (const std::string& name : names)
      files.push_back({{"name", name}, {"link", (from / name).generic_string()}});
    all.push_back({{"run", run}, {"files", files}});
  }
  return all;
}

Json failures_json(const results::Results& results) {
  Json failures = Json::array();
  for (std::size_t run = 0; run < results.runs().size(); ++run) {
    const results::Run& each = results.runs()[run];
    if (each.status == results::RunStatus::kPassed) continue;
    failures.push_back({{"run", run},
                        {"status", std::string(results::name_of(each.status))},
                        {"exit_code", each.exit_code},
                        {"verdict", each.verdict},
                        {"diagnosis", each.diagnosis}});
  }
  return failures;
}

}  // namespace heddle::report
