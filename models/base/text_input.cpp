#include "base/text_input.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::base {

std::optional<std::string> read_all(std::istream& stream, std::size_t limit) {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  std::string text;
  while (stream) {
    const std::size_t had = text.size();
    if (had > limit) return std::nullopt;
    text.resize(had + std::max(kStep, had));
    stream.read(text.data() + had, static_cast<std::streamsize>(text.size() - had));
    text.resize(had + static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > limit) return std::nullopt;
  return text;
}

std::string read_file(const std::string& path, const std::string& what, std::size_t limit) {
  if (path.empty()) throw InputError(what, "no file name given");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path, "is a directory, not a " + what, "Give the file's name.");
  std::ifstream file(path, std::ios::binary);
  const bool opened = file.good();
  auto text = read_all(file, limit);
  if (!opened || file.bad())
    throw InputError(path, "cannot read the " + what, "Check that it exists and is readable.");
  if (!text) throw InputError(path, "larger than " + std::to_string(limit >> 20) + " MiB: no " + what);
  return *std::move(text);
}

std::string valid_utf8(std::string_view text) {
  const std::string replaced =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(replaced).get<std::string>();
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace heddle::base
