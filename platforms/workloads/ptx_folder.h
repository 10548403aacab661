// The folder of the workloads' PTX: ptx/ in the folder given by the environment variable
// HEDDLE_WORKLOADS_DIR, else in the one set by use_workload_folder(), else in platforms/workloads of the
// source tree.
#pragma once

#include <string>

namespace heddle::workloads {

/// Sets the folder of an installation, for the whole process.
void use_workload_folder(const std::string& folder);

}  // namespace heddle::workloads
