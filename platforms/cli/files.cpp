#include "cli/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/error.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::string temporary_name(const std::string& path) { return fmt::format("{}.tmp{}", path, ::getpid()); }

[[noreturn]] void cannot_write(const std::string& path, const std::string& place, const std::string& why) {
  throw sim::InputError(place, fmt::format("cannot write '{}': {}", path, why),
                        "check folder, permissions and free space");
}

}  // namespace

Destination destination(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path end = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(end, error)); ++i) {
    const fs::path target = fs::read_symlink(end, error);
    if (error) break;
    end = end.parent_path() / target;  // an absolute one replaces the folder
  }
  return {end.string(), fs::is_other(fs::status(end, error))};
}

std::vector<std::byte> read_bytes(const std::string& path, const std::string& place) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw sim::InputError(place, fmt::format("'{}' is a directory, not a file", path));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw sim::InputError(place, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::vector<std::byte> bytes;
  char chunk[65'536];
  while (stream.read(chunk, sizeof chunk) || stream.gcount() > 0) {
    const auto* begin = reinterpret_cast<const std::byte*>(chunk);
    bytes.insert(bytes.end(), begin, begin + stream.gcount());
  }
  if (stream.bad()) throw sim::InputError(place, fmt::format("cannot read '{}'", path));
  return bytes;
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes, const std::string& place) {
  const Destination to = destination(path);
  const std::string temporary = to.in_place ? to.path : temporary_name(to.path);
  std::error_code ignored;
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    if (!stream) cannot_write(path, place, std::strerror(errno));
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      const std::string why = std::strerror(errno);
      if (!to.in_place) fs::remove(temporary, ignored);
      cannot_write(path, place, why);
    }
  }
  if (to.in_place) return;
  std::error_code error;
  fs::rename(temporary, to.path, error);
  if (error) {
    fs::remove(temporary, ignored);
    cannot_write(path, place, error.message());
  }
}

void write_text(const std::string& path, const std::string& text, const std::string& place) {
  write_bytes(path, std::as_bytes(std::span(text)), place);
}

void check_writable(const std::string& path, const std::string& place) {
  std::error_code ignored;
  if (path.empty()) cannot_write(path, place, "no file name given");
  if (fs::is_directory(path, ignored)) cannot_write(path, place, "it is a directory");
  const Destination to = destination(path);
  if (to.in_place) {
    if (!std::ofstream(to.path)) cannot_write(path, place, std::strerror(errno));
    return;
  }
  const std::string temporary = temporary_name(to.path);
  if (!std::ofstream(temporary)) cannot_write(path, place, std::strerror(errno));
  fs::remove(temporary, ignored);
}

}  // namespace heddle::cli
