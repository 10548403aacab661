// A device without a model of time, whose launches are recorded: a card or the oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/tracked_device.h"

namespace heddle::cli {

/// One launch, or the sums of several of one kernel.
struct DeviceLaunch {
  std::string kernel;
  std::string source;                     ///< file name of the kernel's PTX, without its folder
  std::uint64_t launches = 1;             ///< number of launches summed up
  host::Launch shape;                     ///< of the first one
  bool one_shape = true;                  ///< all have the same
  bool complete = true;                   ///< all have finished
  double microseconds = 0;                ///< on the card; of complete launches
  double shortest = 0, longest = 0;       ///< of the launches, in microseconds
  std::uint64_t thread_instructions = 0;  ///< of the oracle
  double host_seconds = 0;                ///< of the launch calls

  /// Adds a launch of the same kernel.
  void add(const DeviceLaunch& other);
};

class MeasuredDevice : public TrackedDevice {
 public:
  /// `measure` fills in what the device says of the launch that has just finished.
  template <class Mapped>
  MeasuredDevice(Mapped& device, std::function<void(DeviceLaunch&)> measure)
      : TrackedDevice(device), measure_(std::move(measure)) {}

  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;

  /// In order. A launch that is refused before it starts leaves none.
  [[nodiscard]] const std::vector<DeviceLaunch>& launches() const { return launches_; }
  /// Summed up by kernel and source, in order of their first launches.
  [[nodiscard]] std::vector<DeviceLaunch> kernels() const;

 private:
  std::function<void(DeviceLaunch&)> measure_;
  std::vector<DeviceLaunch> launches_;
};

}  // namespace heddle::cli
