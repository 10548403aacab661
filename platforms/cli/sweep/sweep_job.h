// A run of a sweep as `heddle run` has it, and the check that a whole spec can be run.
#pragma once

#include <string>

#include "cli/run.h"
#include "cli/sweep/sweep_plan.h"
#include "results/run.h"

namespace heddle::cli {

/// Everything that can be said of the runs without simulating one: workloads, kernels, sizes, seeds, parameters, platforms, keys
/// and their values exist. Which keys go together is known only to a run: one that does not is a row with status `refused`.
/// Throws base::InputError with the place in the spec.
void check_plan(const SweepPlan& plan);

/// Where a run's files are, relative to the sweep's folder: "runs/000017".
[[nodiscard]] std::string folder_of(std::size_t run);

/// Makes a run and reads its results; to be called in a process of its own, whose output goes nowhere. What ends it early is part
/// of the results.
[[nodiscard]] nlohmann::ordered_json make_run(const SweepPlan& plan, std::size_t run, const std::string& out);
/// The results of make_run().
[[nodiscard]] results::MeasuredRun measured_of(const nlohmann::ordered_json& result);

/// A run without results, for what ended it.
[[nodiscard]] results::Run ended_with(const base::Error& error);

}  // namespace heddle::cli
