// The one way Heddle reports a problem to its user: where, what, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle::base {

/// Exit codes of the `heddle` command, one per kind of outcome.
enum class ExitCode : int {
  kOk = 0,
  kMismatch = 1,          ///< the run finished but its result is wrong
  kBadInput = 2,          ///< command line, YAML, PTX, files, launch shape
  kKernelFault = 3,       ///< the kernel did something illegal (out of bounds, misaligned, trap)
  kHang = 4,              ///< the watchdog diagnosed a hang
  kCycleLimit = 5,        ///< --max-cycles or --max-seconds reached
  kTwinMismatch = 6,      ///< a block's model and its RTL twin gave different answers
  kDeviceFailed = 7,      ///< a launch on a device on which an earlier launch failed
  kNondeterministic = 8,  ///< memory of runs of --deterministic-check differs
  kAssertion = 9,         ///< an assertion of the kernel failed
  kInternal = 70,         ///< a bug in Heddle
  // As of any command that a signal ends: 128 + its number.
  kHungUp = 129,        ///< SIGHUP
  kInterrupted = 130,   ///< SIGINT
  kOutputClosed = 141,  ///< SIGPIPE: the reader of the output has exited
  kTerminated = 143,    ///< SIGTERM
};

/// what() is "WHERE: MESSAGE" (or MESSAGE when there is none), followed by "\n  REMEDY" if there is one.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& where, const std::string& message, const std::string& remedy = {})
      : std::runtime_error((where.empty() ? "" : where + ": ") + message +
                           (remedy.empty() ? "" : "\n  " + remedy)),
        code_(code),
        where_(where),
        message_(message),
        remedy_(remedy) {}
  [[nodiscard]] ExitCode code() const { return code_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  ExitCode code_;
  std::string where_;
  std::string message_;
  std::string remedy_;
};

/// Bad input of any kind (exit code 2).
class InputError : public Error {
 public:
  InputError(const std::string& where, const std::string& message, const std::string& remedy = {})
      : Error(ExitCode::kBadInput, where, message, remedy) {}
};

/// A kernel's illegal action at run time (exit code 3).
class KernelFault : public Error {
 public:
  KernelFault(const std::string& where, const std::string& message, const std::string& remedy = {})
      : Error(ExitCode::kKernelFault, where, message, remedy) {}
};

/// assert() of a kernel, with CUDA's text (exit code 9).
class AssertionFailed : public Error {
 public:
  AssertionFailed(const std::string& where, const std::string& message, const std::string& remedy = {})
      : Error(ExitCode::kAssertion, where, message, remedy) {}
};

}  // namespace heddle::base
