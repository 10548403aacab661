// The profile of a run, readable and as complete JSON. Both are reproducible.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/profile_model.h"
#include "cli/report.h"

namespace heddle::cli {

/// For stdout: a summary per kernel, and the `top` hottest PCs and lines.
[[nodiscard]] std::string profile_text(const std::vector<KernelHeat>& kernels, std::size_t top);
/// For profile.txt, after profile_text(): every kernel's PTX in program order, with all causes of waiting.
[[nodiscard]] std::string profile_listing(const std::vector<KernelHeat>& kernels);

/// profile.json: every PC of every launched kernel in program order, and the meaning of the names.
[[nodiscard]] nlohmann::ordered_json profile_json(const RunHeader& header, const std::string& platform,
                                                  const std::vector<KernelHeat>& kernels);

}  // namespace heddle::cli
