// The control flow graph of a kernel with what its analysis has found, for Graphviz.
#pragma once

#include <string>

#include "cli/analyze_model.h"

namespace heddle::cli {

/// Blocks with their PTX lines; loops that may deadlock, what they wait for and their safe places in colour.
[[nodiscard]] std::string graph_text(AnalyzedKernel& kernel);

/// Has Graphviz's `dot` draw it. Throws base::InputError for `place` if the tool is missing or fails.
void write_svg(const std::string& graph, const std::string& path, const std::string& place);

}  // namespace heddle::cli
