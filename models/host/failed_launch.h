// The record of a failed launch: a device accepts no launch after one.
#pragma once

#include <exception>
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
  /// The same of an exception of any type: callbacks belong to the program.
  void note(const std::string& kernel, const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      note(kernel, std::string(known.what()));
    } catch (...) {
      note(kernel, std::string("an exception of a callback"));
    }
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
