#include "cli/tracked_device.h"

namespace heddle::cli {

std::uint64_t TrackedDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const std::uint64_t address = device_.allocate(bytes, name);
  buffers_[count_++] = {address, bytes, name};
  return address;
}

void TrackedDevice::free(std::uint64_t address) {
  device_.free(address);
  std::erase_if(buffers_, [address](const auto& entry) { return entry.second.address == address; });
}

}  // namespace heddle::cli
