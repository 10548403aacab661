// Scalars as text on the command line: 1024, 0xff, -1.5e3, each with an explicit type.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/types.h"

namespace heddle::cli {

inline constexpr const char* kScalarTypes = "u8 s8 u16 s16 u32 s32 u64 s64 f32 f64";

/// One of kScalarTypes.
[[nodiscard]] std::optional<isa::Type> scalar_type(std::string_view name);
/// The same; throws base::InputError at `place` if it is none.
[[nodiscard]] isa::Type element_type(std::string_view name, const std::string& place);

/// Decimal, or hexadecimal with 0x; nullopt if `text` is not a number or does not fit.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x") || text.starts_with("0X")) {
      std::make_unsigned_t<T> bits = 0;
      const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
      if (text.size() == 2 || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
      return static_cast<T>(bits);
    }
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Calls use(T{}) with the C++ type of `type`.
template <class Use>
auto with_type(isa::Type type, const Use& use) {
  switch (type) {
    case isa::Type::kS8:
      return use(std::int8_t{});
    case isa::Type::kU16:
      return use(std::uint16_t{});
    case isa::Type::kS16:
      return use(std::int16_t{});
    case isa::Type::kU32:
      return use(std::uint32_t{});
    case isa::Type::kS32:
      return use(std::int32_t{});
    case isa::Type::kU64:
      return use(std::uint64_t{});
    case isa::Type::kS64:
      return use(std::int64_t{});
    case isa::Type::kF32:
      return use(float{});
    case isa::Type::kF64:
      return use(double{});
    default:
      return use(std::uint8_t{});
  }
}

/// Little-endian; nullopt if `text` is not a value of that type.
[[nodiscard]] std::optional<std::vector<std::byte>> value_bytes(isa::Type type, std::string_view text);

/// A description of the values of that type, for messages: "a whole number from 0 to 255".
[[nodiscard]] std::string range_text(isa::Type type);

}  // namespace heddle::cli
