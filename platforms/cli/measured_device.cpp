#include "cli/measured_device.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/error.h"

namespace heddle::cli {

void DeviceLaunch::add(const DeviceLaunch& other) {
  one_shape = one_shape && other.shape == shape;
  launches += other.launches;
  complete = complete && other.complete;
  microseconds += other.microseconds;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  thread_instructions += other.thread_instructions;
  host_seconds += other.host_seconds;
}

void MeasuredDevice::launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
                            const host::Args& args) {
  DeviceLaunch record;
  record.kernel = kernel;
  record.shape = shape;
  for (const Module& each : modules())
    if (each.handle == module) record.source = std::filesystem::path(each.name).filename().string();
  const auto began = std::chrono::steady_clock::now();
  const auto add = [&] {
    record.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    launches_.push_back(record);
  };
  try {
    TrackedDevice::launch(module, kernel, shape, args);
  } catch (const base::Error& error) {
    record.complete = false;
    if (error.code() != base::ExitCode::kBadInput) add();
    throw;
  }
  measure_(record);
  record.shortest = record.longest = record.microseconds;
  add();
}

std::vector<DeviceLaunch> MeasuredDevice::kernels() const {
  std::vector<DeviceLaunch> all;
  for (const DeviceLaunch& launch : launches_) {
    const auto known = std::ranges::find_if(all, [&](const DeviceLaunch& each) {
      return each.kernel == launch.kernel && each.source == launch.source;
    });
    if (known == all.end())
      all.push_back(launch);
    else
      known->add(launch);
  }
  return all;
}

}  // namespace heddle::cli
