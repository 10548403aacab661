// Where an installed heddle command finds its platforms and the kernels of its workloads.
#pragma once

namespace heddle::cli {

/// They lie at a fixed path from the command, so that an installation can be moved. Without them there (the
/// command of a build folder) those of the source tree stay in use. HEDDLE_PLATFORMS_DIR and
/// HEDDLE_WORKLOADS_DIR go first.
void use_installed_data();

}  // namespace heddle::cli
