// Signals that ask the command to end: SIGINT (Ctrl-C), SIGTERM, SIGHUP.
//
// While there are no results to keep, a signal ends the process at once. From the first stop_if_interrupted()
// on, the first signal is only recorded: the next call throws, and the command ends with the results so far.
// A second signal also ends the process at once. Temporary files are removed in any case. A signal that the
// parent process has set to be ignored (nohup, background jobs of scripts) remains ignored.
#pragma once

#include <string>

#include "base/error.h"

namespace heddle::cli {

/// Installs the handlers. SIGPIPE and SIGXFSZ become errors of the write that causes them.
void handle_signals();

/// SIGUSR1 is then SIGTERM that a parent passes on, and changes nothing if a signal has been recorded.
void handle_passed_signals();

/// Throws base::Error with exit code 128 + SIGNAL if a signal has been received.
void stop_if_interrupted();

/// What stop_if_interrupted() throws.
[[nodiscard]] base::Error interrupted(int signal);

/// Whether the error was thrown by stop_if_interrupted().
[[nodiscard]] bool is_interrupt(const base::Error& error);

}  // namespace heddle::cli
