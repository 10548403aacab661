#include "cli/output_names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/error.h"
#include "cli/files.h"
#include "cli/new_file.h"

namespace heddle::cli {

namespace fs = std::filesystem;

/// False: not a file that could be replaced.
bool OutputNames::identify(const std::string& path, Identity& file) {
  const Destination to = destination(path);
  if (to.descriptor >= 0) return false;
  struct stat status {};
  if (to.in_place) {
    // Among devices only pipes matter: a reader would get two mixed streams.
    if (::stat(to.path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return false;
    file = {status.st_dev, status.st_ino, ""};
    return true;
  }
  const fs::path end = to.path;
  const fs::path folder = end.has_parent_path() ? end.parent_path() : ".";
  if (::stat(folder.c_str(), &status) != 0) return false;
  file = {status.st_dev, status.st_ino, end.filename().string()};
  return true;
}

void OutputNames::refuse_same(const Identity& file, const std::string& place, const Places& others,
                              const char* what) {
  if (const auto other = others.find(file); other != others.end())
    throw base::InputError(place, fmt::format("is the same file as that of {}{}", other->second, what),
                           "give each of them a file of its own");
}

void OutputNames::reads(const std::string& path, const std::string& place) {
  Identity file;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && identify(path, file)) {
    refuse_same(file, place, written_, "");
    read_.emplace(file, place);
  }
}

void OutputNames::reads_platform(const std::string& platform, const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    reads(files[i],
          i == 0 ? "--platform " + platform : fmt::format("--platform {} (include: {})", platform, files[i]));
}

void OutputNames::writes(const std::string& path, const std::string& place) {
  check_writable(path, place);
  removes(path, place);
}

void OutputNames::removes(const std::string& path, const std::string& place) {
  Identity file;
  if (!identify(path, file)) return;
  refuse_same(file, place, written_, "");
  refuse_same(file, place, read_, ", which is read");
  written_.emplace(file, place);
}

}  // namespace heddle::cli
