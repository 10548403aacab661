// The control flow graph of a kernel with the results of its analysis, for Graphviz.
#pragma once

#include <string>

#include "cli/analyze_model.h"

namespace heddle::cli {

/// Blocks with their PTX lines; loops that may deadlock, what they wait for, and their safe post-dominators
/// in colour.
[[nodiscard]] std::string graph_text(AnalyzedKernel& kernel);

/// Runs Graphviz's `dot`. Throws base::InputError for `place` if the tool is missing or fails.
void write_svg(const std::string& graph, const std::string& path, const std::string& place);

}  // namespace heddle::cli
