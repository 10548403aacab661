#include "cli/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "cli/new_file.h"

namespace heddle::cli {

namespace fs = std::filesystem;

std::vector<std::byte> read_start(const std::string& path, std::uint64_t most, const std::string& place) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw base::InputError(place, fmt::format("'{}' is a directory, not a file", path));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw base::InputError(place, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::vector<std::byte> content;
  // Files in /proc report a size of 0.
  const bool sized = fs::is_regular_file(path, error);
  content.reserve(sized ? std::min<std::uint64_t>(fs::file_size(path, error), most) : 0);
  char chunk[65'536];
  while (content.size() < most) {
    const auto step = std::min<std::uint64_t>(sizeof chunk, most - content.size());
    stream.read(chunk, static_cast<std::streamsize>(step));
    const auto* begin = reinterpret_cast<const std::byte*>(chunk);
    content.insert(content.end(), begin, begin + stream.gcount());
    if (!stream) break;
  }
  if (stream.bad()) throw base::InputError(place, fmt::format("cannot read '{}'", path));
  return content;
}

std::vector<std::byte> read_bytes(const std::string& path, std::uint64_t bytes, const std::string& whole,
                                  const std::string& place) {
  const auto wrong_size = [&](const std::string& has) {
    throw base::InputError(place, fmt::format("'{}' has {}, {} has {}", path, has, whole, bytes),
                           "make the two the same");
  };
  std::error_code error;
  if (fs::is_regular_file(path, error))
    if (const std::uint64_t size = fs::file_size(path, error); !error && size > bytes)
      wrong_size(fmt::format("{} bytes", size));
  std::vector<std::byte> content = read_start(path, bytes + 1, place);
  if (content.size() > bytes) wrong_size("more bytes than that");
  if (content.size() < bytes) wrong_size(fmt::format("{} bytes", content.size()));
  return content;
}

bool next_line(std::istream& stream, std::string& line, std::size_t most) {
  using Traits = std::istream::traits_type;
  line.clear();
  for (int c = stream.rdbuf()->sbumpc(); c != Traits::eof(); c = stream.rdbuf()->sbumpc()) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > most) return true;
  }
  return !line.empty();
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes, const std::string& place) {
  NewFile file(path, place);
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  file.commit();
}

void write_text(const std::string& path, const std::string& text, const std::string& place) {
  write_bytes(path, std::as_bytes(std::span(text)), place);
}

void check_writable(const std::string& path, const std::string& place) { const NewFile probe(path, place); }

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace heddle::cli
