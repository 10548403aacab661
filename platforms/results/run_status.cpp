#include "results/run_status.h"

#include <array>

namespace heddle::results {
namespace {

/// By RunStatus.
constexpr std::array<std::string_view, 7> kNames = {"passed", "wrong",   "hang",  "fault",
                                                    "limit",  "refused", "failed"};
static_assert(static_cast<std::size_t>(RunStatus::kFailed) + 1 == kNames.size());

}  // namespace

RunStatus status_of(base::ExitCode code) {
  using base::ExitCode;
  switch (code) {
    case ExitCode::kOk:
      return RunStatus::kPassed;
    case ExitCode::kMismatch:
      return RunStatus::kWrong;
    case ExitCode::kBadInput:
      return RunStatus::kRefused;
    case ExitCode::kKernelFault:
    case ExitCode::kAssertion:
      return RunStatus::kFault;
    case ExitCode::kHang:
      return RunStatus::kHang;
    case ExitCode::kCycleLimit:
      return RunStatus::kLimit;
    default:
      return RunStatus::kFailed;
  }
}

std::string_view name_of(RunStatus status) { return kNames[static_cast<std::size_t>(status)]; }

std::optional<RunStatus> status_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<RunStatus>(i);
  return std::nullopt;
}

}  // namespace heddle::results
