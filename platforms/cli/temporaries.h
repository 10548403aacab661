// What exists on disk only while a command runs: files that have not got their names yet, new folders without
// anything in them. A signal that ends the process at once removes them (interrupt.h).
#pragma once

#include <csignal>
#include <cstddef>
#include <string>

namespace heddle::cli {

/// While one of these lives, signals that end the process wait: to create something and register it is one
/// step.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

/// The name of a file or of an empty folder, registered for removal. Removes nothing by itself.
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

/// Removes whatever is registered. For signal handlers.
void remove_temporaries() noexcept;

}  // namespace heddle::cli
