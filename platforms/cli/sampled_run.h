// Runs of which only a part is simulated: options, and what becomes of the job.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/detail_choice.h"
#include "cli/run.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {

/// --detail and --estimate.
void add_sampling_options(CLI::App& command, RunSettings& settings);

/// A run of `job` on `gpu`, which simulates what `settings` says; the rest runs without time. Refers to its arguments.
class SampledRun {
 public:
  SampledRun(const Job& job, const RunSettings& settings, gpu::GpuDevice& gpu);

  /// What simulates: the job with another heading, if anything is left out.
  [[nodiscard]] const Job& job() const { return job_; }
  /// For gpu::RunOptions::on_launch: what the last launch took that was simulated.
  void launched(double ns) {
    if (choice_) choice_->simulated(ns);
  }

 private:
  Job job_;
  std::optional<DetailChoice> choice_;
};

}  // namespace heddle::cli
