// Changes to a PTX text at locations given by its syntax tree; everything else remains byte-identical.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace heddle::ptx {

class TextEdit {
 public:
  explicit TextEdit(std::string text);

  [[nodiscard]] const std::string& original() const { return text_; }
  /// Index of the character at a source location, which must be one of this text.
  [[nodiscard]] std::size_t offset(isa::SourceLoc where) const;
  /// After the ';' that ends the statement at `at`.
  [[nodiscard]] std::size_t statement_end(std::size_t at) const;
  /// First `wanted` at or after `at` outside of comments and strings; npos: there is none.
  [[nodiscard]] std::size_t find(std::size_t at, char wanted) const;
  /// The '}' that closes the '{' at `open`.
  [[nodiscard]] std::size_t closing_brace(std::size_t open) const;

  /// Insertions at the same index are applied in call order.
  void insert(std::size_t at, std::string text) { replace(at, 0, std::move(text)); }
  /// Replaced ranges must not overlap.
  void replace(std::size_t at, std::size_t length, std::string text);
  /// The text with all changes.
  [[nodiscard]] std::string apply() const;

 private:
  /// After the comment or string that starts at `at`, or `at` itself.
  [[nodiscard]] std::size_t skip(std::size_t at) const;

  struct Change {
    std::size_t at;
    std::size_t length;
    std::string text;
  };
  std::string text_;
  std::vector<std::size_t> lines_;  ///< start index of each line
  std::vector<Change> changes_;
};

}  // namespace heddle::ptx
