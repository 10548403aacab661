// What a program has said of its managed memory (cudaMemAdvise, prefetches). It has no effect, but the program may ask for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "runtime/abi.h"

namespace heddle::runtime {

/// cudaMemLocation.
struct Location {
  enum Type : int { kNone, kDevice, kHost, kHostNode, kHostNodeOfThread, kLast = kHostNodeOfThread };
  int type = kNone, id = 0;
  bool operator==(const Location&) const = default;
  /// cudaCpuDeviceId is -1, cudaInvalidDeviceId -2.
  [[nodiscard]] int device() const { return type == kNone ? -2 : type == kDevice ? id : -1; }
  [[nodiscard]] static Location of(int device) {
    return device == -1 ? Location{kHost, 0} : Location{kDevice, device};
  }
};

class Advice {
 public:
  struct Facts {
    bool read_mostly = false, accessed_by_device = false, accessed_by_host = false;
    Location preferred, prefetched;
    bool operator==(const Facts&) const = default;
  };
  /// Of the pages of the range.
  void change(std::uint64_t address, std::uint64_t bytes, const std::function<void(Facts&)>& how);
  void forget(std::uint64_t address, std::uint64_t bytes);
  /// A fact that is not that of all pages is as if nothing had been said.
  [[nodiscard]] Facts common(std::uint64_t address, std::uint64_t bytes) const;

 private:
  [[nodiscard]] Facts at(std::uint64_t address) const;
  std::map<std::uint64_t, Facts> from_;  ///< from an address to the next one
};

/// cudaMemAdvise and cudaMemPrefetchAsync of all toolkits.
int advise(const void* pointer, std::size_t bytes, int advice, Location where);
int prefetch(const void* pointer, std::size_t bytes, Location where, StreamHandle stream);

}  // namespace heddle::runtime
