// The tables of a sweep's database (README.md). For the sources of this library.
#pragma once

#include <cstdint>

#include "results/database.h"

namespace heddle::results {

inline constexpr std::int64_t kSchemaVersion = 1;  ///< PRAGMA user_version; 0: an empty file

inline constexpr const char* kSchema = R"(
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
  run INTEGER PRIMARY KEY,      -- its number in the spec, from 0
  status TEXT NOT NULL,         -- passed, wrong, hang, fault, limit, refused, failed
  exit_code INTEGER NOT NULL,   -- as of heddle run
  verdict TEXT NOT NULL,        -- one line
  diagnosis TEXT NOT NULL,      -- several lines, or empty
  cycles INTEGER,               -- core cycles of all launches
  seconds REAL NOT NULL,        -- host time
  configuration TEXT NOT NULL,  -- digest of config.yaml, or empty
  heddle TEXT NOT NULL,         -- version
  folder TEXT NOT NULL          -- relative to this file's, or empty
);
CREATE TABLE parameters (
  run INTEGER, position INTEGER, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE statistics (name TEXT PRIMARY KEY, unit TEXT NOT NULL, description TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE layouts (layout TEXT PRIMARY KEY, names TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (run INTEGER PRIMARY KEY, layout TEXT NOT NULL, data BLOB NOT NULL);
)";

/// 0: there is none yet.
[[nodiscard]] std::int64_t schema_of(const Database& database);
/// Throws base::InputError for a version that this program does not know, and for a database that is none of results.
void check_schema(const Database& database);

}  // namespace heddle::results
