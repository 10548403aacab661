#include "cli/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/held_signals.h"
#include "cli/temporaries.h"

namespace heddle::cli {
namespace {

constexpr int kSignalExit = 128;  ///< a shell reports a signal as this exit code plus its number
static_assert(kSignalExit + SIGHUP == static_cast<int>(base::ExitCode::kHungUp) &&
              kSignalExit + SIGINT == static_cast<int>(base::ExitCode::kInterrupted) &&
              kSignalExit + SIGTERM == static_cast<int>(base::ExitCode::kTerminated));

volatile std::sig_atomic_t noted_signal = 0;
volatile std::sig_atomic_t ends_in_order = 0;  ///< signals are only recorded and polled

const char* name_of(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "SIGHUP";
  }
}

void say(const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

void on_signal(int signal) {
  const int error = errno;
  if (ends_in_order != 0 && noted_signal == 0) {
    noted_signal = signal;
    say("\nheddle: ");
    say(name_of(signal));
    say(": ending with what there is so far; once more ends at once\n");
    errno = error;
    return;
  }
  remove_temporaries();
  say("\nheddle: error: interrupted (");
  say(name_of(signal));
  say(")\n");
  ::_exit(kSignalExit + signal);
}

void set_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction action {};
  if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int other : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaddset(&action.sa_mask, other);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_signals() {
  for (const int signal : base::kEndSignals) set_unless_ignored(signal, on_signal);
  for (const int signal : {SIGPIPE, SIGXFSZ}) set_unless_ignored(signal, SIG_IGN);
}

void handle_passed_signals() {
  set_unless_ignored(SIGUSR1, [](int) {
    if (noted_signal == 0) on_signal(SIGTERM);
  });
}

void stop_if_interrupted() {
  ends_in_order = 1;
  if (noted_signal != 0) throw interrupted(noted_signal);
}

base::Error interrupted(int signal) {
  return {static_cast<base::ExitCode>(kSignalExit + signal), "",
          std::string("interrupted (") + name_of(signal) + ")"};
}

bool is_interrupt(const base::Error& error) {
  switch (error.code()) {
    case base::ExitCode::kHungUp:
    case base::ExitCode::kInterrupted:
    case base::ExitCode::kTerminated:
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::cli
