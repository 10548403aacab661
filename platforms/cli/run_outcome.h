// A host program run on one device: its verdict, the comparison with the oracle, and how it ended if early. Common to all
// devices of `heddle run`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/oracle_check.h"
#include "cli/run.h"
#include "cli/tracked_device.h"

namespace heddle::cli {

inline constexpr int kStatsIndent = 1;  ///< of stats.json: readable, without doubling its size

/// What a device has launched so far.
struct LaunchesSoFar {
  std::uint64_t count = 0;
  std::string last_kernel;
  bool last_complete = true;
  std::string last_length;  ///< how far the last one came: "1200 cycles"
  const char* limit;        ///< the option that ends long launches, "--max-cycles"
  bool leaves_out = false;  ///< launches without time are not counted
};

/// The results of a run that has ended.
struct Outcome {
  RunHeader header;
  std::optional<base::Error> early;  ///< the error that ended it early, if any
};

/// Errors before the first launch (unless some are left out), and those that are none of the kernel's, are thrown. `settings`: of the oracle.
[[nodiscard]] Outcome run_program(const Job& job, bool check_oracle, const OracleSettings& settings,
                                  TrackedDevice& device, const std::function<LaunchesSoFar()>& launches);

/// What `error` says ended the run, whatever it had come to.
void end_early(Outcome& outcome, const base::Error& error);

/// What was found besides what ended the run early: it is said behind that, and the exit code stays.
void add_finding(Outcome& outcome, const base::Error& finding);

/// As of the command, unless results cannot be saved.
[[nodiscard]] base::ExitCode exit_code_of(const Outcome& outcome);

/// Prints to stdout. Unlike fmt::print, this leaves a failure in the stream's state, for the end of the command to report.
void put(const std::string& text);

/// Ends a run whose results are saved: throws what ended it early, or what could not be saved.
[[nodiscard]] base::ExitCode end_run(const Outcome& outcome, const Problems& problems);

}  // namespace heddle::cli
