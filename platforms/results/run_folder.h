// A run from the files that `heddle run --out` has written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/run.h"

namespace heddle::results {

/// The run of a folder. Its parameters are what stats.json says of the run: platform, workload or kernel, compiler, size, seed ...
/// Throws base::InputError with the folder if it is none.
[[nodiscard]] MeasuredRun read_run(const std::string& folder);
/// Whether a folder looks like one.
[[nodiscard]] bool is_run_folder(const std::string& folder);

/// config.yaml of a folder by dotted key, in the order of the file; empty: there is none.
[[nodiscard]] std::vector<Parameter> configuration_of(const std::string& folder);
/// A JSON file of a folder; null: it is not there.
[[nodiscard]] nlohmann::ordered_json document_of(const std::string& folder, const std::string& file);

/// Equal texts have equal digests: 16 hexadecimal digits, of 64 bits of FNV-1a.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace heddle::results
