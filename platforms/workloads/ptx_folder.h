// Where the PTX of the workloads is: in ptx/ of the folder that the environment variable HEDDLE_WORKLOADS_DIR
// names, else of the one given by use_workload_folder(), else of platforms/workloads in the source tree.
#pragma once

#include <string>

namespace heddle::workloads {

/// Of an installed Heddle. For the whole process.
void use_workload_folder(const std::string& folder);

}  // namespace heddle::workloads
