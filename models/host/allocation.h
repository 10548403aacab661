// Device memory allocations: who owns an address, for allocation and for bounds checks on every access. The device's own
// memory is allocated here as well, but an access by the program into it is as much out of bounds as one into none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/device_heap.h"

namespace heddle::host {

/// Whose memory an allocation is.
enum class Owner : std::uint8_t {
  kProgram,     ///< buffers and .global variables
  kConstants,   ///< .const variables: kernels only read them
  kParameters,  ///< of the launch in progress, whose kernel takes their address: it only reads them
  kDevice,  ///< what the device keeps for itself: local memory, logs, spilled tables, functions' addresses
};

/// Who wants to access memory, and how. kDevice: a unit on its own account.
enum class Access : std::uint8_t { kKernelRead, kKernelWrite, kHost, kDevice };

[[nodiscard]] constexpr bool may_access(Owner owner, Access access) {
  switch (owner) {
    case Owner::kProgram:
      return true;
    case Owner::kConstants:
      return access != Access::kKernelWrite;
    case Owner::kParameters:
      return access == Access::kKernelRead || access == Access::kDevice;
    case Owner::kDevice:
      return access == Access::kDevice;
  }
  return false;
}

/// Of what devices allocate, at least, in bytes: programs find their buffers at the same addresses on each.
inline constexpr std::uint32_t kAllocationAlignment = 256;

/// What a host thread found last in a table, as that was then.
struct AllocationHit {
  std::uint64_t state = 0;  ///< AllocationTable::state_
  std::uint64_t begin = 0, bytes = 0;
  Owner owner = Owner::kProgram;
};

class AllocationTable {
 public:
  struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name;
    Owner owner = Owner::kProgram;
  };

  /// First fit above isa::kGlobalBase, with at least 256 unmapped bytes between allocations so that overruns
  /// fault. Throws base::InputError when `bytes` is 0 or the 1 TiB device address space is used up.
  std::uint64_t allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name,
                         Owner owner = Owner::kProgram);
  /// Notes memory that something else has placed, at an address that no allocation holds.
  void note(std::uint64_t address, std::uint64_t bytes, const std::string& name,
            Owner owner = Owner::kProgram);
  /// Of the allocation that starts at `address`, which must be there.
  void set_owner(std::uint64_t address, Owner owner);
  /// Throws base::InputError if `address` is not the start of an allocation.
  void free(std::uint64_t address);
  /// True if all of [address, address+bytes) lies in one allocation whose owner permits the access. Fast: every host
  /// thread remembers its last hit.
  [[nodiscard]] bool allows(Access access, std::uint64_t address, std::uint64_t bytes) const {
    if (hit_.state == state_ && address - hit_.begin < hit_.bytes &&
        bytes <= hit_.bytes - (address - hit_.begin))
      return may_access(hit_.owner, access);
    return look_up(access, address, bytes);
  }
  /// Buffers of the program from now on have so many bytes around them that kernels may reach (tolerates()).
  void set_tolerance(std::uint64_t bytes);
  /// Not allowed, but near enough to a buffer of the program.
  [[nodiscard]] bool tolerates(std::uint64_t address, std::uint64_t bytes) const;
  /// "4 bytes past the end of 'a' (0x10000000, 256 bytes)" or "no allocation near": for messages.
  [[nodiscard]] std::string describe(std::uint64_t address) const;
  /// The same of an address that the program may not access: adds its owner, and what of the program is near.
  [[nodiscard]] std::string describe_refused(std::uint64_t address) const;
  [[nodiscard]] const std::map<std::uint64_t, Allocation>& all() const { return by_address_; }

  /// The allocation at heap->begin() holds blocks: only what lies in one of them is allocated. `heap` outlives the
  /// table, which is told of every block that is freed.
  void set_heap(const DeviceHeap* heap) { heap_ = heap; }
  void heap_freed() { state_ = next_state(); }

 private:
  /// The allocation that holds the address, or nullptr.
  [[nodiscard]] const Allocation* holder(std::uint64_t address) const;
  [[nodiscard]] bool in_heap(std::uint64_t address) const;
  [[nodiscard]] bool look_up(Access access, std::uint64_t address, std::uint64_t bytes) const;
  using Table = std::map<std::uint64_t, Allocation>;
  [[nodiscard]] static std::uint64_t end_of(Table::const_iterator at) { return at->first + at->second.bytes; }
  /// Unmapped bytes between two allocations.
  [[nodiscard]] std::uint64_t gap() const;
  void add_hole(std::uint64_t begin, std::uint64_t end);

  Table by_address_;
  /// Between allocations, as far as one of a byte fits in: the end of the one below (0: there is none), the address of the
  /// one above. So that most searches look at few.
  std::map<std::uint64_t, std::uint64_t> holes_;
  const DeviceHeap* heap_ = nullptr;
  static std::uint64_t next_state();
  inline static constinit thread_local AllocationHit hit_{};
  std::uint64_t state_ =
      next_state();  ///< another number for every table, and whenever a hit may no longer hold
  std::uint64_t tolerance_ = 0;
};

}  // namespace heddle::host
