// What kernels have launched (device_runtime.h), in the order in which it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/device.h"

namespace heddle::runtime {

/// A kernel's launch, copy or fill, asked for by a kernel.
struct DeviceLaunch {
  enum class Kind { kKernel, kCopy, kFill };
  Kind kind = Kind::kKernel;
  std::string kernel;
  host::Launch shape;
  std::vector<std::byte> parameters;  ///< as the kernel's parameter block begins
  std::uint64_t to = 0, from_or_value = 0, bytes = 0;
  bool tail = false;  ///< after all others of its kernel
};

class DeviceLaunches {
 public:
  /// A module of PTX that has come out of with_device_runtime. Tells kernels what the parameters of others take.
  void add(host::Device& device, host::ModuleHandle module, const std::string& ptx);
  /// Whether kernels of the module may launch.
  [[nodiscard]] bool launches(host::ModuleHandle module) const { return modules_.contains(module); }
  void remove(host::ModuleHandle module) { modules_.erase(module); }
  /// What the kernels of a module have asked for since the last call: tail launches last. Throws base::InputError if it was
  /// more than there is room for.
  [[nodiscard]] std::vector<DeviceLaunch> take(host::Device& device, host::ModuleHandle module);

 private:
  struct Pool {
    std::uint64_t used = 0, end = 0, records = 0;  ///< addresses
    std::map<std::uint64_t, std::string> kernels;  ///< by handle
  };
  std::map<host::ModuleHandle, Pool> modules_;
};

}  // namespace heddle::runtime
