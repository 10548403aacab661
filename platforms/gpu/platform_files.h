// Platforms are named YAML files in one folder: the one in the environment variable HEDDLE_PLATFORMS_DIR,
// else the one set by use_platform_folder(), else platforms/configs of the source tree.
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

/// Sets the folder of an installation's platform files, for the whole process.
void use_platform_folder(const std::string& folder);

/// All platforms, by name. Throws base::InputError if the folder cannot be read.
[[nodiscard]] std::vector<Platform> platforms();

/// The file of a platform name, or the path itself if it names a file (has a '/' or ends in .yaml or .yml).
[[nodiscard]] std::string platform_path(const std::string& name_or_path);

/// Platform file plus assignments ("path=value"). A file may include the shipped platforms by name from any
/// folder. Keys that are not set default to the GTX 480's; a platform without a name is named after its file.
/// `files` receives the paths of the files that were read, the platform's own first. Throws base::InputError.
[[nodiscard]] GpuConfig load_platform(const std::string& name_or_path,
                                      const std::vector<std::string>& assignments,
                                      std::vector<std::string>* files = nullptr);

}  // namespace heddle::gpu
