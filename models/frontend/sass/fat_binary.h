// Fat binaries: several compilations of a module, alone in a file or in a program or object that nvcc has made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::sass {

struct Image {
  enum class Kind : std::uint8_t { kPtx, kCubin };
  Kind kind = Kind::kCubin;
  std::uint32_t sm = 0;          ///< 75, 90 ...
  std::vector<std::byte> bytes;  ///< not compressed any more
};

/// Everything in a file's bytes, in its order: a cubin is one image; a fat binary has its entries; a program or an object for
/// the host those of its fat binaries. Malformed and foreign files are base::InputError. Without `contents` an entry's bytes are not
/// looked at, and empty.
[[nodiscard]] std::vector<Image> images_of(std::span<const std::byte> bytes, const std::string& name,
                                           bool contents = true);

}  // namespace heddle::sass
