// How far a sweep is, on stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/progress_mode.h"
#include "results/run_status.h"

namespace heddle::cli {

class SweepProgress {
 public:
  /// `before`: runs of an earlier process, which took no time of this one.
  SweepProgress(ProgressMode mode, std::size_t all, std::size_t before);
  ~SweepProgress() { erase(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void ended(results::RunStatus status);
  void erase();
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::size_t ended() const { return ended_; }

 private:
  using Clock = std::chrono::steady_clock;
  void show();
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

  ProgressMode mode_;
  std::size_t all_, before_;
  std::size_t ended_ = 0, passed_ = 0;  ///< in this process
  Clock::time_point start_ = Clock::now();
  Clock::time_point told_{};
  bool shown_ = false;
};

}  // namespace heddle::cli
