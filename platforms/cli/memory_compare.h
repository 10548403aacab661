// The memories of two devices after the same host program: every buffer, every variable of the loaded modules, and what
// kernels have allocated and memory points to, byte for byte. The devices have addresses of their own: eight bytes that
// differ are the same if they are addresses of the same thing (address_pairs.h, heap_pairs.h).
#pragma once

#include <string>

#include "cli/tracked_device.h"

namespace heddle::cli {

struct MemoryVerdict {
  bool passed = false;
  std::string
      summary;  ///< "3 buffers and 1 variable, 196672 bytes, are the same", or where they differ first
};

/// Messages call them the GPU and the oracle.
[[nodiscard]] MemoryVerdict compare_memories(TrackedDevice& device, TrackedDevice& oracle);

}  // namespace heddle::cli
