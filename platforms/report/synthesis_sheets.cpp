#include "report/synthesis_sheets.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSheetBytes = std::size_t{1} << 20;

using Row = std::vector<std::string>;

/// The cells of a line of a Markdown table, without backticks.
Row cells_of(std::string_view line) {
  Row cells;
  for (std::size_t at = line.find('|'); at != std::string_view::npos;) {
    const std::size_t next = line.find('|', at + 1);
    if (next == std::string_view::npos) break;
    std::string cell(base::trim(line.substr(at + 1, next - at - 1)));
    std::erase(cell, '`');
    cells.push_back(cell);
    at = next;
  }
  return cells;
}

/// "32,550" or "3.50"; a text after the number ("1,061 (42 %)") is no part of it.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || (end != text.data() + text.size() && *end != ' ')) return std::nullopt;
  return value;
}

struct Table {
  Row heading;
  std::vector<Row> rows;
};

/// The first table below a heading.
Table table_below(const std::string& text, const std::string& heading) {
  Table table;
  std::istringstream lines(text);
  bool below = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "## " + heading)
      below = true;
    else if (below && line.starts_with("|")) {
      Row row = cells_of(line);
      if (table.heading.empty())
        table.heading = std::move(row);
      else if (!row.empty() && !row[0].starts_with("--"))
        table.rows.push_back(std::move(row));
    } else if (below && !table.heading.empty())
      break;
  }
  return table;
}

class Columns {
 public:
  Columns(const Table& table, const std::string& name) : table_(table), name_(name) {
    for (const Row& row : table_.rows)
      if (row.size() != table_.heading.size()) refuse("a row with other columns than its heading");
  }
  [[nodiscard]] std::size_t at(const std::string& column) const {
    const auto found = std::ranges::find(table_.heading, column);
    if (found == table_.heading.end()) refuse("no column '" + column + "'");
    return static_cast<std::size_t>(found - table_.heading.begin());
  }
  [[nodiscard]] double number(const Row& row, const std::string& column) const {
    const auto value = number_of(row[at(column)]);
    if (!value) refuse("'" + row[at(column)] + "' in the column '" + column + "'");
    return *value;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw base::InputError(name_, "is no synthesis sheet: " + what, "Make it again: scripts/synth --sheets.");
  }

 private:
  const Table& table_;
  const std::string& name_;
};

/// The paragraph that names library and conditions, without the number of points before it.
std::string process_of(const std::string& text) {
  const std::size_t points = text.find(" parameter points. ");
  if (points == std::string::npos) return {};
  const std::size_t begin = text.find(". ", points) + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

Sheet parse_sheet(const std::string& block, const std::string& text, const std::string& name) {
  Sheet sheet{.block = block, .process = process_of(text), .points = {}};
  const Table area = table_below(text, "Area");
  const Table timing = table_below(text, "Timing");
  const Columns of_area(area, name);
  const Columns of_timing(timing, name);
  if (area.rows.empty() || area.rows.size() != timing.rows.size())
    of_area.refuse("no points, or not the same ones twice");
  const std::size_t first = of_area.at("Point") + 1;
  const std::size_t last = of_area.at("um2");
  for (std::size_t i = 0; i < area.rows.size(); ++i) {
    const Row& row = area.rows[i];
    SheetPoint point;
    point.name = row[of_area.at("Point")];
    if (timing.rows[i][of_timing.at("Point")] != point.name)
      of_area.refuse("the points of Timing are others");
    for (std::size_t column = first; column < last; ++column)
      if (const auto value = number_of(row[column])) point.parameters[area.heading[column]] = *value;
    point.gate_equivalents = of_area.number(row, "Gate equiv.");
    point.state_gate_equivalents = of_area.number(row, "in state");
    point.bits_per_warp = number_of(row[of_area.at("Bits per warp")]);
    point.shortest_period_ns = of_timing.number(timing.rows[i], "Shortest period, ns");
    sheet.points.push_back(std::move(point));
  }
  return sheet;
}

std::map<std::string, Sheet> read_sheets(const std::string& folder) {
  std::map<std::string, Sheet> sheets;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".md") continue;
    const std::string path = entry.path().string();
    const std::string block = entry.path().stem().string();
    sheets.emplace(block,
                   parse_sheet(block, base::read_file(path, "synthesis sheet", kMostSheetBytes), path));
  }
  if (error)
    throw base::InputError(folder, "cannot be read: " + error.message(),
                           "Install Heddle again, or build it.");
  return sheets;
}

}  // namespace heddle::report
