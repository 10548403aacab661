// Copies and compares of the few sizes that lines and sectors have, without a library call.
#pragma once

#include <cstddef>
#include <cstring>

namespace heddle::memory {

inline void copy_bytes(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  switch (bytes) {
    case 32:
      std::memcpy(to, from, 32);
      break;
    case 64:
      std::memcpy(to, from, 64);
      break;
    case 128:
      std::memcpy(to, from, 128);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace heddle::memory
