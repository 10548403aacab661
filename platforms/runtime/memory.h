// What the program has allocated: device memory, and host memory that the device sees as well.
//
// The device has a copy of such host memory (a mirror). Before a launch it gets what the program has changed; when the program
// waits for the device, what kernels have changed comes back, byte by byte. Memory of cudaMallocManaged has one address on both
// sides. Pinned and registered memory gets a device address of its own when the program asks for it, or passes a pointer to it to a
// kernel, where that address takes its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
  Code allocate_pinned(std::uint64_t bytes, unsigned flags, void** pointer);
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
  [[nodiscard]] bool has_aliases() const { return aliased_ != 0; }

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
    Kind kind = Kind::kManaged;
    std::byte* host = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t device = 0;      ///< 0: there is no copy
    std::uint64_t allocation = 0;  ///< of the device; 0: none of its own
    unsigned flags = 0;
    bool mapped = false;            ///< by mmap
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
  Mirror* new_managed(Runtime& runtime, std::uint64_t bytes);
  Code free_managed(Runtime& runtime, Mirror& mirror, std::uint64_t address);
  Code place(Runtime& runtime, Kind kind, std::uint64_t bytes, std::uint64_t& address);
  Code drop(Runtime& runtime, Kind kind, std::uint64_t address);
  void publish(Runtime& runtime, Mirror& mirror);
  /// The bytes from..end-1 of a mirror.
  void collect(Runtime& runtime, Mirror& mirror, std::uint64_t from, std::uint64_t end);

  std::map<std::uint64_t, Block> device_;                     ///< by address
  std::map<std::uint64_t, std::unique_ptr<Mirror>> mirrors_;  ///< by the host's address
  std::map<std::uint64_t, Mirror*> aliases_;                  ///< by the device's address, where it differs
  std::size_t aliased_ = 0;  ///< mirrors whose pointers the device does not know
  std::uint64_t used_ = 0, count_ = 0, resets_ = 0;
  bool changed_ = false;
};

}  // namespace heddle::runtime
