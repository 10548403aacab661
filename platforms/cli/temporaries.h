// Files and folders that exist only while a command runs: unfinished files under temporary names, and new
// empty folders. A signal that ends the process at once removes them (interrupt.h).
#pragma once

#include <csignal>
#include <cstddef>
#include <string>

namespace heddle::cli {

/// While an object of this class exists, terminating signals are blocked: creating a file and registering it
/// becomes atomic.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

/// The registered name of a file or empty folder, to be removed on a signal. The destructor removes nothing.
class Temporary {
 public:
  explicit Temporary(std::string path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::size_t slot_ = 0;
};

/// Removes everything registered. For signal handlers.
void remove_temporaries() noexcept;

}  // namespace heddle::cli
