// Blocks that run as RTL (key `impl`): where they come from, and what the report says of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gpu/gpu_config.h"
#include "sim/twins.h"

namespace heddle::cli {

/// The RTL of this build; none with HEDDLE_RTL=OFF.
void provide_rtl(sim::Twins& twins);

/// A line per block that ran as RTL: how often it was asked, and how many of its clocks that took; and one
/// for each that was to, but is no part of this machine. Empty: none.
[[nodiscard]] std::string rtl_text(const sim::Twins& twins, const gpu::GpuConfig& config);
/// The same for host.json.
[[nodiscard]] nlohmann::ordered_json rtl_json(const sim::Twins& twins);

}  // namespace heddle::cli
