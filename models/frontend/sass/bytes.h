// Little-endian numbers in bytes that somebody else wrote: every access is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::sass {

/// A piece of a file. `where` names the file and the piece in errors; they are base::InputError.
class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> all() const { return bytes_; }
  [[nodiscard]] const std::string& where() const { return where_; }

  /// `count` bytes from `offset`; `what` they should be goes into the error.
  [[nodiscard]] Bytes piece(std::uint64_t offset, std::uint64_t count, std::string_view what) const;
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, unsigned bytes, std::string_view what) const;
  [[nodiscard]] std::uint8_t u8(std::uint64_t offset, std::string_view what) const {
    return static_cast<std::uint8_t>(number(offset, 1, what));
  }
  [[nodiscard]] std::uint16_t u16(std::uint64_t offset, std::string_view what) const {
    return static_cast<std::uint16_t>(number(offset, 2, what));
  }
  [[nodiscard]] std::uint32_t u32(std::uint64_t offset, std::string_view what) const {
    return static_cast<std::uint32_t>(number(offset, 4, what));
  }
  [[nodiscard]] std::uint64_t u64(std::uint64_t offset, std::string_view what) const {
    return number(offset, 8, what);
  }
  /// Up to the next NUL.
  [[nodiscard]] std::string text(std::uint64_t offset, std::string_view what) const;

  /// Throws: these bytes are not what they should be.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::span<const std::byte> bytes_;
  std::string where_;
};

}  // namespace heddle::sass
