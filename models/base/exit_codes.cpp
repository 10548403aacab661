#include "base/exit_codes.h"

#include <fmt/format.h>

namespace heddle::base {

std::string_view meaning(ExitCode code) {
  switch (code) {  // without default: the compiler asks for the meaning of a new code
    case ExitCode::kOk:
      return "results right, or nothing to compare with";
    case ExitCode::kMismatch:
      return "results wrong; of microbench: not as configured; of analyze: a loop may deadlock";
    case ExitCode::kBadInput:
      return "bad input (command line, configuration, PTX, files, launch shape), or output that cannot be "
             "written";
    case ExitCode::kKernelFault:
      return "the kernel did something illegal: bad address, misaligned access, trap; control codes that let "
             "a hazard "
             "through (core.scoreboard.check_hazards)";
    case ExitCode::kHang:
      return "the kernel hangs; the diagnosis says why";
    case ExitCode::kCycleLimit:
      return "--max-cycles or --max-seconds reached";
    case ExitCode::kTwinMismatch:
      return "a block's model and its RTL twin gave different answers (impl=both)";
    case ExitCode::kDeviceFailed:
      return "a launch on a device on which an earlier one failed (user programs)";
    case ExitCode::kNondeterministic:
      return "--deterministic-check: memory depends on timing";
    case ExitCode::kAssertion:
      return "an assertion of the kernel failed";
    case ExitCode::kInternal:
      return "a bug in Heddle";
    case ExitCode::kHungUp:
      return "ended by SIGHUP: the terminal is gone";
    case ExitCode::kInterrupted:
      return "ended by SIGINT: Ctrl-C";
    case ExitCode::kOutputClosed:
      return "the reader of the output has exited: heddle list | head";
    case ExitCode::kTerminated:
      return "ended by SIGTERM: kill, time-outs";
  }
  return "";
}

std::vector<ExitCode> exit_codes() {
  constexpr int kLargest = 255;  // of a process
  std::vector<ExitCode> codes;
  for (int i = 0; i <= kLargest; ++i)
    if (const auto code = static_cast<ExitCode>(i); !meaning(code).empty()) codes.push_back(code);
  return codes;
}

std::string exit_code_table() {
  std::string table = "Exit codes:";
  for (const ExitCode code : exit_codes())
    table += fmt::format("\n  {:>3}  {}", static_cast<int>(code), meaning(code));
  return table;
}

}  // namespace heddle::base
