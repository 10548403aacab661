// heddle run WORKLOAD: one of the workloads that come with Heddle.
#pragma once

#include <cstdint>
#include <string>

#include "cli/run.h"

namespace heddle::cli {

struct WorkloadRequest {
  std::string name;
  std::string compiler = "nvcc";
  std::string size = "small";
  std::uint64_t seed = 1;
};

/// Throws base::InputError for an unknown name.
[[nodiscard]] Job workload_job(const WorkloadRequest& request);

}  // namespace heddle::cli
