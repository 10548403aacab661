// Signals that ask a command to end (SIGINT, SIGTERM, SIGHUP), held back around a fork().
//
// A child has its parent's handlers until it sets its own. A signal in between would run them there: a second error
// message, or a signal that is noted where nobody looks. The kernel keeps it until the child is ready.
#pragma once

#include <pthread.h>

#include <array>
#include <csignal>

namespace heddle::base {

inline constexpr std::array<int, 3> kEndSignals{SIGINT, SIGTERM, SIGHUP};

class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : kEndSignals) ::sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// What came meanwhile arrives now.
  void release() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  /// In the child: it ends by such a signal, without a word. What is ignored (nohup) remains ignored.
  void release_by_default() {
    for (const int signal : kEndSignals) {
      struct sigaction action {};
      if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        ::signal(signal, SIG_DFL);
    }
    release();
  }

 private:
  sigset_t before_{};
};

}  // namespace heddle::base
