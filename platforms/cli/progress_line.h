// A line on stderr that shows the progress of a long run; only on a terminal.
#pragma once

#include <chrono>
#include <functional>

#include "gpu/gpu_device.h"

namespace heddle::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// For gpu::RunOptions::on_progress; empty when stderr is not a terminal. Must not outlive this object.
  [[nodiscard]] std::function<void(const gpu::ProgressReport&)> callback();
  /// Clears the line, so that other output can follow.
  void erase();

 private:
  void show(const gpu::ProgressReport& report);

  std::chrono::steady_clock::time_point start_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace heddle::cli
