// The data for a run's report and statistics, taken from the device.
#pragma once

#include <optional>
#include <vector>

#include "cli/report.h"
#include "cli/report_model.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {

struct RunResults {
  RunSummary summary;
  std::vector<Measured> kernels;
  std::optional<std::vector<Measured>> launches;  ///< with RunOptions::per_launch

  [[nodiscard]] const std::vector<Measured>* every_launch() const { return launches ? &*launches : nullptr; }
};

/// `first_launches`: the launches collected by note_launch().
[[nodiscard]] RunResults results_of(const gpu::GpuDevice& device, std::vector<LaunchSummary> first_launches);

/// For RunOptions::on_launch: collects the launches that a report lists individually.
void note_launch(std::vector<LaunchSummary>& first_launches, const gpu::LaunchRecord& launch);

}  // namespace heddle::cli
