#include "cli/run_results.h"

namespace heddle::cli {
namespace {

template <class Record>
std::vector<Measured> measured(const gpu::GpuDevice& device, const std::vector<Record>& records) {
  std::vector<Measured> all;
  all.reserve(records.size());
  for (const Record& record : records) {
    nlohmann::ordered_json statistics = device.statistics(record.values);
    all.push_back({summarize(record, statistics), std::move(statistics)});
  }
  return all;
}

}  // namespace

RunResults results_of(const gpu::GpuDevice& device, std::vector<LaunchSummary> first_launches) {
  RunResults results;
  results.kernels = measured(device, device.kernels());
  for (const Measured& kernel : results.kernels) results.summary.kernels.push_back(kernel.summary);
  results.summary.first_launches = std::move(first_launches);
  if (device.keeps_launches()) results.launches = measured(device, device.launches());
  return results;
}

void note_launch(std::vector<LaunchSummary>& first_launches, const gpu::LaunchRecord& launch) {
  if (first_launches.size() < kLaunchLines) first_launches.push_back(summarize_briefly(launch));
}

}  // namespace heddle::cli
