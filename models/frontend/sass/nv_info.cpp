#include "frontend/sass/nv_info.h"

#include <fmt/format.h>

namespace heddle::sass {

std::vector<NvInfo> read_nv_info(const Bytes& section) {
  std::vector<NvInfo> records;
  for (std::uint64_t at = 0; at < section.size();) {
    const std::uint8_t format = section.u8(at, "an attribute");
    const std::uint8_t attribute = section.u8(at + 1, "an attribute");
    const std::uint16_t value = section.u16(at + 2, "an attribute");
    at += 4;
    std::uint64_t bytes = 0;
    if (format == 4)
      bytes = value;
    else if (format < 1 || format > 3)
      section.fail(fmt::format("the attribute at byte {} has the unknown format {}", at - 4, format));
    records.push_back({attribute, format == 2 ? static_cast<std::uint16_t>(value & 255) : value,
                       section.piece(at, bytes, fmt::format("attribute {:#x}", attribute))});
    at += bytes;
  }
  return records;
}

}  // namespace heddle::sass
