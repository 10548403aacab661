// heddle run WORKLOAD: one of the workloads that come with Heddle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run.h"

namespace heddle::cli {

struct WorkloadRequest {
  std::string name;
  std::string compiler = "nvcc";
  std::string size = "small";
  std::uint64_t seed = 1;
  std::vector<std::string> parameters;  ///< NAME=VALUE
  std::string machine_code;             ///< cubin, or folder of cubins; empty: the committed PTX
};

/// Throws base::InputError for an unknown name, and for a parameter that the workload does not have. `command`: that was
/// given the name, "heddle run".
[[nodiscard]] Job workload_job(const WorkloadRequest& request, const std::string& command);

}  // namespace heddle::cli
