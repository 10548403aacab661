#include "results/series.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>

#include "base/error.h"
#include "results/database.h"
#include "results/series_packing.h"

namespace heddle::results {
namespace {

[[noreturn]] void damaged(const std::string& file) {
  throw base::InputError(file, "its chunks do not fit its launches", "repeat the run with --sample");
}

/// The launches, and the ends of their samples.
void read_launches(const Database& database, Series& series) {
  Statement interval = database.prepare("SELECT CAST(value AS INTEGER) FROM about WHERE name = 'interval'");
  if (!interval.step() || interval.number(0) <= 0) damaged(database.file());
  series.interval = static_cast<std::uint64_t>(interval.number(0));
  std::uint64_t begin = 0;
  Statement launches =
      database.prepare("SELECT kernel, cycles, first, samples FROM launches ORDER BY launch");
  while (launches.step()) {
    SampledLaunch launch{launches.text(0), begin, static_cast<std::uint64_t>(launches.number(1)),
                         static_cast<std::size_t>(launches.number(2)),
                         static_cast<std::size_t>(launches.number(3))};
    if (launch.first != series.end.size()) damaged(database.file());
    for (std::size_t i = 1; i <= launch.samples; ++i)
      series.end.push_back(begin + std::min<std::uint64_t>(i * series.interval, launch.cycles));
    begin += launch.cycles;
    series.launches.push_back(std::move(launch));
  }
}

}  // namespace

std::vector<Statistic> series_in(const std::string& file) {
  std::vector<Statistic> names;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return names;
  const Database database(file, Database::Access::kRead);
  Statement select = database.prepare("SELECT name, unit, description FROM series ORDER BY series");
  while (select.step()) names.push_back({select.text(0), select.text(1), select.text(2)});
  return names;
}

Series read_series(const std::string& file, const std::string& name) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(file, ignored);
  std::optional<Database> database;
  if (is_file) database.emplace(file, Database::Access::kRead);
  Series series;
  std::int64_t number = -1;
  if (is_file) {
    Statement select = database->prepare("SELECT series, name, unit, description FROM series WHERE name = ?");
    if (select.bind(1, name).step()) {
      number = select.number(0);
      series.statistic = {select.text(1), select.text(2), select.text(3)};
    }
  }
  if (number < 0) throw std::out_of_range(file + " has no series '" + name + "'");
  read_launches(*database, series);
  series.values.assign(series.end.size(), 0.0);
  Statement chunks =
      database->prepare("SELECT first, samples, data FROM chunks WHERE series = ? ORDER BY first");
  chunks.bind(1, number);
  while (chunks.step()) {
    const auto first = static_cast<std::size_t>(chunks.number(0)),
               samples = static_cast<std::size_t>(chunks.number(1));
    if (first + samples > series.values.size()) damaged(file);
    if (!unpack(chunks.bytes(2), std::span(series.values).subspan(first, samples))) damaged(file);
  }
  return series;
}

}  // namespace heddle::results
