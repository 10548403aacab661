// `heddle analyze --convergence`: a kernel with the convergence instructions that are put into it for mechanisms that
// execute them (models/compiler/convergence).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compiler/convergence/place_convergence.h"

namespace heddle::cli {

/// Keys: kernel, file, regions, dropped, code. `kernel`: compiled, as if for a mechanism without these instructions.
[[nodiscard]] nlohmann::ordered_json convergence_json(const isa::Kernel& kernel,
                                                      const compiler::ConvergenceOptions& options);
/// The same as an annotated listing.
[[nodiscard]] std::string convergence_listing(const nlohmann::ordered_json& kernel);

}  // namespace heddle::cli
