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

void OutputNames::add(Named named) {
  for (const Named& other : named_)
    if (other.file == named.file && (other.written || named.written))
      throw base::InputError(named.place,
                             fmt::format("is the same file as that of {}{}", other.place,
                                         other.written ? "" : ", which is read"),
                             "give each of them a file of its own");
  named_.push_back(std::move(named));
}

void OutputNames::reads(const std::string& path, const std::string& place) {
  Identity file;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && identify(path, file)) add({file, place, false});
}

void OutputNames::reads_platform(const std::string& platform, const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    reads(files[i],
          i == 0 ? "--platform " + platform : fmt::format("--platform {} (include: {})", platform, files[i]));
}

void OutputNames::writes(const std::string& path, const std::string& place) {
  check_writable(path, place);
  Identity file;
  if (identify(path, file)) add({file, place, true});
}

}  // namespace heddle::cli
