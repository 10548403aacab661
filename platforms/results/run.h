// One run among others: what was asked for, how it ended, what it counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/run_status.h"

namespace heddle::results {

/// What a statistic means. Its name is that of the dictionary of stats.json, with a counter's label behind it:
/// "core.issue.slots.issued" is the sum over all cores and all kernels of the run (of a maximum: the largest). "total.cycles" and
/// others below "total" are the run's summary, rates included.
struct Statistic {
  std::string name;
  std::string unit;
  std::string description;
};

struct Parameter {
  std::string name;  ///< "workload", "platform", "seed", or a configuration key: "core.l1d.size_kib"
  std::string value;
};

struct Run {
  std::vector<Parameter> parameters{};  ///< in the order of the spec
  RunStatus status = RunStatus::kFailed;
  int exit_code = 0;        ///< as of `heddle run`
  std::string verdict{};    ///< one line
  std::string diagnosis{};  ///< of a run that ended early, in several lines; may be empty
  std::optional<std::uint64_t>
      cycles{};                 ///< core cycles of all launches; of a run that ended early: until then
  double seconds = 0;           ///< host time of the whole run
  std::string configuration{};  ///< digest of the resolved configuration; empty: refused before there was one
  std::string heddle{};         ///< version, and commit if it is known
  std::string folder{};         ///< of its files, as a path that can be opened; empty: it left none

  /// Its cycles are those of the whole program.
  [[nodiscard]] bool complete() const { return status == RunStatus::kPassed || status == RunStatus::kWrong; }
  /// Value of a parameter; nullptr: it has none of this name.
  [[nodiscard]] const std::string* parameter(const std::string& name) const {
    for (const Parameter& each : parameters)
      if (each.name == name) return &each.value;
    return nullptr;
  }
};

/// A run with its statistics, as writers and readers of single folders have it.
struct MeasuredRun {
  Run run;
  std::vector<Statistic> statistics{};
  std::vector<double> values{};  ///< by statistic
};

}  // namespace heddle::results
