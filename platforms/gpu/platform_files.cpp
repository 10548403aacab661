#include "gpu/platform_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::streamsize kMaxDescriptionBytes = 4096;  ///< of a platform file's first line

std::string& default_folder() {
  static std::string folder = HEDDLE_PLATFORMS_SOURCE_DIR;
  return folder;
}

std::string folder() {
  const char* moved = std::getenv("HEDDLE_PLATFORMS_DIR");
  return moved != nullptr && *moved != '\0' ? moved : default_folder();
}

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

std::string first_comment(const fs::path& path) {
  std::ifstream stream(path);
  std::string line(kMaxDescriptionBytes, '\0');
  stream.read(line.data(), kMaxDescriptionBytes);
  line.resize(static_cast<std::size_t>(stream.gcount()));
  line.resize(std::min(line.size(), line.find('\n')));
  const auto begin = line.find_first_not_of("# ");
  return line.starts_with('#') && begin != std::string::npos ? line.substr(begin) : "";
}

}  // namespace

void use_platform_folder(const std::string& folder) { default_folder() = folder; }

std::vector<Platform> platforms() {
  std::vector<Platform> found;
  std::error_code error, ignored;
  for (const auto& entry : fs::directory_iterator(folder(), error))
    if (is_yaml(entry.path()) && entry.is_regular_file(ignored))
      found.push_back({entry.path().stem().string(), entry.path().string(), first_comment(entry.path())});
  if (error)
    throw base::InputError(folder(), fmt::format("cannot read the folder of platforms: {}", error.message()),
                           "set HEDDLE_PLATFORMS_DIR to the folder platforms/configs of Heddle");
  std::sort(found.begin(), found.end(), [](const Platform& a, const Platform& b) { return a.name < b.name; });
  return found;
}

std::string platform_path(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || is_yaml(name_or_path)) return name_or_path;
  std::vector<std::string> names;
  for (const Platform& platform : platforms()) {
    if (platform.name == name_or_path) return platform.path;
    names.push_back(platform.name);
  }
  const auto near = base::nearest_name(name_or_path, names);
  throw base::InputError(
      "--platform " + name_or_path,
      fmt::format("there is no platform of that name{}",
                  near ? fmt::format("; did you mean '{}'?", *near) : ""),
      fmt::format("platforms: {}; or give the path of a .yaml file", fmt::join(names, ", ")));
}

GpuConfig load_platform(const std::string& name_or_path, const std::vector<std::string>& assignments,
                        std::vector<std::string>* files) {
  const std::string path = platform_path(name_or_path);
  base::ConfigSource source;
  source.add_file(path, {folder()});
  if (files != nullptr) *files = source.files();
  for (const std::string& assignment : assignments) source.add_assignment(assignment);
  GpuConfig config;
  config.name = base::valid_utf8(fs::path(path).stem().string());
  base::load_config(source, config);
  return config;
}

}  // namespace heddle::gpu
