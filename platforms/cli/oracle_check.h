// --check oracle: the same host program on the scalar oracle, then the memories compared.
#pragma once

#include <cstdint>
#include <functional>

#include "cli/memory_compare.h"
#include "cli/tracked_device.h"
#include "host/device_heap.h"
#include "isa/matrix.h"

namespace heddle::cli {

/// What the oracle shares with the machine.
struct OracleSettings {
  std::uint64_t heap_bytes = host::DeviceHeap::kDefaultBytes;
  isa::TensorNumerics tensor{};
};

/// Runs `program` on a fresh oracle, and compares its memory with the current contents of `device`. May be ended by stop_if_interrupted().
[[nodiscard]] MemoryVerdict compare_with_oracle(TrackedDevice& device,
                                                const std::function<void(host::Device&)>& program,
                                                const OracleSettings& settings = {});

}  // namespace heddle::cli
