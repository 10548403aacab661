// Signals that ask the command to end: SIGINT (Ctrl-C), SIGTERM, SIGHUP.
//
// While there is nothing to keep, a signal ends the process at once. From the first stop_if_interrupted() on
// the first signal is only noted: the next call throws, and the command ends with what it has so far. A
// second signal ends the process at once, too. Temporary files are removed in any case. A signal that the
// parent has set to be ignored (nohup, background jobs of scripts) stays ignored.
#pragma once

#include <string>

#include "base/error.h"

namespace heddle::cli {

/// Installs the handlers; SIGPIPE and SIGXFSZ become errors of the write that they belong to.
void handle_signals();

/// Throws base::Error with exit code 128 + SIGNAL if a signal has come.
void stop_if_interrupted();

/// The error is of stop_if_interrupted().
[[nodiscard]] bool is_interrupt(const base::Error& error);

}  // namespace heddle::cli
