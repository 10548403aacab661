#include "results/schema.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::results {

std::int64_t schema_of(const Database& database) {
  Statement version = database.prepare("PRAGMA user_version");
  return version.step() ? version.number(0) : 0;
}

void check_schema(const Database& database) {
  const std::int64_t version = schema_of(database);
  Statement tables =
      database.prepare("SELECT count(*) FROM sqlite_master WHERE name IN ('runs', 'parameters', 'vectors')");
  const bool is_results = tables.step() && tables.number(0) == 3;
  if (!is_results)
    throw base::InputError(database.file(), "is a database, but not one of results",
                           "give the folder that heddle sweep --out has written");
  if (version != kSchemaVersion)
    throw base::InputError(
        database.file(),
        fmt::format("its tables have version {}, this program reads version {}", version, kSchemaVersion),
        "repeat the sweep, or use the Heddle that wrote it");
}

}  // namespace heddle::results
