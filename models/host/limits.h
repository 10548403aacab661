// Memory of kernels whose size no kernel says, as the host program sets it: CUDA's limits of a device.
#pragma once

#include <cstdint>

#include "host/device_heap.h"

namespace heddle::host {

struct Limits {
  std::uint64_t stack_bytes = 0;  ///< of a thread: recursion, and frames behind pointers
  std::uint64_t heap_bytes = 0;   ///< of all kernels' malloc together
};

/// A device whose limits may change.
class Limited {
 public:
  virtual ~Limited() = default;
  /// For the launches that follow. Throws base::InputError for another size of a heap that a kernel has used.
  virtual void set_limits(const Limits& limits) = 0;
};

/// Throws base::InputError if the heap has another size: blocks are where they are.
void check_heap_size(const DeviceHeap& heap, std::uint64_t bytes);

}  // namespace heddle::host
