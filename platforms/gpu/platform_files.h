// Platforms: names for YAML files in one folder: the one that the environment variable HEDDLE_PLATFORMS_DIR
// names, else the one given by use_platform_folder(), else platforms/configs of the source tree.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_config.h"

namespace heddle::gpu {

inline constexpr const char* kDefaultPlatform = "gtx480";

struct Platform {
  std::string name;  ///< file name without .yaml
  std::string path;
  std::string description;  ///< first comment line of the file
};

/// Where the platform files of an installed Heddle are. For the whole process.
void use_platform_folder(const std::string& folder);

/// All platforms, by name. Throws base::InputError if the folder cannot be read.
[[nodiscard]] std::vector<Platform> platforms();

/// The file of a platform name, or the path itself if it names a file (has a '/' or ends in .yaml or .yml).
[[nodiscard]] std::string platform_path(const std::string& name_or_path);

/// Platform file plus assignments ("path=value"). A file may include the shipped ones by name, wherever it
/// is. What neither gives is as on the GTX 480; a file without a name is called as the file. `files` gets
/// the paths of the files that were read, the platform's own first. Throws base::InputError.
[[nodiscard]] GpuConfig load_platform(const std::string& name_or_path,
                                      const std::vector<std::string>& assignments,
                                      std::vector<std::string>* files = nullptr);

}  // namespace heddle::gpu
