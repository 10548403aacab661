// --check oracle: the same host program on the scalar oracle, then every allocation compared byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/tracked_device.h"
#include "host/device_heap.h"

namespace heddle::cli {

struct OracleVerdict {
  bool passed = false;
  std::string summary;  ///< "3 buffers, 196608 bytes, are the same", or the location of the first difference
};

/// Runs `program` on a fresh oracle with a heap of that size, and compares its memory with the current contents of
/// `device`. May be ended by stop_if_interrupted().
[[nodiscard]] OracleVerdict compare_with_oracle(TrackedDevice& device,
                                                const std::function<void(host::Device&)>& program,
                                                std::uint64_t heap_bytes = host::DeviceHeap::kDefaultBytes);

}  // namespace heddle::cli
