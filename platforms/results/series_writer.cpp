#include "results/series_writer.h"

#include <algorithm>

#include "results/series_packing.h"

namespace heddle::results {
namespace {

constexpr std::size_t kChunk = 1024;  ///< samples

constexpr const char* kTables = R"(
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE series (series INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL, description TEXT NOT NULL);
CREATE TABLE launches (launch INTEGER PRIMARY KEY, kernel TEXT NOT NULL, cycles INTEGER NOT NULL, first INTEGER NOT NULL,
                       samples INTEGER NOT NULL);
CREATE TABLE chunks (series INTEGER, first INTEGER, samples INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (series, first));
)";

}  // namespace

SeriesWriter::SeriesWriter(const std::string& file, std::uint64_t interval,
                           const std::vector<Statistic>& series)
    : database_(file, Database::Access::kWrite), columns_(series.size()) {
  // The file gets its name only when it is complete: nobody has to recover it.
  database_.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  database_.execute(kTables);
  database_.execute("BEGIN");
  database_.prepare("INSERT INTO about VALUES ('interval', ?)")
      .bind(1, static_cast<std::int64_t>(interval))
      .run();
  Statement insert = database_.prepare("INSERT INTO series VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < series.size(); ++i)
    insert.bind(1, static_cast<std::int64_t>(i))
        .bind(2, series[i].name)
        .bind(3, series[i].unit)
        .bind(4, series[i].description)
        .run();
}

void SeriesWriter::add(std::span<const double> values) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(values[i]);
  if (!columns_.empty() && columns_.front().size() == kChunk) flush();
}

void SeriesWriter::end_launch(const std::string& kernel, std::uint64_t cycles) {
  const std::size_t now = written_ + (columns_.empty() ? 0 : columns_.front().size());
  database_.prepare("INSERT INTO launches VALUES (?, ?, ?, ?, ?)")
      .bind(1, launches_++)
      .bind(2, kernel)
      .bind(3, static_cast<std::int64_t>(cycles))
      .bind(4, static_cast<std::int64_t>(launch_first_))
      .bind(5, static_cast<std::int64_t>(now - launch_first_))
      .run();
  launch_first_ = now;
}

void SeriesWriter::flush() {
  if (columns_.empty() || columns_.front().empty()) return;
  const std::size_t samples = columns_.front().size();
  Statement insert = database_.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (std::ranges::any_of(columns_[i], [](double value) { return value != 0; })) {
      const std::vector<std::byte> bytes = pack(columns_[i]);
      insert.bind(1, static_cast<std::int64_t>(i))
          .bind(2, static_cast<std::int64_t>(written_))
          .bind(3, static_cast<std::int64_t>(samples))
          .bind(4, std::span<const std::byte>(bytes))
          .run();
    }
    columns_[i].clear();
  }
  written_ += samples;
}

void SeriesWriter::finish() {
  flush();
  database_.execute("COMMIT");
}

}  // namespace heddle::results
