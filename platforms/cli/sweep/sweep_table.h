// A sweep's runs as tables, from its database: the same whatever the order in which they were made.
#pragma once

#include <cstddef>
#include <string>

#include "results/results.h"

namespace heddle::cli {

/// A line a run with what differs, the outcome and the main figures; `most` runs at most. `folder` is named for the rest.
[[nodiscard]] std::string sweep_text(const results::Results& results, std::size_t most,
                                     const std::string& folder);
/// All runs with all parameters and the whole summary (`total.*`), host time left out.
[[nodiscard]] std::string sweep_csv(const results::Results& results);

/// A cell of CSV (RFC 4180).
[[nodiscard]] std::string csv_cell(const std::string& text);

}  // namespace heddle::cli
