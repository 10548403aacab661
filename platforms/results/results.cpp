#include "results/results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/error.h"
#include "results/database.h"
#include "results/results_writer.h"
#include "results/run_folder.h"
#include "results/schema.h"

namespace heddle::results {

namespace parts {

/// Where the numbers of some runs are.
struct Sweep {
  Database database;
  std::vector<std::int64_t> numbers;                        ///< of its runs
  std::map<std::string, std::vector<std::string>> names{};  ///< by layout
};
struct Folder {
  std::vector<Statistic> statistics;
  std::vector<double> values;
};
struct Part {
  std::size_t first = 0;  ///< of its runs
  std::variant<Sweep, Folder> source;
};

}  // namespace parts

namespace {

using parts::Folder;
using parts::Part;
using parts::Sweep;
namespace fs = std::filesystem;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Parameter> about_of(const Database& database) {
  std::vector<Parameter> about;
  Statement select = database.prepare("SELECT name, value FROM about ORDER BY name");
  while (select.step()) about.push_back({select.text(0), select.text(1)});
  return about;
}

/// The keys in which the folders differ, as parameters. One that a folder does not have is missing there.
void add_differing_keys(const std::vector<Run*>& runs) {
  std::vector<std::string> order;
  std::map<std::string, std::map<const Run*, std::string>> by_key;
  for (const Run* run : runs)
    for (Parameter& key : configuration_of(run->folder)) {
      auto& values = by_key[key.name];
      if (values.empty()) order.push_back(key.name);
      values[run] = std::move(key.value);
    }
  for (const std::string& key : order) {
    const auto& values = by_key[key];
    if (key == "name") continue;  // of the platform, which is a parameter already
    const bool same = values.size() == runs.size() && std::ranges::all_of(values, [&](const auto& each) {
                        return each.second == values.begin()->second;
                      });
    if (same) continue;
    for (Run* run : runs)
      if (const auto value = values.find(run); value != values.end())
        run->parameters.push_back({key, value->second});
  }
}

}  // namespace

struct Results::Impl {
  std::vector<Run> runs;
  std::vector<parts::Part> of;  ///< where their numbers are
  std::vector<Statistic> statistics;
  std::unordered_map<std::string, std::size_t> index;  ///< of statistics
  std::vector<Parameter> about;

  void know(const Statistic& statistic) {
    if (index.emplace(statistic.name, statistics.size()).second) statistics.push_back(statistic);
  }
  void open_sweep(const std::string& file);
  void open_folder(const std::string& folder);
  /// Calls use(run, index of the statistic, value) for the statistics of `wanted`; empty: all. Of one run, or of all.
  template <class Use>
  void for_values(const std::vector<std::string>& wanted, std::optional<std::size_t> only,
                  const Use& use) const;
};

void Results::Impl::open_sweep(const std::string& file) {
  Sweep sweep{Database(file, Database::Access::kRead), {}};
  const Database& database = sweep.database;
  check_schema(database);
  if (of.empty()) about = about_of(database);
  std::map<std::int64_t, std::size_t> by_number;
  const std::size_t first = runs.size();
  Statement rows = database.prepare(
      "SELECT run, status, exit_code, verdict, diagnosis, cycles, seconds, configuration, heddle, folder "
      "FROM runs "
      "ORDER BY run");
  while (rows.step()) {
    by_number[rows.number(0)] = runs.size();
    sweep.numbers.push_back(rows.number(0));
    Run& run = runs.emplace_back();
    run.status = status_named(rows.text(1)).value_or(RunStatus::kFailed);
    run.exit_code = static_cast<int>(rows.number(2));
    run.verdict = rows.text(3);
    run.diagnosis = rows.text(4);
    if (!rows.is_null(5)) run.cycles = static_cast<std::uint64_t>(rows.number(5));
    run.seconds = rows.real(6);
    run.configuration = rows.text(7);
    run.heddle = rows.text(8);
    if (const std::string folder = rows.text(9); !folder.empty())
      run.folder = (fs::path(file).parent_path() / folder).string();
  }
  Statement parameters = database.prepare("SELECT run, name, value FROM parameters ORDER BY run, position");
  while (parameters.step())
    if (const auto run = by_number.find(parameters.number(0)); run != by_number.end())
      runs[run->second].parameters.push_back({parameters.text(1), parameters.text(2)});
  std::unordered_map<std::string, Statistic> known;
  Statement dictionary = database.prepare("SELECT name, unit, description FROM statistics");
  while (dictionary.step())
    known[dictionary.text(0)] = {dictionary.text(0), dictionary.text(1), dictionary.text(2)};
  // Layouts in the order of the first run that has them.
  Statement layouts = database.prepare(
      "SELECT l.layout, l.names, min(v.run) AS first FROM layouts l JOIN vectors v ON v.layout = l.layout "
      "GROUP BY l.layout "
      "ORDER BY first");
  while (layouts.step()) {
    std::vector<std::string> names = lines_of(layouts.text(1));
    for (const std::string& name : names) know(known.contains(name) ? known[name] : Statistic{name, "", ""});
    sweep.names[layouts.text(0)] = std::move(names);
  }
  of.push_back({first, std::move(sweep)});
}

void Results::Impl::open_folder(const std::string& folder) {
  MeasuredRun measured = read_run(folder);
  const std::size_t first = runs.size();
  runs.push_back(std::move(measured.run));
  for (const Statistic& statistic : measured.statistics) know(statistic);
  of.push_back({first, Folder{std::move(measured.statistics), std::move(measured.values)}});
}

template <class Use>
void Results::Impl::for_values(const std::vector<std::string>& wanted, std::optional<std::size_t> only,
                               const Use& use) const {
  const auto is_wanted = [&](const std::string& name) {
    return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
  };
  for (const Part& part : of) {
    if (const auto* folder = std::get_if<Folder>(&part.source)) {
      if (only && *only != part.first) continue;
      for (std::size_t i = 0; i < folder->values.size(); ++i)
        if (is_wanted(folder->statistics[i].name))
          use(part.first, index.at(folder->statistics[i].name), folder->values[i]);
      continue;
    }
    const auto& sweep = std::get<Sweep>(part.source);
    if (only && (*only < part.first || *only >= part.first + sweep.numbers.size())) continue;
    struct Column {
      std::size_t position, statistic;
    };
    std::map<std::string, std::vector<Column>> columns;
    for (const auto& [layout, names] : sweep.names)
      for (std::size_t i = 0; i < names.size(); ++i)
        if (is_wanted(names[i])) columns[layout].push_back({i, index.at(names[i])});
    std::unordered_map<std::int64_t, std::size_t> by_number;
    for (std::size_t i = 0; i < sweep.numbers.size() && !only; ++i)
      by_number[sweep.numbers[i]] = part.first + i;
    if (only) by_number[sweep.numbers[*only - part.first]] = *only;
    Statement vectors = sweep.database.prepare(only ? "SELECT run, layout, data FROM vectors WHERE run = ?"
                                                    : "SELECT run, layout, data FROM vectors");
    if (only) vectors.bind(1, sweep.numbers[*only - part.first]);
    while (vectors.step()) {
      const auto run = by_number.find(vectors.number(0));
      if (run == by_number.end()) continue;
      const std::span<const std::byte> data = vectors.bytes(2);
      for (const Column& column : columns[vectors.text(1)])
        use(run->second, column.statistic, double_at(data, column.position));
    }
  }
}

Results::Results(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Results::Results(Results&&) noexcept = default;
Results::~Results() = default;

Results Results::open(const std::vector<std::string>& paths) {
  auto impl = std::make_unique<Impl>();
  std::vector<std::size_t> folders;
  for (const std::string& path : paths) {
    const std::size_t before = impl->runs.size();
    std::error_code ignored;
    const std::string inside = (fs::path(path) / kResultsFile).string();
    if (fs::is_regular_file(inside, ignored)) {
      impl->open_sweep(inside);
    } else if (fs::is_regular_file(path, ignored)) {
      impl->open_sweep(path);
    } else {
      folders.push_back(before);
      impl->open_folder(path);
    }
    if (paths.size() > 1)
      for (std::size_t i = before; i < impl->runs.size(); ++i)
        impl->runs[i].parameters.insert(impl->runs[i].parameters.begin(), {"results", path});
  }
  std::vector<Run*> of_folders;
  for (const std::size_t run : folders) of_folders.push_back(&impl->runs[run]);
  if (of_folders.size() > 1) add_differing_keys(of_folders);
  return Results(std::move(impl));
}

const std::vector<Run>& Results::runs() const { return impl_->runs; }

std::vector<std::string> Results::parameters() const {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Run& run : impl_->runs)
    for (const Parameter& parameter : run.parameters)
      if (seen.insert(parameter.name).second) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> Results::differing() const {
  std::vector<std::string> names = parameters();
  std::erase_if(names, [&](const std::string& name) {
    const std::string* const first = impl_->runs.front().parameter(name);
    return std::ranges::all_of(impl_->runs, [&](const Run& run) {
      const std::string* const value = run.parameter(name);
      return value == first || (value != nullptr && first != nullptr && *value == *first);
    });
  });
  return names;
}

const std::vector<Statistic>& Results::statistics() const { return impl_->statistics; }

std::optional<Statistic> Results::statistic(const std::string& name) const {
  const auto found = impl_->index.find(name);
  if (found == impl_->index.end()) return std::nullopt;
  return impl_->statistics[found->second];
}

std::vector<double> Results::values(const std::string& statistic) const { return table({statistic}).front(); }

std::vector<std::vector<double>> Results::table(const std::vector<std::string>& statistics) const {
  std::vector<std::vector<double>> table(statistics.size(), std::vector<double>(impl_->runs.size(), kNone));
  if (statistics.empty()) return table;
  std::unordered_map<std::size_t, std::vector<std::size_t>> rows;  // of a statistic
  for (std::size_t i = 0; i < statistics.size(); ++i)
    if (const auto found = impl_->index.find(statistics[i]); found != impl_->index.end())
      rows[found->second].push_back(i);
  impl_->for_values(statistics, {}, [&](std::size_t run, std::size_t statistic, double value) {
    for (const std::size_t row : rows[statistic]) table[row][run] = value;
  });
  return table;
}

std::vector<double> Results::values_of(std::size_t run) const {
  std::vector<double> values(impl_->statistics.size(), kNone);
  impl_->for_values({}, run,
                    [&](std::size_t, std::size_t statistic, double value) { values[statistic] = value; });
  return values;
}

namespace {

std::string series_file(const Run& run) { return (fs::path(run.folder) / kSeriesFile).string(); }

}  // namespace

std::vector<Statistic> Results::series_names(std::size_t run) const {
  const Run& of = impl_->runs.at(run);
  return of.folder.empty() ? std::vector<Statistic>{} : series_in(series_file(of));
}

Series Results::series(std::size_t run, const std::string& name) const {
  return read_series(series_file(impl_->runs.at(run)), name);
}

nlohmann::ordered_json Results::document(std::size_t run, const std::string& file) const {
  const Run& of = impl_->runs.at(run);
  return of.folder.empty() ? nlohmann::ordered_json() : document_of(of.folder, file);
}

std::vector<Parameter> Results::configuration(std::size_t run) const {
  const Run& of = impl_->runs.at(run);
  return of.folder.empty() ? std::vector<Parameter>{} : configuration_of(of.folder);
}

std::vector<Parameter> Results::about() const { return impl_->about; }

}  // namespace heddle::results
