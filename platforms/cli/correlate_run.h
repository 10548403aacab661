// A workload's run on the model for heddle correlate: the counters of the launches that the truth has.
#pragma once

#include <string>

#include "cli/run.h"
#include "correlation/comparison.h"
#include "correlation/truth.h"

namespace heddle::cli {

struct CorrelateRun {
  Job job;
  RunSettings settings;  ///< platform, assignments, cold_caches, profile: instructions are counted
  /// Ends the run after the last launch that the truth has. Otherwise the workload's results are checked, and wrong ones are a
  /// problem.
  bool stop_early = true;
  double seconds = 0;  ///< the run ends itself after this time, with the launches so far; 0: no limit
};

/// To be called in a process of its own. The result is for model_run_of(). Throws base::Error if nothing was launched.
[[nodiscard]] nlohmann::ordered_json run_for_correlation(const CorrelateRun& run,
                                                         const correlation::CardRun& card);
[[nodiscard]] correlation::ModelRun model_run_of(const nlohmann::ordered_json& result);

}  // namespace heddle::cli
