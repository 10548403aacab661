// Platforms: names for YAML files in platforms/configs (HEDDLE_PLATFORMS_DIR replaces that folder).
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_config.h"

namespace heddle::cli {

inline constexpr const char* kDefaultPlatform = "gtx480";

struct Platform {
  std::string name;  ///< file name without .yaml
  std::string path;
  std::string description;  ///< first comment line of the file
};

/// All platforms, by name. Throws sim::InputError if the folder cannot be read.
[[nodiscard]] std::vector<Platform> platforms();

/// The file of a platform name, or the path itself if it names a file (has a '/' or ends in .yaml or .yml).
[[nodiscard]] std::string platform_path(const std::string& name_or_path);

/// Platform file plus assignments ("path=value"). Throws sim::InputError.
[[nodiscard]] gpu::GpuConfig load_platform(const std::string& name_or_path,
                                           const std::vector<std::string>& assignments);

}  // namespace heddle::cli
