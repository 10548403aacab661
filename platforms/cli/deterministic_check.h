// heddle run ... --deterministic-check N: the same host program N times with perturbed timing. Memory after every launch
// must be the same in all runs; if it is not, the first difference is looked for and explained.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "cli/run.h"

namespace heddle::cli {

/// Runs are processes, as many at a time as the host has processors; each has the memory of one run, and the parent keeps
/// a digest for each launch. Seeds are 1 to `runs`; every source of perturbation has the run's seed unless
/// settings.assignments say otherwise. Prints a report and writes determinism.json to settings.out. kOk, kMismatch (memory
/// is the same in all runs, but wrong) or kNondeterministic. If all runs end early in the same way, throws that error.
[[nodiscard]] base::ExitCode check_determinism(const Job& job, const RunSettings& settings,
                                               std::uint64_t runs);

}  // namespace heddle::cli
