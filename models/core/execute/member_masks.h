// What .sync instructions and products of matrices demand of the lanes that execute them.
#pragma once

#include <array>
#include <cstdint>

#include "core/memory/access_check.h"

namespace heddle::core {

/// The member masks that lanes `exec` of the warp name. Throws base::KernelFault if a lane's lacks itself.
[[nodiscard]] std::array<std::uint32_t, kLanes> members_of(const AccessSite& site, LaneMask exec);
/// Throws base::KernelFault for a product of matrices that only `lanes` of a warp execute.
void check_matrix(const isa::Kernel& kernel, Pc pc, LaneMask lanes);
/// ... and for a load of matrices.
void check_matrix_load(const isa::Kernel& kernel, Pc pc, LaneMask lanes);

}  // namespace heddle::core
