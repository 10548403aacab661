// From exceptions to messages and exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::cli {

/// Runs `body` and returns its exit code. An exception becomes one message on stderr,
///   heddle: error: PLACE: MESSAGE
///     REMEDY
/// and its exit code (base/error.h).
[[nodiscard]] int report_errors(const std::function<base::ExitCode()>& body);

/// An InputError for `word` at `place`: there is no such `kind`. Names the nearest candidate, and all of
/// them.
[[nodiscard]] base::InputError unknown_name(const std::string& place, const std::string& kind,
                                            const std::string& word,
                                            const std::vector<std::string>& candidates);

}  // namespace heddle::cli
