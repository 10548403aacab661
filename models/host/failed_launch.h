// The record of a failed launch: a device accepts no launch after one.
#pragma once

#include <string>

#include "base/error.h"

namespace heddle::host {

class FailedLaunch {
 public:
  /// `message`: what the launch threw; its first line is kept.
  void note(const std::string& kernel, const std::string& message) {
    kernel_ = kernel;
    message_ = message.substr(0, message.find('\n'));
    failed_ = true;
  }
  /// Throws base::Error with kDeviceFailed if a launch has failed.
  void check() const {
    if (!failed_) return;
    throw base::Error(
        base::ExitCode::kDeviceFailed, "launch of kernel " + kernel_,
        "this launch failed (" + message_ + "), and nothing can run on the device after it",
        "Memory can still be read. Take a new device for the next launch; of simulated GPUs there "
        "is one to a process.");
  }

 private:
  bool failed_ = false;
  std::string kernel_;
  std::string message_;
};

}  // namespace heddle::host
