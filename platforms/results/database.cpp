#include "results/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "base/error.h"

namespace heddle::results {
namespace {

static_assert(std::endian::native == std::endian::little, "doubles are written as they are in memory");

/// Another process writes for milliseconds at a time.
constexpr int kWaitMs = 10'000;

[[noreturn]] void fail(const std::string& file, int code, sqlite3* database) {
  const char* const text = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  const int kind = code & 0xff;
  throw base::InputError(file, fmt::format("SQLite: {}", text),
                         kind == SQLITE_NOTADB || kind == SQLITE_CORRUPT
                             ? "give the results.sqlite or samples.sqlite that heddle has written"
                         : kind == SQLITE_FULL ? "make room on the disk; heddle sweep --resume goes on"
                         : kind == SQLITE_BUSY ? "another process is writing it: wait until that has ended"
                                               : "check that the folder is there and can be written");
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* database, const std::string& file, std::string_view sql)
    : database_(database), file_(file) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(file_, code, database_);
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), parameter, number));
  return *this;
}

Statement& Statement::bind(int parameter, double number) {
  check(sqlite3_bind_double(statement_.get(), parameter, number));
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> bytes) {
  check(sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) fail(file_, code, database_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? std::string() : std::string(text, size);
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes,
          bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Database::Database(const std::string& file, Access access) : file_(file) {
  sqlite3* database = nullptr;
  // A reader, too, may have to undo the transaction of a process that was killed. SQLite reads files that cannot be written.
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::kRead ? 0 : SQLITE_OPEN_CREATE);
  const int code = sqlite3_open_v2(file.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(file_, code, database);
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kWaitMs);
  if (access == Access::kRead) execute("PRAGMA query_only = ON");
}

void Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(file_, code, database_.get());
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  try {
    database_->execute("ROLLBACK");
  } catch (const std::exception&) {  // what went wrong is on its way already; the next start rolls back
  }
}

void Transaction::commit() {
  database_->execute("COMMIT");
  database_ = nullptr;
}

std::span<const std::byte> bytes_of(std::span<const double> values) { return std::as_bytes(values); }

double double_at(std::span<const std::byte> bytes, std::size_t index) {
  if ((index + 1) * sizeof(double) > bytes.size()) throw std::out_of_range("fewer numbers than names");
  double value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof(double), sizeof value);
  return value;
}

}  // namespace heddle::results
