// Text in columns, each as wide as its widest cell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cli {

class TextTable {
 public:
  struct Style {
    std::vector<std::size_t> right{};  ///< right-aligned columns, counted from 0
  };

  /// `indent`: blanks at the start of every line.
  TextTable(std::size_t indent, Style style) : indent_(indent), style_(std::move(style)) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Two blanks between columns, no trailing blanks.
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows_) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
    }
    std::string text;
    for (const auto& cells : rows_) {
      std::string line(indent_, ' ');
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string pad(widths[i] - cells[i].size(), ' ');
        const bool right = std::find(style_.right.begin(), style_.right.end(), i) != style_.right.end();
        line += (i == 0 ? "" : "  ") + (right ? pad + cells[i] : cells[i] + pad);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

 private:
  std::size_t indent_;
  Style style_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle::cli
