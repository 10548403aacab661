// How a command tells how far it is: --progress.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace heddle::cli {

enum class ProgressMode : std::uint8_t {
  kTerminal,  ///< a line that is overwritten, if stderr is a terminal
  kText,      ///< lines on stderr, for a log
  kJson,      ///< JSON lines on stderr, for programs
};

/// Adds --progress, whose value may be left out (command_line.cpp completes it).
void add_progress_option(CLI::App& command, ProgressMode& mode);

/// "5 min 20 s".
[[nodiscard]] std::string duration_text(double seconds);
/// Time that is left when `done` of `all` took `seconds`; nothing: none is done yet.
[[nodiscard]] std::optional<double> seconds_left(double seconds, double done, double all);

}  // namespace heddle::cli
