// SQLite with exceptions and without loose ends. For the sources of this library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::results {

/// A prepared statement. Parameters and columns are numbered as in SQLite: parameters from 1, columns from 0.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& file, std::string_view sql);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t number);
  Statement& bind(int parameter, double number);
  Statement& bind(int parameter, std::span<const std::byte> bytes);
  Statement& bind_null(int parameter);
  /// The next row; false: there is none, and the statement can be bound and run again.
  bool step();
  /// For statements without rows.
  void run();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] double real(int column) const;
  /// Valid until the next step().
  [[nodiscard]] std::span<const std::byte> bytes(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  void check(int code) const;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::string file_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// All errors are base::InputError with the file.
class Database {
 public:
  enum class Access : std::uint8_t { kRead, kWrite };  ///< kWrite: made if it is not there
  Database(const std::string& file, Access access);
  [[nodiscard]] Statement prepare(std::string_view sql) const { return {database_.get(), file_, sql}; }
  /// One or several statements without rows.
  void execute(const std::string& sql) const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Between BEGIN and COMMIT; rolled back unless commit() is reached.
class Transaction {
 public:
  explicit Transaction(const Database& database) : database_(&database) {
    database.execute("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database* database_;
};

/// Doubles as a database has them: little-endian, without padding.
[[nodiscard]] std::span<const std::byte> bytes_of(std::span<const double> values);
/// The double at `index`; throws std::out_of_range.
[[nodiscard]] double double_at(std::span<const std::byte> bytes, std::size_t index);

}  // namespace heddle::results
