// Device memory allocations: who owns an address, for allocation and for bounds checks on every access.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/device_heap.h"

namespace heddle::host {

class AllocationTable {
 public:
  struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name;
  };

  /// First fit above isa::kGlobalBase, with at least 256 unmapped bytes between allocations so that overruns
  /// fault. Throws base::InputError when `bytes` is 0 or the 1 TiB device address space is used up.
  std::uint64_t allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name);
  /// Throws base::InputError if `address` is not the start of an allocation.
  void free(std::uint64_t address);
  /// True if all of [address, address+bytes) lies in one allocation. Fast: the last hit is remembered.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const {
    if (address - hit_begin_ < hit_bytes_ && bytes <= hit_bytes_ - (address - hit_begin_)) return true;
    return look_up(address, bytes);
  }
  /// "4 bytes past the end of 'a' (0x10000000, 256 bytes)" or "no allocation near": for messages.
  [[nodiscard]] std::string describe(std::uint64_t address) const;
  [[nodiscard]] const std::map<std::uint64_t, Allocation>& all() const { return by_address_; }

  /// The allocation at heap->begin() holds blocks: only what lies in one of them is allocated. `heap` outlives the
  /// table, which is told of every block that is freed.
  void set_heap(const DeviceHeap* heap) { heap_ = heap; }
  void heap_freed() { hit_begin_ = hit_bytes_ = 0; }

 private:
  [[nodiscard]] bool look_up(std::uint64_t address, std::uint64_t bytes) const;
  std::map<std::uint64_t, Allocation> by_address_;
  const DeviceHeap* heap_ = nullptr;
  mutable std::uint64_t hit_begin_ = 0;
  mutable std::uint64_t hit_bytes_ = 0;
};

}  // namespace heddle::host
