#include "host/limits.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::host {

void check_heap_size(const DeviceHeap& heap, std::uint64_t bytes) {
  const std::uint64_t has = heap.end() - heap.begin();
  if (bytes / DeviceHeap::kAlignment * DeviceHeap::kAlignment == has) return;
  throw base::InputError("device heap", fmt::format("a kernel has used it, and it has {} bytes", has),
                         "Set its size before the first launch of a kernel that calls malloc.");
}

}  // namespace heddle::host
