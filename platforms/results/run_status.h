// How a run of a sweep ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace heddle::results {

enum class RunStatus : std::uint8_t {
  kPassed,   ///< the results are right, or there is nothing to compare them with
  kWrong,    ///< it ran to its end with wrong results
  kHang,     ///< the watchdog diagnosed a hang
  kFault,    ///< the kernel did something illegal, or one of its assertions failed
  kLimit,    ///< stopped by a limit of cycles or of host time
  kRefused,  ///< bad input: nothing was simulated
  kFailed,   ///< all else: a twin's difference, memory that ran out, a signal, a bug of Heddle
};

/// Of the command `heddle run`.
[[nodiscard]] RunStatus status_of(base::ExitCode code);
/// "passed", "wrong", "hang", "fault", "limit", "refused", "failed": as in the database.
[[nodiscard]] std::string_view name_of(RunStatus status);
[[nodiscard]] std::optional<RunStatus> status_named(std::string_view name);

}  // namespace heddle::results
