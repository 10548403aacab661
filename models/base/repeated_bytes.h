// Whether bytes need storage: memory that nobody has written reads as zero, and a fill's bytes repeat.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle::base {

/// Stops at the first byte that is not.
[[nodiscard]] inline bool all_zeros(const void* bytes, std::size_t count) {
  const auto* const first = static_cast<const unsigned char*>(bytes);
  return count == 0 || (*first == 0 && std::memcmp(first, first + 1, count - 1) == 0);
}

constexpr std::size_t kFillBytes = 8;  ///< the longest element that fills memory: a double

/// Whether the bytes repeat after kFillBytes. Stops at the first byte that does not.
[[nodiscard]] inline bool repeats(const void* bytes, std::size_t count) {
  const auto* const first = static_cast<const unsigned char*>(bytes);
  return count <= kFillBytes || std::memcmp(first, first + kFillBytes, count - kFillBytes) == 0;
}

/// Writes an element of kFillBytes again and again, from its byte `phase` on.
inline void fill(void* to, std::size_t count, const void* element, std::size_t phase) {
  auto* const bytes = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < std::min(count, kFillBytes); ++i)
    bytes[i] = static_cast<const unsigned char*>(element)[(phase + i) % kFillBytes];
  for (std::size_t done = kFillBytes; done < count; done *= 2)
    std::memcpy(bytes + done, bytes, std::min(done, count - done));
}

}  // namespace heddle::base
