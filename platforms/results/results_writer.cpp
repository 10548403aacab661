#include "results/results_writer.h"

#include <fmt/format.h>

#include "base/error.h"
#include "results/run_folder.h"
#include "results/schema.h"

namespace heddle::results {

ResultsWriter::ResultsWriter(const std::string& file) : database_(file, Database::Access::kWrite) {
  // A run's numbers fit into a page. With a write-ahead log no run waits for the disk; a power failure may lose the last ones,
  // but never the database.
  database_.execute("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  Transaction transaction(database_);
  if (schema_of(database_) == 0) {
    database_.execute(kSchema);
    database_.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  }
  check_schema(database_);
  transaction.commit();
  Statement layouts = database_.prepare("SELECT layout FROM layouts");
  while (layouts.step()) layouts_.insert(layouts.text(0));
}

ResultsWriter::~ResultsWriter() {
  try {
    database_.execute("PRAGMA journal_mode = DELETE");  // one file, which can be read from anywhere
  } catch (const base::Error&) {                        // somebody reads it: the log stays beside it
  }
}

void ResultsWriter::set_about(const std::vector<Parameter>& about) {
  Transaction transaction(database_);
  Statement insert = database_.prepare("INSERT OR REPLACE INTO about VALUES (?, ?)");
  for (const Parameter& each : about) insert.bind(1, each.name).bind(2, each.value).run();
  transaction.commit();
}

std::string ResultsWriter::about(const std::string& name) const {
  Statement select = database_.prepare("SELECT value FROM about WHERE name = ?");
  return select.bind(1, name).step() ? select.text(0) : "";
}

std::set<std::size_t> ResultsWriter::runs(std::optional<RunStatus> except) const {
  std::set<std::size_t> numbers;
  Statement select = database_.prepare("SELECT run FROM runs WHERE status <> ?");
  select.bind(1, except ? name_of(*except) : std::string_view(""));  // a null one would be SQL's NULL
  while (select.step()) numbers.insert(static_cast<std::size_t>(select.number(0)));
  return numbers;
}

bool ResultsWriter::take(const std::string& file, const std::string& spec_digest) {
  {
    const Database other(file, Database::Access::kRead);
    check_schema(other);
    Statement digest = other.prepare("SELECT value FROM about WHERE name = 'spec_digest'");
    if (!digest.step() || digest.text(0) != spec_digest) return false;
  }
  database_.prepare("ATTACH ? AS other").bind(1, file).run();
  Transaction transaction(database_);
  const std::string failed =
      fmt::format("(SELECT run FROM runs WHERE status = '{}')", name_of(RunStatus::kFailed));
  // The runs last: which of them failed is known until then.
  for (const char* table : {"parameters", "vectors", "runs"})
    database_.execute(fmt::format("DELETE FROM {} WHERE run IN {}", table, failed));
  for (const char* table : {"layouts", "statistics", "parameters", "vectors", "runs"})
    database_.execute(fmt::format("INSERT OR IGNORE INTO {0} SELECT * FROM other.{0}", table));
  transaction.commit();
  database_.execute("DETACH other");
  Statement layouts = database_.prepare("SELECT layout FROM layouts");
  while (layouts.step()) layouts_.insert(layouts.text(0));
  return true;
}

/// A layout is named by its contents: the database does not depend on which run was the first to have it.
std::string ResultsWriter::layout_of(const std::vector<Statistic>& statistics) {
  std::string names;
  for (const Statistic& each : statistics) names += each.name + '\n';
  const std::string layout = digest_of(names);
  if (layouts_.contains(layout)) return layout;
  database_.prepare("INSERT INTO layouts VALUES (?, ?)").bind(1, layout).bind(2, names).run();
  Statement insert = database_.prepare("INSERT OR IGNORE INTO statistics VALUES (?, ?, ?)");
  for (const Statistic& each : statistics)
    insert.bind(1, each.name).bind(2, each.unit).bind(3, each.description).run();
  return layout;
}

void ResultsWriter::drop(std::size_t number) {
  for (const char* table : {"runs", "parameters", "vectors"})
    database_.prepare(fmt::format("DELETE FROM {} WHERE run = ?", table))
        .bind(1, static_cast<std::int64_t>(number))
        .run();
}

void ResultsWriter::add(std::size_t number, const MeasuredRun& measured) {
  const auto key = static_cast<std::int64_t>(number);
  const Run& run = measured.run;
  Transaction transaction(database_);
  drop(number);
  Statement row = database_.prepare("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  row.bind(1, key).bind(2, name_of(run.status)).bind(3, static_cast<std::int64_t>(run.exit_code));
  row.bind(4, run.verdict).bind(5, run.diagnosis).bind(7, run.seconds).bind(8, run.configuration);
  row.bind(9, run.heddle).bind(10, run.folder);
  if (run.cycles)
    row.bind(6, static_cast<std::int64_t>(*run.cycles));
  else
    row.bind_null(6);
  row.run();
  Statement parameter = database_.prepare("INSERT INTO parameters VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < run.parameters.size(); ++i)
    parameter.bind(1, key)
        .bind(2, static_cast<std::int64_t>(i))
        .bind(3, run.parameters[i].name)
        .bind(4, run.parameters[i].value)
        .run();
  std::string layout;
  if (!measured.values.empty()) {
    layout = layout_of(measured.statistics);
    Statement vector = database_.prepare("INSERT INTO vectors VALUES (?, ?, ?)");
    vector.bind(1, key).bind(2, layout).bind(3, bytes_of(measured.values)).run();
  }
  transaction.commit();
  if (!layout.empty()) layouts_.insert(layout);
}

void ResultsWriter::remove(std::size_t number) {
  Transaction transaction(database_);
  drop(number);
  transaction.commit();
}

}  // namespace heddle::results
