#include "cli/run_outcome.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "cli/interrupt.h"
#include "cli/oracle_check.h"

namespace heddle::cli {
namespace {

/// Errors after which something has been run. The statistics up to that point help to find the cause.
bool leaves_statistics(const base::Error& error) {
  switch (error.code()) {
    case base::ExitCode::kHang:
    case base::ExitCode::kCycleLimit:
    case base::ExitCode::kKernelFault:
    case base::ExitCode::kAssertion:
    case base::ExitCode::kTwinMismatch:
    case base::ExitCode::kDeviceFailed:
      return true;
    default:
      return is_interrupt(error);
  }
}

/// The reason why the run ended early, in one line.
std::string reason(const base::Error& error, const LaunchesSoFar& launches) {
  const bool limit = error.code() == base::ExitCode::kCycleLimit;
  const std::string text = error.what();
  const std::string what = limit ? std::string(launches.limit) + " reached" : text.substr(0, text.find('\n'));
  if (!limit && !is_interrupt(error)) return what;
  if (launches.count == 0) return what + " before a launch was simulated in detail";
  if (launches.last_complete) return fmt::format("{} after launch {}", what, launches.count);
  return fmt::format("{} in launch {} ({}) after {}", what, launches.count, launches.last_kernel,
                     launches.last_length);
}

void check_against_oracle(const Job& job, const OracleSettings& settings, TrackedDevice& device,
                          Outcome& outcome) {
  RunHeader& header = outcome.header;
  if (!job.not_comparable.empty()) {
    header.verdict += "; not compared with the oracle: " + job.not_comparable;
    return;
  }
  try {
    const MemoryVerdict oracle = compare_with_oracle(device, job.program, settings);
    header.passed = header.passed && oracle.passed;
    header.verdict += "; oracle: " + oracle.summary;
  } catch (const base::Error& error) {
    outcome.early = error;
  } catch (const std::bad_alloc&) {
    outcome.early.emplace(base::ExitCode::kBadInput, "--check oracle", "out of memory",
                          "use a smaller input");
  }
  if (outcome.early) header.ended_early = fmt::format("--check oracle: {}", outcome.early->what());
}

void finish_early(Outcome& outcome) {
  RunHeader& header = outcome.header;
  const std::string line = *header.ended_early;
  header.ended_early = line.substr(0, line.find('\n'));
  header.verdict =
      *header.ended_early + (header.verdict.empty() ? "" : "; the GPU's result: " + header.verdict);
  header.passed = false;
  if (!is_interrupt(*outcome.early)) header.diagnosis = outcome.early->what();
}

}  // namespace

Outcome run_program(const Job& job, bool check_oracle, const OracleSettings& settings, TrackedDevice& device,
                    const std::function<LaunchesSoFar()>& launches) {
  Outcome outcome{job.header, {}};
  RunHeader& header = outcome.header;
  try {
    const workloads::Verdict verdict = job.program(device);
    header.passed = verdict.passed;
    header.verdict = verdict.summary;
    if (check_oracle) check_against_oracle(job, settings, device, outcome);
  } catch (const base::Error& error) {
    const LaunchesSoFar so_far = launches();
    if (!leaves_statistics(error) || (so_far.count == 0 && !so_far.leaves_out)) throw;
    outcome.early = error;
    header.ended_early = reason(error, so_far);
  }
  if (outcome.early) finish_early(outcome);
  return outcome;
}

void end_early(Outcome& outcome, const base::Error& error) {
  outcome.early = error;
  outcome.header.ended_early = error.what();
  finish_early(outcome);
}

void add_finding(Outcome& outcome, const base::Error& finding) {
  const base::Error& early = *outcome.early;
  const std::string also = (early.remedy().empty() ? "" : early.remedy() + "\n") + finding.what();
  outcome.early = base::Error(early.code(), early.where(), early.message(), also);
  std::string& diagnosis = outcome.header.diagnosis;
  diagnosis += (diagnosis.empty() ? "" : "\n") + std::string(finding.what());
}

base::ExitCode exit_code_of(const Outcome& outcome) {
  if (outcome.early) return outcome.early->code();
  return outcome.header.passed ? base::ExitCode::kOk : base::ExitCode::kMismatch;
}

void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

base::ExitCode end_run(const Outcome& outcome, const Problems& problems) {
  std::fflush(stdout);
  if (outcome.early && problems.any()) fmt::print(stderr, "heddle: error: {}\n", problems.text());
  if (outcome.early) throw *outcome.early;
  problems.rethrow();
  return exit_code_of(outcome);
}

}  // namespace heddle::cli
