#include "cli/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "cli/report.h"
#include "cli/text_table.h"

namespace heddle::cli {
namespace {

using results::Results;
using results::Run;

constexpr std::size_t kDiagnoses = 5;  ///< runs that are named below the table

/// What says which program a run is, with which input: runs of one program are compared with each other.
bool is_of_program(const std::string& parameter) {
  static const std::vector<std::string> names = {"workload", "kernel", "program", "entry",
                                                 "compiler", "cubin",  "size",    "seed"};
  return std::ranges::find(names, parameter) != names.end() || parameter.starts_with("param.");
}

std::string program_of(const Run& run) {
  std::string program;
  for (const results::Parameter& each : run.parameters)
    if (is_of_program(each.name)) program += each.name + "=" + each.value + "\n";
  return program;
}

std::string percent(double share) { return std::isnan(share) ? "-" : fmt::format("{:.1f} %", 100 * share); }

/// The cycles of a run against those of the first run of its program that passed.
std::string against_first(const Run& run, const std::optional<std::uint64_t>& first) {
  if (!run.complete() || !run.cycles || !first || *first == 0) return "-";
  if (*run.cycles == *first) return "0.0 %";
  return fmt::format("{:+.1f} %", 100 * (static_cast<double>(*run.cycles) / static_cast<double>(*first) - 1));
}

std::string failures_text(const Results& results) {
  std::map<std::string_view, std::size_t> counts;
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < results.runs().size(); ++i) {
    const Run& run = results.runs()[i];
    if (run.status == results::RunStatus::kPassed) continue;
    ++counts[results::name_of(run.status)];
    failed.push_back(i);
  }
  if (failed.empty()) return "";
  std::string text = fmt::format("not passed: {} of {} runs", failed.size(), results.runs().size());
  for (const auto& [status, count] : counts) text += fmt::format(", {} {}", status, count);
  text += "\n";
  for (std::size_t i = 0; i < std::min(failed.size(), kDiagnoses); ++i)
    text += fmt::format("  run {}: {}\n", failed[i], results.runs()[failed[i]].verdict);
  if (failed.size() > kDiagnoses) text += fmt::format("  ... {} more\n", failed.size() - kDiagnoses);
  return text;
}

std::string real(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

std::string sweep_text(const Results& results, std::size_t most, const std::string& folder) {
  const std::vector<std::string> differing = results.differing();
  std::vector<std::string> head = {"run"};
  head.insert(head.end(), differing.begin(), differing.end());
  const std::size_t first_figure = head.size() + 1;
  head.insert(head.end(), {"result", "cycles", "vs first", "IPC", "SIMD", "L1D hits", "L2 hits"});
  TextTable::Style style{{0}};
  for (std::size_t i = first_figure; i < head.size(); ++i) style.right.push_back(i);
  TextTable table(2, style);
  table.row(head);
  const auto figures =
      results.table({"total.ipc", "total.simd_efficiency", "total.l1d.rate", "total.l2.rate"});
  std::map<std::string, std::optional<std::uint64_t>> first;  // cycles by program
  for (std::size_t i = 0; i < results.runs().size(); ++i) {
    const Run& run = results.runs()[i];
    std::optional<std::uint64_t>& of_program = first[program_of(run)];
    if (!of_program && run.complete()) of_program = run.cycles;
    if (i >= most) continue;
    std::vector<std::string> row = {fmt::format("{}", i)};
    for (const std::string& name : differing) {
      const std::string* const value = run.parameter(name);
      row.push_back(value == nullptr ? "-" : *value);
    }
    row.emplace_back(results::name_of(run.status));
    row.push_back(run.cycles && run.complete() ? grouped(*run.cycles) : "-");
    row.push_back(against_first(run, of_program));
    row.push_back(std::isnan(figures[0][i]) ? "-" : fmt::format("{:.2f}", figures[0][i]));
    for (std::size_t k = 1; k < figures.size(); ++k) row.push_back(percent(figures[k][i]));
    table.row(std::move(row));
  }
  std::string text = table.text();
  if (results.runs().size() > most)
    text += fmt::format("  ... {} more: {}/table.csv\n", results.runs().size() - most, folder);
  return text + failures_text(results);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string sweep_csv(const Results& results) {
  const std::vector<std::string> parameters = results.parameters();
  std::vector<std::string> totals;
  for (const results::Statistic& each : results.statistics())
    if (each.name.starts_with("total.")) totals.push_back(each.name);
  std::string text = "run";
  for (const std::string& name : parameters) text += "," + csv_cell(name);
  text += ",status,exit_code";
  for (const std::string& name : totals) text += "," + name;
  text += ",configuration,verdict\n";
  const auto values = results.table(totals);
  for (std::size_t i = 0; i < results.runs().size(); ++i) {
    const Run& run = results.runs()[i];
    text += fmt::format("{}", i);
    for (const std::string& name : parameters) {
      const std::string* const value = run.parameter(name);
      text += "," + (value == nullptr ? std::string() : csv_cell(*value));
    }
    text += fmt::format(",{},{}", results::name_of(run.status), run.exit_code);
    for (const auto& column : values) text += "," + real(column[i]);
    text += "," + run.configuration + "," + csv_cell(run.verdict) + "\n";
  }
  return text;
}

}  // namespace heddle::cli
