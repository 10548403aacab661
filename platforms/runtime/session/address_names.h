// What stored addresses point to, so that copies of two devices can be compared that have put the same things elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "host/device.h"

namespace heddle::runtime {

class AddressNames {
 public:
  void allocated(std::uint64_t address, std::uint64_t bytes);
  void loaded(host::ModuleHandle module) { modules_[module]; }
  void unloaded(host::ModuleHandle module) { modules_.erase(module); }

  /// The bytes, where each aligned word that is an address of an allocation, a variable, a function, a shared variable or the heap of
  /// `device` is a hash of that and of where in it the address points to. An allocation is known by its turn, the heap's by their size.
  [[nodiscard]] std::vector<std::byte> named(std::span<const std::byte> bytes, const host::Device& device);

 private:
  struct Thing {
    std::uint64_t bytes = 0;
    std::uint64_t name = 0;
  };
  using Things = std::map<std::uint64_t, Thing>;
  [[nodiscard]] static const Things::value_type* at(const Things& things, std::uint64_t address);

  Things allocations_;  ///< freed ones as well, until another lies there
  std::uint64_t turn_ = 0;
  std::map<host::ModuleHandle, Things> modules_;  ///< empty: not asked for yet
};

}  // namespace heddle::runtime
