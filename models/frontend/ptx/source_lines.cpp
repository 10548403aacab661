#include "frontend/ptx/source_lines.h"

#include <charconv>
#include <string_view>

namespace heddle::ptx {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

/// Removes a number from the front of the text; 0 if there is none.
std::uint32_t number(std::string_view& text) {
  text = trimmed(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

SourceLines::SourceLines(const isa::SourceText& text) {
  for (std::uint32_t i = 0; i < text.lines.size(); ++i) {
    std::string_view line = trimmed(text.lines[i]);
    const bool loc = line.starts_with(".loc") && line.size() > 4 && (line[4] == ' ' || line[4] == '\t');
    const bool file = line.starts_with(".file") && line.size() > 5 && (line[5] == ' ' || line[5] == '\t');
    if (loc) {
      line.remove_prefix(4);
      Entry entry;
      entry.file = number(line);
      entry.line = number(line);
      entries_[i + 1] = entry;
    } else if (file) {
      line.remove_prefix(5);
      const std::uint32_t id = number(line);
      const std::size_t open = line.find('"');
      const std::size_t close = line.find('"', open + 1);
      if (open != std::string_view::npos && close != std::string_view::npos)
        files_[id] = line.substr(open + 1, close - open - 1);
    } else if (line.find(".entry") != std::string_view::npos ||
               line.find(".func") != std::string_view::npos) {
      entries_[i + 1] = {};
    }
  }
}

std::optional<CudaLine> SourceLines::of(isa::SourceLoc where) const {
  auto entry = entries_.upper_bound(where.line);
  if (entry == entries_.begin()) return std::nullopt;
  --entry;
  if (entry->second.line == 0) return std::nullopt;
  const auto file = files_.find(entry->second.file);
  return CudaLine{file == files_.end() ? std::string{} : file->second, entry->second.line};
}

}  // namespace heddle::ptx
