#include "cli/scalar_text.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "base/error.h"

namespace heddle::cli {

std::optional<isa::Type> scalar_type(std::string_view name) {
  for (const isa::Type type :
       {isa::Type::kU8, isa::Type::kS8, isa::Type::kU16, isa::Type::kS16, isa::Type::kU32, isa::Type::kS32,
        isa::Type::kU64, isa::Type::kS64, isa::Type::kF32, isa::Type::kF64})
    if (isa::type_name(type) == name) return type;
  return std::nullopt;
}

isa::Type element_type(std::string_view name, const std::string& place) {
  if (const auto type = scalar_type(name)) return *type;
  throw base::InputError(place, fmt::format("'{}' is not an element type", name),
                         fmt::format("types: {}", kScalarTypes));
}

std::optional<std::vector<std::byte>> value_bytes(isa::Type type, std::string_view text) {
  return with_type(type, [&](auto zero) -> std::optional<std::vector<std::byte>> {
    const auto value = parse_number<decltype(zero)>(text);
    if (!value) return std::nullopt;
    std::vector<std::byte> bytes(sizeof *value);
    std::memcpy(bytes.data(), &*value, sizeof *value);
    return bytes;
  });
}

std::string range_text(isa::Type type) {
  return with_type(type, [&](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      return "a number such as 1.5 or -2e3";
    else
      return fmt::format("a whole number from {} to {}", std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::max());
  });
}

}  // namespace heddle::cli
