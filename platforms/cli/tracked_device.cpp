#include "cli/tracked_device.h"

#include <algorithm>

namespace heddle::cli {

std::uint64_t TrackedDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const std::uint64_t address = device_.allocate(bytes, name);
  buffers_[count_++] = {address, bytes, name};
  return address;
}

void TrackedDevice::free(std::uint64_t address) {
  device_.free(address);
  const auto found = std::find_if(buffers_.begin(), buffers_.end(),
                                  [address](const auto& entry) { return entry.second.address == address; });
  if (found != buffers_.end()) freed_.insert(buffers_.extract(found));
}

host::ModuleHandle TrackedDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const host::ModuleHandle handle = device_.load_module(bytes, name);
  modules_.push_back({handle, name, true, map_.symbols(handle)});
  return handle;
}

/// Not kept: its variables are the other module's.
host::ModuleHandle TrackedDevice::load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                               host::ModuleHandle variables_of) {
  return device_.load_sharing(bytes, name, variables_of);
}

void TrackedDevice::unload(host::ModuleHandle handle) {
  device_.unload(handle);
  for (Module& module : modules_)
    if (module.handle == handle) module.loaded = false;
}

}  // namespace heddle::cli
