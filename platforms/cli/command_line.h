// The whole command line of heddle.
#pragma once

namespace heddle::cli {

/// Parses, runs the chosen subcommand, reports errors; returns the process's exit code.
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace heddle::cli
