// From exceptions to messages and exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::cli {

/// Runs `body` and returns its exit code. Whatever it throws ends as one message on stderr,
///   heddle: error: PLACE: MESSAGE
///     REMEDY
/// and the exit code that belongs to it (sim/error.h).
[[nodiscard]] int report_errors(const std::function<base::ExitCode()>& body);

/// An InputError for `word` at `place`: there is no such `kind`; the nearest candidate, and all of them.
[[nodiscard]] base::InputError unknown_name(const std::string& place, const std::string& kind,
                                            const std::string& word,
                                            const std::vector<std::string>& candidates);

}  // namespace heddle::cli
