// Whether bytes are all zero: memory that nobody has written reads so, and needs no storage.
#pragma once

#include <cstddef>
#include <cstring>

namespace heddle::base {

/// Stops at the first byte that is not.
[[nodiscard]] inline bool all_zeros(const void* bytes, std::size_t count) {
  const auto* const first = static_cast<const unsigned char*>(bytes);
  return count == 0 || (*first == 0 && std::memcmp(first, first + 1, count - 1) == 0);
}

}  // namespace heddle::base
