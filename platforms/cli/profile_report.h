// The profile of a run: readable, and all of it as JSON. Both are reproducible.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/profile_model.h"
#include "cli/report.h"

namespace heddle::cli {

/// For stdout: per kernel what its groups did, and the `top` hottest PCs and lines.
[[nodiscard]] std::string profile_text(const std::vector<KernelHeat>& kernels, std::size_t top);
/// For profile.txt, behind profile_text(): every kernel's PTX in program order, with all causes of waiting.
[[nodiscard]] std::string profile_listing(const std::vector<KernelHeat>& kernels);

/// profile.json: every PC of every kernel that was launched, in program order, and what the names mean.
[[nodiscard]] nlohmann::ordered_json profile_json(const RunHeader& header, const std::string& platform,
                                                  const std::vector<KernelHeat>& kernels);

}  // namespace heddle::cli
