// What the program has allocated: device memory, and host memory that the device sees as well.
//
// The device has a copy of such host memory (a mirror). Before a launch it gets what the program has changed; when the program
// waits for the device, what kernels have changed comes back, byte by byte. Managed and pinned memory has one address on both sides.
// Pinned memory, which most programs only copy from and to, is exchanged from when the device may have its address: the program has asked
// for it, passed a pointer to it to a kernel, or copied one to the device. Registered memory is where the program's allocator has put it, which
// differs from run to run; so that a run's timing does not, it gets a device address of its own, which takes the place of the host's
// in arguments of kernels. So does what finds its place on the host taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/advice.h"

namespace heddle::runtime {

class Runtime;

class Memory {
 public:
  enum class Kind : std::uint8_t { kDevice, kSymbol, kReserved, kManaged, kPinned, kRegistered, kVariable };
  struct Block {
    Kind kind = Kind::kDevice;
    std::uint64_t address = 0;  ///< where it begins: of the device, or of the host for the last four kinds
    std::uint64_t bytes = 0;
    unsigned flags = 0;
    /// The host has no address for it.
    [[nodiscard]] bool is_of_device() const { return kind <= Kind::kReserved; }
  };

  /// Memory of the device alone. Mirrors are not bound by what the machine has: cards keep such memory in the host's.
  Code allocate(Runtime& runtime, std::uint64_t bytes, std::uint64_t& address);
  Code free(Runtime& runtime, std::uint64_t address);
  /// Addresses of the device for memory that count_virtual() counts.
  Code reserve(Runtime& runtime, std::uint64_t bytes, std::uint64_t& address) {
    return place(runtime, Kind::kReserved, bytes, address);
  }
  Code give_up(Runtime& runtime, std::uint64_t address) { return drop(runtime, Kind::kReserved, address); }
  void count_virtual(std::uint64_t more) { used_ += more; }
  Code allocate_managed(Runtime& runtime, std::uint64_t bytes, void** pointer);
  Code allocate_pinned(Runtime& runtime, std::uint64_t bytes, unsigned flags, void** pointer);
  Code free_pinned(Runtime& runtime, void* pointer);
  Code add_registered(void* pointer, std::uint64_t bytes, unsigned flags);
  Code remove_registered(Runtime& runtime, void* pointer);
  void note_symbol(std::uint64_t address, std::uint64_t bytes);
  void forget_symbol(std::uint64_t address);
  /// Host memory for a __managed__ variable; nullptr: there is none. `before`: what the host had before, or nullptr.
  void* mirror_symbol(Runtime& runtime, std::uint64_t address, std::uint64_t bytes, void* before);

  /// The block that holds the address, of any kind. Addresses of mirrors on the device count as their host's.
  [[nodiscard]] std::optional<Block> find(std::uint64_t address) const;
  /// Whether it is memory of the device only.
  [[nodiscard]] bool is_device(std::uint64_t address) const;
  /// The host's address of what is at an address of a mirror on the device; others stay.
  [[nodiscard]] std::uint64_t host_address(std::uint64_t address) const;
  /// The device's address of host memory that it sees; 0: it does not. A copy is made if there is none yet.
  std::uint64_t device_address(Runtime& runtime, std::uint64_t host);
  /// There is memory whose address means something else to the device, or nothing yet.
  [[nodiscard]] bool has_aliases() const { return aliased_ != 0; }
  /// The device is about to hold these bytes of the host's: pinned memory whose addresses are among them is exchanged from now on.
  void note_addresses(const std::byte* bytes, std::uint64_t count);

  void publish(Runtime& runtime);  ///< the program's changes go to the device
  void collect(Runtime& runtime);  ///< the device's changes come back, if anything has run
  /// A kernel has run, which has written nothing but these pages (kWrittenPage), ascending.
  void collect(Runtime& runtime, const std::vector<std::uint64_t>& pages);
  /// The device has copies of memory that the host sees.
  [[nodiscard]] bool has_copies() const;
  /// A kernel has run, and it is not known what it has written. What is small comes back at once: programs look at flags and counters without waiting for the device.
  void launched(Runtime& runtime);
  /// Bytes that allocate() has given.
  [[nodiscard]] std::uint64_t used() const { return used_; }
  void forget();
  [[nodiscard]] std::uint64_t resets() const { return resets_; }  ///< calls of forget()

  Advice advice;  ///< of managed memory

 private:
  struct Mirror {
    Mirror(Kind its_kind, std::byte* its_host, std::uint64_t its_bytes)
        : kind(its_kind), host(its_host), bytes(its_bytes) {}
    Kind kind;
    std::byte* host;
    std::uint64_t bytes;
    std::uint64_t device = 0;      ///< 0: nothing is exchanged
    std::uint64_t allocation = 0;  ///< of the device; 0: none of its own
    unsigned flags = 0;
    std::vector<std::byte> agreed;  ///< what both sides had last
    std::map<std::uint64_t, std::uint64_t> parts,
        holes;  ///< of managed memory that holds many: offset, bytes
    /// Bytes from its beginning of which some are allocated.
    [[nodiscard]] std::uint64_t used() const {
      if (kind != Kind::kManaged) return bytes;
      return parts.empty() ? 0 : parts.rbegin()->first + parts.rbegin()->second;
    }
  };
  Mirror* mirror_at(std::uint64_t host);
  [[nodiscard]] const Mirror* mirror_at(std::uint64_t host) const;
  [[nodiscard]] const Mirror* alias_at(std::uint64_t device) const;
  /// Host memory at an address that the device has given; nullptr: there is none.
  std::unique_ptr<Mirror> place_on_both(Runtime& runtime, Kind kind, std::uint64_t bytes);
  Mirror* new_managed(Runtime& runtime, std::uint64_t bytes);
  /// Host memory at the place of a variable, or elsewhere; nullptr: there is none.
  std::byte* host_of_variable(std::uint64_t address, std::uint64_t bytes);
  void count_unknown(int more);
  /// Of memory that has its place on the device.
  void begin_exchange(Mirror& mirror);
  Code free_managed(Runtime& runtime, Mirror& mirror, std::uint64_t address);
  Code place(Runtime& runtime, Kind kind, std::uint64_t bytes, std::uint64_t& address);
  Code drop(Runtime& runtime, Kind kind, std::uint64_t address);
  void publish(Runtime& runtime, Mirror& mirror);
  /// The bytes from..end-1 of a mirror.
  void collect(Runtime& runtime, Mirror& mirror, std::uint64_t from, std::uint64_t end);

  std::map<std::uint64_t, Block> device_;                     ///< by address
  std::map<std::uint64_t, std::unique_ptr<Mirror>> mirrors_;  ///< by the host's address
  std::map<std::uint64_t, Mirror*> aliases_;                  ///< by the device's address, where it differs
  std::set<std::uint64_t> variable_pages_;                    ///< of the host, at their variables' addresses
  std::size_t aliased_ = 0;  ///< mirrors that may have no address on the device, or another one
  /// Pinned memory that has its place on the device and is not exchanged: how many, and between which addresses.
  int unknown_ = 0;
  std::uint64_t unknown_from_ = ~std::uint64_t{0}, unknown_to_ = 0;
  std::uint64_t used_ = 0, count_ = 0, resets_ = 0;
  bool changed_ = false;
};

}  // namespace heddle::runtime
