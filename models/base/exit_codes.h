// What the exit codes of base::ExitCode mean to a user: the one list that every --help prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace heddle::base {

/// "the kernel hangs; the diagnosis says why". Empty for numbers that are no exit code.
[[nodiscard]] std::string_view meaning(ExitCode code);

/// All of them, in ascending order.
[[nodiscard]] std::vector<ExitCode> exit_codes();

/// "Exit codes:" and a line for each.
[[nodiscard]] std::string exit_code_table();

}  // namespace heddle::base
