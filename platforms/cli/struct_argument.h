// Structs passed by value, as given on the command line: struct=FIELD[,FIELD]..., where FIELD is
//   TYPE:VALUE           scalar, aligned to its own size                           f32:1.5
//   ptr:NAME[+BYTES]     8 bytes: address within a buffer declared earlier         ptr:x+16
//   hex:BYTES            raw bytes in memory order, not aligned                    hex:00ff
//   pad:N                N zero bytes, not aligned
//   align:N              zero bytes up to the next multiple of N, a power of two
// The layout is that of C: fields are padded to their alignment with zero bytes, and the struct's size is
// rounded up to its largest alignment. A nested struct begins and ends with align:N, where N is its own
// alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

/// Whether it is a valid buffer name: letters, digits, underscores.
[[nodiscard]] bool is_buffer_name(std::string_view text);

/// NAME[+BYTES]
struct BufferPointer {
  std::string buffer;
  std::uint64_t bytes = 0;  ///< offset
};
[[nodiscard]] std::optional<BufferPointer> parse_pointer(std::string_view text);

struct StructPointer {
  std::size_t offset = 0;  ///< within the struct
  BufferPointer target;
};

struct StructValue {
  std::vector<std::byte> bytes{};  ///< zeros for pointers
  std::vector<StructPointer> pointers{};
  std::string layout{};  ///< "f32 at 0, ptr at 8", for messages
};

/// Throw base::InputError at `place`.
[[nodiscard]] StructValue parse_struct(std::string_view fields, const std::string& place);
[[nodiscard]] std::vector<std::byte> parse_hex(std::string_view digits, const std::string& place);
[[nodiscard]] std::vector<std::byte> struct_file(const std::string& path, const std::string& place);

}  // namespace heddle::cli
