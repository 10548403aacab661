// What a long run tells on stderr: how far its launch is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/progress_mode.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {

class ProgressLine {
 public:
  explicit ProgressLine(ProgressMode mode);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// For gpu::RunOptions::on_progress; empty when nothing is to be shown. Must not outlive this object.
  [[nodiscard]] std::function<void(const gpu::ProgressReport&)> callback();
  /// Launches are counted: the time that is left is that of a launch.
  void launch_ended() {
    ++launches_;
    launch_start_ = Clock::now();
  }
  /// Clears the line, so that other output can follow.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const gpu::ProgressReport& report);
  [[nodiscard]] std::string text(const gpu::ProgressReport& report, double seconds) const;
  [[nodiscard]] std::string json(const gpu::ProgressReport& report, double seconds) const;
  [[nodiscard]] double seconds_of_launch() const;

  ProgressMode mode_;
  Clock::time_point start_;
  Clock::time_point launch_start_;
  Clock::time_point told_;
  std::uint64_t launches_ = 0;  ///< that have ended
  bool shown_ = false;
};

}  // namespace heddle::cli
