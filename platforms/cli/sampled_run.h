// Runs of which only a part is simulated: options, and the host program on a SampledDevice.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/run.h"
#include "cli/sampled_device.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {

/// --detail and --estimate.
void add_sampling_options(CLI::App& command, RunSettings& settings);

/// A run of `job` on `gpu`, whose tracked device is `model`: its program sees all launches, of which the model gets what
/// `settings` says. Refers to its arguments.
class SampledRun {
 public:
  SampledRun(const Job& job, const RunSettings& settings, gpu::GpuDevice& gpu, TrackedDevice& model);

  /// What simulates: the job with another program, if anything is left out.
  [[nodiscard]] const Job& job() const { return job_; }
  /// For gpu::RunOptions::on_launch: what the model's last launch took.
  void launched(double ns) {
    if (device_) device_->simulated(ns);
  }

 private:
  workloads::Verdict run();

  Job job_;
  std::function<workloads::Verdict(host::Device&)> program_;
  std::optional<SampledDevice> device_;
};

}  // namespace heddle::cli
