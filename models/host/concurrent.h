// Launches that may be on a device at the same time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "host/device.h"

namespace heddle::host {

/// Times are in ns from the beginning of the call that runs it.
struct QueuedLaunch {
  ModuleHandle module = 0;
  std::string kernel;
  Launch shape;
  Args args;
  double ready_ns = 0;             ///< it does not begin before, ...
  std::vector<std::size_t> after;  ///< ... nor before these launches, which stand before it, have ended ...
  double behind_ns = 0;            ///< ... so long ago
};

struct LaunchInterval {
  double begin_ns = 0, end_ns = 0;
};

/// A device that runs several launches at once.
class Concurrent {
 public:
  virtual ~Concurrent() = default;
  /// Runs all of them. What two launches do that may run at once must not depend on their order, as on a card. Nothing: the device
  /// has run none of these. It runs launches one after another, as it is set up; or one of them is refused, or all of them find no room
  /// in its memory. Errors are those of Device::launch().
  virtual std::vector<LaunchInterval> launch_together(std::span<const QueuedLaunch> launches) = 0;
};

}  // namespace heddle::host
