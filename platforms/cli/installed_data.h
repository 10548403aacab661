// Where an installed heddle command finds its platforms, the kernels of its workloads and the page of its reports.
#pragma once

namespace heddle::cli {

/// They are at a fixed path relative to the command, so that an installation can be moved. If they are
/// missing (the command of a build folder), those of the source tree are used. HEDDLE_PLATFORMS_DIR,
/// HEDDLE_WORKLOADS_DIR and HEDDLE_REPORT_DIR take precedence.
void use_installed_data();

}  // namespace heddle::cli
