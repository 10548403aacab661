#include "frontend/ptx/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace heddle::ptx {

std::string excerpt(const isa::SourceText& source, isa::SourceLoc where) {
  constexpr std::size_t kWindow = 160;
  std::string line = source.line(where.line);
  if (where.line == 0 || where.line > source.lines.size()) return {};
  std::size_t column = where.column > 0 ? where.column - 1 : 0;
  column = std::min(column, line.size());
  if (line.size() > kWindow) {
    const std::size_t start = column > kWindow / 2 ? column - kWindow / 2 : 0;
    line = line.substr(start, kWindow);
    column -= start;
  }
  // Tabs are kept in both lines, so that the caret is under its column for any tab width. Anything else that
  // would move the cursor or garble the terminal becomes a blank.
  std::string pad;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\t' && (static_cast<unsigned char>(line[i]) < 0x20 || line[i] == 0x7f)) line[i] = ' ';
    if (i < column) pad += line[i] == '\t' ? '\t' : ' ';
  }
  return "  " + line + "\n  " + pad + "^";
}

void fail(const isa::SourceText& source, isa::SourceLoc where, const std::string& message,
          const std::string& remedy) {
  std::string place = source.name;
  if (where.line != 0) place += fmt::format(":{}:{}", where.line, where.column);
  const std::string lines = excerpt(source, where);
  throw base::InputError(place, lines.empty() ? message : message + "\n" + lines, remedy);
}

void Suggestion::offer(const std::string& candidate) {
  constexpr std::size_t kLongest = 64;  // edit distance is quadratic, and typing errors are shorter than this
  if (word_.size() > kLongest || candidate.size() > kLongest) return;
  std::vector<std::size_t> row(candidate.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < word_.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < candidate.size(); ++j) {
      const std::size_t substitute = diagonal + (word_[i] == candidate[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  if (row.back() < distance_ || (best_.empty() && row.back() == distance_)) {
    distance_ = row.back();
    best_ = candidate;
  }
}

std::string printable(std::string text) {
  constexpr std::size_t kLongest = 60;
  const bool cut = text.size() > kLongest;
  if (cut) text.resize(kLongest);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return cut ? out + "..." : out;
}

}  // namespace heddle::ptx
